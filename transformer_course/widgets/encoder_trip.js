// @ts-check
// One sentence through one encoder layer: every matrix, and where each of its numbers comes from.

import { chart, lines } from "./encoder_trip_chart.js";
import { explain, readOut, tables, trip } from "./encoder_trip_numbers.js";
import { NAMES, PARTS, STEPS } from "./encoder_trip_steps.js";
import { MOVES, assign, check, choice, h, live, press, save, say } from "./shared.js";
import { frame, stepBar } from "./stage.js";
import { numberTable } from "./table.js";
/** @import {Context} from "./types.js" */

const put = ({ style }, sizes) =>
  Object.entries(sizes).forEach(([name, size]) => style.setProperty(`--${name}`, String(size)));
const COLORS = Object.fromEntries(
  STEPS.filter(({ color }) => color).map(({ out, color }) => [NAMES[out], `var(--tc-${color})`]),
);

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const get = (name) => model.get(name);
  const { slots, english, german, weights } = get("trained");
  let [row, column] = [0, 1]; // the article, and its noun where columns are words
  let now = /** @type {any} */ (null);
  let every = /** @type {any} */ (null); // whether all words are shown; before it is said, at first

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
  const read = slots.map(() => h("span", { lang: "de" }));
  const rows = read.map((word, n) => {
    const button = press("", () => show(n));
    button.append(word);
    return button;
  });
  const group = (name, label) => h("div", { class: name, role: "group", "aria-label": label });
  const line = group("tc-sentence", "The sentence and its German");
  const looks = lines(slots.length);
  line.append(...words.map(({ node }, n) => h("div", {}, node, rows[n])), looks.node);

  // -- stepping --
  const steps = stepBar({
    names: STEPS.map(({ name }) => name),
    get: () => get("step"),
    go: (step) => save(model, { step }),
    every: 2400,
  });
  // The layer in small: a block for each part.
  const parts = PARTS.map(([name, first]) => press(name, () => save(model, { step: first })));
  const layer = group("tc-layer", "The layer");
  layer.append(...parts);
  steps.node.lastChild.replaceWith(layer); // the words tell the step, the layer where it stands
  const heads = [1, 2].map((head) => press(`Head ${head}`, () => save(model, { head })));

  const [title, told] = [h("b"), h("span")];
  const room = h("span", { "data-room": STEPS[15].words }, told); // its words take most
  const [formula, lead, sum] = [h("em"), h("b"), h("span")];
  // The same places at every step, so that nothing jumps: what goes in, what comes out, and how.
  const [inputs, result] = [h("div", { class: "tc-inputs" }), h("div")];
  const sign = (text) => h("span", { class: "tc-sign", "aria-hidden": "true" }, text);
  const becomes = sign("↓");
  const all = check({
    label: "All words",
    change(to) {
      every = to;
      update();
    },
  });
  const root = frame({
    name: "trip",
    title: "How does “the” find its noun?",
    controls: [line],
    steps: steps.node,
    told: h("p", { class: "tc-told", "aria-live": "polite" }, title, formula, room),
    inputs: [inputs],
    result: [becomes, result],
    below: [
      h(
        "div",
        { class: "tc-legend" },
        h("div", { class: "tc-bar" }, all.node, ...heads),
        `${matchMedia("(hover:none)").matches ? "Tap" : "Point at"} a result. Gray is below zero.`,
      ),
      h("p", { class: "tc-why", "aria-live": "polite" }, lead, sum),
    ],
  });

  /** Another word's row, or number. */
  function show(i, j = column) {
    [row, column] = [i, j];
    point();
  }

  /** The picked number: what feeds it, and how it came about. */
  function point() {
    const { kind, shown, left, out, how } = now;
    const [i, j] = [row, Math.min(column, shown.out.columns.length - 1)];
    const from = (n) => (n && how.joins ? j : i); // the row of W, or of the word's own
    left.forEach((table, n) => {
      const at = kind === "concat" && n ? j - 4 : j;
      const whole = how.joins || kind === "softmax";
      table.mark((a, b) => (a === from(n) || n > 1) && (whole || b === at), "tc-feed");
      table.loud(n < 2 ? from(n) : -1);
    });
    out.mark((a, b) => a === i && b === j);
    out.loud(i);
    how.draw(
      shown.left.map(({ numbers }, n) => numbers[from(n)]),
      shown.out.numbers[i],
      j,
    );
    looks.draw(now.weights, i, !root.classList.contains("tc-one"));
    rows.forEach((button, n) => {
      assign(button, { "aria-pressed": n === i });
      button.parentElement.classList.toggle("tc-on", n === i);
    });
    say(lead, `${shown.out.caption}, “${shown.out.rows[i]}”, column ${shown.out.columns[j]}: `);
    say(sum, explain(get("step"), shown, i, j));
  }

  /** A table of this step, of `n` columns or more. */
  function build({ caption, rows, columns, numbers, size }, kinds, n, largest, pick) {
    const name = (i, j) => `${caption}, ${rows[i]}, ${columns[j]}`;
    const table = numberTable({ caption, hint: size, rows, columns, pick, name });
    const { node, cells } = table;
    node.className += ` tc-heat ${columns.length > 9 ? "tc-wide" : ""} ${kinds}`;
    const hue = COLORS[caption];
    put(node, { n, ...(hue && { role: hue }) });
    table.fill(numbers, { kind: caption === "Weights" ? "weight" : "signed", largest });
    cells.forEach((row) => row.forEach((cell, k) => put(cell.parentElement, { k })));
    /** One row is strong, the others are quiet. @param {number} row */
    const loud = (row) =>
      cells.forEach(([cell], i) => cell.closest("tr").classList.toggle("tc-loud", i === row));
    return { ...table, loud };
  }

  /** The row that an arrow leads to has to be there before it can be focused. */
  function toRow(event) {
    const to = row + (MOVES[event.key]?.[0] ?? 0);
    if (to !== row && now.out.cells[to]) show(to);
  }

  function update() {
    const [step, head, sentence] = [get("step"), get("head"), get("sentence")];
    const run = trip(
      weights,
      sentence.map((word) => english.indexOf(word)),
    );
    const shown = tables(step, run, head, weights, sentence);
    const { kind } = STEPS[step];
    // What is multiplied, and what is joined, stands column under column.
    const wide = kind === "concat" ? 8 : Math.max(...shown.left.map((t) => t.columns.length));
    // What is added or scaled has one measure with what comes of it.
    const sizes = [...shown.left, shown.out].flatMap(({ numbers }) => numbers.flat().map(Math.abs));
    const largest = /add|scale/.test(kind) ? Math.max(...sizes) : undefined;
    const kinds = ["tc-row", kind === "linear" ? "tc-row tc-map" : "tc-row", ""];
    const left = shown.left.map((table, n) => build(table, kinds[n], wide, largest));
    const many = shown.out.columns.length;
    const out = build(shown.out, "tc-row tc-out", many, largest, show);
    out.node.addEventListener("keydown", toRow, true);
    root.dataset.kind = kind;
    const color = (table) => COLORS[table?.caption] ?? "var(--tc-above)";
    put(root, { wide, made: color(shown.out), added: color(shown.left[1]) });
    const how = chart(kind, wide);
    const joined = { add: "+", concat: "|", norm: "" }[kind] ?? "×";
    const nodes = left.flatMap(({ node }, n) => (n ? [sign(joined), node] : [node]));
    nodes.splice(kind === "norm" ? 1 : nodes.length, 0, how.node);
    inputs.replaceChildren(...nodes);
    result.replaceChildren(out.node);
    say(becomes, kind === "add" ? "=" : "↓");
    // A word is alone before it looks at others.
    now = { kind, shown, left, out, how, weights: step < 5 ? null : run[`weights${head}`] };
    words.forEach(({ set }, n) => set(sentence[n]));
    readOut(run.read, german).forEach((found, n) => {
      const word = step < 6 && n % 3 === 0 ? "?" : found; // an article, before it looks
      say(read[n], word);
      read[n].classList.toggle("tc-turn", step === 6 && n % 3 === 0);
      assign(rows[n], { "aria-label": `${word}: row ${n + 1}, “${sentence[n]}”` });
    });
    steps.show(step);
    const whole = every ?? !step;
    all.set(whole);
    root.classList.toggle("tc-one", !whole);
    const part = PARTS.findLastIndex(([, first]) => first <= step);
    parts.forEach((button, n) => assign(button, { "aria-current": n === part }));
    const split = STEPS[step].out.includes("#");
    heads.forEach((button, n) => {
      assign(button, { "aria-pressed": n + 1 === head });
      button.style.visibility = split ? "" : "hidden";
    });
    say(title, `${STEPS[step].name}${split ? `, head ${head}` : ""}. `);
    say(told, STEPS[step].words);
    say(formula, STEPS[step].formula);
    point();
  }

  return live({ model, el }, root, ["sentence", "step", "head"], update);
}

export default { render };
