// @ts-check
// One sentence through one encoder layer: every matrix, and where each of its numbers comes from.
import { dot, fixed, format, matmul, sinusoids, softmax, transpose } from "./numbers.js";
import { choice, h, live, press, save, say, take } from "./shared.js";
import { numberTable } from "./table.js";

/** @typedef {number[][]} Matrix  one row per token */
/** @typedef {{caption: string, rows: string[], columns: string[], numbers: Matrix}} Shown */

const HEADS = 2;
const EPS = 1e-5;
const ATTENTION = "layer.self_attn.";
const FORWARD = "layer.feed_forward.";

// ---- The mathematics ----

const add = (a, b) => a.map((row, i) => row.map((x, j) => x + b[i][j]));
const relu = (rows) => rows.map((row) => row.map((x) => Math.max(0, x)));
const mean = (row) => row.reduce((sum, x) => sum + x, 0) / row.length;
const variance = (row) => mean(row.map((x) => (x - mean(row)) ** 2));
const slice = (rows, n) =>
  rows.map((row) => row.slice((n * row.length) / HEADS, ((n + 1) * row.length) / HEADS));

/** @param {Matrix} rows @param {number[]} gain @param {number[]} shift */
export const layerNorm = (rows, gain, shift) =>
  rows.map((row) =>
    row.map((x, d) => ((x - mean(row)) / Math.sqrt(variance(row) + EPS)) * gain[d] + shift[d]),
  );

/** A linear map as a table: a row for each input, and the bias below.
 * @param {any} weights @param {string} name @returns {Matrix} */
export const mapOf = (weights, name) => [
  ...transpose(weights[`${name}.weight`]),
  weights[`${name}.bias`],
];
const linear = (rows, map) =>
  matmul(
    rows.map((row) => [...row, 1]),
    map,
  );

/** Every matrix on the way, by name.
 * @param {any} weights @param {number[]} ids @returns {Record<string, Matrix>} */
export function trip(weights, ids) {
  const raw = ids.map((id) => weights["embedding.weight"][id]);
  const width = raw[0].length;
  /** @type {Record<string, Matrix>} */
  const run = { raw, pe: sinusoids(ids.length, width) };
  run.embedded = raw.map((row) => row.map((x) => x * Math.sqrt(width)));
  run.x = add(run.embedded, run.pe);
  for (const name of ["query", "key", "value"]) {
    const rows = linear(run.x, mapOf(weights, `${ATTENTION}${name}_proj`));
    for (let n = 0; n < HEADS; n += 1) run[`${name}${n + 1}`] = slice(rows, n);
  }
  for (let n = 1; n <= HEADS; n += 1) {
    const [q, k, v] = ["query", "key", "value"].map((name) => run[name + n]);
    run[`scores${n}`] = q.map((a) => k.map((b) => dot(a, b) / Math.sqrt(a.length)));
    run[`weights${n}`] = run[`scores${n}`].map(softmax);
    run[`mixed${n}`] = matmul(run[`weights${n}`], v);
  }
  run.concat = run.mixed1.map((row, i) => [...row, ...run.mixed2[i]]);
  run.attended = linear(run.concat, mapOf(weights, `${ATTENTION}out_proj`));
  run.sum1 = add(run.x, run.attended);
  run.norm1 = layerNorm(run.sum1, weights["layer.norm1.weight"], weights["layer.norm1.bias"]);
  run.hidden = relu(linear(run.norm1, mapOf(weights, `${FORWARD}expand`)));
  run.thought = linear(run.hidden, mapOf(weights, `${FORWARD}contract`));
  run.sum2 = add(run.norm1, run.thought);
  run.norm2 = layerNorm(run.sum2, weights["layer.norm2.weight"], weights["layer.norm2.bias"]);
  run.read = linear(run.norm2, mapOf(weights, "readout")).map(softmax);
  return run;
}

// ---- The steps: # stands for the number of the head ----

/** @type {{name: string, kind: string, hue: number, formula: string, words: string, inputs:
 * string[], out: string, map?: string}[]} */
