// @ts-check
// The learning rate of equation 3: a straight climb, then a fall with the root of the step.
import { chart, chartWidth, onPress } from "./chart.js";
import {
  PAPER,
  PLACES,
  VIEWS,
  axisTop,
  curve,
  digits,
  explain,
  formula,
  noamRate,
  partOf,
  stepAt,
  stepOn,
} from "./learning_rate_numbers.js";
import { count, plain } from "./numbers.js";
import { choice, h, live, save, say, slider } from "./shared.js";
/** @import {Context} from "./types.js" */

/** @param {Context} context @returns {() => void} clean-up */
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
    const roof = log ? 10 ** Math.ceil(Math.log10(peak)) : axisTop(peak);
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
