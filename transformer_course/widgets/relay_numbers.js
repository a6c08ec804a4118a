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

/** What is left of a word, and after how many steps. @param {number} far @param {number} share
 * @param {boolean} short */
export const remains = (far, share, short) =>
  `${Math.round(100 * share)} %${short ? "" : ` after ${far} ${far === 1 ? "step" : "steps"}`}`;

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

/** The head that takes most from one word to the other.
 * @param {Text} text @param {number[]} pair */
export function reader({ heads = [] }, [from, to]) {
  const given = heads.map((rows) => rows[from][to]);
  return given.indexOf(Math.max(...given)) + 1;
}

/** The German for the word in question. @param {Text} text */
export const meant = ({ translation }) => /** @type {any} */ (translation.match(/Bank|Ufer/))[0];

/** Where a word looks, by which head, and what comes of it. @param {Text[]} texts
 * @param {number[]} pair @param {{text: number, asks: number, head: number}} now */
export function told(texts, pair, { text: n, asks, head }) {
  const text = texts[n];
  const said = looks(
    { ...text, weights: head ? (text.heads ?? [])[head - 1] : text.weights },
    asks,
  );
  const other = texts.find((each) => each !== text) ?? text;
  const turns = `${said} So it becomes “${meant(text)}”. With “${other.end}” it becomes “${meant(other)}”.`;
  if (!head) return asks === pair[0] ? turns : said;
  const before = reader(texts[0], pair);
  const turned = n && asks === pair[0] && head === reader(text, pair) && before !== head;
  const more = turned ? ` With “${texts[0].end}” it is head ${before} that reads the noun.` : "";
  return `Head ${head}: ${said}${more}`;
}

/** What the loop still holds of the word asked about, and the way that attention takes, in words.
 * @param {Text} text @param {number[]} pair @param {number} asks @param {number[]} held */
export function ways({ words }, pair, asks, held) {
  const from = about(pair, asks);
  const [asked, asking] = [words[from], words[asks]];
  const far = steps(from, asks);
  if (far === null)
    return (
      `The loop is at “${asking}” and has not read “${asked}” yet. ` +
      "In attention it is 1 step away."
    );
  const left = `${Math.round(100 * held[from])}\u00a0% of “${asked}”`;
  const later = `After ${far} more ${far === 1 ? "word" : "words"}`;
  return `${later} the loop still holds ${left}. In attention it is whole, and 1 step away.`;
}
