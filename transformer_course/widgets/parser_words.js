// @ts-check
// What the parser's labels mean, which texts it refuses, and the tree that a line of tokens means.
import { treeWords } from "./tree_words.js";

/** @typedef {{text: string, words: string[], line: string[], unknown: string[], share?: number,
 * wrong?: boolean, least?: number[]}} Result `share` of its tree, of this and the other one; whether it is
 * mistaken */
/** A constituent: the words from .. to - 1, the places of its brackets in the line, and what stands
 * below, constituents or words.
 * @typedef {{label: string, depth: number, from: number, to: number, open: boolean, at: number,
 * end: number, parent: Part | null, below: (Part | number)[]}} Part */

/** @type {Record<string, string>} */
export const LABELS = {
  ADJP: "adjective phrase",
  ADVP: "adverb phrase",
  CAPTION: "caption of a figure",
  CIT: "citation",
  CONJP: "conjunction of several words",
  FRAG: "fragment of a sentence",
  HEADING: "heading",
  LST: "mark of a list",
  NAC: "words that form no phrase",
  NML: "part of a noun phrase, before its noun",
  NP: "noun phrase",
  PP: "prepositional phrase",
  PRN: "aside, as in brackets",
  PRT: "particle of a verb",
  QP: "quantity",
  RRC: "shortened relative clause",
  S: "sentence or clause",
  SBAR: "clause after a word like that or because",
  SBARQ: "question with a question word",
  SINV: "sentence in turned order",
  SQ: "question of yes or no",
  TITLE: "title",
  UCP: "phrases of different kinds, joined",
  VP: "verb phrase",
  WHADJP: "adjective phrase with a question word",
  WHADVP: "adverb phrase with a question word",
  WHNP: "noun phrase with a question word",
  WHPP: "prepositional phrase with a question word",
  X: "something else",
};

/** A word as people write it. @param {string} word */
export const written = (word) =>
  ({ "-LRB-": "(", "-RRB-": ")", "``": "“", "''": "”" })[word] ?? word;

const MARKUP = /<\/?[a-z!][^>]*>/i;
const STRANGE = /[^\p{Script=Latin}\p{Nd}\s!-~‘’“”–—…£€°±×−]/u;

/** Why a text cannot be parsed, before anything is loaded; empty if it can.
 * @param {string} text @param {number} limit words at most */
export function refusal(text, limit) {
  if (MARKUP.test(text)) return "This has tags of HTML in it: type the words alone.";
  const long = text.length > 25 * limit;
  const many = long ? text.trim().split(/\s+/).length : treeWords(text).length;
  if (long || many > limit) {
    const size = many > limit ? `${many} words` : `${text.length} characters`;
    return `This text has ${size}. The page parses one sentence, of ${limit} words at most.`;
  }
  const strange = STRANGE.exec(text.normalize("NFC"));
  if (strange)
    return `The parser read English only, and “${strange[0]}” is no part of it: leave it out.`;
  return /[\p{L}\p{N}]/u.test(text) ? "" : "There is no word in this: type an English sentence.";
}

/** The constituents that a line, or its beginning, opens, in their order; the top one first.
 * @param {string[]} line @returns {{parts: Part[], written: number}} `written` words */
export function partsOf(line) {
  /** @type {Part[]} */
  const parts = [];
  let /** @type {Part | null} */ at = null;
  let word = 0;
  for (const [place, token] of line.entries()) {
    if (token[0] === "(") {
      /** @type {Part} */
      const part = {
        label: token.slice(1),
        depth: at ? at.depth + 1 : 0,
        from: word,
        to: word,
        open: true,
        at: place,
        end: place,
        parent: at,
        below: [],
      };
      at?.below.push(part);
      parts.push(part);
      at = part;
    } else if (token[0] === ")" && at) {
      at.open = false;
      at.end = place;
      at = at.parent;
    } else {
      at?.below.push(word);
      word += 1;
      for (let part = at; part; part = part.parent) part.to = word;
    }
  }
  return { parts, written: word };
}

/** A constituent in words: its label, what that means, what it spans.
 * @param {Part} part @param {string[]} words */
export const told = ({ label, from, to }, words) =>
  `${label}, ${LABELS[label] ?? "a kind of phrase"}: ${words.slice(from, to).map(written).join(" ")}`;

/** How a line came, in words. @param {Result} result @param {number} [ms] */
export function facts({ words, line }, ms) {
  const many = line.filter((token) => token[0] === "(").length;
  const time = ms === undefined ? "" : `, in ${(ms / 1000).toFixed(1)} s by your own browser`;
  return `Words: ${words.length}, constituents: ${many}, tokens written: ${line.length}${time}.`;
}

/** Which words the parser did not know. @param {string[]} unknown */
export function strangers(unknown) {
  if (!unknown.length) return "";
  return (
    `Not in its vocabulary, and known only by their look (capital, digit, hyphen, last two ` +
    `letters): ${unknown.map((word) => `“${written(word)}”`).join(", ")}.`
  );
}
