// @ts-check
// Cutting rows into heads: the mathematics, the words, the places and the shades.
import { dot, softmax } from "./numbers.js";
/** @import {Matrix} from "./types.js" */

const MOST_HEADS = 32;
export const MOST_CELLS = 64; // drawn in a row; with more, a cell stands for several numbers
const [LABEL, LINE] = [20, 26]; // pixels of a line of names, of all rows in one line
/** How far it is from the words' vectors to what W^Q makes of them. */
export const FAN = 44;
/** How high a head is. */
export const TALL = 96;
/** How high a head's name is. */
export const NAME = 24;
/** How far it is from the line to the heads, and from them to the line again. */
export const WAYS = [46, 76];
const ROWS = LABEL + LINE + FAN;
const HEADS = ROWS + LINE + WAYS[0] + NAME;
/** Where the line of rows, the heads, and the line again begin, in pixels; and where all ends. */
export const TOPS = [ROWS, HEADS, HEADS + TALL + WAYS[1]];
export const BOTTOM = TOPS[2] + LINE + LABEL;
/** What the vectors and the way to q take: after the first step all moves up by so much. */
export const LIFT = LINE + FAN;

/** What a row says about its word, a quarter each: where it stands, what kind of word it is, who is
 * meant, and what it belongs to. */
export const FEATURES = ["place", "kind", "who", "group"];
export const WORDS = ["she", "sees", "her", "dog", "and", "smiles"];
const KINDS = ["who or what", "verb", "possessive", "who or what", "link", "verb"];
const WHO = ["she", "", "she", "dog", "", ""];
const GROUPS = ["acts", "acts", "seen", "seen", "", "acts"];
/** The quarters of each word, in words. */
export const SAID = WORDS.map((_, n) => [String(n + 1), KINDS[n], WHO[n], GROUPS[n]]);
const MEANT = [
  [0, 1, 2, 0, 3, 1], // kinds
  [0, 1, 0, 2, 3, 4], // who: she is she, all others differ
  [0, 0, 1, 1, 2, 0], // groups
];
/** The largest number of a row. */
export const GAIN = 1.5;

// ---- The mathematics ----

/** A row for each word, made by hand: each quarter is a point that goes around circles, the same
 * for words that agree. @param {number} length @param {number} width @returns {Matrix} */
export const rows = (length, width) =>
  Array.from({ length }, (_, n) =>
    Array.from({ length: width }, (_, d) => {
      const quarter = Math.floor((4 * d) / width);
      const within = d - (quarter * width) / 4;
      const circle = Math.floor(within / 2) + 1;
      const angle = quarter ? (2 * Math.PI * circle * MEANT[quarter - 1][n]) / 5 : n / circle;
      return GAIN * (within % 2 ? Math.sin(angle) : Math.cos(angle));
    }),
  );

/** The words' vectors, of which W^Q makes the rows. Its numbers are all 1 or -1 over √d (those of a
 * Hadamard matrix), so every number of a row takes something from all of a vector's.
 * @param {Matrix} rows @returns {Matrix} */
export const vectors = (rows) =>
  rows.map((row) => {
    let x = row.map((each, n) => (Math.sin(n * n + 1) > 0 ? each : -each));
    for (let step = 1; step < x.length; step *= 2)
      x = x.map((_, n) => (x[n & ~step] + (n & step ? -x[n] : x[n | step])) / Math.SQRT2);
    return x;
  });

/** How many heads d_model can be cut into. @param {number} width */
export const divisors = (width) =>
  Array.from({ length: MOST_HEADS }, (_, n) => n + 1).filter((n) => width % n === 0);

/** Where slice `part` of a token goes: [head, row]. A view in place of a transpose keeps the order
 * of the memory.
 * @param {number} token @param {number} part @param {number} heads @param {number} length
 * @param {boolean} wrong */
export function place(token, part, heads, length, wrong) {
  if (!wrong) return [part, token];
  const n = token * heads + part;
  return [Math.floor(n / length), n % length];
}

/** (length, d_model) to heads of (length, d_k).
 * @param {Matrix} x @param {number} heads @param {boolean} wrong @returns {Matrix[]} */
export function splitHeads(x, heads, wrong) {
  const size = x[0].length / heads;
  const split = Array.from({ length: heads }, () =>
    Array.from(x, () => /** @type {number[]} */ ([])),
  );
  x.forEach((row, token) => {
    for (let part = 0; part < heads; part += 1) {
      const [head, at] = place(token, part, heads, x.length, wrong);
      split[head][at] = row.slice(part * size, (part + 1) * size);
    }
  });
  return split;
}

/** @param {Matrix} rows queries and keys in one @returns {Matrix} */
export const weightsOf = (rows) =>
  rows.map((q) => softmax(rows.map((k) => dot(q, k) / Math.sqrt(q.length))));

/** What multi-head attention over one sequence holds and computes.
 * @param {number} d @param {number} heads @param {number} length */
export const costs = (d, heads, length) => ({
  d_k: d / heads,
  parameters: 4 * (d * d + d),
  "multiply-adds": 4 * length * d * d + 2 * length * length * d,
  softmaxes: heads * length,
  scores: heads * length * length,
});

// ---- Words ----

export const STAGES = ["Project", "Cut", "Heads", "Attend", "Concat"];

/** What one sees: [code, shape, words].
 * @param {number} stage
 * @param {{d_model: number, num_heads: number, length: number, wrong: boolean}} state
 * @param {Matrix[]} weights */
