// @ts-check
// Equation 3, the recorded runs and their words.
import { count, fixed, raised } from "./numbers.js";

export const PAPER = { width: 512, warmup: 4000 };
/** What the axes show, both in powers of ten. */
export const STEPS = { min: 20, max: 20000, ticks: [20, 100, 1000, 10000] };
export const RATES = { min: 1e-5, max: 0.1, ticks: [1e-4, 1e-3, 1e-2] };
/** @typedef {{width: number, warmup: number, loss: number[]}} Run */

/** Equation 3; steps count from 1.
 * @param {number} step @param {number} dModel @param {number} warmup */
export const noamRate = (step, dModel, warmup) =>
  dModel ** -0.5 * Math.min(step ** -0.5, step * warmup ** -1.5);

/** How far a number is along an axis in powers of ten, from 0 to 1.
 * @param {number} value @param {{min: number, max: number}} axis */
export const part = (value, { min, max }) => Math.log(value / min) / Math.log(max / min);

/** The recorded warm-up nearest to a place on the axis of steps.
 * @param {number[]} warmups @param {number} place from 0 to 1 */
export const warmupAt = (warmups, place) => {
  const far = (warmup) => Math.abs(part(warmup, STEPS) - place);
  return warmups.reduce((best, each) => (far(each) < far(best) ? each : best));
};

/** The recorded warm-up some places further. @param {number[]} warmups @param {number} now
 * @param {number} by */
export const warmupBy = (warmups, now, by) =>
  warmups[Math.max(0, Math.min(warmups.length - 1, warmups.indexOf(now) + by))];

/** A run's loss as points: each is the mean of `every` steps, and stands at their middle.
 * @param {Run} run @param {number} every */
export const lossPoints = ({ loss }, every) => loss.map((y, n) => [(n + 0.5) * every, y]);

/** The height of a line at a step, between its points; NaN beyond its ends.
 * @param {number[][]} points @param {number} step */
export function heightAt(points, step) {
  const n = points.findIndex(([x]) => x >= step);
  if (n < 1) return points[n]?.[0] === step ? points[n][1] : NaN;
  const [[x0, y0], [x1, y1]] = [points[n - 1], points[n]];
  return y0 + ((y1 - y0) * (step - x0)) / (x1 - x0);
}

/** Three digits that count: "0.000699", "1.5·10⁻⁸". @param {number} x */
export function digits(x) {
  if (x >= 1e-5) return x.toFixed(2 - Math.floor(Math.log10(x)));
  const [number, power] = x.toExponential(2).split("e-");
  return `${number}·10${raised(-power)}`;
}

/** The loss at the end. @param {Run} run */
export const last = ({ loss }) => loss[loss.length - 1];

/** The run whose loss ends lowest. @param {Run[]} runs */
export const lowest = (runs) => runs.reduce((best, run) => (last(run) < last(best) ? run : best));

/** What a run made of its rate, beside what the paper's rate made of the same model.
 * @param {Run} run @param {Run} paper @param {number} steps that each took */
export function verdict(run, paper, steps) {
  const reached = ({ width, warmup }) => noamRate(Math.min(steps, warmup), width, warmup);
  if (run === paper) return "The paper’s";
  if (last(run) < 0.8 * last(paper)) return "Quicker than the paper’s";
  if (last(run) < 1.2 * last(paper)) return "No quicker";
  return reached(run) > reached(paper) ? "Too high" : "Too slow";
}

/** What the state means, the loss beside the lowest of all runs.
 * @param {Run} run @param {Run} paper @param {number} steps @param {Run} best */
export function explain(run, paper, steps, best) {
  const { width, warmup } = run;
  const rate = digits(noamRate(Math.min(steps, warmup), width, warmup));
  const loss = fixed(last(run), 2);
  const times = last(run) / last(best);
  return (
    `${run === best ? "The best at any width" : verdict(run, paper, steps)}: ` +
    (warmup > steps
      ? `at step ${count(steps)} the climb is at ${rate} and the loss at ${loss}`
      : `a peak of ${rate} at step ${count(warmup)}, a loss of ${loss} at the end`) +
    (run === best ? "." : `, ${fixed(times, times < 2.5 ? 1 : 0)} times the best at any width.`)
  );
}

/** What to say of the width. @param {Run[]} runs of one width @param {Run} paper
 * @param {number} steps @param {number} wide the model that learns */
export const about = (runs, paper, steps, wide) =>
  `The model that learns stays ${wide} wide. ` +
  (runs.some((run) => verdict(run, paper, steps) === "Too high")
    ? ""
    : "At this width no recorded rate is too high.");

/** A number of steps, in few letters where there is little room.
 * @param {number} number @param {number} room 0, 1 or 2 */
export const stepsIn = (number, room) =>
  room || number < 1000 ? count(number) : `${number / 1000}k`;

/** What stands beside the loss at a run's end: how many steps its rate climbs, and which run it is.
 * @param {Run} each @param {{run: Run, paper: Run, low: Run}} named the run that is shown, the
 * paper’s, and of those drawn the lowest @param {number} room 0, 1 or 2 */
export function ending(each, { run, paper, low }, room) {
  const names = new Map([
    [low, "best"],
    [paper, room > 1 ? "the paper’s" : "paper"],
    [run, "yours"],
  ]);
  const name = names.get(each) ?? "";
  const steps = stepsIn(each.warmup, room);
  if (room < 2) return name || (room ? `${steps} up` : steps);
  if (each === paper && paper.width !== run.width) return name;
  return `${steps} steps up${name && `, ${name}`}`;
}

/** Where the words of the ends of lines stand, so that none meet: in the order of the ends, the
 * lowest no lower than `floor`, the others moved up as far as they must.
 * @param {number[]} ends @param {number} floor @param {number} gap
 * @returns {number[]} a height for each end */
export function roomFor(ends, floor, gap = 18) {
  const heights = [...ends];
  let below = floor + gap;
  for (const n of ends.map((_, i) => i).sort((a, b) => ends[b] - ends[a]))
    below = heights[n] = Math.min(ends[n], below - gap);
  return heights;
}

/** Points of a rate, its bend among them. @param {{width: number, warmup: number}} run */
export const curve = ({ width, warmup }) =>
  [STEPS.min, warmup, STEPS.max].map((step) => [step, noamRate(step, width, warmup)]);
