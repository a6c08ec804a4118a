// @ts-check
// How wide scores spread, and how many keys are in use.
import { fixed, softmax } from "./numbers.js";

/** e to the entropy: 1 for one key alone, 16 for sixteen in equal shares.
 * @param {number[]} weights */
export const keysInUse = (weights) =>
  Math.exp(-weights.reduce((sum, w) => sum + (w > 0 ? w * Math.log(w) : 0), 0));

/** The weights of one query in both modes.
 * @param {number[]} divided its scores over √d_k @param {number} width */
export const bothWeights = (divided, width) => [
  softmax(divided.map((x) => x * Math.sqrt(width))),
  softmax(divided),
];

/** Standard deviation. @param {number[]} row */
export function spread(row) {
  const mean = row.reduce((sum, x) => sum + x, 0) / row.length;
  return Math.sqrt(row.reduce((sum, x) => sum + (x - mean) ** 2, 0) / row.length);
}

/** Digits that count: "32.1", "7.92", "0.31", "0.00042". @param {number} x */
export const short = (x) =>
  x >= 10
    ? fixed(x, 1)
    : x >= 1
      ? fixed(x, 2)
      : x >= 1e-6
        ? String(Number(x.toPrecision(2)))
        : x.toExponential(1).replace("-", "−");

/** "40" or "1,200" times: one or two digits, as a factor is told. @param {number} x */
export const times = (x) => Number(x.toPrecision(x < 10 ? 2 : 1)).toLocaleString("en-US");
