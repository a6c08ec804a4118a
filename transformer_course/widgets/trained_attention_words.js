// @ts-check
// The weights of a trained translator, and the words for them.
import { fixed } from "./numbers.js";

export const KINDS = {
  encoder: ["src", "src", "Encoder self-attention"],
  decoder: ["tgt", "tgt", "Decoder self-attention"],
  cross: ["tgt", "src", "Cross-attention"],
};

/** One head's rows of percents.
 * @param {any} one a sentence @param {string} kind @param {number} layer from 1
 * @param {number} head from 1 @returns {number[][]} */
export function weights(one, kind, layer, head) {
  const flat = one[kind][layer - 1][head - 1].split(" ").map(Number);
  const [queries, keys] = KINDS[kind].map((side) => one[side]);
  return queries.map((_, i) =>
    keys.map((_, j) =>
      kind !== "decoder" ? flat[i * keys.length + j] : j <= i ? flat[(i * (i + 1)) / 2 + j] : 0,
    ),
  );
}

/** The pieces of each word: a piece with ▁ starts one, and so does a sign that is no apostrophe.
 * @param {string[]} pieces @returns {number[][]} */
export function wholeWords(pieces) {
  /** @type {number[][]} */
  const words = [];
  pieces.forEach((piece, n) => {
    const goes = n > 0 && /^[\p{L}\p{N}'’-]+$/u.test(piece) && !pieces[n - 1].startsWith("<");
    if (goes) words[words.length - 1].push(n);
    else words.push([n]);
  });
  return words;
}

/** A word as it is written. @param {string[]} pieces @param {number[]} at */
export const written = (pieces, at) => at.map((n) => pieces[n].replace("▁", "")).join("");

/** Weights between words: the mean over a word's pieces as queries, their sum as keys.
 * @param {number[][]} rows @param {number[][]} queries @param {number[][]} keys */
export const betweenWords = (rows, queries, keys) =>
  queries.map((from) =>
    keys.map(
      (to) =>
        from.flatMap((i) => to.map((j) => rows[i][j])).reduce((a, b) => a + b, 0) / from.length,
    ),
  );

/** Where one row of weights goes, in words: the three largest, of those that count.
 * @param {number[]} row @param {string[]} keys */
export function told(row, keys) {
  const order = row
    .map((x, j) => [x, j])
    .filter(([x]) => x >= 3)
    .sort((a, b) => b[0] - a[0] || a[1] - b[1])
    .slice(0, 3);
  return order.map(([x, j]) => `${Math.round(x)} % to “${keys[j]}”`).join(", ");
}
