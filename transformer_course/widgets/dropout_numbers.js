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

/** The three rows in sight, and which of them is dropped: the sum at the bottom, else the output of
 * a sub-layer before it is added. @param {number[][]} pair @param {number} place
 * @param {number[]} luck @param {Mode} mode */
export function rowsOf([first, second], place, luck, mode) {
  const add = (a, b) => a.map((x, n) => x + b[n]);
  if (!place) {
    const whole = add(first, second);
    return { before: [first, second, whole], now: [first, second, drop(whole, luck, mode)], at: 2 };
  }
  const left = drop(second, luck, mode);
  return {
    before: [first, second, add(first, second)],
    now: [first, left, add(first, left)],
    at: 1,
  };
}

/** How far `a` is from `b`, as a share of b's length. @param {number[]} a @param {number[]} b */
export const apart = (a, b) => Math.hypot(...a.map((x, n) => x - b[n])) / Math.hypot(...b);

/** From where to where the bars of a place reach, at any mask: nothing is cut, and zero is inside.
 * @param {number[][]} pair @param {number} place @param {Mode} mode */
export function reach([first, second], place, { p, training }) {
  const most = training ? 1 / (1 - p) : 1;
  const sum = first.map((x, n) => x + second[n]);
  const all = place
    ? [first, second, sum, second.map((x) => most * x), first.map((x, n) => x + most * second[n])]
    : [first, second, sum, sum.map((x) => most * x)];
  return [Math.min(0, ...all.flat()), Math.max(0, ...all.flat())];
}
