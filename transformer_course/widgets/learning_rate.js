// @ts-check
// The learning rate of equation 3, a straight climb and a fall with the root of the step; and the
// loss of a small model that learned under such a rate.
import { chart, onPress } from "./chart.js";
import { handle } from "./handle.js";
import {
  PAPER,
  PLACES,
  VIEWS,
  WARMUP,
  axisTop,
  curve,
  digits,
  explain,
  formula,
  lossPoints,
  nearest,
  noamRate,
  partOf,
  stepAt,
  stepOn,
  warmupBy,
  warmupOn,
} from "./learning_rate_numbers.js";
import { count, fixed, plain } from "./numbers.js";
import { assign, choice, h, live, save, say, slider, svg } from "./shared.js";
import { frame, glide } from "./stage.js";
/** @import {Context} from "./types.js" */

const [WIDE, TALL, LEFT, RIGHT] = [330, 215, 52, 12];

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const get = (name) => model.get(name);
  const view = () => VIEWS[get("view")];
  const { curves, steps, every } = get("measured");
  const width = slider({
    label: "d_model",
    min: 32,
    max: 1024,
    step: 32,
    value: get("d_model"),
    show: () => plain(get("d_model")),
    change: (d_model) => save(model, { d_model }),
  });
  width.node.querySelector("label").replaceChildren(h("i", {}, "d"), h("sub", {}, "model"));
  width.input.setAttribute("aria-label", "d_model");
  const shown = choice({
    label: "Show",
    value: get("view"),
    options: [
      ["first", `${count(steps)} steps`],
      ["start", "20,000 steps"],
      ["all", "100,000 steps"],
      ["log", "all, log axes"],
    ],
    change: (name) => save(model, { view: name, step: Math.min(get("step"), VIEWS[name].end) }),
  });

  // -- the rate: its peak and the step that is read are dots to hold --
  const plot = chart({
    label: "Learning rate by step: yours and the paper’s",
    width: WIDE,
    height: TALL,
  });
  const band = svg("rect", { class: "tc-band" });
  const named = svg("text", { class: "tc-named" });
  plot.node.prepend(band);
  plot.node.append(named);
  const part = (x) => (x - LEFT) / (WIDE - LEFT - RIGHT);
  const read = handle(plot.node, {
    label: "Read at step",
    radius: 5,
    move: (x) => save(model, { step: stepOn(part(x), view()) }),
    step(n) {
      const place = Math.round(partOf(get("step"), view()) * PLACES) + n;
      save(model, { step: stepAt(Math.max(0, Math.min(PLACES, place)) / PLACES, view()) });
    },
  });
  const peak = handle(plot.node, {
    label: "Warm-up",
    move: (x) => save(model, { warmup: warmupOn(part(x), view()) }),
    step: (n) => save(model, { warmup: warmupBy(get("warmup"), n) }),
  });
  onPress(plot.node, (place) => save(model, { step: stepOn(place, view()) }));

  // -- the losses that were measured --
  const losses = chart({ label: "", width: WIDE, height: TALL });
  const top = Math.ceil(Math.max(...curves.flatMap(({ loss }) => loss)));
  const drawLoss = (/** @type {number[]} */ loss) => {
    const point = (each) => lossPoints(each, every);
    losses.draw({
      x: {
        min: 0,
        max: VIEWS.first.max,
        label: "step",
        ticks: [0, 1, 2, 3, 4].map((n) => (n * steps) / 4),
        show: count,
      },
      y: { min: 0, max: top, label: "loss" },
      lines: [
        ...curves.map((each) => ({ points: point(each), hue: 0, width: 1 })),
        { points: point(nearest(curves, PAPER.dModel, PAPER.warmup)), hue: 2, dash: "6 4" },
        { points: point({ loss }), hue: 1, width: 3 },
      ],
    });
  };
  const flow = glide(drawLoss);

  const key = (hue, name) => {
    const rate = h("output");
    return { rate, node: h("span", {}, h("i", { class: `tc-hue${hue}` }), `${name} `, rate) };
  };
  const keys = [key(1, "yours"), key(2, "the paper’s, dashed")];
  const at = h("span");
  const told = h("p", { class: "tc-legend" });
  const words = h("p", { class: "tc-why", "aria-live": "polite" });
  const sum = h("p", { class: "tc-sum" });
  words.dataset.room = explain({ dModel: 960, warmup: 15900, loss: 1, paperLoss: 1 });
  const root = frame({
    name: "rate",
    title: "The learning rate",
    controls: [width.node, shown.node],
    told: words,
    inputs: [
      h("p", {}, h("b", {}, "Rate"), h("small", {}, "drag its peak")),
      plot.node,
      h("p", { class: "tc-legend" }, at, ...keys.map(({ node }) => node)),
    ],
    result: [
      h(
        "p",
        {},
        h("b", {}, "Loss of a small model trained at this rate"),
        h("small", {}, "its first 1,600 steps (shaded), measured"),
      ),
      losses.node,
      told,
    ],
    below: [sum],
  });

  function update() {
    const state = { dModel: get("d_model"), warmup: get("warmup"), step: get("step") };
    const { dModel, warmup, step } = state;
    const { end, max, log } = view();
    width.set(dModel);
    shown.set(get("view"));
    const mine = (each) => noamRate(each, dModel, warmup);
    const paper = (each) => noamRate(each, PAPER.dModel, PAPER.warmup);
    const highest = Math.max(mine(warmup), paper(PAPER.warmup));
    const bottom = log ? 10 ** Math.floor(Math.log10(Math.min(mine(1), paper(1)))) : 0;
    const roof = log ? 10 ** Math.ceil(Math.log10(highest)) : axisTop(highest);
    const seen = Math.min(warmup, max); // a peak beyond the last step is held at the edge
    plot.draw({
      x: {
        min: log ? 1 : 0,
        max,
        log,
        label: "step",
        ticks: log ? undefined : [0, 1, 2, 3, 4].map((n) => (n * end) / 4),
        show: log ? undefined : (n) => (n >= 1000 && end > 2000 ? `${count(n / 1000)}k` : count(n)),
      },
      y: {
        min: bottom,
        max: roof,
        log,
        label: log ? "rate" : "rate × 1,000",
        show: log ? undefined : (rate) => plain(1000 * rate),
      },
      lines: [
        ...(log
          ? [(each) => each ** -0.5, (each) => each * warmup ** -1.5].map((term) => ({
              points: curve(view(), [], (each) => dModel ** -0.5 * term(each)),
              hue: 1,
              dash: "2 4",
              width: 1,
            }))
          : []),
        {
          points: [
            [step, bottom],
            [step, mine(step)],
          ],
          hue: 1,
          dash: "1 3",
          width: 1,
        },
        { points: curve(view(), [PAPER.warmup], paper), hue: 2, dash: "6 4" },
        { points: curve(view(), [warmup], mine), hue: 1, width: 3 },
      ],
      marks: [
        ...(PAPER.warmup <= max ? [{ x: PAPER.warmup, y: paper(PAPER.warmup), hue: 2 }] : []),
        { x: seen, y: mine(seen), hue: 1 },
      ],
    });
    const [start, stop] = [plot.place(log ? 1 : 0, roof), plot.place(steps, bottom)];
    assign(band, {
      x: start[0],
      y: start[1],
      width: stop[0] - start[0],
      height: stop[1] - start[1],
    });
    const [x, y] = plot.place(seen, mine(seen));
    peak.put(x, y, { ...WARMUP, now: warmup, text: `${count(warmup)} steps` });
    say(named, warmup <= max ? digits(mine(warmup)) : "");
    const far = x > WIDE - 80;
    assign(named, { x: x + (far ? -12 : 12), y: y - 3, "text-anchor": far ? "end" : "start" });
    const [across, down] = plot.place(Math.min(step, max), mine(step));
    read.put(across, down, { min: 1, max: end, now: step, text: count(step) });
    say(at, `at step ${count(step)}:`);
    [mine, paper].forEach((rate, n) => say(keys[n].rate, digits(rate(step))));

    const found = nearest(curves, dModel, warmup);
    flow(found.loss);
    const [loss, paperLoss] = [found, nearest(curves, PAPER.dModel, PAPER.warmup)].map(
      (run) => run.loss.at(-1) ?? NaN,
    );
    say(
      told,
      `The nearest of ${curves.length} measured runs: width ${found.width}, warm-up ` +
        `${count(found.warmup)}. Dashed: at the paper’s rate.`,
    );
    losses.node.setAttribute("aria-label", `Loss by step, at its end ${fixed(loss, 2)}`);
    say(words, explain({ dModel, warmup, loss, paperLoss }));
    const parts = formula(state).split(/\^(−[\d.]+)/);
    sum.replaceChildren(...parts.map((part, n) => (n % 2 ? h("sup", {}, part) : part)));
  }

  return live({ model, el }, root, ["d_model", "warmup", "step", "view"], update);
}

export default { render };
