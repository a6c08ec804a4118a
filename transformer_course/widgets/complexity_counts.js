// @ts-check
// The counts of Table 1, and what they say in words.
import { count, plain } from "./numbers.js";

/** @typedef {{n: number, d: number, k: number, r: number, projections: boolean}} State */
/** @typedef {{operations: number, sequential: number, path: number}} Cost */

export const LONGEST = 128000;
/** @type {{name: string, words: string, compromise?: boolean}[]} */
export const LAYERS = [
  { name: "attention", words: "self-attention" },
  { name: "recurrent", words: "recurrent" },
  { name: "contiguous", words: "convolution" },
  { name: "dilated", words: "dilated convolution", compromise: true },
  { name: "restricted", words: "restricted attention", compromise: true },
];

// ---- The mathematics: the same counts as transformer_course/widgets/complexity.py ----

/** Layers that join n positions, each reaching back over a window.
 * @param {number} n @param {number} window @param {number} growth */
export function layersToSpan(n, window, growth = 1) {
  let [layers, reach, step] = [1, window, 1];
  while (reach < n) {
    step *= growth;
    reach += (window - 1) * step;
    layers += 1;
  }
  return layers;
}

/** The multiply-adds of one layer of each kind.
 * @param {State} state @returns {Record<string, number>} */
export function operations({ n, d, k, r, projections }) {
  const own = projections ? 4 * n * d * d : 0;
  const convolution = k * n * d * d;
  return {
    attention: 2 * n * n * d + own,
    recurrent: 2 * n * d * d,
    contiguous: convolution,
    dilated: convolution,
    restricted: 2 * Math.min(r, n) * n * d + own,
  };
}

/** Table 1 for one setting. @param {State} state @returns {Record<string, Cost>} */
export function costs(state) {
  const { n, k, r } = state;
  const work = operations(state);
  const row = (name, sequential, path) => ({ operations: work[name], sequential, path });
  return {
    attention: row("attention", 1, 1),
    recurrent: row("recurrent", n, n),
    contiguous: row("contiguous", 1, layersToSpan(n, k)),
    dilated: row("dilated", 1, layersToSpan(n, k, k)),
    restricted: row("restricted", 1, layersToSpan(n, r)),
  };
}

/** Lengths that the slider stops at: about twenty in each factor of ten. */
export const LENGTHS = [
  ...new Set(
    Array.from({ length: 104 }, (_, p) =>
      Math.min(LONGEST, Math.round(Number((10 ** (p / 20)).toPrecision(2)))),
    ),
  ),
];
export const WIDTHS = [64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096];
export const NEIGHBORS = [
  2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 2048, 4096,
];

/** The place of the stop next to a value. @param {number[]} stops @param {number} value */
export const nearest = (stops, value) =>
  stops.reduce(
    (best, stop, n) => (Math.abs(stop - value) < Math.abs(stops[best] - value) ? n : best),
    0,
  );

/** The same by ratio, as on a logarithmic axis. @param {number[]} stops @param {number} value */
export const nearestRatio = (stops, value) =>
  nearest(
    stops.map((stop) => Math.log(stop)),
    Math.log(value),
  );

// ---- Words ----

const UNITS = [
  [1e12, " trillion"],
  [1e9, " billion"],
  [1e6, " million"],
];

/** "10.2 million" @param {number} x @param {(string | number)[][]} units */
export function amount(x, units = UNITS) {
  const [size, name] = units.find(([least]) => x >= Number(least)) ?? [1, ""];
  return Number(size) === 1
    ? `${count(x)}${name}`
    : `${plain(Number((x / Number(size)).toPrecision(3)))}${name}`;
}

/** @param {number} x */
const bytes = (x) =>
  amount(x, [
    [1e9, " GB"],
    [1e6, " MB"],
    [1e3, " KB"],
    [1, " bytes"],
  ]);

const PARTS = "half,a third,a quarter,a fifth,a sixth,a seventh,an eighth,a ninth,a tenth".split(
  ",",
);

/** "about a fifth", "2.2 times" @param {number} ratio */
export function times(ratio) {
  if (ratio >= 1)
    return `${ratio >= 100 ? count(ratio) : plain(Number(ratio.toPrecision(2)))} times`;
  const part = PARTS[Math.round(1 / ratio) - 2];
  const off = Math.abs(ratio * Math.round(1 / ratio) - 1);
  if (part && off < 0.06) return `${off ? "about " : ""}${part}`;
  return `${plain(Number((100 * ratio).toPrecision(2)))} %`;
}

/** What one head has to hold. @param {number} n */
export const weights = (n) =>
  `One head holds n × n weights: ${amount(n * n)}, ${bytes(4 * n * n)}.`;

/** The multiply-adds of a layer, as a formula. @param {string} name @param {State} state */
export function formula(name, { k, n, r, projections }) {
  const near = name === "restricted" && r < n;
  const own = projections ? " + 4nd²" : "";
  if (name === "attention" || name === "restricted") return `2${near ? "rn" : "n²"}d${own}`;
  return `${name === "recurrent" ? 2 : k}nd²`;
}

/** What a view shows, in two sentences. @param {State} state @param {number} view path, steps, work */
export function explain(state, view) {
  const { n, d, projections } = state;
  const { attention, recurrent } = operations(state);
  if (view < 2 && n === 1)
    return view
      ? "One word alone waits for no other."
      : "One word alone has nowhere to send a signal.";
  if (view === 0)
    return (
      "In self-attention the last word reads the first directly. In recurrence the signal " +
      "passes every word between, in convolution a stack of layers."
    );
  if (view === 1)
    return (
      "Self-attention and convolution compute all words at once. A recurrent layer needs the word " +
      `before first, so the last word waits ${count(n - 1)} step${n === 2 ? "" : "s"}.`
    );
  if (projections)
    return (
      "Four d × d projections come on top of comparing all words. They alone are twice " +
      "recurrence’s work, so self-attention does more at any n."
    );
  const rule =
    "Self-attention compares all words, recurrence sends each through two d × d matrices.";
  if (attention === recurrent) return `${rule} At n = d = ${count(d)} both are the same work.`;
  const less = attention < recurrent;
  return `${rule} ${less ? "While n <" : "Beyond n ="} d = ${count(d)}, self-attention does ${less ? "less" : "more"}.`;
}
