// @ts-check
// Ids of words and brackets, and what may follow the beginning of a tree's line: as in Python, where
// they are TreeTokens and TreeRule.
import { EOS_ID, UNK_ID } from "./bpe.js";
import { logSum } from "./search.js";
/** @import {Row, Rule} from "./search.js" */

/** @typedef {{words: string[], labels: string[], ids: Map<string, number>}} TreeTokens words first,
 * then an opening bracket for each label, then a closing one */
/** The beginning of a line: words still to come, tokens that may still be written, labels of the open
 * brackets, opening brackets in a row up to here.
 * @typedef {{words: number[], room: number, open: number[], opens: number, begun: boolean}} Begun */

const OPENS_IN_A_ROW = 6; // constituents that begin at one word

/** @param {string} text of tokens.json @returns {TreeTokens} */
export function readTreeTokens(text) {
  const { words, labels } = JSON.parse(text);
  return { words, labels, ids: new Map(words.map((word, id) => [word, id])) };
}

/** What is to be seen of a word that nobody knows, the most telling first. @param {string} word */
export function look(word) {
  const letters = [...word];
  let shape = /^\p{Uppercase}/u.test(word) ? "Aa" : "a";
  if (/\p{Nd}/u.test(word)) shape += "1";
  if (letters.slice(1).includes("-")) shape += "-";
  const ending = letters.slice(-2).join("");
  return letters.length > 3 && /^\p{L}{2}$/u.test(ending)
    ? [`<${shape} ${ending.toLowerCase()}>`, `<${shape}>`]
    : [`<${shape}>`];
}

/** The id of a word: its own if it is known, else that of its look.
 * @param {TreeTokens} tokens @param {string} word */
export const wordId = ({ ids }, word) =>
  [word, ...look(word)].map((each) => ids.get(each)).find((id) => id !== undefined) ?? UNK_ID;

/** What an id of a line is to be read as. @param {TreeTokens} tokens @param {number} id */
export function tokenOf({ words, labels }, id) {
  const place = id - words.length;
  if (place < 0) return words[id];
  return place < labels.length ? `(${labels[place]}` : `)${labels[place - labels.length]}`;
}

/** The rule of a beginning. @param {TreeTokens} tokens @param {Begun} begun @returns {Rule} */
export function treeRule(tokens, begun) {
  const { words, room, open, opens } = begun;
  const opening = tokens.words.length;
  const closing = opening + tokens.labels.length;
  return {
    restrict(/** @type {Row} */ logits) {
      const shown = new Float32Array(logits.length).fill(-Infinity);
      const show = (from, to = from + 1) => shown.set(logits.subarray(from, to), from);
      if (!open.length && begun.begun) {
        show(EOS_ID);
        return shown;
      }
      const needed = words.length + open.length;
      if (words.length && opens < OPENS_IN_A_ROW && room >= needed + 2) show(opening, closing);
      // "The next word" is scored by all words together.
      if (open.length && words.length)
        shown[words[0]] = logSum(/** @type {Row} */ (logits.subarray(UNK_ID, opening)));
      if (open.length && !opens && (open.length > 1 || !words.length))
        show(closing + open[open.length - 1]);
      // Only a beginning that a beam has given up can be stuck; its scores do not matter.
      return shown.some(Number.isFinite) ? shown : logits;
    },
    after(id) {
      const shorter = { ...begun, room: room - 1, opens: 0 };
      if (id >= closing && open.length)
        return treeRule(tokens, { ...shorter, open: open.slice(0, -1) });
      if (id >= opening && id < closing)
        return treeRule(tokens, {
          ...shorter,
          open: [...open, id - opening],
          opens: opens + 1,
          begun: true,
        });
      return treeRule(tokens, id === EOS_ID ? begun : { ...shorter, words: words.slice(1) });
    },
  };
}

/** The rule of an empty line. @param {TreeTokens} tokens @param {number[]} words their ids
 * @param {number} room tokens that a tree may have */
export const emptyLine = (tokens, words, room) =>
  treeRule(tokens, { words, room, open: [], opens: 0, begun: false });
