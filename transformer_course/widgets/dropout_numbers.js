// @ts-check
// What dropout leaves of a vector, the mean over several masks, the sum around it, and the words.
import { fixed } from "./numbers.js";

/** @typedef {{p: number, training: boolean}} Mode */
/** @typedef {(vector: number[]) => number[]} Drop */

/** Zeros where luck is below p, the others divided by 1 − p.
 * @param {number[]} vector @param {number[]} luck @param {Mode} mode */
export const drop = (vector, luck, { p, training }) =>
  training ? vector.map((x, n) => (luck[n] < p ? 0 : x / (1 - p))) : [...vector];

// Each place draws its own masks: of the same list, but from here on.
const SHIFTS = [0, 4, 34];

/** The masks of a place, up to this draw. @param {number[][]} luck @param {number} place
 * @param {number} draw */
export const masksUpTo = (luck, place, draw) =>
  Array.from({ length: draw + 1 }, (_, n) => luck[(n + SHIFTS[place]) % luck.length]);

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

/** What the state means. `gone`: how many of `size` numbers this mask drops; `masks`: of how many
 * masks the mean is shown, 0 for none; `off`: how far that is from the whole vector.
 * @param {{place: number, p: number, training: boolean, gone: number, size: number,
 * masks: number, many: number, off: number}} state */
export function explain({ place, p, training, gone, size, masks, many, off }) {
  const times = fixed(1 / (1 - p), 2);
  if (!training)
    return (
      "Evaluation: nothing is dropped, nothing multiplied. The mean of many masks comes near " +
      "these numbers, so the next layer meets what it knows."
    );
  if (!p)
    return (
      "At p = 0 no mask drops anything, and each number is multiplied by 1: training is like " +
      "evaluation."
    );
  if (masks)
    return (
      `The mean of ${masks} mask${masks > 1 ? "s" : ""}, the rest times ${times} in each, is ` +
      `${Math.round(100 * off)}\u00a0% off the whole vector (dashed).` +
      (masks === many ? " On average a mask takes nothing away." : "")
    );
  if (!gone)
    return `This mask spares all of these ${size} numbers, and makes them ${times} times as large.`;
  return [
    `A mask zeroes ${gone} of these ${size} numbers; the rest is multiplied by ${times}. ` +
      "Nothing passes it by, so all layers above do without what is gone.",
    `A mask zeroes ${gone} of the ${size} numbers that self-attention says; the rest times ` +
      `${times}. What came in passes by: it still stands in the sum (gray).`,
    `Feed-forward draws a mask of its own: it zeroes ${gone} of ${size}, the rest times ` +
      `${times}. Again only what the layer says is lost, never what passes it by.`,
  ][place];
}
