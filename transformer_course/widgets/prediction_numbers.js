// @ts-check
// A scale of numbers, and how far a guess is from the truth.
import { plain } from "./numbers.js";

/** @typedef {{low: number, high: number, step: number, log: boolean, near?: number}} Scale */

/** Where a number stands, from 0 to 1. @param {number} x @param {Scale} scale */
export const portion = (x, { low, high, log }) =>
  log ? Math.log(x / low) / Math.log(high / low) : (x - low) / (high - low);

/** The number at a place of the scale, rounded to its step.
 * @param {number} t from 0 to 1 @param {Scale} scale */
export function numberAt(t, { low, high, step, log }) {
  const at = Math.max(0, Math.min(1, t));
  const x = log ? low * (high / low) ** at : low + at * (high - low);
  const even = log ? Number(x.toPrecision(2)) : Math.round(x / step) * step;
  return Number(Math.max(low, Math.min(high, even)).toPrecision(6));
}

/** The share of the scale within which a guess is close, and that in words: of a scale of ratios a
 * factor, of 2 at most. @param {Scale} scale @returns {[number, string]} */
export function reach({ low, high, log, near = 0.1 }) {
  if (!log) return [near, `within ${Math.round(100 * near)} % of the scale`];
  const factor = Math.min(2, Number(((high / low) ** near).toPrecision(2)));
  return [Math.log(factor) / Math.log(high / low), `within a factor of ${plain(factor)}`];
}

/** What is said of locked guesses: how many are close, and of one what was measured.
 * @param {number[]} guess @param {number[]} truth @param {Scale} scale @param {string} unit */
export function judged(guess, truth, scale, unit) {
  const [near, within] = reach(scale);
  const said = (/** @type {number} */ x) => short(x) + (unit && ` ${unit}`);
  const off = (/** @type {number} */ n) => portion(guess[n], scale) - portion(truth[n], scale);
  const hits = guess.map((_, n) => Math.abs(off(n)) <= near + 1e-9);
  const close = hits.filter(Boolean).length;
  return {
    said,
    hits,
    ...(hits.length > 1
      ? { head: `${close} of ${hits.length} close`, rest: `(${within}).` }
      : { head: close ? "Close:" : "Not close:", rest: `measured is ${said(truth[0])}.` }),
  };
}

/** Three digits are enough to compare. @param {number} x */
export const short = (x) => plain(Math.abs(x) < 100 ? Number(x.toPrecision(3)) : Math.round(x));

/** Before which columns of an axis numbers are left out: where the step is wider than the narrowest
 * one; nowhere if each is as many times the last, or some are no numbers.
 * @param {string[]} labels @returns {number[]} */
export function breaks(labels) {
  const x = labels.map((label) => (label.trim() ? Number(label) : NaN));
  const [steps, times] = [x.map((now, n) => now - x[n - 1]), x.map((now, n) => now / x[n - 1])];
  const even = times.slice(2).every((ratio) => Math.abs(ratio / times[1] - 1) < 1e-6);
  if (even || steps.slice(1).some(Number.isNaN)) return [];
  const least = Math.min(...steps.slice(1).map(Math.abs));
  return steps.flatMap((step, n) => (n && Math.abs(step) > 1.001 * least ? [n] : []));
}

/** Round numbers of the scale to name beside it, at most one more than `most`.
 * @param {Scale} scale @param {number} most */
export function ticks({ low, high, log }, most) {
  const [from, to] = log ? [Math.log10(low), Math.log10(high)] : [low, high];
  const size = 10 ** Math.floor(Math.log10((to - from) / most));
  const steps = [1, 2, 5, 10].map((n) => n * size).filter((x) => !log || x >= 1);
  const step = steps.find((x) => (to - from) / x <= most + 1e-9) ?? 1;
  const first = Math.ceil(from / step - 1e-9);
  const count = Math.floor(to / step + 1e-9) - first + 1;
  return Array.from({ length: count }, (_, n) => {
    const x = (first + n) * step;
    return Number((log ? 10 ** x : x).toPrecision(6));
  });
}

const [GAP, END] = [0.04, 0.17]; // where a name begins beside its line, and where it ends

/** Where the names of two lines stand, above or below their own: where the lines are far apart, but
 * across no line, over no edge, and not over each other.
 * @param {number[][]} lines places from 0 to 1 */
export function nameSpots(lines) {
  const many = lines[0].length;
  const wide = Math.ceil(many / 8); // columns that half a name takes
  const ends = (/** @type {number[]} */ line, /** @type {number} */ n) => {
    const near = line.slice(Math.max(0, n - wide), n + wide + 1);
    return [Math.min(...near), Math.max(...near)];
  };
  const [first, second] = lines.map((line, which) => {
    const other = lines[1 - which];
    return line.flatMap((t, n) =>
      [true, false].map((above) => {
        const at = ends(line, n)[Number(above)];
        const [low, high] = above ? [at + GAP, at + END] : [at - END, at - GAP];
        const [least, most] = ends(other, n);
        const bad =
          Number(low < 0 || high > 1) +
          Number(least < high && most > low) + // an edge, a line
          Number(n < wide || n >= many - wide) / 2;
        const inner = above === (which ? t > other[n] : t >= other[n]) ? 0 : 0.3;
        return { n, above, at, low, high, cost: 2 * bad + inner - Math.abs(t - other[n]) };
      }),
    );
  });
  const meet = (a, b) => Math.abs(a.n - b.n) <= 2 * wide && a.low < b.high && b.low < a.high;
  const pairs = first.flatMap((a) =>
    second.map((b) => ({ spots: [a, b], cost: a.cost + b.cost + (meet(a, b) ? 2 : 0) })),
  );
  return pairs.reduce((best, pair) => (pair.cost < best.cost ? pair : best)).spots;
}