export const STEPS = [
  {
    name: "Embed",
    kind: "scale",
    hue: 6,
    formula: "E[id] · √8",
    inputs: ["raw"],
    out: "embedded",
    words:
      "Each word is looked up: 8 numbers, the same wherever it stands. Times √8, so that they " +
      "are as large as the positions to come.",
  },
  {
    name: "+ positions",
    kind: "add",
    hue: 6,
    formula: "x = E[id] √8 + PE",
    inputs: ["embedded", "pe"],
    out: "x",
    words:
      "Sines and cosines of the place are added. From here on the two “the” of a sentence differ.",
  },
  {
    name: "Queries",
    kind: "linear",
    hue: 2,
    formula: "Q = x W_Q + b",
    inputs: ["x"],
    map: `${ATTENTION}query_proj`,
    out: "query#",
    words: "What each word looks for, in 4 numbers for this head: its slice of a map from 8 to 8.",
  },
  {
    name: "Keys",
    kind: "linear",
    hue: 2,
    formula: "K = x W_K + b",
    inputs: ["x"],
    map: `${ATTENTION}key_proj`,
    out: "key#",
    words: "What each word can be found by, from the same x.",
  },
  {
    name: "Values",
    kind: "linear",
    hue: 2,
    formula: "V = x W_V + b",
    inputs: ["x"],
    map: `${ATTENTION}value_proj`,
    out: "value#",
    words: "What each word hands over to those that look at it.",
  },
  {
    name: "Scores",
    kind: "scores",
    hue: 2,
    formula: "S = Q Kᵀ / √4",
    inputs: ["query#", "key#"],
    out: "scores#",
    words: "Every query meets every key: 5 × 5 dot products, divided by √d_k = 2.",
  },
  {
    name: "Weights",
    kind: "softmax",
    hue: 2,
    formula: "A = softmax(S)",
    inputs: ["scores#"],
    out: "weights#",
    words: "Each row becomes shares that sum to 1.",
  },
  {
    name: "Mix",
    kind: "mix",
    hue: 2,
    formula: "A V",
    inputs: ["weights#", "value#"],
    out: "mixed#",
    words: "Each word takes the values of all words, in those shares.",
  },
  {
    name: "Concat",
    kind: "concat",
    hue: 2,
    formula: "[head 1 | head 2]",
    inputs: ["mixed1", "mixed2"],
    out: "concat",
    words: "The two heads are laid side by side: 4 + 4 = 8 numbers again.",
  },
  {
    name: "Project",
    kind: "linear",
    hue: 2,
    formula: "[…] Wᴼ + b",
    inputs: ["concat"],
    map: `${ATTENTION}out_proj`,
    out: "attended",
    words: "Only here do the heads meet: each new number draws on both.",
  },
  {
    name: "Add",
    kind: "add",
    hue: 5,
    formula: "x + attention(x)",
    inputs: ["x", "attended"],
    out: "sum1",
    words: "The residual connection: what came in stays, attention only adds to it.",
  },
  {
    name: "Norm",
    kind: "norm",
    hue: 5,
    formula: "y = LayerNorm(sum)",
    inputs: ["sum1"],
    map: "layer.norm1",
    out: "norm1",
    words: "Each row by itself: mean 0, variance 1, then a learned gain and shift for each column.",
  },
  {
    name: "Widen",
    kind: "relu",
    hue: 1,
    formula: "h = max(0, y W₁ + b₁)",
    inputs: ["norm1"],
    map: `${FORWARD}expand`,
    out: "hidden",
    words: "Row by row, 8 numbers become 16. ReLU turns the negative ones into 0.",
  },
  {
    name: "Narrow",
    kind: "linear",
    hue: 1,
    formula: "h W₂ + b₂",
    inputs: ["hidden"],
    map: `${FORWARD}contract`,
    out: "thought",
    words: "Back to 8 numbers. No word has looked at another one here.",
  },
  {
    name: "Add",
    kind: "add",
    hue: 5,
    formula: "y + FFN(y)",
    inputs: ["norm1", "thought"],
    out: "sum2",
    words: "The second residual connection.",
  },
  {
    name: "Norm",
    kind: "norm",
    hue: 5,
    formula: "LayerNorm(sum)",
    inputs: ["sum2"],
    map: "layer.norm2",
    out: "norm2",
    words:
      "The output: as many rows and columns as came in, so that layers can be stacked. Here a " +
      "linear map reads the German words off it.",
  },
];

