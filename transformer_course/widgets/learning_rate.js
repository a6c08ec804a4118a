// @ts-check
// The learning rate of equation 3, a straight climb and a fall with the root of the step; and the
// loss of a small model that learned under such a rate.
import { chart } from "./chart.js";
import { handle } from "./handle.js";
import {
  HARMLESS,
  PAPER,
  VIEWS,
  WARMUP,
  apart,
  axisTop,
  curve,
  explain,
  lossPoints,
  named,
  noamRate,
  source,
  verdictOf,
  warmupBy,
  warmupOn,
} from "./learning_rate_numbers.js";
import { count, fixed, plain } from "./numbers.js";
import { assign, choice, h, live, save, say, slider, svg } from "./shared.js";
import { frame, glide } from "./stage.js";
/** @import {Context} from "./types.js" */

const [WIDE, TALL, LEFT, RIGHT] = [316, 270, 52, 12];

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const get = (name) => model.get(name);
  const view = () => VIEWS[get("view")];
  const { curves, steps, every } = get("measured");
  const width = slider({
    label: "Rate as for width",
    min: 32,
    max: 1024,
    step: 32,
    value: get("d_model"),
    show: () => plain(get("d_model")),
    change: (d_model) => save(model, { d_model }),
  });
  width.input.setAttribute("aria-label", "Rate as for width, d_model");
  const shown = choice({
    label: "Show",
    value: get("view"),
    options: [
      ["first", `${count(steps)} steps`],
      ["start", "20,000 steps"],
      ["all", "100,000 steps"],
      ["log", "all, log axes"],
    ],
    change: (view) => save(model, { view }),
  });

  // -- the rate: its peak is a dot to hold --
  const plot = chart({
    label: "Learning rate by step: yours and the paper’s",
    width: WIDE,
    height: TALL,
  });
  const band = svg("rect", { class: "tc-band" });
  plot.node.prepend(band);
  const part = (x) => (x - LEFT) / (WIDE - LEFT - RIGHT);
  const peak = handle(plot.node, {
    label: "Warm-up",
    move: (x) => save(model, { warmup: warmupOn(part(x), view()) }),
    step: (n) => save(model, { warmup: warmupBy(get("warmup"), n) }),
  });

  // -- the losses that were measured, and whose they are at their ends --
  // As wide as the rate's, step for step; after the last step stands whose they are.
  const losses = chart({ label: "", width: WIDE, height: TALL });
  const names = [1, 2, 3, 3].map((hue) => svg("text", { class: `tc-hue${hue}` }));
  const over = svg("text", { class: "tc-hue2 tc-over" }, "warm-up");
  losses.node.append(svg("g", { class: "tc-marks" }, over, ...names));
  const drawLoss = (/** @type {number[]} */ loss) => {
    const runs = named(curves, get("d_model"), get("warmup"));
    runs[0] = { ...runs[0], loss };
    const point = (each) => lossPoints(each, every);
    const ends = runs.map((run) => point(run).at(-1) ?? []);
    losses.draw({
      x: {
        min: 0,
        max: VIEWS.first.max,
        label: "step",
        ticks: [0, 0.5, 1].map((n) => n * steps),
        show: count,
      },
      y: { min: 0, max: 4.5, ticks: [0, 1, 2, 3, 4] },
      lines: [
        ...runs.slice(2).map((each) => ({ points: point(each), hue: 3, width: 2 })),
        { points: point(runs[1]), hue: 2, dash: "6 4" },
        { points: point(runs[0]), hue: 1, width: 3 },
      ],
      marks: ends.map(([x, y], n) => ({ x, y, hue: Math.min(3, n + 1) })),
    });
    const places = ends.map(([x, y]) => losses.place(x, y));
    const heights = apart(places.map(([, y]) => y));
    names.forEach((name, n) => {
      say(name, runs[n]?.name ?? "");
      if (runs[n]) assign(name, { x: places[n][0] + 8, y: heights[n] + 4 });
    });
    assign(over, { x: places[0][0] + 8, y: Math.min(...heights) - 14 });
  };
  const flow = glide(drawLoss);

  const told = h("p", { class: "tc-legend" });
  const words = h("p", { class: "tc-why", "aria-live": "polite" });
  const titled = (name, about) => h("p", {}, h("b", {}, name), " ", h("small", {}, about));
  told.dataset.room = `${source(curves[0], 32, false)} ${HARMLESS} Shaded: recorded.`;
  const longest = { width: 1024, warmup: 16000, loss: [2] };
  words.dataset.room = explain({ dModel: 960, warmup: 15900, run: longest, paperLoss: 0.73 });
  const root = frame({
    name: "rate",
    title: "The learning rate",
    controls: [shown.node],
    told: words,
    inputs: [titled("Rate", "drag its peak"), plot.node],
    result: [titled("Loss", "of a small model that sorts letters"), losses.node],
    below: [h("div", { class: "tc-foot" }, width.node, told)],
  });

  function update() {
    const [dModel, warmup] = [get("d_model"), get("warmup")];
    const { end, max, log } = view();
    width.set(dModel);
    shown.set(get("view"));
    const mine = (each) => noamRate(each, dModel, warmup);
    const paper = (each) => noamRate(each, PAPER.dModel, PAPER.warmup);
    // Of the runs that end badly, the rates too: what is too high, or too slow.
    const [found, base, ...bad] = named(curves, dModel, warmup);
    const rates = bad.map((run) => ({
      ...run,
      rate: (each) => noamRate(each, run.width, run.warmup),
    }));
    const highest = Math.max(
      mine(warmup),
      paper(PAPER.warmup),
      ...rates.map((each) => each.rate(Math.min(max, each.warmup))),
    );
    const bottom = log ? 10 ** Math.floor(Math.log10(Math.min(mine(1), paper(1)))) : 0;
    const roof = log ? 10 ** Math.ceil(Math.log10(highest)) : axisTop(highest);
    // A peak beyond the last step is held at the edge.
    const [seen, theirs] = [warmup, PAPER.warmup].map((each) => Math.min(each, end));
    plot.draw({
      x: {
        min: log ? 1 : 0,
        max,
        log,
        label: "step",
        ticks: log
          ? undefined
          : (end > steps ? [0, 1, 2, 3, 4] : [0, 2, 4]).map((n) => (n * end) / 4),
        show: log ? undefined : (n) => (n >= 1000 && end > 2000 ? `${count(n / 1000)}k` : count(n)),
      },
      y: { min: bottom, max: roof, log, show: log ? undefined : plain },
      lines: [
        ...(log
          ? [(each) => each ** -0.5, (each) => each * warmup ** -1.5].map((term) => ({
              points: curve(view(), [], (each) => dModel ** -0.5 * term(each)),
              hue: 1,
              dash: "2 4",
              width: 1,
            }))
          : []),
        ...rates.map((each) => ({
          points: curve(view(), [each.warmup], each.rate),
          hue: 3,
          width: 1.5,
        })),
        { points: curve(view(), [PAPER.warmup], paper), hue: 2, dash: "6 4" },
        { points: curve(view(), [warmup], mine), hue: 1, width: 3 },
      ],
      marks: [
        ...rates
          .filter(() => !log)
          .map((each) => ({ ...each, x: Math.min(each.warmup, end) }))
          .map(({ x, rate, name }) => ({ x, y: rate(x), hue: 3, text: name })),
        { x: theirs, y: paper(theirs), hue: 2, text: "the paper’s" },
        { x: seen, y: mine(seen), hue: 1, text: `${count(warmup)} steps up` },
      ],
    });
    const [start, stop] = [plot.place(log ? 1 : 0, roof), plot.place(steps, bottom)];
    assign(band, {
      x: start[0],
      y: start[1],
      width: stop[0] - start[0],
      height: stop[1] - start[1],
    });
    band.toggleAttribute("hidden", get("view") === "first");
    const [x, y] = plot.place(seen, mine(seen));
    peak.put(x, y, { ...WARMUP, now: warmup, text: `${count(warmup)} steps` });

    flow(found.loss);
    const [loss, paperLoss] = [found, base].map((run) => run.loss.at(-1) ?? NaN);
    say(
      told,
      source(found, get("measured").d_model, dModel === found.width && warmup === found.warmup) +
        ([found, ...bad].some((run) => verdictOf(run, base) === "too high") ? "" : ` ${HARMLESS}`) +
        (get("view") === "first" ? "" : ` Shaded: recorded.`),
    );
    losses.node.setAttribute("aria-label", `Loss by step, at its end ${fixed(loss, 2)}`);
    say(words, explain({ dModel, warmup, run: found, paperLoss }));
  }

  return live({ model, el }, root, ["d_model", "warmup", "view"], update);
}

export default { render };
