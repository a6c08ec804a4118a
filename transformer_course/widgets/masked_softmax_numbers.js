// @ts-check
// Masks and the softmax: the mathematics, and what is wrong with a row.
import { dot, format, softmax, transpose } from "./numbers.js";

export const TOKENS = ["the", "cat", "sat", "on", "mats"];
const VALUES = [1, 2, 3, 4, 5]; // what each token passes on
export const SIZE = [0, 1, 2, 3, 4];
const FILLS = { "-inf": -Infinity, "-1e9": -1e9, 0: 0 };

/** @typedef {{scores: number[][], causal: boolean, pads: number, side: string, place: string, fill:
 * string, half: boolean, token: number, change: number}} State */

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
  const moved = weights(
    scores.map((row) => row.map((x, j) => (j === token ? x + change : x))),
    state,
  );
  const values = VALUES.map((x, j) => (j === token ? x + 1 : x));
  const [newKey, newValue, both] = [
    output(moved, VALUES),
    output(now, values),
    output(moved, values),
  ];
  const old = output(now, VALUES);
  const may = allowed(state);
  const leaks = [newKey, newValue].map((changed) =>
    SIZE.filter((i) => !may[i][token] && Math.abs(changed[i] - old[i]) > 1e-6),
  );
  return {
    masked: masked(scores, state),
    weights: now,
    may,
    rows: transpose([now.map(total), old, newKey, newValue, both]),
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

/** “the”, “cat” and “sat”; each once. @param {string[]} list */
const listed = (list) => {
  const names = [...new Set(list)].map((name) => `“${name}”`);
  return [names.slice(0, -1).join(", "), ...names.slice(-1)].filter(Boolean).join(" and ");
};
const WHY = {
  key: "softmax counted its score before the mask came",
  value: "a part of its value comes through",
};

/** Whether the weights are those of a mask before softmax, though it came later. @param {State} state */
export function equal(state) {
  const right = weights(state.scores, { ...state, place: "before", fill: "-inf" });
  const now = weights(state.scores, state);
  return (
    state.place !== "before" &&
    now.every((row, i) => row.every((x, j) => Math.abs(x - right[i][j]) < 1e-6))
  );
}

/** Whether a change gets where it must not. @param {State} state */
export function leakage(state) {
  const {
    leaks: [key, value],
    may,
  } = compute(state);
  const names = tokens(state);
  const closed = SIZE.filter((i) => !may[i][state.token]).map((i) => names[i]);
  const name = `“${names[state.token]}”`;
  const hidden = `${listed(closed)} may not see ${name}`;
  const same = equal(state) ? " The weights equal those of the mask before softmax." : "";
  if (!closed.length) return `Every row may see ${name}, so nothing can leak.${same}`;
  const reached = [...new Set([...key, ...value])].sort().map((i) => names[i]);
  const why = [key.length ? WHY.key : "", value.length ? WHY.value : ""].filter(Boolean);
  const moved =
    listed(reached) === listed(closed) ? "their outputs" : `the output of ${listed(reached)}`;
  return reached.length
    ? `Leak: ${hidden}, yet a change of it moves ${moved}: ` + `${why.join(", and ")}.`
    : `No leak: ${hidden}, and no change of it reaches them.${same}`;
}