export function tell(stage, { d_model: d, num_heads: n, length, wrong }, weights) {
  const size = d / n;
  const slices = n === 1 ? "1 slice" : `${n} slices`;
  if (stage === 0)
    return [
      "q = x @ W_q",
      `(batch, ${length}, ${d})`,
      `A word’s vector is not cut. Each of the ${d} numbers of q is made of all ${d} numbers of x. ` +
        "That sorts what it mixes into quarters: place, kind, who, group.",
    ];
  if (stage === 1)
    return [
      `q.unflatten(-1, (${n}, ${size}))`,
      `(batch, ${length}, ${n}, ${size})`,
      `Now q is cut, into ${slices} of ${d} ÷ ${n} = ${size} numbers. A color is a head. Each slice ` +
        `has read the whole word.`,
    ];
  if (stage === 4)
    return [
      `${wrong ? `.view(batch, ${length}, ${d})` : ".transpose(1, 2).flatten(2)"} @ Wᴼ`,
      `(batch, ${length}, ${d})`,
      wrong
        ? "The shape is right again, so no test of shapes finds it. One that changes the first " +
          "word and expects the last one to notice does."
        : `Follow “she”: ${n === 1 ? "one head gets all of it" : `cut in ${n}, a slice to each head`}, ` +
          "what they found side by side again. Then Wᴼ mixes the heads: none knew of another yet.",
    ];
  const code = wrong ? `q.view(batch, ${n}, ${length}, ${size})` : ".transpose(1, 2)";
  if (stage === 2) {
    const of = [...new Set(Array.from({ length }, (_, row) => Math.floor(row / n)))];
    const held = of.map((token) => `“${WORDS[token]}”`).join(", ");
    const mixed =
      n === 1
        ? "With one head there is nothing to mix up."
        : `The shape is right, the content is not: head 1 holds ${length} rows, but of ` +
          `${held} ${of.length === 1 ? "alone" : "only"}.`;
    return [
      code,
      `(batch, ${n}, ${length}, ${size})`,
      wrong
        ? mixed
        : `The heads come to the front: each has one slice of every word, ${length} rows of ${size}. ` +
          "The lines cross: words came first, now heads do.",
    ];
  }
  // The head that looks hardest at another word, and the first of those that look at yet another.
  const all = weights.map(([[, ...others]], head) => {
    const most = Math.max(...others);
    const word = WORDS[others.indexOf(most) + 1];
    const by = about(head, n).join(" and ");
    const looks = `in head ${head + 1}, by ${by}, at “${word}” (${most.toFixed(2)})`;
    return { word, share: Math.round(100 * most), looks };
  });
  const [first] = all.sort((a, b) => b.share - a.share);
  const other = all.find(({ word, share }) => word !== first.word && share > 4);
  const words =
    wrong && n > 1
      ? "Each head compares pieces of words with other pieces: its weights say nothing about words."
      : "Each head compares its own slices only. Beside itself, “she” looks most " +
        `${first.looks}${other ? `; ${other.looks}` : ""}.`;
  return ["softmax(q @ k.mT / √d_k)", `(batch, ${n}, ${length}, ${length})`, words];
}

/** Where a slice is drawn, in parts of the width and in pixels: {left, top, width, height}. Rows
 * stand in one line, a head is a stack of slices.
 * @param {number} stage @param {number} token @param {number} part @param {any} state */
export function spot(stage, token, part, { num_heads: n, length, wrong }) {
  if (stage < 2 || stage === 4) {
    const width = 1 / (length * n);
    const top = TOPS[stage === 4 ? 2 : 0];
    return { left: (token * n + part) * width, top, width, height: LINE };
  }
  const [head, row] = place(token, part, n, length, wrong);
  const height = TALL / length;
  return { left: head / n, top: TOPS[1] + row * height, width: 1 / n, height };
}

/** Where the way of a slice to its head begins and ends, in percent of the width. Slices that keep
 * the order of the line have ways that never cross.
 * @param {number} token @param {number} part @param {any} state */
export function way(token, part, { num_heads: n, length, wrong }) {
  const [head, row] = place(token, part, n, length, wrong);
  const across = (at) => (100 * (at + 0.5)) / (n * length);
  return [across(token * n + part), across(head * length + row)];
}

/** What a head's slices say. @param {number} head @param {number} n heads */
export const about = (head, n) =>
  FEATURES.filter((_, f) => f >= Math.floor((4 * head) / n) && f < (4 * (head + 1)) / n);

/** A row of equal cells as one background: a share from 0 to 1 of a color for each.
 * @param {number[]} shares @param {string} color */
export function stripes(shares, color) {
  const edge = (n) => `${((100 * n) / shares.length).toFixed(2)}%`;
  const mix = (t) => `color-mix(in srgb, ${color} ${(100 * t).toFixed(1)}%, var(--bg))`;
  const stops = shares.map((t, n) => `${mix(t)} ${edge(n)} ${edge(n + 1)}`);
  return `linear-gradient(90deg, ${stops.join(", ")})`;
}

/** What a slice shows: each number from -1 to 1 as a share; with many, the mean of a group.
 * @param {number[]} numbers @param {number} cells */
export function shades(numbers, cells) {
  const many = numbers.length / cells;
  return Array.from({ length: cells }, (_, c) => {
    const group = numbers.slice(c * many, (c + 1) * many);
    return 0.08 + 0.39 * (group.reduce((a, b) => a + b, 0) / many / GAIN + 1);
  });
}
