// @ts-check
// What dropout leaves of a vector, and how near the mean of several masks comes to it.

/** @typedef {{p: number, training: boolean}} Mode */

/** Zeros where luck is below p, the others divided by 1 − p.
 * @param {number[]} vector @param {number[]} luck @param {Mode} mode */
export const drop = (vector, luck, { p, training }) =>
  training ? vector.map((x, n) => (luck[n] < p ? 0 : x / (1 - p))) : [...vector];

/** Entry by entry, over all these masks.
 * @param {number[]} vector @param {number[][]} masks @param {Mode} mode */
export function meanOf(vector, masks, mode) {
  const sums = vector.map(() => 0);
  for (const luck of masks) drop(vector, luck, mode).forEach((x, n) => (sums[n] += x));
  return sums.map((x) => x / masks.length);
}

/** The vector that is dropped: the sum at the bottom, else the output of a sub-layer before it is
 * added. @param {number[][]} pair @param {number} place */
export const vectorAt = ([first, second], place) =>
  place ? second : first.map((x, n) => x + second[n]);

/** The gaps between `a` and `b`, added up, as a share of all that `b` has.
 * @param {number[]} a @param {number[]} b */
export const gaps = (a, b) => total(a.map((x, n) => x - b[n])) / total(b);
const total = (/** @type {number[]} */ row) => row.reduce((sum, x) => sum + Math.abs(x), 0);

/** From where to where the bars reach, at any mask: nothing is cut, and zero is inside.
 * @param {number[]} vector @param {Mode} mode */
export function reach(vector, { p, training }) {
  const most = training ? 1 / (1 - p) : 1;
  return [most * Math.min(0, ...vector), most * Math.max(0, ...vector)];
}
