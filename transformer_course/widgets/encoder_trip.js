// @ts-check
// One sentence through one encoder layer: every matrix, and where each of its numbers comes from.

import { explain, feeds, mean, measure, readOut, tables, trip } from "./encoder_trip_numbers.js";
import { NAMES, PARTS, STEPS } from "./encoder_trip_steps.js";
import { MOVES, assign, check, choice, h, live, press, save, say } from "./shared.js";
import { frame, stepBar } from "./stage.js";
import { numberTable } from "./table.js";
/** @import {Context} from "./types.js" */

const put = ({ style }, sizes) =>
  Object.entries(sizes).forEach(([name, size]) => style.setProperty(`--${name}`, String(size)));
/** What stands after an underscore is set low. @param {string} text */
const typeset = (text) => text.split(/_(\w)/).map((part, n) => (n % 2 ? h("sub", {}, part) : part));
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
  line.append(...words.map(({ node }, n) => h("div", {}, node, rows[n])));

  // -- stepping --
  const steps = stepBar({
    names: STEPS.map(({ name }) => name),
    get: () => get("step"),
    go: (step) => save(model, { step }),
    every: 2400,
  });
  // The layer in small: a block for each part, and two ways around.
  const parts = PARTS.map(([name, first]) => press(name, () => save(model, { step: first })));
  const at = (column) => ({ style: `grid-column: ${column}` });
  parts.forEach((part, n) => assign(part, at(2 * n + 1)));
  const around = ["2 / 6", "6 / 10"].map((columns) => h("i", at(columns)));
  const layer = group("tc-layer", "The layer");
  layer.append(...around, ...parts);
  steps.node.lastChild.replaceWith(layer); // the words tell the step, the layer where it stands
  const heads = [1, 2].map((head) => press(`Head ${head}`, () => save(model, { head })));

  const [title, told] = [h("b"), h("span")];
  const room = h("span", { "data-room": STEPS[15].words }, told); // its words take most
  const [formula, lead, sum] = [h("em"), h("b"), h("span")];
  // The same places at every step, so that nothing jumps: what goes in, what comes out, and how.
  const [inputs, result] = [h("div", { class: "tc-inputs" }), h("div")];
  const sign = (text) => h("span", { class: "tc-sign", "aria-hidden": "true" }, text);
  const becomes = sign("↓");
  // Where two are added: what each mark of the one picture is.
  const terms = h("p", { class: "tc-terms" });
  const all = check({
    label: "All words",
    change(to) {
      every = to;
      update();
    },
  });
  const root = frame({
    name: "trip",
    title: "How does an article find its noun?",
    controls: [line],
    steps: steps.node,
    told: h("p", { class: "tc-told", "aria-live": "polite" }, title, formula, room),
    inputs: [terms, inputs],
    result: [becomes, result],
    below: [
      h("p", { class: "tc-why", "aria-live": "polite" }, lead, sum),
      h(
        "div",
        { class: "tc-legend" },
        h("div", { class: "tc-bar" }, all.node, ...heads),
        h("span", {}, "Gray is below zero, dashed the mean."),
        `${matchMedia("(hover:none)").matches ? "Tap" : "Point at"} a number.`,
      ),
    ],
  });

  /** The row as bars that fill their room. What is added or scaled has one measure. */
  function draw(shown, drawn) {
    const rows = shown.map(({ numbers }, n) => numbers[drawn[n].row] ?? []);
    const one = now.largest && rows.flat();
    drawn.forEach(({ node, cells, bars, row }, n) => {
      if (!bars) return;
      const all = one || rows[n];
      const whole = shown[n].caption === "Weights" ? 1 : 1e-9;
      put(node, { top: Math.max(whole, ...all), low: Math.min(0, ...all), mean: mean(rows[n]) });
      cells[row].forEach((cell, j) => put(cell.parentElement, { x: rows[n][j], came: rows[0][j] }));
    });
  }

  /** Another word's row, or number. */
  function show(i, j = column) {
    [row, column] = [i, j];
    point();
  }

  /** The picked number: what feeds it, and how it came about. */
  function point() {
    const { shown, left, out } = now;
    const [i, j] = [row, Math.min(column, shown.out.columns.length - 1)];
    const marks = feeds(root.dataset.kind, i, j, shown.left[0].columns.length);
    left.forEach((table, n) => {
      const [r, c] = marks[n];
      table.mark((a, b) => (r ?? a) === a && (c ?? b) === b, "tc-feed");
      table.loud(r ?? (table.bars ? i : -1));
    });
    out.mark((a, b) => a === i && b === j);
    out.loud(i);
    draw([...shown.left, shown.out], [...left, out]);
    rows.forEach((button, n) => {
      assign(button, { "aria-pressed": n === i });
      button.parentElement.classList.toggle("tc-on", n === i);
    });
    say(lead, `${shown.out.caption}, row “${shown.out.rows[i]}”, column ${shown.out.columns[j]}: `);
    say(sum, explain(now.step, shown, i, j));
  }

  /** A table of this step; its words may change later. Of one with bars, a row can stand alone. */
  function build({ caption, rows, columns, numbers, size = "" }, pick, bars, n = columns.length) {
    const names = { rows, columns };
    const table = numberTable({
      caption,
      hint: size || `${rows.length} × ${columns.length}`,
      rows,
      columns,
      pick,
      name: (i, j) => `${caption}, ${names.rows[i]}, ${names.columns[j]}`,
    });
    table.node.classList.add("tc-heat");
    const hue = COLORS[caption];
    put(table.node, { n, ...(hue && { role: hue }) });
    table.node.classList.toggle("tc-wide", columns.length > 9);
    table.node.classList.toggle("tc-deep", rows.length > 5);
    table.node.classList.toggle("tc-row", bars);
    if (!pick) assign(table.node, { tabindex: 0, role: "group", "aria-label": caption });
    const heads = table.node.querySelectorAll("th");
    const fill = (shown, largest) => {
      Object.assign(names, shown);
      [...names.columns, ...names.rows].forEach((name, n) => say(heads[n], name));
      table.fill(shown.numbers, { kind: caption === "Weights" ? "weight" : "signed", largest });
    };
    /** One row is strong, the others are quiet. @param {number} row */
    const loud = (row) => {
      made.row = row;
      table.cells.forEach(([cell], i) => cell.closest("tr").classList.toggle("tc-loud", i === row));
    };
    const made = { ...table, fill, loud, bars, row: 0 };
    return made;
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
    if (now?.step === step) now.shown = shown;
    else {
      const bars = (n) => !n || (kind !== "scores" && kind !== "mix" && n < 2);
      // What is multiplied, and what is joined, stands column under column.
      const [, { columns, size = "" } = shown.out] = shown.left;
      const wide = size ? columns.length : kind === "concat" ? 8 : undefined;
      const left = shown.left.map((table, n) => build(table, undefined, bars(n), wide));
      const out = build(shown.out, show, true);
      out.node.classList.add("tc-out");
      out.node.addEventListener("keydown", toRow, true);
      const joined = { add: "+", concat: "|" }[kind] ?? "";
      root.dataset.kind = kind.replace("relu", "linear"); // one picture
      put(root, { added: COLORS[shown.left[1]?.caption] ?? "var(--tc-above)" });
      inputs.replaceChildren(...left.flatMap(({ node }, n) => (n ? [sign(joined), node] : [node])));
      result.replaceChildren(out.node);
      say(becomes, joined === "+" ? "=" : "↓");
      const signs = ["", "+ ", "= "];
      terms.replaceChildren(
        ...[...shown.left, shown.out].map(({ caption }, n) => h("b", {}, signs[n] + caption)),
      );
      now = { step, shown, left, out };
    }
    const largest = (now.largest = measure(kind, [...shown.left, shown.out]));
    now.left.forEach((table, n) => table.fill(shown.left[n], largest));
    now.out.fill(shown.out, largest);
    words.forEach(({ set }, n) => set(sentence[n]));
    readOut(run.read, german).forEach((found, n) => {
      const word = step < 6 && n % 3 === 0 ? "?" : found; // an article, before it looks
      say(read[n], word);
      assign(rows[n], { "aria-label": `${word}: row ${n + 1}, “${sentence[n]}”` });
    });
    steps.show(step);
    const whole = every ?? !step;
    all.set(whole);
    root.classList.toggle("tc-one", !whole);
    const part = PARTS.findLastIndex(([, first]) => first <= step);
    parts.forEach((button, n) => assign(button, { "aria-current": n === part }));
    around.forEach((way, n) => way.classList.toggle("tc-on", step === PARTS[2 * n + 2][1]));
    const split = STEPS[step].out.includes("#");
    heads.forEach((button, n) => {
      assign(button, { "aria-pressed": n + 1 === head });
      button.style.visibility = split ? "" : "hidden";
    });
    say(title, `${STEPS[step].name}${split ? `, head ${head}` : ""}. `);
    say(told, STEPS[step].words);
    formula.replaceChildren(...typeset(STEPS[step].formula));
    point();
  }

  return live({ model, el }, root, ["sentence", "step", "head"], update);
}

export default { render };
