// @ts-check
// The learning rate of equation 3: a straight climb, then a fall with the root of the step.
import { chart, chartWidth, onPress } from "./chart.js";
import { count, plain, raised } from "./numbers.js";
import { choice, h, live, save, say, slider } from "./shared.js";

export const PAPER = { dModel: 512, warmup: 4000 };
const PLACES = 200;
/** What each view shows; the axis goes on a little after its last step, so that its number has
 * room. */
export const VIEWS = {
  start: { end: 20000, max: 21000, log: false },
  all: { end: 100000, max: 105000, log: false },
  log: { end: 100000, max: 160000, log: true },
};
/** @typedef {{end: number, max: number, log: boolean}} View */

// ---- The mathematics ----

/** Equation 3; steps count from 1.
 * @param {number} step @param {number} dModel @param {number} warmup */
export const noamRate = (step, dModel, warmup) =>
  dModel ** -0.5 * Math.min(step ** -0.5, step * warmup ** -1.5);

/** The step at a place from 0 to 1 of the way to the last one, rounded.
 * @param {number} part @param {View} view */
export function stepAt(part, { end, log }) {
  const step = log
    ? Math.round(Number((end ** part).toPrecision(2)))
    : Math.round(part * PLACES) * (end / PLACES);
  return Math.min(end, Math.max(1, step));
}

/** The other way round. @param {number} step @param {View} view */
export const partOf = (step, { end, log }) =>
  Math.min(1, log ? Math.log(step) / Math.log(end) : step / end);

/** The same for a place on the axis. @param {number} place @param {View} view */
export const stepOn = (place, view) =>
  stepAt(
    view.log ? (place * Math.log(view.max)) / Math.log(view.end) : (place * view.max) / view.end,
    view,
  );

/** The top of the axis: 1, 2 or 5 times a power of ten, so that it rarely moves.
 * @param {number} peak */
