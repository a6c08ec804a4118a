// @ts-check
// How wide scores spread, and how many keys are in use.
import { fixed, softmax } from "./numbers.js";

/** e to the entropy: 1 for one key alone, 16 for sixteen in equal shares.
 * @param {number[]} weights */
export const keysInUse = (weights) =>
  Math.exp(-weights.reduce((sum, w) => sum + (w > 0 ? w * Math.log(w) : 0), 0));

/** The weights of one query in both modes.
 * @param {number[]} divided its scores over √d_k @param {number} width */
export const bothWeights = (divided, width) => [
  softmax(divided.map((x) => x * Math.sqrt(width))),
  softmax(divided),
];

/** What one key takes in both modes, in a sentence. @param {number[][]} both @param {number} width */
export function explain([raw, divided], width) {
  if (width === 1) return "Keys of width 1: the division changes nothing.";
  const top = Math.max(...raw);
  const key = raw.indexOf(top);
  return (
    `Key ${key + 1} gets ${fixed(top, 3)} by plain scores, ` +
    `only ${fixed(divided[key], 3)} divided by √${width}.`
  );
}

/** Where a dot's name stands: above the upper one of two and below the lower, on the side where its
 * own line goes away. @param {number[]} at @param {boolean} upper @param {boolean} rising
 * @param {number} wide of the drawing */
export function nameAt([x, y], upper, rising, wide) {
  const end = x > wide - 50 || (x > 90 && upper === rising);
  return { x: x + (end ? 4 : -4), y: y + (upper ? -9 : 18), "text-anchor": end ? "end" : "start" };
}

/** Digits that count: "32.1", "7.92", "0.31", "0.00042". @param {number} x */
export const short = (x) =>
  x >= 10
    ? fixed(x, 1)
    : x >= 1
      ? fixed(x, 2)
      : x >= 1e-6
        ? String(Number(x.toPrecision(2)))
        : x.toExponential(1).replace("-", "−");

/** "40" or "1,200" times: one or two digits, as a factor is told. @param {number} x */
export const times = (x) => Number(x.toPrecision(x < 10 ? 2 : 1)).toLocaleString("en-US");

/** The line of scores goes from −24 to 24 at every width. */
export const REACH = 24;

/** How many scores are below the line's end and how many above. @param {number[]} scores */
export const beyond = (scores) => [
  scores.filter((x) => x < -REACH).length,
  scores.filter((x) => x > REACH).length,
];

/** What "keys in use" means, and whether scores are off the line. @param {number[]} off */
export function noted([below, above]) {
  const off = below + above;
  const told = off ? ` Arrows: ${off} plain score${off > 1 ? "s" : ""} beyond ±${REACH}.` : "";
  return `Keys in use: as if so many had equal shares.${told}`;
}

/** The axis of all charts over the widths. */
export const ACROSS = {
  min: 1,
  max: 1250,
  log: true,
  label: "width of a key",
  ticks: [1, 4, 16, 64, 256, 1024],
  show: String,
};

/** What the division does to the gradient at the nth width, in a sentence.
 * @param {Record<string, number[]>} raw the figures not divided
 * @param {Record<string, number[]>} calm and divided @param {number} n */
export function contrast(raw, calm, n) {
  if (!n) return "At width 1 the division changes nothing.";
  const gap = calm.median[n] / raw.median[n];
  return gap >= 1
    ? `Undivided, the median gradient is ${times(gap)} times smaller and the mean ` +
        `${times(raw.mean[n] / calm.mean[n])} times larger: few queries get the most of it.`
    : `Undivided, the median gradient is ${times(1 / gap)} times as large: what is not divided hands back more.`;
}

/** The axis of each chart over all widths, and what the chart shows. @type {Record<string, any>} */
export const SCALES = {
  spread: {
    min: 0.5,
    max: 64,
    log: true,
    ticks: [1, 4, 16, 64],
    show: String,
    about: "Standard deviation.",
  },
  keys: { min: 0, max: 16, about: "16 if all share alike, 1 if one wins." },
  gradient: { min: 1e-4, max: 10, log: true, about: "Solid: median, dashed: mean." },
};
