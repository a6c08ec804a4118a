// @ts-check
// Causal and padding masks before the softmax, and what goes wrong elsewhere (section 3.2.3).
import { dot, fixed, format, normal, random, softmax, transpose } from "./numbers.js";
import { check, choice, h, live, press, save, say, slider } from "./shared.js";
import { numberTable } from "./table.js";

const TOKENS = ["the", "cat", "sat", "on", "mats"];
const VALUES = [1, 2, 3, 4, 5]; // what each token passes on
const SIZE = [0, 1, 2, 3, 4];
const FILLS = { "-inf": -Infinity, "-1e9": -1e9, 0: 0 };

/** @typedef {{scores: number[][], causal: boolean, pads: number, side: string, place: string, fill:
 * string, half: boolean, token: number, change: number}} State */

// ---- The mathematics ----

/** The tokens, some of them padding. @param {{pads: number, side: string}} state */
export const tokens = ({ pads, side }) => {
  const [words, padding] = [TOKENS.slice(0, 5 - pads), TOKENS.slice(5 - pads).map(() => "pad")];
  return side === "end" ? [...words, ...padding] : [...padding, ...words];
};

/** True = may attend. @param {any} state */
export const allowed = (state) =>
  SIZE.map((i) => tokens(state).map((name, j) => name !== "pad" && (j <= i || !state.causal)));

/** What enters softmax. In float16, whose largest number is 65504, −1e9 is −∞.
 * @param {number[][]} scores @param {any} state */
export function masked(scores, state) {
  const value = state.half && state.fill === "-1e9" ? -Infinity : FILLS[state.fill];
  const may = allowed(state);
  return state.place === "before"
    ? scores.map((row, i) => row.map((x, j) => (may[i][j] ? x : value)))
    : scores;
}

/** Softmax with the mask before it, after it, or after it and divided by what is left.
 * @param {number[][]} scores @param {any} state */
export function weights(scores, state) {
  const may = allowed(state);
  const rows = masked(scores, state).map(softmax);
  if (state.place === "before") return rows;
  return rows
    .map((row, i) => row.map((x, j) => (may[i][j] ? x : 0)))
    .map((row) => (state.place === "renormalized" ? row.map((x) => x / total(row)) : row));
}

const total = (row) => row.reduce((sum, x) => sum + x, 0);

/** All that is shown. @param {State} state */
export function compute(state) {
  const { scores, token, change } = state;
  const now = weights(scores, state);
  const output = (rows, values) => rows.map((row) => dot(row, values));
  const newKey = output(
    weights(
      scores.map((row) => row.map((x, j) => (j === token ? x + change : x))),
      state,
    ),
    VALUES,
  );
  const newValue = output(
    now,
    VALUES.map((x, j) => (j === token ? x + 1 : x)),
  );
  const old = output(now, VALUES);
  const may = allowed(state);
  const leaks = [newKey, newValue].map((changed) =>
    SIZE.filter((i) => !may[i][token] && Math.abs(changed[i] - old[i]) > 1e-6),
  );
  return {
    masked: masked(scores, state),
    weights: now,
    may,
    rows: transpose([now.map(total), old, newKey, newValue]),
    leaks,
  };
}

/** What is wrong with a row, or "". @param {number[]} row its weights @param {boolean[]} may */
export function fault(row, may) {
  if (row.some(Number.isNaN))
    return may.includes(true)
      ? "NaN, nothing is left to divide by"
      : "NaN, as every key is masked: 0 ÷ 0 is not a number";
  const stray = total(row.filter((_, j) => !may[j]));
  if (!may.includes(true))
    return stray > 0.005
      ? `every key is masked, yet ${format(stray)} is spread over them as if they were words`
      : "every key is masked, and nothing comes through";
  if (stray > 0.005) return `${format(stray)} goes to masked tokens`;
  return Math.abs(total(row) - 1) > 0.005 ? `it sums to ${format(total(row))}, not to 1` : "";
}

/** The rows in words: which are wrong, and why. @param {State} state */
export function verdict(state) {
  const { weights: rows, may } = compute(state);
  const texts = rows.map((row, i) => fault(row, may[i]));
  const faults = [...new Set(texts)]
    .filter(Boolean)
    .map(
      (text) =>
        `${texts.flatMap((other, i) => (other === text ? [`row ${i + 1}`] : [])).join(", ")}: ` +
        `${text}`,
    );
  const note =
    {
      "-1e9": state.half
        ? " In float16 −1e9 does not fit and becomes −∞; torch’s masked_fill refuses it."
        : " −1e9 does as well as −∞ while a row has a key left.",
      0: " A score of 0 is no mask: exp(0) = 1.",
    }[state.fill] ?? "";
  const why = {
    before: note,
    after: " The masked weights were counted in the sum, then thrown away.",
    renormalized:
      " Divided by what is left, the rows are those of a mask before softmax, unless a masked " +
      "score towers so high that the others underflow.",
  }[state.place];
  return (faults.length ? `Wrong. ${faults.join("; ")}.` : "All five rows are right.") + why;
}

