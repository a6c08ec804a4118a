// @ts-check
// A scale of numbers, and how far a guess is from the truth.

/** @typedef {{low: number, high: number, step: number, log: boolean}} Scale */

/** Where a number stands, from 0 to 1. @param {number} x @param {Scale} scale */
export const portion = (x, { low, high, log }) =>
  log ? Math.log(x / low) / Math.log(high / low) : (x - low) / (high - low);

/** The number at a place of the scale, rounded to its step.
 * @param {number} t from 0 to 1 @param {Scale} scale */
export function numberAt(t, { low, high, step, log }) {
  const at = Math.max(0, Math.min(1, t));
  const x = log ? low * (high / low) ** at : low + at * (high - low);
  const even = log ? Number(x.toPrecision(2)) : Math.round(x / step) * step;
  return Number(Math.max(low, Math.min(high, even)).toPrecision(6));
}

/** The label at which guess and truth are farthest apart on the scale.
 * @param {number[]} guess @param {number[]} truth @param {Scale} scale */
export function farthest(guess, truth, scale) {
  const apart = guess.map((x, n) => Math.abs(portion(x, scale) - portion(truth[n], scale)));
  return apart.indexOf(Math.max(...apart));
}
