// @ts-check
// Heads as slices of d_model: cut, bring to the front, attend, lay side by side again.
import { count, dot, fixed, sinusoids, softmax } from "./numbers.js";
import { MOVES, check, choice, h, live, save, say, slider, take } from "./shared.js";
import { numberTable } from "./table.js";

/** @typedef {number[][]} Matrix */

const MOST_HEADS = 32;
const MOST_CELLS = 64; // drawn in a row; with more, a cell stands for several numbers
const ROW = 22;
const HEADING = 20;

// ---- The mathematics ----

/** How many heads d_model can be cut into. @param {number} width */
export const divisors = (width) =>
  Array.from({ length: MOST_HEADS }, (_, n) => n + 1).filter((n) => width % n === 0);

/** Where slice `part` of a token goes: [head, row]. A view in place of a transpose keeps the order
 * of the memory.
 * @param {number} token @param {number} part @param {number} heads @param {number} length
 * @param {boolean} wrong */
export function place(token, part, heads, length, wrong) {
  if (!wrong) return [part, token];
  const n = token * heads + part;
  return [Math.floor(n / length), n % length];
}

/** (length, d_model) to heads of (length, d_k).
 * @param {Matrix} x @param {number} heads @param {boolean} wrong @returns {Matrix[]} */
export function splitHeads(x, heads, wrong) {
  const size = x[0].length / heads;
  const split = Array.from({ length: heads }, () =>
    Array.from(x, () => /** @type {number[]} */ ([])),
  );
  x.forEach((row, token) => {
    for (let part = 0; part < heads; part += 1) {
      const [head, at] = place(token, part, heads, x.length, wrong);
      split[head][at] = row.slice(part * size, (part + 1) * size);
    }
  });
  return split;
}

/** @param {Matrix} rows queries and keys in one @returns {Matrix} */
export const weightsOf = (rows) =>
  rows.map((q) => softmax(rows.map((k) => dot(q, k) / Math.sqrt(q.length))));

/** What multi-head attention over one sequence holds and computes.
 * @param {number} d @param {number} heads @param {number} length */
export const costs = (d, heads, length) => ({
  d_k: d / heads,
  parameters: 4 * (d * d + d),
  "multiply-adds": 4 * length * d * d + 2 * length * length * d,
  softmaxes: heads * length,
  scores: heads * length * length,
});

// ---- Words ----

export const STAGES = ["Rows", "Cut", "Heads", "Attend", "Concat"];

/** What one sees: [code, shape, words].
 * @param {number} stage
 * @param {{d_model: number, num_heads: number, length: number, wrong: boolean}} state
 * @param {Matrix[]} weights */
export function tell(stage, { d_model: d, num_heads: n, length, wrong }, weights) {
  const size = d / n;
  const slices = n === 1 ? "1 slice" : `${n} slices`;
  if (stage === 0)
    return [
      "x",
      `(batch, ${length}, ${d})`,
      `${length} tokens, each a row of d_model = ${d} numbers. A color is a token.`,
    ];
  if (stage === 1)
    return [
      `x.unflatten(-1, (${n}, ${size}))`,
      `(batch, ${length}, ${n}, ${size})`,
      `Every row is cut into ${slices} of d_k = ${d} ÷ ${n} = ${size}. No number has moved.`,
    ];
  if (stage === 4)
    return [
      ".transpose(1, 2).flatten(2) @ Wᴼ",
      `(batch, ${length}, ${d})`,
      wrong
        ? "The shape is right again, so no test of shapes finds it. One that changes the first " +
          "token and expects the last one to notice does."
        : `What the heads found is laid side by side: rows of ${d} again. Then Wᴼ mixes the ` +
          "heads; before it, no head knew of another.",
    ];
  const code = wrong ? `x.view(batch, ${n}, ${length}, ${size})` : ".transpose(1, 2)";
  if (stage === 2) {
    const of = [...new Set(Array.from({ length }, (_, row) => Math.floor(row / n)))];
    const mixed =
      n === 1
        ? "With one head there is nothing to mix up."
        : `The shape is right, the content is not: head 1 holds ${length} rows, but of ` +
          `${of.length === 1 ? `token ${of[0]} alone` : `tokens ${of.join(", ")} only`}. ` +
          "“Position 1” of head 1 is slice 2 of token 0.";
    return [
      code,
      `(batch, ${n}, ${length}, ${size})`,
      wrong
        ? mixed
        : `The heads come to the front: each has ${length} rows of ${size}, one slice of every ` +
          "token. One matrix product now serves all heads.",
    ];
  }
  const own = (w) => fixed(w.reduce((sum, row, i) => sum + row[i], 0) / length, 2);
  const last =
    n > 1
      ? `, where the waves are fast, and ${own(weights[n - 1])} in head ${n}, ` +
        "where they hardly move from one position to the next"
      : "";
  const words =
    wrong && n > 1
      ? "Each head compares pieces of tokens with other pieces, of other dimensions: its weights " +
        "say nothing about tokens."
      : "Each head compares its own slices only. On the diagonal, a token looks at itself: " +
        `${own(weights[0])} on average in head 1${last}.`;
  return ["softmax(q @ k.mT / √d_k)", `(batch, ${n}, ${length}, ${length})`, words];
}

