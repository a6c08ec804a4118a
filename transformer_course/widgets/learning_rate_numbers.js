// @ts-check
// Equation 3, its curves and its words.
import { count, fixed, plain, raised } from "./numbers.js";

export const PAPER = { dModel: 512, warmup: 4000 };
/** @type {[number, number]} */
const theirs = [PAPER.dModel, PAPER.warmup];
export const WARMUP = { min: 100, max: 16000 };
/** What each view shows; the axis goes on a little after its last step, so that its number has
 * room. */
export const VIEWS = {
  first: { end: 1600, max: 3000, log: false }, // after its last step stands whose a line is
  start: { end: 20000, max: 21000, log: false },
  all: { end: 100000, max: 105000, log: false },
  log: { end: 100000, max: 160000, log: true },
};
/** @typedef {{end: number, max: number, log: boolean}} View */

/** Equation 3; steps count from 1.
 * @param {number} step @param {number} dModel @param {number} warmup */
export const noamRate = (step, dModel, warmup) =>
  dModel ** -0.5 * Math.min(step ** -0.5, step * warmup ** -1.5);

/** The warm-up whose peak stands at a place on the axis. @param {number} place @param {View} view */
export const warmupOn = (place, { max, log }) =>
  warmupBy(log ? Math.exp(Math.max(0, place) * Math.log(max)) : place * max, 0);

/** A warm-up some hundreds of steps further, within what the widget takes.
 * @param {number} warmup @param {number} n */
export const warmupBy = (warmup, n) =>
  Math.max(WARMUP.min, Math.min(WARMUP.max, Math.round(warmup / 100 + n) * 100));

/** @typedef {{width: number, warmup: number, loss: number[]}} Curve */

/** The measured curve whose schedule is nearest, by ratios.
 * @param {Curve[]} curves @param {number} dModel @param {number} warmup */
export function nearest(curves, dModel, warmup) {
  const far = (curve) => Math.log(curve.width / dModel) ** 2 + Math.log(curve.warmup / warmup) ** 2;
  return curves.reduce((best, each) => (far(each) < far(best) ? each : best));
}

/** A measured curve as points: each loss is the mean of `every` steps, and stands at their middle.
 * @param {Curve} curve @param {number} every */
export const lossPoints = ({ loss }, every) => loss.map((y, n) => [(n + 0.5) * every, y]);

/** The top of the axis: 1, 2 or 5 times a power of ten, so that it rarely moves.
 * @param {number} peak */
export function axisTop(peak) {
  const unit = 10 ** Math.floor(Math.log10(peak));
  return (
    [1, 1.5, 2, 3, 5, 7.5, 10].map((n) => n * unit).find((size) => size >= peak * 1.05) ?? 15 * unit
  );
}

/** Three digits that count: "0.000699", "1.5·10⁻⁸". @param {number} x */
export function digits(x) {
  if (x >= 1e-5) return x.toFixed(2 - Math.floor(Math.log10(x)));
  const [number, power] = x.toExponential(2).split("e-");
  return `${number}·10${raised(-power)}`;
}

/** What a run made of its rate, beside what the paper's rate made of the same model.
 * @param {{dModel: number, warmup: number, loss: number, paperLoss: number}} state */
export function verdict({ dModel, warmup, loss, paperLoss }) {
  // What a rate was in the steps that the small model had.
  const reached = (d, steps) => noamRate(Math.min(steps, VIEWS.first.end), d, steps);
  if (loss < 0.8 * paperLoss) return "quick";
  if (loss < 1.2 * paperLoss) return "no quicker";
  return reached(dModel, warmup) > reached(PAPER.dModel, PAPER.warmup) ? "too high" : "too slow";
}

/** The same of a measured run. @param {Curve} run @param {Curve} paper */
export const verdictOf = (run, paper) => {
  const [loss, paperLoss] = [run, paper].map((each) => each.loss[each.loss.length - 1]);
  return verdict({ dModel: run.width, warmup: run.warmup, loss, paperLoss });
};

export const HARMLESS = "At this width no recorded rate is too high.";

/** The runs that a chart names: the nearest, the paper's, and what ends badly at the same width.
 * @param {Curve[]} curves @param {number} dModel @param {number} warmup
 * @returns {(Curve & {name: string})[]} */
export function named(curves, dModel, warmup) {
  const [mine, paper] = [nearest(curves, dModel, warmup), nearest(curves, ...theirs)];
  const exact = mine.width === dModel && mine.warmup === warmup;
  const rest = curves.flatMap((run) => {
    if (run.width !== mine.width || run === mine || run === paper) return [];
    const word = verdictOf(run, paper);
    return word.startsWith("too") ? [{ ...run, name: `${count(run.warmup)} ${word}` }] : [];
  });
  return [
    { ...mine, name: `${count(mine.warmup)} ${exact ? "yours" : "nearest"}` },
    { ...paper, name: "the paper’s" },
    ...rest,
  ];
}

/** Heights of words near where they belong, none on another, none below the lowest place.
 * @param {number[]} places @returns {number[]} */
export function apart(places, gap = 18) {
  const order = places.map((_, n) => n).sort((a, b) => places[b] - places[a]);
  const heights = [...places];
  order.forEach((n, k) => {
    if (k) heights[n] = Math.min(places[n], heights[order[k - 1]] - gap);
  });
  return heights;
}

/** What the state means: the loss is that of a run that was measured, this one or the nearest.
 * @param {{dModel: number, warmup: number, run: Curve, paperLoss: number}} state */
export function explain({ dModel, warmup, run, paperLoss }) {
  const { end } = VIEWS.first;
  const rate = (step) => digits(noamRate(step, dModel, warmup));
  const [loss] = run.loss.slice(-1);
  const word = verdict({ dModel: run.width, warmup: run.warmup, loss, paperLoss });
  return (
    `Warm-up ${count(warmup)} (peak ${rate(warmup)}` +
    (warmup > end ? `, ${rate(end)} at step ${count(end)})` : ")") +
    (run.width === dModel && run.warmup === warmup
      ? ": "
      : `. Nearest run, ${count(run.warmup)}: `) +
    `${word}, loss ${fixed(loss, 2)}. The paper’s rate: loss ${fixed(paperLoss, 2)}.`
  );
}

/** Whose loss it is. @param {{width: number, warmup: number}} run @param {number} wide the model that
 * learned @param {boolean} exact whether it had just this rate */
export const source = ({ width, warmup }, wide, exact) =>
  `${exact ? "Recorded with this rate" : "The nearest recorded run"}: width ${width} and warm-up ` +
  `${count(warmup)}; the model stays ${wide} wide.`;

/** Points of a curve, denser where it bends.
 * @param {View} view @param {number[]} bends @param {(step: number) => number} rate */
export function curve({ end, log }, bends, rate) {
  const steps = Array.from({ length: 241 }, (_, n) =>
    log ? end ** (n / 240) : 1 + ((end - 1) * n) / 240,
  );
  return [...steps, ...bends.filter((bend) => bend <= end)]
    .sort((a, b) => a - b)
    .map((step) => [step, rate(step)]);
}
