// @ts-check
// What a writer has written, which of it is right, and where it looks, in words.

/** @typedef {{read: string[], wrote: string[], without: string[], weights: number[][]}} Writing */

/** The words of a way of writing. @param {Writing} one @param {boolean} looks */
export const written = (one, looks) => (looks || !one.without.length ? one.wrote : one.without);

/** The word at which a writing opens: most of it is written. @param {Writing} one */
export const opening = ({ wrote }) => Math.floor((3 * wrote.length) / 4);

/** The strongest lines of a written word. @param {Writing} one @param {number} step */
export const lines = (one, step) =>
  one.weights[step]
    .map((weight, at) => ({ weight, at }))
    .filter(({ weight }) => weight >= 3)
    .sort((a, b) => b.weight - a.weight);

/** One step in words. @param {Writing} one @param {number} step @param {boolean} looks */
export function told(one, step, looks) {
  const now = written(one, looks)[step];
  if (!looks) return `“${now}” comes from one vector for all.`;
  const [first, second] = lines(one, step);
  const more =
    second && second.weight >= 10
      ? `, then at “${one.read[second.at]}” (${second.weight}\u00a0%)`
      : "";
  return `For “${now}” it looks most at “${one.read[first.at]}” (${first.weight}\u00a0%)${more}.`;
}

/** How many of the words so far are those that were read, where both ways are to copy.
 * @param {Writing} one @param {number} step @param {boolean} looks */
export function score(one, step, looks) {
  if (!one.without.length) return "";
  const found = written(one, looks);
  const right = found.slice(0, step + 1).filter((word, n) => word === one.read[n]).length;
  return `${right} of ${step + 1} right.`;
}
