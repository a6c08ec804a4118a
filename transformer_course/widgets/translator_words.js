// @ts-check
// What one can look at in the translator: pieces joined to words, their weights, and what is said.
import { fixed, format } from "./numbers.js";

/** @typedef {ArrayLike<number>} Cells  a matrix, row after row */
/** @typedef {{text: string, beam: number, source: string[], output: string[], translation: string,
 * unknown: string[], strangers: string[], rare: string[], sure: number, begun?: number,
 * candidates: [string, number][][], weights: Record<string, Cells[][]>}} Result as the engine gives
 * it, and how many pieces of its beginning are the reader's */
/** @typedef {{text: string, lead: boolean, from: number, to: number}} Word  pieces from .. to - 1;
 * `lead` where a space stands before it */
/** @typedef {{look: string, layer: number, head: number}} Place  head 0 is the mean of all */
/** @typedef {{top: Word[], bottom: Word[], cells: (number | null)[][]}} View  a row for each word
 * below; null is what may not be looked at */

/** What one can look at: whose words ask, below, and whose are looked at, above.
 * @type {Record<string, {label: string, rows: string, columns: string}>} */
export const LOOKS = {
  cross: { label: "German looks at English", rows: "output", columns: "source" },
  encoder: { label: "English looks at English", rows: "source", columns: "source" },
  decoder: { label: "German looks back at German", rows: "output", columns: "output" },
};

/** An example of Python's, whose numbers are texts of whole hundredths.
 * @param {any} example @returns {Result} */
export function fromHundredths(example) {
  const part = (x) =>
    typeof x === "string"
      ? x.split(" ").map((n) => Number(n) / 100)
      : Array.isArray(x)
        ? x.map(part)
        : Object.fromEntries(Object.entries(x).map(([name, inner]) => [name, part(inner)]));
  return { ...example, weights: part(example.weights) };
}

