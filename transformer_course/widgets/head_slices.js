// @ts-check
// Heads as slices of d_model: cut, bring to the front, attend, lay side by side again.
import {
  STAGES,
  costs,
  divisors,
  splitHeads,
  stripes,
  tell,
  weightsOf,
} from "./head_slices_numbers.js";
import { mixing, placeSlices } from "./head_slices_pictures.js";
import { count, sinusoids } from "./numbers.js";
import { MOVES, check, choice, h, live, save, say, slider, take } from "./shared.js";
import { numberTable } from "./table.js";
/** @import {Context} from "./types.js" */

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const names = ["d_model", "num_heads", "length", "stage", "wrong"];
  const state = () =>
    /** @type {any} */ (Object.fromEntries(names.map((name) => [name, model.get(name)])));
  let chosen = 0;
  let built = "";
  let slices = /** @type {any[]} */ ([]);
  let table = /** @type {any} */ (null);
  let maps = /** @type {any[]} */ ([]);

  const go = (stage) => {
    if (STAGES[stage]) save(model, { stage });
  };
  const tabs = STAGES.map((name, stage) =>
    h("button", { type: "button", click: () => go(stage) }, `${stage + 1} ${name}`),
  );
  const strip = h(
    "ol",
    {
      keydown(event) {
        const to = {
          ArrowLeft: model.get("stage") - 1,
          ArrowRight: model.get("stage") + 1,
          Home: 0,
          End: 4,
        }[event.key];
        if (to === undefined) return;
        take(event);
        go(to);
        tabs[model.get("stage")].focus();
      },
    },
    ...tabs.map((tab) => h("li", {}, tab)),
  );
  const widths = choice({
    label: "d_model",
    options: [8, 16, 32, 64, 512].map((d) => [d, d]),
    value: model.get("d_model"),
    change(text) {
      const width = Number(text);
      save(model, {
        d_model: width,
        num_heads: Math.max(...divisors(width).filter((n) => n <= model.get("num_heads"))),
      });
    },
  });
  const heads = choice({
    label: "Heads",
    options: [],
    value: 0,
    change: (n) => save(model, { num_heads: Number(n) }),
  });
  const lengths = slider({
    label: "Tokens",
    min: 2,
    max: 6,
    value: model.get("length"),
    change: (length) => save(model, { length }),
  });
  const wrong = check({
    label: "Wrong reshape: view, no transpose",
    value: false,
    change: (to) => save(model, { wrong: to, stage: Math.max(2, model.get("stage")) }),
  });

  const [code, shape] = [h("code"), h("code")];
  const told = h("p", { "aria-live": "polite" });
  const stagebox = h("div", { class: "tc-stage", role: "img" });
  const below = h("div", { class: "tc-below" });
  const cost = numberTable({
    caption: "What changes with the heads",
    hint: "one sequence",
    rows: ["d_k", "parameters", "multiply-adds", "softmaxes", "scores"],
    columns: ["1 head", "now"],
  });
  const constant = h("p");
  const root = h(
    "div",
    { class: "tc tc-heads-cut", role: "group", "aria-label": "A row cut into slices" },
    strip,
    h("div", { class: "tc-bar" }, widths.node, heads.node, lengths.node, wrong.node),
    h("p", { class: "tc-formula" }, code, shape),
    told,
    stagebox,
    below,
    h("div", { class: "tc-cost" }, cost.node, h("div", { class: "tc-why" }, constant)),
    h(
      "p",
      { class: "tc-legend" },
      "Rows: the sinusoids of section 3.5, before any projection; the stronger the color of a " +
        "cell, the larger its number. In each slice stands its token.",
    ),
  );

  /** New slices, and a small map of weights for each head. */
  function build({ num_heads: n, length }) {
    slices = Array.from({ length: length * n }, (_, at) => {
      const [token, part] = [Math.floor(at / n), at % n];
      return {
        token,
        part,
        node: h(
          "div",
          { class: `tc-slice tc-hue${token + 1}` },
          h("b", {}, n <= 16 ? String(token) : ""),
        ),
      };
    });
    maps = [];
    chosen = Math.min(chosen, n - 1);
  }

  /** A small map of weights for each head, made when it is first asked for. */
  function buildMaps({ num_heads: n, length }) {
    maps = Array.from({ length: n }, (_, head) => {
      const grid = Array.from({ length }, () => h("i"));
      const node = h(
        "button",
        {
          type: "button",
          "aria-label": `head ${head + 1}`,
          click: () => {
            chosen = head;
            update();
          },
          keydown(event) {
            const [down, right] = MOVES[event.key] ?? [0, 0];
            if (!down && !right) return;
            take(event);
            maps[head + down + right]?.node.focus();
          },
          focus: () => {
            chosen = head;
            update();
          },
        },
        h("span", {}, ...grid),
        h("small", {}, String(head + 1)),
      );
      node.setAttribute("data-lm-suppress-shortcuts", "true");
      return { node, grid };
    });
    const tokens = Array.from({ length }, (_, i) => String(i));
    table = numberTable({
      caption: "Weights",
      hint: "token ↓ looks at →",
      rows: tokens,
      columns: tokens,
    });
    below.replaceChildren(
      h(
        "div",
        { class: "tc-maps", role: "group", "aria-label": "Weights of each head" },
        ...maps.map(({ node }) => node),
      ),
      table.node,
    );
  }

  function update() {
    const now = state();
    const { d_model: d, num_heads: n, length, stage } = now;
    const x = sinusoids(length, d);
    const split = splitHeads(x, n, now.wrong);
    const weights = split.map(weightsOf);
    const key = `${d} ${n} ${length}`;
    if (key !== built) {
      build(now);
      built = key;
      heads.input.replaceChildren(...divisors(d).map((m) => h("option", { value: m }, String(m))));
    }
    widths.set(d);
    heads.set(n);
    lengths.set(length);
    wrong.set(now.wrong);
    tabs.forEach((tab, m) =>
      m === stage ? tab.setAttribute("aria-current", "step") : tab.removeAttribute("aria-current"),
    );

    // -- the slices, in their places --
    placeSlices(stagebox, slices, now, x, split, weights);

    // -- words --
    const [text, dims, words] = tell(stage, now, weights);
    say(code, text);
    say(shape, dims);
    say(told, words);
    stagebox.setAttribute("aria-label", `${STAGES[stage]}: ${dims}. ${words}`);
    const [one, these] = [costs(d, 1, length), costs(d, n, length)];
    cost.node.querySelectorAll("th[scope=col]")[1].textContent =
      n === 1 ? "now: 1 head" : `now: ${n} heads`;
    Object.keys(one).forEach((name, r) =>
      [one, these].forEach((column, c) => {
        say(cost.cells[r][c], count(column[name]));
        cost.cells[r][c].parentElement.classList.toggle("tc-changed", one[name] !== these[name]);
      }),
    );
    say(
      constant,
      n === 1
        ? "Choose more heads: the first column is kept for comparison."
        : `${count(these.parameters)} parameters and ${count(these["multiply-adds"])} ` +
            `multiply-adds, whether in 1 head or in ${n}: the same products, added up in ${n} ` +
            `groups. What grows is the number of softmaxes, ${n} × ${length}, and the scores to ` +
            `keep, ${n} × ${length}².`,
    );

    // -- below: each head's weights, or the way through W_O --
    below.hidden = stage < 3;
    if (stage === 3) {
      if (!maps.length) buildMaps(now);
      maps.forEach(({ node, grid }, head) => {
        grid.forEach((line, i) => {
          line.style.background = stripes(weights[head][i], "var(--hue3)");
        });
        node.setAttribute("aria-pressed", head === chosen);
        node.tabIndex = head === chosen ? 0 : -1;
      });
      table.fill(weights[chosen], { kind: "weight" });
      table.node.querySelector("b").textContent = `Weights of head ${chosen + 1}`;
    } else if (stage === 4) {
      maps = [];
      below.replaceChildren(mixing(d, n));
    }
  }

  return live({ model, el }, root, names, update);
}

export default { render };