export function top(peak) {
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

/** "twice", "the same as", "0.71 times" @param {number} ratio */
export function times(ratio) {
  const rounded = Number(ratio.toPrecision(3));
  return (
    { 0.5: "half", 1: "the same as", 2: "twice" }[rounded] ??
    `${rounded >= 0.001 ? plain(rounded) : digits(ratio)} times`
  );
}

/** What the state means, in three sentences.
 * @param {{dModel: number, warmup: number, step: number}} state */
export function explain({ dModel, warmup, step }) {
  const [mine, paper] = [
    noamRate(warmup, dModel, warmup),
    noamRate(PAPER.warmup, PAPER.dModel, PAPER.warmup),
  ];
  const ratio = noamRate(step, dModel, warmup) / noamRate(step, PAPER.dModel, PAPER.warmup);
  const both = Math.max(warmup, PAPER.warmup);
  const climb =
    `The rate climbs for ${count(warmup)} steps to ${digits(mine)}, ` +
    `${times(mine / paper)} the paper’s peak of ${digits(paper)}.`;
  const here = `At step ${count(step)} it is ${times(ratio)} the paper’s`;
  if (step < both)
    return (
      `${climb} ${here}: ` +
      (step < Math.min(warmup, PAPER.warmup)
        ? "both still climb."
        : "one curve still climbs, the other falls.")
    );
  const why =
    dModel === PAPER.dModel
      ? "After both peaks the warm-up has no say, so the two curves are one."
      : `After both peaks only the width counts: √(${PAPER.dModel} ÷ ${dModel}) = ` +
        `${plain(Number(Math.sqrt(PAPER.dModel / dModel).toFixed(2)))}.`;
  return `${climb} ${here}. ${why}`;
}

/** Equation 3 with the numbers in it.
 * @param {{dModel: number, warmup: number, step: number}} state */
export function formula({ dModel, warmup, step }) {
  const [falling, climbing] = [step ** -0.5, step * warmup ** -1.5];
  return (
    `rate(${step}) = ${dModel}^−0.5 · min(${step}^−0.5, ${step} · ${warmup}^−1.5) = ` +
    `${digits(dModel ** -0.5)} · min(${digits(falling)}, ${digits(climbing)}) = ` +
    `${digits(noamRate(step, dModel, warmup))}`
  );
}

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

// ---- The page ----

/** @param {{model: any, el: HTMLElement}} context @returns {() => void} clean-up */
function render({ model, el }) {
  const get = (name) => model.get(name);
  const view = () => VIEWS[get("view")];
  const width = slider({
    label: "d_model",
    min: 64,
    max: 1024,
    step: 64,
    value: get("d_model"),
    show: () => plain(get("d_model")),
    change: (d_model) => save(model, { d_model }),
  });
  const warm = slider({
    label: "Warm-up",
    min: 100,
    max: 16000,
    step: 100,
    value: get("warmup"),
    show: () => `${count(get("warmup"))} steps`,
    change: (warmup) => save(model, { warmup }),
  });
  const read = slider({
    label: "Read at step",
    min: 0,
    max: PLACES,
    value: 0,
    show: () => count(get("step")),
    change: (place) => save(model, { step: stepAt(place / PLACES, view()) }),
  });
  const shown = choice({
    label: "Show",
    value: get("view"),
    options: [
      ["start", "steps to 20,000"],
      ["all", "all 100,000 steps"],
      ["log", "all, logarithmic axes"],
    ],
    change: (name) => save(model, { view: name, step: Math.min(get("step"), VIEWS[name].end) }),
  });
  const wide = chartWidth(el);
  const plot = chart({
    label: "Learning rate by step: yours and the paper’s",
    width: wide,
    height: wide < 500 ? 250 : 280,
  });
  onPress(plot.node, (place) => save(model, { step: stepOn(place, view()) }));
  const cells = [0, 1].map(() => [0, 1, 2].map(() => h("td")));
  const row = (hue, name, n) =>
    h("tr", {}, h("th", { scope: "row" }, h("i", { class: `tc-hue${hue}` }), name), ...cells[n]);
  const head = [
    h("th", { scope: "col" }, "peak at step"),
    h("th", { scope: "col" }, "peak rate"),
    h("th", { scope: "col" }),
  ];
  const numbers = h(
    "table",
    { class: "tc-legend" },
    h("thead", {}, h("tr", {}, h("td"), ...head)),
    h("tbody", {}, row(1, "yours", 0), row(2, "the paper’s, dashed", 1)),
  );
  const [words, sum] = [h("p", { "aria-live": "polite" }), h("code")];
  const root = h(
    "div",
    { class: "tc tc-rate", role: "group", "aria-label": "The learning rate" },
    h("div", { class: "tc-bar" }, width.node, warm.node),
    plot.node,
    h("div", { class: "tc-bar" }, read.node, shown.node),
    numbers,
    h("div", { class: "tc-why" }, words, sum),
  );

  function update() {
    const state = { dModel: get("d_model"), warmup: get("warmup"), step: get("step") };
    const { dModel, warmup, step } = state;
    const { end, max, log } = view();
    width.set(dModel);
    warm.set(warmup);
    shown.set(get("view"));
    read.set(partOf(step, view()) * PLACES);
    const mine = (at) => noamRate(at, dModel, warmup);
    const paper = (at) => noamRate(at, PAPER.dModel, PAPER.warmup);
    const peak = Math.max(mine(warmup), paper(PAPER.warmup));
    const bottom = log ? 10 ** Math.floor(Math.log10(Math.min(mine(1), paper(1)))) : 0;
    const roof = log ? 10 ** Math.ceil(Math.log10(peak)) : top(peak);
    plot.draw({
      x: {
        min: log ? 1 : 0,
        max,
        log,
        label: "step",
        ticks: log ? undefined : [0, 1, 2, 3, 4].map((n) => (n * end) / 4),
        show: log ? undefined : count,
      },
      y: { min: bottom, max: roof, log, label: "rate" },
      lines: [
        ...(log
          ? [(at) => at ** -0.5, (at) => at * warmup ** -1.5].map((term) => ({
              points: curve(view(), [], (at) => dModel ** -0.5 * term(at)),
              hue: 1,
              dash: "2 4",
              width: 1,
            }))
          : []),
        {
          points: [
            [step, bottom],
            [step, roof],
          ],
          hue: 1,
          dash: "1 3",
          width: 1,
        },
        { points: curve(view(), [PAPER.warmup], paper), hue: 2, dash: "6 4" },
        { points: curve(view(), [warmup], mine), hue: 1, width: 2.5 },
      ],
      marks: [
        { x: PAPER.warmup, y: paper(PAPER.warmup), hue: 2 },
        { x: warmup, y: mine(warmup), hue: 1, text: "peak" },
        ...(step <= end ? [{ x: step, y: mine(step), hue: 1 }] : []),
      ],
    });
    say(head[2], `at step ${count(step)}`);
    [
      [mine, warmup],
      [paper, PAPER.warmup],
    ].forEach(([rate, at], n) =>
      [count(at), digits(rate(at)), digits(rate(step))].forEach((text, m) =>
        say(cells[n][m], text),
      ),
    );
    say(words, explain(state));
    say(sum, formula(state));
  }

  return live({ model, el }, root, ["d_model", "warmup", "step", "view"], update);
}

export default { render };
