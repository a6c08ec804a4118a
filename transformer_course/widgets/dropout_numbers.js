// @ts-check
// What dropout leaves of a vector, the mean over several masks, and the sum around it.

/** @typedef {{p: number, training: boolean}} Mode */
/** @typedef {(vector: number[]) => number[]} Drop */

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

const plus = (/** @type {number[]} */ a, /** @type {number[]} */ b) => a.map((x, n) => x + b[n]);

/** Two vectors and what goes on: a sub-layer is dropped before the sum, the embeddings after it.
 * @param {number[][]} pair @param {number} place @param {Drop} left */
export function rowsAt([first, second], place, left) {
  if (!place) return [first, second, left(plus(first, second))];
  const said = left(second);
  return [first, said, plus(first, said)];
}

/** The gaps between `a` and `b`, added up, as a share of all that `b` has.
 * @param {number[]} a @param {number[]} b */
export const gaps = (a, b) => total(a.map((x, n) => x - b[n])) / total(b);
const total = (/** @type {number[]} */ row) => row.reduce((sum, x) => sum + Math.abs(x), 0);

/** From where to where the bars reach, at any mask: nothing is cut, and zero is inside.
 * @param {number[][]} pair @param {number} place @param {Mode} mode */
export function reach(pair, place, { p, training }) {
  const most = training ? 1 / (1 - p) : 1;
  const all = [0, 1, most].flatMap((by) =>
    rowsAt(pair, place, (row) => row.map((x) => x * by)).flat(),
  );
  return [Math.min(0, ...all), Math.max(0, ...all)];
}