const NAMES = {
  raw: "Rows of E",
  embedded: "E[id] √8",
  pe: "Positions PE",
  x: "x",
  "query#": "Q",
  "key#": "K",
  "value#": "V",
  "scores#": "Scores",
  "weights#": "Weights",
  "mixed#": "Mixed",
  mixed1: "Head 1",
  mixed2: "Head 2",
  concat: "Concat",
  attended: "Attention(x)",
  sum1: "Sum",
  norm1: "y",
  hidden: "Hidden h",
  thought: "FFN(y)",
  sum2: "Sum",
  norm2: "Output",
};
const upTo = (length) => Array.from({ length }, (_, d) => String(d));

/** The tables of a step: [inputs, result].
 * @param {number} step @param {Record<string, Matrix>} run @param {number} head
 * @param {any} weights @param {string[]} tokens */
export function tables(step, run, head, weights, tokens) {
  const { kind, inputs, out, map } = STEPS[step];
  const shown = (name) => {
    const numbers = run[name.replace("#", String(head))];
    return {
      caption: NAMES[name],
      rows: tokens,
      columns: /scores|weights/.test(name) ? tokens : upTo(numbers[0].length),
      numbers,
    };
  };
  const left = inputs.map(shown);
  if (kind === "norm") {
    const numbers = [weights[`${map}.weight`], weights[`${map}.bias`]];
    left.push({
      caption: "Learned",
      rows: ["gain", "shift"],
      columns: upTo(numbers[0].length),
      numbers,
    });
  } else if (map) {
    const all = mapOf(weights, map);
    const numbers = out.includes("#") ? slice(all, head - 1) : all;
    left.push({
      caption: "W and b",
      rows: [...upTo(all.length - 1), "b"],
      columns: upTo(numbers[0].length),
      numbers,
    });
  }
  return { left, out: shown(out) };
}

/** Which [row, column] of each input feeds result (i, j); null is all of them.
 * @param {string} kind @param {number} i @param {number} j
 * @param {number} width of the first input */
export function feeds(kind, i, j, width) {
  if (kind === "scale" || kind === "add")
    return [
      [i, j],
      [i, j],
    ];
  if (kind === "scores")
    return [
      [i, null],
      [j, null],
    ];
  if (kind === "concat")
    return j < width
      ? [
          [i, j],
          [-1, -1],
        ]
      : [
          [-1, -1],
          [i, j - width],
        ];
  return [
    [i, null],
    [null, j],
  ];
}

const sign = (x) => (x < 0 ? `(${format(x)})` : format(x));
const products = (a, b) => a.map((x, n) => `${format(x)}·${sign(b[n])}`).join(" + ");

/** How result (i, j) of a step came about.
 * @param {number} step @param {{left: Shown[], out: Shown}} shown @param {number} i
 * @param {number} j */
export function explain(step, { left, out }, i, j) {
  const { kind } = STEPS[step];
  const [a, b] = left.map(({ numbers }) => numbers);
  const result = format(out.numbers[i][j]);
  const column = b?.map((row) => row[j]);
  if (kind === "scale") return `${format(a[i][j])}·√8 ≈ ${format(a[i][j])}·2.83 ≈ ${result}`;
  if (kind === "add") return `${format(a[i][j])} + ${sign(b[i][j])} ≈ ${result}`;
  if (kind === "scores") return `(${products(a[i], b[j])}) ÷ 2 ≈ ${result}`;
  if (kind === "softmax")
    return (
      `exp(${format(a[i][j])}) ÷ (${a[i].map((x) => `exp(${format(x)})`).join(" + ")}) ≈ ` +
      `${result}`
    );
  if (kind === "mix") return `${products(a[i], column)} ≈ ${result}`;
  if (kind === "concat")
    return `column ${j % a[0].length} of head ${j < a[0].length ? 1 : 2} = ${result}`;
  if (kind === "norm") {
    const [x, center, spread] = [a[i][j], mean(a[i]), variance(a[i])].map((value) =>
      fixed(value, 4),
    );
    return (
      `mean ${center}, variance ${spread}: (${x} − ` +
      `${center.startsWith("−") ? `(${center})` : center}) ÷ √(${spread} + 0.00001) · ` +
      `${sign(b[0][j])} + ${sign(b[1][j])} ≈ ${result}`
    );
  }
  const sum = `${products(a[i], column)} + ${sign(column[column.length - 1])}`;
  return kind === "relu" ? `max(0, ${sum}) ≈ ${result}` : `${sum} ≈ ${result}`;
}