/** Where a slice is drawn, in parts of the width and in pixels: {left, top, width}.
 * @param {number} stage @param {number} token @param {number} part @param {any} state */
export function spot(stage, token, part, { num_heads: n, length, wrong }) {
  if (stage < 2 || stage === 4)
    return { left: part / n, top: HEADING + token * (ROW + 4), width: 1 / n };
  const columns = across(n);
  const [head, row] = place(token, part, n, length, wrong);
  return {
    left: (head % columns) / columns,
    top: Math.floor(head / columns) * (HEADING + length * ROW + 8) + HEADING + row * ROW,
    width: 1 / Math.max(n, columns),
  };
}

/** Panels beside each other. @param {number} heads */
export const across = (heads) => (heads <= 2 ? 1 : heads <= 8 ? 2 : heads <= 16 ? 4 : 8);

/** A row of equal cells as one background: a share from 0 to 1 of a color for each.
 * @param {number[]} shares @param {string} color */
export function stripes(shares, color) {
  const edge = (n) => `${((100 * n) / shares.length).toFixed(2)}%`;
  const mix = (t) => `color-mix(in srgb, ${color} ${(100 * t).toFixed(1)}%, var(--bg))`;
  const stops = shares.map((t, n) => `${mix(t)} ${edge(n)} ${edge(n + 1)}`);
  return `linear-gradient(90deg, ${stops.join(", ")})`;
}

/** What a slice shows: each number from -1 to 1 as a share; with many, the mean of a group.
 * @param {number[]} numbers @param {number} cells */
export function shades(numbers, cells) {
  const many = numbers.length / cells;
  return Array.from({ length: cells }, (_, c) => {
    const group = numbers.slice(c * many, (c + 1) * many);
    return 0.08 + 0.31 * (group.reduce((a, b) => a + b, 0) / many + 1);
  });
}

// ---- The page ----

/** @param {{model: any, el: HTMLElement}} context @returns {() => void} clean-up */
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
    pick: undefined,
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
      pick: undefined,
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
      heads.input.replaceChildren(...divisors(d).map((m) => h("option", { value: m }, m)));
    }
    widths.set(d);
    heads.set(n);
    lengths.set(length);
    wrong.set(now.wrong);
    tabs.forEach((tab, m) =>
      m === stage ? tab.setAttribute("aria-current", "step") : tab.removeAttribute("aria-current"),
    );

    // -- the slices, in their places --
    const columns = across(n);
    const panels = stage === 2 || stage === 3;
    const tall = panels
      ? Math.ceil(n / columns) * (HEADING + length * ROW + 8)
      : HEADING + length * (ROW + 4);
    stagebox.style.height = `${tall}px`;
    const titles = Array.from({ length: stage ? n : 0 }, (_, head) =>
      h(
        "span",
        {
          class: "tc-name",
          style: panels
            ? `left: ${(100 * (head % columns)) / columns}%; top: ` +
              `${Math.floor(head / columns) * (HEADING + length * ROW + 8)}px`
            : `left: ${(100 * head) / n}%; top: 0`,
        },
        n > 16 ? String(head + 1) : n > 4 ? `h${head + 1}` : `head ${head + 1}`,
      ),
    );
    const width = d / n;
    for (const { token, part, node } of slices) {
      const { left, top, width: wide } = spot(stage, token, part, now);
      Object.assign(node.style, {
        left: `${100 * left}%`,
        top: `${top}px`,
        width: `calc(${100 * wide}% - ${stage ? 3 : 0}px)`,
        height: `${ROW - 2}px`,
      });
      const [head, row] = place(token, part, n, length, now.wrong);
      const numbers =
        stage === 4
          ? split[head][0].map((_, c) =>
              dot(
                weights[head][row],
                split[head].map((r) => r[c]),
              ),
            )
          : x[token].slice(part * width, (part + 1) * width);
      node.style.background = stripes(
        shades(numbers, Math.max(1, Math.min(d, MOST_CELLS) / n)),
        "var(--hue)",
      );
    }
    stagebox.replaceChildren(...titles, ...slices.map(({ node }) => node));

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
      const bands = (kind) =>
        h(
          "div",
          { class: `tc-bands ${kind}` },
          ...Array.from({ length: n }, (_, m) => h("i", {}, n <= 8 ? String(m + 1) : "")),
        );
      below.replaceChildren(
        h(
          "div",
          { class: "tc-mixing" },
          h("figure", {}, bands("tc-strip"), h("figcaption", {}, `one row: ${n} × ${width}`)),
          h("span", {}, "×"),
          h("figure", {}, bands("tc-square"), h("figcaption", {}, `Wᴼ: ${d} × ${d}`)),
          h("span", {}, "="),
          h(
            "figure",
            {},
            h("div", { class: "tc-bands tc-strip" }, h("i", {}, "all heads")),
            h("figcaption", {}, `out: ${d}`),
          ),
        ),
      );
    }
  }

  return live({ model, el }, root, names, update);
}

export default { render };
