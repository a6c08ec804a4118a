// @ts-check
// Cutting rows into heads: the mathematics, the words, the places and the shades.
import { dot, fixed, softmax } from "./numbers.js";
/** @import {Matrix} from "./types.js" */

const MOST_HEADS = 32;
export const MOST_CELLS = 64; // drawn in a row; with more, a cell stands for several numbers
export const ROW = 22;
export const HEADING = 20;

// ---- The mathematics ----

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

export const STAGES = ["Rows", "Cut", "Heads", "Attend", "Concat"];

/** What one sees: [code, shape, words].
 * @param {number} stage
 * @param {{d_model: number, num_heads: number, length: number, wrong: boolean}} state
 * @param {Matrix[]} weights */
export function tell(stage, { d_model: d, num_heads: n, length, wrong }, weights) {
  const size = d / n;
  const slices = n === 1 ? "1 slice" : `${n} slices`;
  if (stage === 0)
    return [
      "x",
      `(batch, ${length}, ${d})`,
      `${length} tokens, each a row of d_model = ${d} numbers. A color is a token.`,
    ];
  if (stage === 1)
    return [
      `x.unflatten(-1, (${n}, ${size}))`,
      `(batch, ${length}, ${n}, ${size})`,
      `Every row is cut into ${slices} of d_k = ${d} ÷ ${n} = ${size}. No number has moved.`,
    ];
  if (stage === 4)
    return [
      ".transpose(1, 2).flatten(2) @ Wᴼ",
      `(batch, ${length}, ${d})`,
      wrong
        ? "The shape is right again, so no test of shapes finds it. One that changes the first " +
          "token and expects the last one to notice does."
        : `What the heads found is laid side by side: rows of ${d} again. Then Wᴼ mixes the ` +
          "heads; before it, no head knew of another.",
    ];
  const code = wrong ? `x.view(batch, ${n}, ${length}, ${size})` : ".transpose(1, 2)";
  if (stage === 2) {
    const of = [...new Set(Array.from({ length }, (_, row) => Math.floor(row / n)))];
    const mixed =
      n === 1
        ? "With one head there is nothing to mix up."
        : `The shape is right, the content is not: head 1 holds ${length} rows, but of ` +
          `${of.length === 1 ? `token ${of[0]} alone` : `tokens ${of.join(", ")} only`}. ` +
          "“Position 1” of head 1 is slice 2 of token 0.";
    return [
      code,
      `(batch, ${n}, ${length}, ${size})`,
      wrong
        ? mixed
        : `The heads come to the front: each has ${length} rows of ${size}, one slice of every ` +
          "token. One matrix product now serves all heads.",
    ];
  }
  const own = (w) => fixed(w.reduce((sum, row, i) => sum + row[i], 0) / length, 2);
  const last =
    n > 1
      ? `, where the waves are fast, and ${own(weights[n - 1])} in head ${n}, ` +
        "where they hardly move from one position to the next"
      : "";
  const words =
    wrong && n > 1
      ? "Each head compares pieces of tokens with other pieces, of other dimensions: its weights " +
        "say nothing about tokens."
      : "Each head compares its own slices only. On the diagonal, a token looks at itself: " +
        `${own(weights[0])} on average in head 1${last}.`;
  return ["softmax(q @ k.mT / √d_k)", `(batch, ${n}, ${length}, ${length})`, words];
}

/** Where a slice is drawn, in parts of the width and in pixels: {left, top, width}.
 * @param {number} stage @param {number} token @param {number} part @param {any} state */
export function spot(stage, token, part, { num_heads: n, length, wrong }) {
  if (stage < 2 || stage === 4)
    return { left: part / n, top: HEADING + token * (ROW + 4), width: 1 / n };
  const columns = across(n);
  const [head, row] = place(token, part, n, length, wrong);
  return {
    left: (head % columns) / columns,
    top: Math.floor(head / columns) * (HEADING + length * ROW + 8) + HEADING + row * ROW,
    width: 1 / Math.max(n, columns),
  };
}

/** Panels beside each other. @param {number} heads */
export const across = (heads) => (heads <= 2 ? 1 : heads <= 8 ? 2 : heads <= 16 ? 4 : 8);

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
    return 0.08 + 0.31 * (group.reduce((a, b) => a + b, 0) / many + 1);
  });
}
