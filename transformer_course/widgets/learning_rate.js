// @ts-check
// The learning rate of equation 3, and below it, step for step, the loss of a small model that
// learned under it. One line goes through both at the step of the peak.
import { freePlace } from "./chart_words.js";
import { handle } from "./handle.js";
import {
  PAPER,
  RATES,
  STEPS,
  about,
  curve,
  explain,
  heightAt,
  last,
  lossPoints,
  lowest,
  noamRate,
  part,
  roomFor,
  warmupAt,
  warmupBy,
} from "./learning_rate_numbers.js";
import { count, fixed, plain } from "./numbers.js";
import { assign, choice, h, live, save, say, svg } from "./shared.js";
import { frame, tween } from "./stage.js";
/** @import {Context} from "./types.js" */

const [LEFT, RIGHT, TALL] = [50, 10, 486];
const RATE = { top: 36, height: 176 };
const LOSS = { top: 260, height: 182, max: 4.5 };
const LOWEST = LOSS.top + LOSS.height;

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const { curves, steps, every, d_model: wide } = model.get("measured");
  const only = (name) => [...new Set(curves.map((run) => run[name]))];
  const [widths, warmups] = [only("width"), only("warmup")];
  const find = (width, warmup) =>
    curves.find((run) => run.width === width && run.warmup === warmup);
  const paper = find(PAPER.width, PAPER.warmup);
  const best = lowest(curves);
  const now = () => find(model.get("d_model"), model.get("warmup"));
  const width = choice({
    label: "Rate as for width",
    value: model.get("d_model"),
    options: widths.map((each) => [each, plain(each)]),
    change: (each) => save(model, { d_model: Number(each) }),
  });
  width.input.setAttribute("aria-label", "Rate as for width, d_model");

  // -- the picture: drawn for the width that it has, so that its words keep their size --
  let across = (el.clientWidth || 690) - 34;
  const x = (step) => LEFT + part(step, STEPS) * (across - LEFT - RIGHT);
  const rateY = (rate) => RATE.top + (1 - part(rate, RATES)) * RATE.height;
  const lossY = (loss) => LOWEST - (loss / LOSS.max) * LOSS.height;
  const layer = (/** @type {string} */ name) => svg("g", { class: `tc-${name}` });
  const [grid, cursor, axes, lines] = ["axis", "cursor", "axis", "lines"].map(layer);
  const [marks, pen] = [layer("marks"), layer("marks")];
  const clip = `tc-clip-${Math.random().toString(36).slice(2, 9)}`;
  const [rateBox, penBox, after] = [svg("rect"), svg("rect"), svg("rect", { class: "tc-after" })];
  const plot = svg(
    "svg",
    { class: "tc-chart", role: "group" },
    svg("clipPath", { id: clip }, rateBox),
    svg("clipPath", { id: `${clip}-pen` }, penBox),
    ...[after, grid, cursor, axes, lines, marks, pen],
  );
  const place = (event) => {
    const box = plot.getBoundingClientRect();
    return ((event.clientX - box.left) * across) / box.width;
  };
  const go = (at) =>
    save(model, { warmup: warmupAt(warmups, (at - LEFT) / (across - LEFT - RIGHT)) });
  plot.addEventListener("click", (event) => go(place(event)));
  const peak = handle(plot, {
    label: "Warm-up",
    move: go,
    step: (n) => save(model, { warmup: warmupBy(warmups, model.get("warmup"), n) }),
  });

  const text = (words, at, y, attributes = {}) => svg("text", { x: at, y, ...attributes }, words);
  const rule = (x1, y1, x2, y2) => svg("line", { x1, y1, x2, y2 });
  const line = (points, hue, how = {}) => {
    const told = points.map((point) => point.map((p) => p.toFixed(1)).join(",")).join(" ");
    return svg("polyline", { class: `tc-hue${hue}`, points: told, ...how });
  };
  const dot = (/** @type {any} */ [cx, cy], /** @type {number} */ hue, r = 4.5) =>
    svg("circle", { class: `tc-hue${hue}`, cx, cy, r });

  function drawAxes() {
    const right = across - RIGHT;
    const title = (name, more, y) =>
      svg("text", { x: 0, y, class: "tc-name" }, svg("tspan", {}, name), `  ${more}`);
    const heights = [
      ...RATES.ticks.map((rate) => [rate, rateY(rate)]),
      ...[0, 1, 2, 3, 4].map((loss) => [loss, lossY(loss)]),
    ];
    grid.replaceChildren(
      ...heights.map(([, y]) => rule(LEFT, y, right, y)),
      ...[...STEPS.ticks, steps].flatMap((step) => [
        rule(x(step), RATE.top, x(step), RATE.top + RATE.height),
        rule(x(step), LOSS.top, x(step), LOWEST),
      ]),
    );
    const foot = RATE.top + RATE.height - 8;
    axes.replaceChildren(
      title("Rate", "drag the peak to another circle", 16),
      title("Loss", "of a small model that sorts letters", LOSS.top - 16),
      ...heights.map(([value, y]) => text(plain(value), LEFT - 6, y + 4, { "text-anchor": "end" })),
      ...STEPS.ticks.map((step) => text(count(step), x(step), LOWEST + 17)),
      text("the run ends", x(steps) + 8, foot - 16, { "text-anchor": "start" }),
      text(`at ${count(steps)}`, x(steps) + 8, foot, { "text-anchor": "start" }),
      text("step, in powers of ten", (LEFT + right) / 2, TALL - 6),
    );
  }

  function draw() {
    const run = now();
    const { width: dModel, warmup } = run;
    assign(plot, { viewBox: `0 0 ${across} ${TALL}` });
    const { top: y, height } = RATE;
    assign(rateBox, { x: LEFT, y, width: across - LEFT - RIGHT, height });
    assign(after, { x: x(steps), y, width: across - RIGHT - x(steps), height });
    drawAxes();
    const others = curves.filter((each) => each.width === dModel && each !== run);
    const rate = (each) => curve(each).map(([step, r]) => [x(step), rateY(r)]);
    const top = (each) => [x(each.warmup), rateY(noamRate(each.warmup, each.width, each.warmup))];
    const loss = (each) => lossPoints(each, every).map(([step, l]) => [x(step), lossY(l)]);
    const clipped = (...all) => svg("g", { "clip-path": `url(#${clip})` }, ...all);
    const theirs = { "stroke-dasharray": "6 4", "stroke-width": 2 };
    const mine = { "stroke-width": 3 };
    const ceiling = [STEPS.min, STEPS.max].map((step) => [x(step), rateY((dModel * step) ** -0.5)]);
    lines.replaceChildren(
      clipped(
        line(ceiling, 3, { "stroke-dasharray": "2 4", "stroke-width": 1.5 }),
        line(rate(paper), 2, theirs),
        line(rate(run), 1, mine),
      ),
      ...others.map((each) => line(loss(each), 3, { "stroke-width": 1.25 })),
      line(loss(paper), 2, theirs),
      svg("g", { "clip-path": `url(#${clip}-pen)` }, line(loss(run), 1, mine)),
    );

    // -- the words of the curves --
    const [px, py] = top(run);
    const drawn = [rate(run), rate(paper), ceiling];
    const box = { left: LEFT, right: across, top: RATE.top - 14, bottom: RATE.top + RATE.height };
    const around = (/** @type {any} */ [a, b], /** @type {number} */ r) => ({
      left: a - r,
      right: a + r,
      top: b - r,
      bottom: b + r,
    });
    const taken = [around([px, py], 25), ...[paper, ...others].map((each) => around(top(each), 6))];
    const named = [[run, `${count(warmup)} steps up`, 1, px + 135 < across ? 19 : 0]];
    if (run !== paper) named.push([paper, "the paper’s", 2, 0]);
    const names = named.map(([each, words, hue, off]) => {
      const bold = hue === 1 ? `${words}  ` : words; // larger letters
      const free = freePlace([top(each)[0] + off, top(each)[1]], bold, box, drawn, taken);
      taken.push(free.box);
      return text(words, free.x, free.y, { class: `tc-hue${hue}`, "text-anchor": free.anchor });
    });
    const ends = [...new Set([run, paper, ...others])];
    const low = lowest(ends);
    const [first, up] = across > 500 ? ["best: ", "steps up"] : ["best ", "up"];
    const other = (each) => `${each === low ? first : ""}${count(each.warmup)} ${up}`;
    const words = (each) =>
      `${each === run ? "yours" : each === paper ? "paper" : other(each)} ${fixed(last(each), 2)}`;
    const hue = (each) => (each === run ? 1 : each === paper ? 2 : 3);
    const heights = ends.map((each) => lossY(last(each)));
    const said = roomFor(heights, LOWEST - 4).flatMap((y, n) => [
      svg("path", { class: "tc-lead", d: `M${x(steps) + 2} ${heights[n]}L${x(steps) + 6} ${y}` }),
      text(words(ends[n]), x(steps) + 8, y + 4, { class: `tc-hue${hue(ends[n])}` }),
    ]);
    marks.replaceChildren(
      ...others.map((each) => dot(top(each), 3, 3.5)),
      ...(run === paper ? [] : [dot(top(paper), 2), dot(loss(paper).at(-1), 2)]),
      ...names,
      ...said,
    );
    // No loss is known after the run: the line ends there, above the words at the foot.
    const foot = warmup > steps ? RATE.top + RATE.height - 44 : LOWEST;
    cursor.replaceChildren(rule(px, py, px, foot));
    const [min, max] = [warmups[0], warmups.at(-1)];
    peak.put(px, py, { min, max, now: warmup, text: `${count(warmup)} steps` });
  }

  /** Your run as far as it has come: the rate that it has, and the loss that it makes of it. */
  function trace(t) {
    const run = now();
    const points = lossPoints(run, every);
    const step = points[0][0] * (points[points.length - 1][0] / points[0][0]) ** t;
    assign(penBox, { x: 0, y: LOSS.top - 9, width: x(step), height: LOSS.height + 18 });
    const low = lossY(heightAt(points, step) || last(run));
    const high = rateY(noamRate(step, run.width, run.warmup));
    const dots = [dot([x(step), low], 1)];
    if (t < 1) dots.push(rule(x(step), high, x(step), low), dot([x(step), high], 1));
    const here = heightAt(points, run.warmup);
    if (here && (t === 1 || step > run.warmup)) dots.push(dot([x(run.warmup), lossY(here)], 1));
    pen.replaceChildren(...dots);
  }

  const told = h("p", { class: "tc-legend" });
  const why = h("p", { class: "tc-why", "aria-live": "polite" });
  const runs = (each) => curves.filter((run) => run.width === each);
  told.dataset.room = about([], paper, steps, wide);
  const longest = curves.map((run) => explain(run, paper, steps, best));
  why.dataset.room = longest.reduce((a, b) => (a.length > b.length ? a : b));
  const root = frame({
    name: "rate",
    title: "How long should warmup be?",
    told: why,
    below: [plot, h("div", { class: "tc-foot" }, width.node, told)],
  });

  let stop = () => {};
  let shown = /** @type {any} */ (null);
  function update() {
    const run = now();
    width.set(run.width);
    stop();
    draw();
    if (shown) stop = tween(1200, trace);
    else trace(1);
    shown = run;
    const label = `Learning rate and loss by step, the loss at its end ${fixed(last(run), 2)}`;
    plot.setAttribute("aria-label", label);
    say(told, about(runs(run.width), paper, steps, wide));
    say(why, explain(run, paper, steps, best));
  }
  const gone = live({ model, el }, root, ["d_model", "warmup"], update);
  const fit = () => {
    if (!plot.clientWidth || plot.clientWidth === across) return;
    across = plot.clientWidth;
    stop();
    draw();
    trace(1);
  };
  const watch = new ResizeObserver(fit);
  watch.observe(plot);
  fit();
  return () => {
    watch.disconnect();
    stop();
    gone();
  };
}

export default { render };