/** Whether a change gets where it must not. @param {State} state */
export function leakage(state) {
  const {
    leaks: [key, value],
    may,
  } = compute(state);
  const closed = SIZE.filter((i) => !may[i][state.token]).length;
  const name = `token ${state.token + 1}`;
  const hidden = `${name} is hidden from ${closed} row${closed > 1 ? "s" : ""}`;
  if (!closed) return `Every row may see ${name}, so nothing can leak.`;
  const told = [
    ["key", key],
    ["value", value],
  ]
    .filter(([, rows]) => rows.length)
    .map(
      ([what, rows]) => `its ${what} moves the output of row ${rows.map((i) => i + 1).join(", ")}`,
    );
  return told.length
    ? `Leak: ${hidden}, yet ${told.join(", and ")}.`
    : `No leak: ${hidden}, and neither its key nor its value gets there.`;
}

// ---- The page ----

/** @param {{model: any, el: HTMLElement}} context @returns {() => void} clean-up */
function render({ model, el }) {
  const names = ["scores", "causal", "pads", "side", "place", "fill", "half", "token", "change"];
  const now = () =>
    /** @type {State} */ (Object.fromEntries(names.map((name) => [name, model.get(name)])));
  const select = (name, label, options) =>
    choice({ label, options, value: "", change: (value) => save(model, { [name]: value }) });
  let seed = 0;

  const causal = check({
    label: "Causal mask",
    value: false,
    change: (on) => save(model, { causal: on }),
  });
  const pads = slider({
    label: "Padding",
    min: 0,
    max: 4,
    value: 0,
    change: (to) => save(model, { pads: to }),
  });
  const side = select("side", "at the", [
    ["end", "end"],
    ["start", "start"],
  ]);
  const place = select("place", "Mask", [
    ["before", "before softmax"],
    ["after", "after softmax"],
    ["renormalized", "after, then divided by the sum"],
  ]);
  const fill = select("fill", "Masked scores become", [
    ["-inf", "−∞"],
    ["-1e9", "−1e9"],
    ["0", "0"],
  ]);
  const half = choice({
    label: "Stored in",
    options: [
      ["", "float32"],
      ["half", "float16"],
    ],
    value: "",
    change: (value) => save(model, { half: value === "half" }),
  });
  const token = choice({
    label: "Change token",
    options: SIZE.map((j) => [String(j), String(j + 1)]),
    value: "",
    change: (j) => save(model, { token: Number(j) }),
  });
  const change = slider({
    label: "its scores by",
    min: -5,
    max: 5,
    step: 0.5,
    value: 0,
    show: (x) => fixed(x, 1),
    change: (to) => save(model, { change: to }),
  });
  const redraw = press("New scores", () => {
    seed += 1;
    const draw = random(seed);
    save(model, { scores: SIZE.map(() => SIZE.map(() => Math.round(15 * normal(draw)) / 10)) });
  });

  const square = (caption, hint = "") =>
    numberTable({ caption, hint, rows: TOKENS, columns: TOKENS });
  const [scores, inside, shares] = [
    square("Scores", "query ↓ key →"),
    square("Masked scores"),
    square("Weights"),
  ];
  const rows = numberTable({
    caption: "Rows",
    hint: "token n passes on the number n",
    rows: TOKENS,
    columns: ["sum", "output", "new key", "new value"],
  });
  const said = h("p", { class: "tc-why", "aria-live": "polite" });
  const leak = h("p", { class: "tc-why", "aria-live": "polite" });
  const root = h(
    "div",
    { class: "tc tc-masked-softmax", role: "group", "aria-label": "Masks and the softmax" },
    h("div", { class: "tc-bar" }, causal.node, pads.node, side.node, redraw),
    h("div", { class: "tc-bar" }, place.node, fill.node, half.node),
    h("div", { class: "tc-four" }, scores.node, inside.node, shares.node, rows.node),
    said,
    h("div", { class: "tc-bar" }, token.node, change.node),
    leak,
  );

  function update() {
    const state = now();
    const found = compute(state);
    const called = tokens(state).map((name, j) => `${j + 1} ${name}`);
    for (const { node } of [scores, inside, shares, rows]) {
      node.querySelectorAll("tbody th").forEach((head, i) => say(head, called[i]));
      if (node !== rows.node)
        node.querySelectorAll("thead th").forEach((head, j) => say(head, called[j]));
    }
    causal.set(state.causal);
    pads.set(state.pads);
    for (const [control, name] of [
      [side, "side"],
      [place, "place"],
      [fill, "fill"],
    ])
      control.set(state[name]);
    fill.node.hidden = state.place !== "before";
    half.node.hidden = fill.node.hidden || state.fill !== "-1e9";
    half.set(state.half ? "half" : "");
    token.set(String(state.token));
    change.set(state.change);

    const off = (i, j) => !found.may[i][j];
    scores.fill(state.scores, { masked: off });
    inside.fill(found.masked, {
      masked: off,
      largest: Math.max(...state.scores.flat().map(Math.abs)),
    });
    for (const cell of inside.cells.flat())
      if (cell.textContent === "−1000000000") say(cell, "−1e9");
    shares.fill(found.weights, { kind: "weight", masked: off });
    rows.fill(found.rows, { largest: 20 });
    rows.mark((i, j) => j > 1 && found.leaks[j - 2].includes(i), "tc-wrong");
    shares.mark((i) => fault(found.weights[i], found.may[i]), "tc-wrong");
    say(said, verdict(state));
    say(leak, leakage(state));
  }

  return live({ model, el }, root, names, update);
}

export default { render };
