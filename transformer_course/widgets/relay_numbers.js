// @ts-check
// Steps between two words, what a state holds of them, and the words for both.

/** The weights are the means of the heads, whose own stand in `heads`.
 * @typedef {{end: string, words: string[], weights: number[][], heads?: number[][][],
 * translation: string}} Text */

/** The steps of a loop from one word to a later one; none leads back. @param {number} from
 * @param {number} to */
export const steps = (from, to) => (to < from ? null : to - from);

/** What the state holds of each word when it stands at `at`; 0 of those it has not read.
 * @param {number[][]} shares for each count of words, the newest first @param {number} at
 * @returns {number[]} in the order of the sentence */
export const holds = (shares, at) => shares.map((_, n) => (n > at ? 0 : shares[at][at - n]));

/** All that the state holds, never rounded up to what it has room for.
 * @param {number[]} shares */
export const total = (shares) =>
  (Math.floor(100 * shares.reduce((sum, x) => sum + x, 0)) / 100).toFixed(2);

/** The other word of the pair: the one that is asked about. @param {number[]} pair
 * @param {number} asks */
export const about = (pair, asks) => (asks === pair[0] ? pair[1] : pair[0]);

/** Where a word looks most, in words. @param {Text} text @param {number} asks */
export function looks({ words, weights }, asks) {
  const found = weights[asks]
    .map((weight, n) => ({ weight, name: n === asks ? "itself" : `“${words[n]}”` }))
    .filter(({ weight }) => weight >= 10)
    .sort((a, b) => b.weight - a.weight)
    .map(({ weight, name }) => `${name} ${weight}\u00a0%`);
  return `“${words[asks]}” looks at ${found.join(", ")}.`;
}

/** What the loop still holds of the word asked about, and the way that attention takes, in words.
 * @param {Text} text @param {number[]} pair @param {number} asks @param {number[]} held */
export function ways({ words }, pair, asks, held) {
  const from = about(pair, asks);
  const [asked, asking] = [words[from], words[asks]];
  const far = steps(from, asks);
  const loop =
    far === null
      ? `The loop is at “${asking}” and has not read “${asked}” yet.`
      : `After ${far} more ${far === 1 ? "word" : "words"} the loop still holds ` +
        `${Math.round(100 * held[from])}\u00a0% of “${asked}”.`;
  return `${loop} In attention “${asked}” is 1 step from “${asking}”.`;
}