/** "(5, 8) · (8, 4) + (4,) → (5, 4)"
 * @param {number} step @param {{left: Shown[], out: Shown}} shown */
export function shapes(step, { left, out }) {
  const { kind } = STEPS[step];
  const size = ({ numbers }) => `(${numbers.length}, ${numbers[0].length})`;
  const [a, b] = left;
  const wide = b?.numbers[0].length;
  const signs = { add: "+", mix: "·", concat: "|" };
  let text = size(a);
  if (kind === "scores") text += ` · (${wide}, ${b.numbers.length})`;
  else if (kind === "norm") text += ` · (${wide},) + (${wide},)`;
  else if (kind === "linear" || kind === "relu")
    text += ` · (${b.numbers.length - 1}, ${wide}) + (${wide},)`;
  else if (b) text += ` ${signs[kind]} ${size(b)}`;
  return `${text} → ${size(out)}`;
}

/** The best German word for each token, and its probability.
 * @param {Matrix} read @param {string[]} german */
export const readOut = (read, german) =>
  read.map((row) => {
    const best = row.indexOf(Math.max(...row));
    return { word: german[best], share: row[best] };
  });

// ---- The page ----

/** @param {{model: any, el: HTMLElement}} context @returns {() => void} clean-up */
function render({ model, el }) {
  const get = (name) => model.get(name);
  const { slots, english, german, weights } = get("trained");
  let [row, column] = [0, 1];
  let now = /** @type {any} */ (null);

  // -- the sentence, and what the model makes of it --
  const words = slots.map((slot, n) =>
    choice({
      label: `word ${n + 1}`,
      options: slot.map((word) => [word, word]),
      value: get("sentence")[n],
      change: (word) =>
        save(model, { sentence: get("sentence").map((old, m) => (m === n ? word : old)) }),
    }),
  );
  const read = slots.map(() => ({ word: h("span", { lang: "de" }), share: h("small") }));
  const line = h(
    "div",
    {
      class: "tc-sentence",
      role: "group",
      "aria-label": "The sentence, and the German that is read off the output",
    },
    ...words.map(({ node }, n) => h("div", {}, node, read[n].word, read[n].share)),
  );

  // -- stepping --
  const go = (step) => {
    if (STEPS[step]) save(model, { step });
  };
  const keydown = (event) => {
    const to = {
      ArrowLeft: get("step") - 1,
      ArrowRight: get("step") + 1,
      Home: 0,
      End: STEPS.length - 1,
    }[event.key];
    if (to === undefined) return;
    take(event);
    go(to);
    if (strip.contains(event.target)) tabs[get("step")].focus();
  };
  const tabs = STEPS.map(({ name, hue }, n) =>
    h("button", { type: "button", class: `tc-hue${hue}`, click: () => go(n) }, `${n + 1} ${name}`),
  );
  const strip = h("ol", { keydown }, ...tabs.map((tab) => h("li", {}, tab)));
  const back = press("← Back", () => go(get("step") - 1), { keydown });
  const next = press("Next →", () => go(get("step") + 1), { keydown });
  const heads = [1, 2].map((head) => press(`Head ${head}`, () => save(model, { head })));
  const headBar = h("span", { class: "tc-heads" }, ...heads);

  const [title, told] = [h("b"), h("span")];
  const [formula, shape] = [h("code"), h("code")];
  const [lead, sum] = [h("p"), h("code")];
  // The same places at every step, so that nothing jumps: what goes in, what comes out, and how.
  const [inputs, result] = [h("div", { class: "tc-inputs" }), h("div", { class: "tc-result" })];
  const panel = h(
    "div",
    { class: "tc-panel", "data-lm-suppress-shortcuts": "true" },
    inputs,
    h("span", { class: "tc-sign", "aria-hidden": "true" }, "↓"),
    result,
    h("div", { class: "tc-why", "aria-live": "polite" }, lead, sum),
  );
  const root = h(
    "div",
    { class: "tc tc-trip", role: "group", "aria-label": "A sentence through an encoder layer" },
    line,
    strip,
    h("div", { class: "tc-bar" }, back, next, headBar),
    h("p", { class: "tc-told", "aria-live": "polite" }, title, told),
    h("p", { class: "tc-formula" }, formula, shape),
    panel,
    h(
      "p",
      { class: "tc-legend" },
      "Choose other words: the articles follow. Point at a number of the result, or Tab to it " +
        "and use the arrow keys. One layer, d_model 8, 2 heads, d_ff 16, trained by this course.",
    ),
  );

  /** The picked number: what feeds it, and how it came about. */
  function point() {
    const { shown, left, out } = now;
    const [i, j] = [row, Math.min(column, shown.out.columns.length - 1)];
    const marks = feeds(STEPS[now.step].kind, i, j, shown.left[0].columns.length);
    left.forEach((table, n) =>
      table.mark((a, b) => {
        const [r, c] = STEPS[now.step].kind === "norm" && n === 1 ? [null, j] : marks[n];
        return (r ?? a) === a && (c ?? b) === b;
      }, "tc-feed"),
    );
    out.mark((a, b) => a === i && b === j);
    say(lead, `${shown.out.caption}, row “${shown.out.rows[i]}”, column ${shown.out.columns[j]}:`);
    say(sum, explain(now.step, shown, i, j));
  }

  const build = ({ caption, rows, columns }, hint, pick) =>
    numberTable({
      caption,
      hint,
      rows,
      columns,
      pick,
      name: (i, j) => `${caption}, ${rows[i]}, ${columns[j]}`,
    });

  function update() {
    const [step, head, sentence] = [get("step"), get("head"), get("sentence")];
    const run = trip(
      weights,
      sentence.map((word) => english.indexOf(word)),
    );
    const shown = tables(step, run, head, weights, sentence);
    const key = `${step} ${head} ${sentence}`;
    if (now?.key !== key) {
      const size = ({ numbers }) => `${numbers.length} × ${numbers[0].length}`;
      const left = shown.left.map((table) => build(table, size(table), undefined));
      const out = build(shown.out, size(shown.out), (i, j) => {
        [row, column] = [i, j];
        point();
      });
      out.node.classList.add("tc-out");
      left.forEach(({ node }, n) => {
        node.classList.toggle("tc-map", n > 0 && Boolean(STEPS[step].map));
        for (const [name, value] of Object.entries({
          tabindex: 0,
          role: "group",
          "aria-label": shown.left[n].caption,
        }))
          node.setAttribute(name, value); // it may scroll
      });
      inputs.replaceChildren(...left.map(({ node }) => node));
      result.replaceChildren(out.node);
      const kindOf = ({ caption }) => ({ kind: caption === "Weights" ? "weight" : "signed" });
      left.forEach((table, n) => table.fill(shown.left[n].numbers, kindOf(shown.left[n])));
      out.fill(shown.out.numbers, kindOf(shown.out));
      now = { key, step, shown, left, out };
    }
    words.forEach(({ set }, n) => set(sentence[n]));
    readOut(run.read, german).forEach(({ word, share }, n) => {
      say(read[n].word, word);
      say(read[n].share, `${(100 * share).toFixed(0)} %`);
    });
    tabs.forEach((tab, n) =>
      n === step ? tab.setAttribute("aria-current", "step") : tab.removeAttribute("aria-current"),
    );
    back.setAttribute("aria-disabled", step === 0);
    next.setAttribute("aria-disabled", step === STEPS.length - 1);
    headBar.hidden = !STEPS[step].out.includes("#");
    heads.forEach((button, n) => button.setAttribute("aria-pressed", n + 1 === head));
    say(title, `${step + 1}. ${STEPS[step].name}${headBar.hidden ? "" : `, head ${head}`}. `);
    const top = run[`weights${head}`][0];
    const best = top.indexOf(Math.max(...top));
    say(
      told,
      STEPS[step].words +
        (STEPS[step].out === "weights#"
          ? ` Here “${sentence[0]}” looks most at “${sentence[best]}”: ${fixed(top[best], 2)}.`
          : ""),
    );
    say(formula, STEPS[step].formula);
    say(shape, shapes(step, shown));
    point();
  }

  return live({ model, el }, root, ["sentence", "step", "head"], update);
}

export default { render };
