// @ts-check
// Where a writer looks, and how much of what two writers copied is right, in words.

/** @typedef {{read: string[], wrote: string[], without: string[], weights: number[][]}} Writing */

const LARGE = 25; // percent: below it no word stands out
const FAINT = 5; // percent: below it there is no line

/** The word at which a writing opens: most of it is written; with two writers at its question.
 * @param {Writing} one */
export const opening = ({ wrote, without }) =>
  without.length ? 0 : Math.floor((3 * wrote.length) / 4);

/** The strongest lines of a written word. @param {Writing} one @param {number} step */
export const lines = (one, step) =>
  one.weights[step]
    .map((weight, at) => ({ weight, at }))
    .filter(({ weight }) => weight >= FAINT)
    .sort((a, b) => b.weight - a.weight);

/** One step in words. @param {Writing} one @param {number} step */
export function told(one, step) {
  if (!one.without.length && step === one.wrote.length - 1)
    return "All is written. A line leads from each word to the one that it looked at most.";
  const [first, second] = lines(one, step);
  const from = `“${one.read[first.at]}” (${first.weight}\u00a0%)`;
  if (first.weight < LARGE)
    return `For “${one.wrote[step]}” it looks at nothing in particular: most gets ${from}.`;
  const more =
    second && second.weight >= 10
      ? `, then at “${one.read[second.at]}” (${second.weight}\u00a0%)`
      : "";
  return `For “${one.wrote[step]}” it looks most at ${from}${more}.`;
}

/** How many letters so far are those that were read, where two writers are to copy; at first the
 * question.
 * @param {Writing} one @param {number} step */
export function score({ read, wrote, without }, step) {
  if (!without.length) return "";
  if (!step) return `Which of the two copies more of “${read.join("")}” right?`;
  const right = (written) =>
    written.slice(0, step + 1).filter((word, n) => word === read[n]).length;
  const [looking, blind] = [wrote, without].map(right);
  const only = blind < looking ? "only " : "";
  return `Right so far: ${looking} of ${step + 1} looking back, ${only}${blind} from one vector.`;
}
