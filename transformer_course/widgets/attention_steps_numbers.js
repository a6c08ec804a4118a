// @ts-check
// The mathematics of the four steps, and the words for each number.
import { dot, format, plain, softmax } from "./numbers.js";
/** @import {Matrix} from "./types.js" */

/** @typedef {{tokens: string[], query: Matrix, key: Matrix, value: Matrix, mask: boolean[][]}}
 * State */

// ---- The mathematics ----

/** @param {Matrix} query @param {Matrix} key */
export const scores = (query, key) => query.map((q) => key.map((k) => dot(q, k)));

/** @param {Matrix} rows @param {number} headDim */
export const scale = (rows, headDim) => rows.map((row) => row.map((x) => x / Math.sqrt(headDim)));

/** True = may attend. @param {Matrix} rows @param {boolean[][]} mask */
export const applyMask = (rows, mask) =>
  rows.map((row, i) => row.map((x, j) => (mask[i][j] ? x : -Infinity)));

/** @param {Matrix} weights @param {Matrix} value */
export const aggregate = (weights, value) =>
  weights.map((row) =>
    value[0].map((_, d) =>
      dot(
        row,
        value.map((v) => v[d]),
      ),
    ),
  );

/** @param {State} state */
export function compute({ query, key, value, mask }) {
  const raw = scores(query, key);
  const scaled = scale(raw, key[0].length);
  const masked = applyMask(scaled, mask);
  const weights = masked.map(softmax);
  return { scores: raw, scaled, masked, weights, output: aggregate(weights, value) };
}

// ---- Numbers and words ----

/** "= 1.50", or "≈ 0.27" where digits were dropped. @param {number} x */
const equals = (x) => `${Math.abs(Number(x.toFixed(2)) - x) > 1e-9 ? "≈" : "="} ${format(x)}`;

/** "2·1 + 0.5·(−1)" @param {string[]} left @param {number[]} right */
const products = (left, right) =>
  left.map((x, n) => `${x}·${right[n] < 0 ? `(${plain(right[n])})` : plain(right[n])}`).join(" + ");

/** How result (i, j) of a step came about: [words, sum].
 * @param {number} step @param {number} i @param {number} j @param {State} state */
export function explain(step, i, j, state) {
  const { tokens, query, key, value } = state;
  const r = compute(state);
  const at = `[${i}][${j}]`;
  const [from, to] = [`“${tokens[i]}”`, `“${tokens[j]}”`];
  if (step === 0)
    return [
      `How well the query of ${from} matches the key of ${to}: multiply dimension by dimension, ` +
        "then add.",
      `score${at} = ${products(query[i].map(plain), key[j])} ${equals(r.scores[i][j])}`,
    ];
  if (step === 1)
    return [
      `The score of ${from} with ${to}, divided by the square root of 4.`,
      `scaled${at} = ${format(r.scores[i][j])} ÷ √4 ${equals(r.scaled[i][j])}`,
    ];
  if (step === 3) {
    const [shares, column] = [r.weights[i].map(format), value.map((v) => v[j])];
    return [
      `Dimension ${j} of the output of ${from}: dimension ${j} of every value, each times its ` +
        "weight, then added.",
      `output${at} ≈ ${products(shares, column)} ${equals(r.output[i][j])}`,
    ];
  }
  const row = r.masked[i];
  const top = Math.max(...row);
  const large = row.some((x) => Number.isFinite(x) && Math.abs(x) > 10);
  const shifted = large ? row.map((x) => x - top) : row;
  const share = (show) => `${show(shifted[j])} ÷ (${shifted.map(show).join(" + ")})`;
  let words =
    `The share of ${to} in the row of ${from}: its exponential, divided by the sum of ` +
    "all exponentials in the row.";
  if (row[j] === -Infinity)
    words =
      `${from} may not attend to ${to}: the score becomes −∞, its exponential 0, and so ` +
      "the weight.";
  if (top === -Infinity)
    words =
      `Every key of ${from} is masked, so softmax has nothing to divide by: 0 ÷ 0 is not a ` +
      "number.";
  if (large)
    words += ` The largest score, ${format(top)}, is taken off first: same weights, no overflow.`;
  return [
    words,
    `weight${at} = ${share((x) => `exp(${format(x)})`)} ≈ ${share((x) => format(Math.exp(x)))} ` +
      `${equals(r.weights[i][j])}`,
  ];
}

/** Which [row, column] of each operand feeds result (i, j); null is all of them.
 * @param {number} step */
export const feeds = (step, i, j) =>
  [
    [
      [i, null],
      [j, null],
    ],
    [[i, j]],
    [[i, null]],
    [
      [i, null],
      [null, j],
    ],
  ][step];
