// @ts-check
// Steps between two words, what a state holds of them, and the words for both.

/** The weights are the means of the heads, whose own stand in `heads`.
 * @typedef {{end: string, words: string[], weights: number[][], heads?: number[][][],
 * translation: string}} Text */

/** Each ending with the heads that read it, then the mean, which looks alike with both: [text, head]. */
export const STORY = [
  [0, -1],
  [1, -1],
  [1, 0],
];

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
  `${Math.round(100 * share)} %${short || !far ? "" : ` after ${far} ${far === 1 ? "step" : "steps"}`}`;

/** The other word of the pair: the one that is asked about; in a loop always the first.
 * @param {number[]} pair @param {number} asks @param {boolean} [loop] */
export const about = (pair, asks, loop) => (asks === pair[0] && !loop ? pair[1] : pair[0]);

/** Where a word looks most, in words. @param {string[]} words @param {number[][]} weights
 * @param {number} asks */
export const looks = (words, weights, asks) =>
  weights[asks]
    .map((weight, n) => ({ weight, name: n === asks ? "itself" : `“${words[n]}”` }))
    .filter(({ weight }) => weight >= 10)
    .sort((a, b) => b.weight - a.weight)
    .map(({ weight, name }) => `${name} ${weight}\u00a0%`)
    .join(", ");

/** The head that takes most from one word to the other.
 * @param {Text} text @param {number[]} pair */
export function reader({ heads = [] }, [from, to]) {
  const given = heads.map((rows) => rows[from][to]);
  return given.indexOf(Math.max(...given)) + 1;
}

/** The German for the word in question. @param {Text} text */
export const meant = ({ translation }) => /** @type {any} */ (translation.match(/Bank|Ufer/))[0];

/** The heads that read the last word, each in one of the texts. @param {Text[]} texts
 * @param {number[]} pair */
export const readers = (texts, pair) =>
  [...new Set(texts.map((text) => reader(text, pair)))].sort((a, b) => a - b);

/** The weights of a head, or with 0 their means. @param {Text} text @param {number} head */
export const weightsOf = ({ heads = [], weights }, head) => (head ? heads[head - 1] : weights);

/** The lines from a word by some heads, each in its color; faint ones are left out.
 * @param {Text} text @param {number} asks @param {number[]} heads */
export const linesOf = (text, asks, heads) =>
  heads.flatMap((head, lane) =>
    weightsOf(text, head)
      [asks].map((weight, to) => ({
        to,
        weight,
        lane,
        name: heads.length > 1 ? `head ${head}` : "",
        hue: head ? `var(--hue${head})` : "var(--tc-weights)",
      }))
      .filter(({ weight }) => weight >= (heads.length > 1 ? 10 : 3)),
  );

/** The mean of a word's heads, in the order of the sentence; faint ones are left out.
 * @param {Text} text @param {number} asks */
export const meanOf = ({ words, weights }, asks) =>
  weights[asks]
    .map((weight, n) => ({ weight, name: n === asks ? "itself" : words[n] }))
    .filter(({ weight }) => weight >= 10);

/** Where a word looks: by the heads that tell the texts apart (-1), by one, or in the mean (0).
 * @param {Text[]} texts
 * @param {number[]} pair @param {{text: number, asks: number, head: number}} now */
export function told(texts, pair, { text: n, asks, head }) {
  const [text, other] = [texts[n], texts[1 - n]];
  const word = `“${text.words[asks]}”`;
  const by = (which) => looks(text.words, weightsOf(text, which), asks);
  /** Where nearly all of it goes, without the percent. @param {number} which */
  const at = (which) => by(which).replace(/ (9\d|100)\u00a0%$/, "");
  if (head < 0) {
    const first = reader(text, pair);
    const found = readers(texts, pair).sort((a) => (a === first ? -1 : 1));
    const said = found.map(
      (each, n) => `in head ${each} ${n ? "" : `${word} looks `}at ${at(each)}`,
    );
    const lead =
      n && asks === pair[0] && first !== reader(other, pair)
        ? `With “${text.end}” two heads swap`
        : "Four heads divide the work";
    return `${lead}: ${said.join(", ")}.`;
  }
  const who = head ? `Head ${head}` : "The mean";
  const rows = [text, other].map((each) => weightsOf(each, head)[asks]);
  const apart = Math.max(...rows[0].map((weight, to) => Math.abs(weight - rows[1][to])));
  const alike = `With “${other.end}” it looks ${apart > 3 ? "elsewhere" : "nearly the same"}`;
  const hides = readers(texts, pair).length > 1 ? ": the mean hides its heads" : "";
  const hidden = head || apart > 3 ? "" : `, yet the German is “${meant(other)}”${hides}`;
  return `${who}: ${word} looks at ${by(head)}. ${asks === pair[0] ? `${alike}${hidden}.` : ""}`;
}

/** What the loop still holds of the word asked about, and the way that attention takes, in words.
 * @param {Text} text @param {number[]} pair @param {number} asks @param {number[]} held */
export function ways({ words }, pair, asks, held) {
  const from = about(pair, asks, true);
  const [asked, asking] = [words[from], words[asks]];
  const far = steps(from, asks);
  if (far === null)
    return (
      `The loop is at “${asking}” and has not read “${asked}” yet. ` +
      "Attention sees later words too: it is 1 step away."
    );
  const share = `${Math.round(100 * held[from])}\u00a0%`;
  if (!far)
    return (
      `The loop has just read “${asked}” and holds ${share} of it: ` +
      `${asks + 1} words share its state. In attention it is whole.`
    );
  const left = `${share} of “${asked}”`;
  const later = `After ${far} more ${far === 1 ? "word" : "words"}`;
  return `${later} the loop still holds ${left}. In attention it is whole, and 1 step away.`;
}
