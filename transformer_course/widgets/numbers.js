// @ts-check
// What the widgets compute alike, and numbers as text.

// ---- The mathematics ----

/** @param {number[]} a @param {number[]} b */
export const dot = (a, b) => a.reduce((sum, x, d) => sum + x * b[d], 0);

/** The product of two matrices given as rows. @param {number[][]} a @param {number[][]} b */
export const matmul = (a, b) =>
  a.map((row) => b[0].map((_, j) => row.reduce((sum, x, d) => sum + x * b[d][j], 0)));

/** @param {number[][]} rows */
export const transpose = (rows) => rows[0].map((_, j) => rows.map((row) => row[j]));

/** A row of nothing but −∞ gives NaN: there is nothing to divide by. @param {number[]} row */
export function softmax(row) {
  const top = Math.max(...row);
  const exps = row.map((x) => Math.exp(x - top));
  const total = exps.reduce((sum, x) => sum + x, 0);
  return exps.map((x) => x / total);
}

/** True = may attend. @param {number} length */
export const causalMask = (length) =>
  Array.from({ length }, (_, i) => Array.from({ length }, (_, j) => j <= i));

/** Uniform numbers in [0, 1), the same for the same seed (mulberry32). @param {number} seed */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let x = Math.imul(state ^ (state >>> 15), 1 | state);
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x;
    return ((x ^ (x >>> 14)) >>> 0) / 4294967296;
  };
}

/** A standard normal number (Box-Muller). @param {() => number} uniform */
export const normal = (uniform) =>
  Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());

/** One number of the sinusoids of section 3.5.
 * @param {number} position @param {number} d its dimension @param {number} width d_model */
export function wave(position, d, width, base = 10000) {
  const angle = position / base ** ((d - (d % 2)) / width);
  return d % 2 ? Math.cos(angle) : Math.sin(angle);
}

/** The sinusoids, a row for each position. @param {number} length @param {number} width */
export const sinusoids = (length, width) =>
  Array.from({ length }, (_, pos) => Array.from({ length: width }, (_, d) => wave(pos, d, width)));

/** Divide a log-probability by this, or short outputs are favored.
 * @param {number} length the end mark included @param {number} alpha */
export const lengthPenalty = (length, alpha) => ((5 + length) / 6) ** alpha;

// ---- Numbers as text ----

/** Some decimals; fewer once a number is long. @param {number} x @param {number} digits */
export function fixed(x, digits) {
  if (Number.isNaN(x)) return "NaN";
  if (!Number.isFinite(x)) return x < 0 ? "−∞" : "∞";
  const text = x.toFixed(
    Math.abs(x) >= 1000 ? 0 : Math.abs(x) >= 100 ? Math.min(1, digits) : digits,
  );
  return Number(text) ? text.replace("-", "−") : (0).toFixed(digits);
}

/** Two decimals. @param {number} x */
export const format = (x) => fixed(x, 2);

/** An input as it was typed. @param {number} x */
export const plain = (x) => String(Number(x.toFixed(4))).replace("-", "−");

/** A count in groups of three. @param {number} x */
export const count = (x) => Math.round(x).toLocaleString("en-US");

/** "⁻³" for -3: as an exponent. @param {number} power */
export const raised = (power) =>
  String(power)
    .replace("-", "⁻")
    .replace(/\d/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)]);
