// @ts-check
// Heads as slices of d_model: cut, bring to the front, attend, lay side by side again.
import {
  STAGES,
  WORDS,
  costs,
  divisors,
  rows,
  splitHeads,
  stripes,
  tell,
  weightsOf,
} from "./head_slices_numbers.js";
import { mixing, placeSlices, rowsInWords } from "./head_slices_pictures.js";
import { count } from "./numbers.js";
import { MOVES, assign, check, choice, h, live, save, say, slider, take } from "./shared.js";
import { frame, stack, stepBar } from "./stage.js";
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

  const steps = stepBar({
    names: STAGES,
    get: () => model.get("stage"),
    go: (stage) => save(model, { stage }),
    every: 2400,
  });
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
    label: "Words",
    min: 2,
    max: 6,
    value: model.get("length"),
    change: (length) => save(model, { length }),
  });
  const wrong = check({
    label: "Wrong reshape",
    value: false,
    change: (to) => save(model, { wrong: to, stage: Math.max(2, model.get("stage")) }),
  });

  const [code, shape] = [h("code"), h("code")];
  const told = h("p", { class: "tc-told", "aria-live": "polite" });
  const stagebox = h("div", { class: "tc-slices", role: "img" });
  const [below, mixed] = [h("div", { class: "tc-below" }), h("div")];
  const meaning = rowsInWords();
  const right = stack([meaning.node, below, mixed]);
  const cost = numberTable({
    caption: "What changes with the heads",
    hint: "one sequence",
    rows: ["d_k", "parameters", "multiply-adds", "softmaxes", "scores"],
    columns: ["1 head", "now"],
  });
  const constant = h("p");
  const root = frame({
    name: "heads-cut",
    title: "Heads are slices",
    controls: [wrong.node],
    steps: steps.node,
    told: h(
      "div",
      {},
      h("div", { class: "tc-bar" }, widths.node, heads.node, lengths.node),
      h("p", { class: "tc-formula" }, code, shape),
      told,
    ),
    inputs: [stagebox],
    result: [right.node],
    below: [h("div", { class: "tc-cost" }, cost.node, h("div", { class: "tc-why" }, constant))],
  });

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
          h("b", {}, n <= 4 ? WORDS[token] : n <= 8 ? String(token + 1) : ""),
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
    const tokens = WORDS.slice(0, length);
    table = numberTable({
      caption: "Weights",
      hint: "a word ↓ looks at →",
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
    table.node.classList.add("tc-heat");
    assign(table.node, { tabindex: 0, role: "group", "aria-label": "Weights of the chosen head" });
  }

  function update() {
    const now = state();
    const { d_model: d, num_heads: n, length, stage } = now;
    const x = rows(length, d);
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
    steps.show(stage);
    right.show(Math.max(0, stage - 2));
    meaning.rows.forEach((node, i) => node.classList.toggle("tc-later", i >= length));
    root.classList.toggle("tc-bad", now.wrong && stage > 1 && n > 1);

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
            `multiply-adds, whether in 1 head or in ${n}. What grows is the number of softmaxes, ` +
            `${n} × ${length}, and the scores to keep, ${n} × ${length}².`,
    );

    // -- at the right: what the rows say, each head's weights, or the way through W_O --
    if (!maps.length) buildMaps(now);
    maps.forEach(({ node, grid }, head) => {
      grid.forEach((line, i) => {
        line.style.background = stripes(weights[head][i], "var(--tc-weights)");
      });
      node.setAttribute("aria-pressed", head === chosen);
      node.tabIndex = head === chosen ? 0 : -1;
    });
    table.fill(weights[chosen], { kind: "weight" });
    say(table.node.querySelector("b"), `Weights of head ${chosen + 1}`);
    mixed.replaceChildren(mixing(d, n));
  }

  return live({ model, el }, root, names, update);
}

export default { render };
