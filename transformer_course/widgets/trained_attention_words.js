// @ts-check
// The weights of a trained translator, and the words for them.
import { fixed } from "./numbers.js";

export const KINDS = {
  encoder: ["src", "src", "Encoder self-attention"],
  decoder: ["tgt", "tgt", "Decoder self-attention"],
  cross: ["tgt", "src", "Cross-attention"],
};

/** What most heads do, in words. @type {Record<string, string>} */
export const MAINLY = {
  spread: "no word in particular",
  "a few": "mostly a few words",
  one: "mostly one word",
  start: "mainly the start",
  mixed: "several directions",
  itself: "mainly the word itself",
  back: "mainly earlier words",
  ahead: "mainly later words",
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

/** Where one row of weights goes, in words: the two largest, of those that count.
 * @param {number[]} row @param {string[]} keys */
export function told(row, keys) {
  const order = row
    .map((x, j) => [x, j])
    .filter(([x]) => x >= 3)
    .sort((a, b) => b[0] - a[0] || a[1] - b[1])
    .slice(0, 2);
  return order.map(([x, j]) => `${Math.round(x)} % to “${keys[j]}”`).join(", ");
}

const mean = (/** @type {number[]} */ all) => all.reduce((a, b) => a + b, 0) / all.length;
const SPREAD = 35; // percent: no word of a row gets more, on average
const PICKS = 60; // percent: one word of a row gets as much

/** What a head does in this sentence: its job in a word, in a few, and with its numbers.
 * @param {number[][]} rows of percents between words @param {string} kind
 * @returns {string[]} */
export function job(rows, kind) {
  const top = mean(rows.map((row) => Math.max(...row)));
  const largest = `Its top word averages ${top.toFixed(0)}\u00a0%.`;
  if (top < SPREAD) return ["spread", "looks everywhere", largest];
  if (kind === "cross")
    return top < PICKS
      ? ["a few", "looks at a few words", largest]
      : ["one", "mostly picks one word", largest];
  const begins = (j) => kind === "decoder" && j === 0; // <s>
  const share = (where) =>
    mean(rows.map((row, i) => row.reduce((sum, x, j) => sum + (where(i, j) ? x : 0), 0)));
  const just = (by) => `${share((i, j) => !begins(j) && j - i === by).toFixed(0)}\u00a0%`;
  /** What may get most: its name, where it is, what the head then does, what is said of its share.
   * @type {[string, (i: number, j: number) => boolean, string, string][]} */
  const jobs = [
    ["start", (_, j) => begins(j), "at the start", "<s> gets"],
    ["itself", (i, j) => i === j && !begins(j), "at the word itself", "It gets"],
    ["back", (i, j) => j < i && !begins(j), "back", "Earlier words get"],
    ["ahead", (i, j) => j > i, "ahead", "Later words get"],
  ];
  const shares = jobs.map(([, where]) => share(where));
  const percents = shares.map((x) => `${x.toFixed(0)}\u00a0%`);
  const most = Math.max(...shares);
  const at = shares.indexOf(most);
  if (Math.round(most) <= 50) {
    const all = ["<s>", "itself", "earlier", "later"].map((name, n) => `${name} ${percents[n]}`);
    return ["mixed", "is mixed", `On average: ${all.filter((_, n) => shares[n]).join(", ")}.`];
  }
  const [name, , does, gets] = jobs[at];
  const nearest = at < 2 ? "" : `, the nearest ${just(at === 2 ? -1 : 1)}`;
  return [name, `looks mostly ${does}`, `${gets} ${percents[at]}${nearest}.`];
}
