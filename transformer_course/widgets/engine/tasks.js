// @ts-check
// What the laboratory's models learn: what to make of a row of letters, and German for English.
import { ENGLISH, GERMAN, sentence, translation } from "./phrases.js";
import { EOS_ID } from "./tokens.js";

export const LETTERS = "abcdefghijklmnopqrst";
export const [SHORTEST, LONGEST] = [5, 12];
const FIRST = EOS_ID + 2; // the first id that is no mark: vocabularies of the package have four
const LETTERS_A_BATCH = 256;
const SENTENCES_A_BATCH = 32;

/** @typedef {[number[], number[]]} Pair of ids: a source, and what is to be made of it */
/** `names` are those of the ids, `targets` says how many of them a target may have; `read` gives
 * the ids of a text and leaves out what it does not know; `answer` is null where there is none;
 * `draw` makes a pair that is, or is not, one of those kept back; `batch` pairs to learn from.
 * @typedef {{names: string[], targets: number, between: string, many: string,
 *   read: (text: string) => number[], answer: (src: number[]) => number[] | null,
 *   draw: (uniform: () => number, kept: boolean) => Pair,
 *   batch: (uniform: () => number) => Pair[]}} Task */

/** One source in ten is never learned from: those whose ids add up to a multiple of ten.
 * @param {number[]} src */
export const isNew = (src) => src.reduce((sum, id) => sum + id - FIRST, 0) % 10 === 0;

/** Draw until a source is, or is not, one of those kept back.
 * @param {() => number[]} draw @param {boolean} kept */
function until(draw, kept) {
  for (;;) {
    const src = draw();
    if (isNew(src) === kept) return src;
  }
}

/** @param {string[]} names @param {string[]} words their ids; what is no name is left out */
const idsIn = (names, words) =>
  words
    .map((word) => names.indexOf(word))
    .filter((n) => n >= 0)
    .map((n) => n + FIRST);

/** @param {Task} task @param {number[]} ids; marks are shown as a dot */
export const namesOf = ({ names }, ids) => ids.map((id) => names[id - FIRST] ?? "·");

/** How many ids a task has, the marks included. @param {Task} task */
export const vocabulary = ({ names }) => FIRST + names.length;

/** @param {(row: number[]) => number[]} answer @returns {Task} */
function letters(answer) {
  const names = Array.from(LETTERS);
  const someLength = (uniform) => SHORTEST + Math.floor((LONGEST - SHORTEST + 1) * uniform());
  const draw = (uniform, kept, length = someLength(uniform)) => {
    const letter = () => FIRST + Math.floor(LETTERS.length * uniform());
    const row = until(() => Array.from({ length }, letter), kept);
    return /** @type {Pair} */ ([row, answer(row)]);
  };
  return {
    names,
    targets: names.length + 1,
    between: "",
    many: "rows",
    read: (text) => idsIn(names, Array.from(text.toLowerCase())),
    answer,
    draw,
    batch(uniform) {
      const length = someLength(uniform);
      const count = Math.floor(LETTERS_A_BATCH / (length + 1));
      return Array.from({ length: count }, () => draw(uniform, false, length));
    },
  };
}

/** English to German. @returns {Task} */
function phrasebook() {
  const [marks, names] = [
    [".", "?"],
    [".", "?", ...ENGLISH, ...GERMAN],
  ];
  const known = [...marks, ...ENGLISH];
  const answer = (src) => {
    const german = translation(src.map((id) => names[id - FIRST]));
    return german && german.map((word) => names.lastIndexOf(word) + FIRST);
  };
  const draw = (uniform, kept) => {
    const src = until(() => idsIn(known, sentence(uniform)), kept);
    return /** @type {Pair} */ ([src, answer(src)]);
  };
  return {
    names,
    targets: marks.length + GERMAN.length + 1,
    between: " ",
    many: "sentences",
    read: (text) => idsIn(known, text.toLowerCase().match(/[a-z]+|[.?]/g) ?? []),
    answer,
    draw,
    batch: (uniform) => Array.from({ length: SENTENCES_A_BATCH }, () => draw(uniform, false)),
  };
}

/** @type {Record<string, Task>} */
export const TASKS = {
  reverse: letters((row) => row.slice().reverse()),
  copy: letters((row) => row.slice()),
  sort: letters((row) => row.slice().sort((a, b) => a - b)),
  phrases: phrasebook(),
};