const MARKS = { "<s>": "start", "</s>": "end" };
const ALONE = /^(?!['’-]$)[\p{P}$+<=>^`|~]+$/u; // a mark that joins no two pieces

/** A piece as one reads it; of a word that is spelt out the beginning is nothing yet.
 * @param {string} piece */
export const bare = (piece) => MARKS[piece] ?? (piece.replace("▁", "") || "⋯");

/** Pieces joined to words; a mark of punctuation is a word by itself, unless it joins two.
 * @param {string[]} pieces @returns {Word[]} */
export function joined(pieces) {
  /** @type {Word[]} */
  const words = [];
  pieces.forEach((piece, n) => {
    const last = words.at(-1);
    const lead = piece.startsWith("▁");
    const alone = ALONE.test(piece) || ALONE.test(bare(pieces[n - 1] ?? ""));
    if (!last || lead || alone || piece in MARKS)
      words.push({ text: bare(piece), lead: lead && n > 0, from: n, to: n + 1 });
    else {
      last.text = last.text.replace(/^⋯$/, "") + bare(piece);
      last.to = n + 1;
    }
  });
  return words;
}

/** The words in question and how much each of those below looks at each of those above: the sum
 * over the pieces looked at, the mean over the pieces that look.
 * @param {Result} result @param {Place} place @returns {View} */
export function viewOf(result, { look, layer, head }) {
  const { rows, columns } = LOOKS[look];
  const above = look === "decoder" ? ["<s>", ...result.output.slice(0, -1)] : result[columns];
  const [top, bottom] = [joined(above), joined(result[rows])];
  const heads = result.weights[look][layer - 1];
  const chosen = head ? [heads[head - 1]] : heads;
  const width = above.length;
  const cells = bottom.map(({ from, to }) =>
    top.map((word) => {
      if (look === "decoder" && word.from >= to) return null;
      let sum = 0;
      for (const weights of chosen)
        for (let row = from; row < to; row += 1)
          for (let n = word.from; n < word.to; n += 1) sum += weights[row * width + n];
      return sum / chosen.length / (to - from);
    }),
  );
  return { top, bottom, cells };
}

// A word with an 's that says whose; it is right about "Tom's", "the man's" and "the child's".
const OWNERS =
  /\b(?!(?:it|that|s?he|let|wh\w+|t?here|how|\w*one|\w+body|\w+thing|tom|\w*man|child)['’])\p{L}+['’]s\b/giu;
const DOUBT = 0.05; // share of a word's pieces, below which the word is seldom right

const quote = (text) => `“${text}”`;

/** The words of most weight, in words: `most` of them, of little weight no more than `least`.
 * @param {Word[]} words @param {(number | null)[]} weights @param {number} least */
const heaviest = (words, weights, least, most = 2) =>
  words
    .map(({ text }, n) => ({ text, weight: weights[n] ?? 0 }))
    .sort((a, b) => b.weight - a.weight)
    .filter(({ weight }, place) => place < (weight < 0.05 ? least : most))
    .map(({ text, weight }) => `${quote(text)} (${format(weight)})`)
    .join(" and ");

/** Why a likelier rival was not written: a search compares whole sentences.
 * @param {any[]} rivals as `rivalsOf` gives them */
export const passed = ([first]) =>
  first?.taken === false
    ? ` ${quote(bare(first.piece))} is likelier, but the search scored this sentence best.`
    : "";

/** What the chosen word does, in words, and why it was written. @param {View} view
 * @param {Place} place @param {number} row @param {string} why as `passed` has it */
export function describe({ top, bottom, cells }, { look, layer, head }, row, why = "") {
  const who = `${head ? `head ${head} of ` : ""}layer ${layer}`;
  const does = look === "encoder" ? "read" : "write";
  return `To ${does} ${quote(bottom[row].text)}, ${who} looks most at ${heaviest(top, cells[row], 1, why ? 1 : 2)}.${why}`;
}

/** The word that was least sure, or that the reader chose, in words. @param {View} view
 * @param {Word} word @param {any[]} rivals as `rivalsOf` gives them @param {boolean} own */
export function doubt({ top, bottom, cells }, word, rivals, own = false) {
  const named = ({ piece, share }) => `${quote(bare(piece))} (${percent(share)})`;
  const [rival, mine] = [false, true].map((each) => rivals.find(({ taken }) => taken === each));
  const why = passed(rivals);
  const best = mine === rivals[0] ? ", the likeliest here" : `. Likeliest here: ${named(rival)}`;
  if (own) return `You chose ${named(mine)}${best}.`;
  const row = cells[bottom.indexOf(word)].map(Number);
  const seen = quote(top[row.indexOf(Math.max(...row))].text);
  const looks = `, looking most at ${seen}. Main rival: ${quote(bare(rival.piece))}.`;
  return `The model was least sure of ${quote(word.text)}${(why && `.${why}`) || looks}`;
}

/** Who looks at a word above, in words. @param {View} view @param {number} column */
export function described({ top, bottom, cells }, column) {
  const weights = cells.map((row) => row[column]);
  const told = heaviest(bottom, weights, 0);
  return `${quote(top[column].text)} is looked at ${told ? `most by ${told}` : "by no word"}.`;
}

/** The model's own sentence beside the reader's. @param {Result} own @param {Result} yours */
export const endings = (own, yours) =>
  `The model’s own: ${quote(own.translation)} On average ${percent(own.sure)} a token; ` +
  `yours ${percent(yours.sure)}.`;

/** What else the model would have written where a word begins, likeliest first.
 * @param {Result} result @param {Word} word */
export const rivalsOf = (result, word) =>
  (result.candidates[word.from] ?? []).map(([piece, share]) => ({
    piece,
    share,
    taken: piece === result.output[word.from],
    begun: [...result.output.slice(0, word.from), piece],
  }));

/** The probability of pieces from .. to - 1 when they were written.
 * @param {Result} result @param {number} from @param {number} to */
const shareOf = ({ output, candidates }, from, to) =>
  output
    .slice(from, to)
    .reduce((all, piece, n) => all * (Object.fromEntries(candidates[from + n])[piece] ?? 0), 1);

/** Those that are words, no sign and no mark of the end. @param {Result} result
 * @param {Word[]} words */
const spelled = ({ output }, words) =>
  words.filter(({ text, from }) => /\p{L}/u.test(text) && !(output[from] in MARKS));

/** The word whose first piece had the least probability. @param {Result} result
 * @param {Word[]} words */
export function leastSure(result, words) {
  const first = ({ from }) => shareOf(result, from, from + 1);
  return spelled(result, words).sort((a, b) => first(a) - first(b))[0];
}

/** A share in words. @param {number} share */
export const percent = (share) => (share < 0.01 ? "< 1 %" : `${fixed(share * 100, 0)} %`);

/** Why a text cannot be translated, before anything is loaded; empty if it can.
 * @param {string} text @param {number} limit */
export function refusal(text, limit) {
  const words = text.trim().split(/\s+/).length;
  if (!text.trim()) return "There is nothing to translate yet: type an English sentence.";
  if (words <= limit && text.length <= 20 * limit) return "";
  const size = words > limit ? `${words} words` : `${text.length} characters`;
  return (
    `This text has ${size}, and the page takes ${limit} pieces of words at most. ` +
    "It learned from single sentences: give it one at a time."
  );
}

/** What the reader should know about this translation before believing it.
 * @param {Result} result @param {number} unsure below it the model is seldom right */
export function warnings(result, unsure) {
  const { text, unknown, strangers, rare, sure } = result;
  const named = (words) => words.slice(0, 4).map(quote).join(", ");
  const owners = text.match(OWNERS);
  const doubted = spelled(result, joined(result.output)).find(
    ({ from, to }) => shareOf(result, from, to) < DOUBT,
  );
  return [
    /[.!?]\s+\p{L}/u.test(text) && "It learned from single sentences: give it one at a time.",
    unknown.length &&
      `It has never seen ${named(unknown)}. Each becomes <unk>, and the translation has to guess.`,
    ...[strangers, rare].map(
      (words, n) =>
        words.length &&
        `It ${n ? "hardly" : "never"} met ${named(words)} while it learned: it guesses from ` +
          `${words.length > 1 ? "their" : "its"} pieces.`,
    ),
    owners && `It often mixes up who owns what: ${named(owners)}.`,
    sure < unsure
      ? `It is not sure: its pieces got ${percent(sure)} on average, and 19 of 20 sentences ` +
        "get more."
      : doubted && `It is not sure of ${quote(doubted.text)}: it may be wrong, or no word.`,
  ]
    .filter(Boolean)
    .join(" ");
}

/** How fast it was. @param {number} tokens @param {number} ms @param {number} beam 0: not told */
export const factsInWords = (tokens, ms, beam) =>
  `${tokens} tokens in ${fixed(ms, 0)} ms, ${fixed((tokens / ms) * 1000, 0)} a second, ` +
  `by your own browser${["", ", greedy"][beam] ?? `, beam of ${beam}`}.`;
