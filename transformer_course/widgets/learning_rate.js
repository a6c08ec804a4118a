// @ts-check
// The learning rate of equation 3, and below it, step for step, the loss of a small model that
// learned under it: a rate and its loss have one color. One line goes through both at the peak.
import { freePlace } from "./chart_words.js";
import { handle } from "./handle.js";
import {
  PAPER,
  RATES,
  STEPS,
  about,
  curve,
  ending,
  explain,
  heightAt,
  last,
  lossPoints,
  lowest,
  noamRate,
  part,
  roomFor,
  stepsIn,
  warmupAt,
  warmupBy,
} from "./learning_rate_numbers.js";
import { count, fixed, plain } from "./numbers.js";
import { assign, choice, h, live, save, say, svg } from "./shared.js";
import { frame, tween } from "./stage.js";
/** @import {Context} from "./types.js" */

const [LEFT, RIGHT, TALL] = [50, 10, 486];
const RATE = { top: 42, height: 170 };
const LOSS = { top: 260, height: 182, max: 4.5 };
const LOWEST = LOSS.top + LOSS.height;

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const { curves, steps, every, d_model: wide } = model.get("measured");
  const only = (name) => [...new Set(curves.map((run) => run[name]))];
  const [widths, warmups] = [only("width"), only("warmup")];
  const find = (of) => curves.find((run) => run.width === of.width && run.warmup === of.warmup);
  const paper = find(PAPER);
  const ofWidth = (each) => curves.filter((run) => run.width === each);
  const best = lowest(curves);
  const now = () => find({ width: model.get("d_model"), warmup: model.get("warmup") });
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
  const [grid, cursor, axes] = ["axis", "cursor", "axis"].map(layer);
  const [lines, marks, pen] = ["lines", "marks", "marks"].map(layer);
  const clip = `tc-clip-${Math.random().toString(36).slice(2, 9)}`;
  const [rateBox, penBox, after] = [svg("rect"), svg("rect"), svg("rect", { class: "tc-after" })];
  const plot = svg(
    "svg",
    { class: "tc-chart", role: "group" },
    svg("clipPath", { id: clip }, rateBox),
    svg("clipPath", { id: `${clip}-pen` }, penBox),
    ...[after, grid, cursor, axes, lines, marks, pen],
  );
  /** How many words there is room for. */
  const room = () => Number(across > 300) + Number(across > 500);
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
  /** Which run it is of. Those of this width have the color of their warm-up. */
  const of = (each) => {
    const kind = each === now() ? "mine" : each === paper ? "paper" : "other";
    const hue =
      each.width === now().width ? `n: ${warmups.indexOf(each.warmup)}` : "hue: var(--soft)";
    return { class: `tc-${kind}`, style: `--${hue}` };
  };
  const line = (points, each) => {
    const told = points.map((point) => point.map((p) => p.toFixed(1)).join(",")).join(" ");
    return svg("polyline", { points: told, ...of(each) });
  };
  const dot = (/** @type {any} */ [cx, cy], each, r = 4.5) =>
    svg("circle", { cx, cy, r, ...of(each) });

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
    const sorts = room() ? "of a small model that sorts letters" : "of a model that sorts";
    axes.replaceChildren(
      title("Rate", "drag the peak to another circle", 16),
      title("Loss", sorts, LOSS.top - 16),
      ...heights.map(([value, y]) => text(plain(value), LEFT - 6, y + 4, { "text-anchor": "end" })),
      ...STEPS.ticks.map((step) => text(count(step), x(step), LOWEST + 17)),
      ...["the run ends", `at ${count(steps)}`].map((words, n) =>
        text(words, x(steps) + 8, LOSS.top + 4 + 16 * n, { "text-anchor": "start" }),
      ),
      text("step, in powers of ten", (LEFT + right) / 2, TALL - 6),
    );
  }

  function draw() {
    const run = now();
    const { width: dModel, warmup } = run;
    assign(plot, { viewBox: `0 0 ${across} ${TALL}`, style: `--n: ${warmups.indexOf(warmup)}` });
    const { top: y, height } = RATE;
    assign(rateBox, { x: LEFT, y, width: across - LEFT - RIGHT, height });
    assign(after, { x: x(steps), y, width: across - RIGHT - x(steps), height: LOWEST - y });
    drawAxes();
    const own = ofWidth(dModel);
    const all = [...new Set([...own, paper])].sort((a, b) => Number(a === run) - Number(b === run));
    const others = all.slice(0, -1); // yours is above all
    const rate = (each) => curve(each).map(([step, r]) => [x(step), rateY(r)]);
    const top = (each) => [x(each.warmup), rateY(noamRate(each.warmup, each.width, each.warmup))];
    const loss = (each) => lossPoints(each, every).map(([step, l]) => [x(step), lossY(l)]);
    const clipped = (rect, nodes) => svg("g", { "clip-path": `url(#${rect})` }, ...nodes);
    const rates = all.map((each) => line(rate(each), each));
    lines.replaceChildren(
      clipped(clip, rates),
      ...others.map((each) => line(loss(each), each)),
      clipped(`${clip}-pen`, [line(loss(run), run)]),
    );

    // -- the words: above each peak its warm-up, beside each end its loss --
    const [px, py] = top(run);
    const peaks = own.flatMap((each) => {
      const [at, low] = top(each);
      const words = stepsIn(each.warmup, room());
      return [
        svg("path", { d: `M${at} ${RATE.top - 4}V${low}`, ...of(each) }),
        text(words, Math.min(at, across - 4 * words.length), RATE.top - 8, of(each)),
      ];
    });
    const around = (p, r) => ({ left: p[0] - r, right: p[0] + r, top: p[1] - r, bottom: p[1] + r });
    const taken = [around([px, py], 25), ...all.map((each) => around(top(each), 6))];
    const box = { left: LEFT, right: across, top: RATE.top, bottom: RATE.top + RATE.height };
    const theirs = room() > 1 ? "the paper’s" : "paper";
    const stems = own.map((each) => [[top(each)[0], 0], each === run ? [px, LOWEST] : top(each)]);
    const free = freePlace(top(paper), theirs, box, [...all.map(rate), ...stems], taken);
    const heights = all.map((each) => lossY(last(each)));
    const said = roomFor(heights, LOWEST - 4).flatMap((y, n) => {
      const words = ` ${ending(all[n], { run, paper, low: lowest(all) }, room())}`;
      const about = { x: x(steps) + 8, y: y + 4, "text-anchor": "start", ...of(all[n]) };
      return [
        svg("path", { class: "tc-lead", d: `M${x(steps) + 2} ${heights[n]}L${x(steps) + 6} ${y}` }),
        svg("text", about, svg("tspan", {}, fixed(last(all[n]), 2)), words),
      ];
    });
    const away = paper.width !== dModel; // at its own width it is one of the circles
    marks.replaceChildren(
      ...others.map((each) => dot(top(each), each, 3.5)),
      ...(away ? [text(theirs, free.x, free.y, { "text-anchor": free.anchor, ...of(paper) })] : []),
      ...peaks,
      ...said,
    );
    // No loss is known after the run: the line ends there.
    cursor.replaceChildren(rule(px, py, px, warmup > steps ? RATE.top + RATE.height : LOWEST));
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
    const dots = [dot([x(step), low], run)];
    if (t < 1) dots.push(rule(x(step), high, x(step), low), dot([x(step), high], run));
    const here = heightAt(points, run.warmup);
    if (here && (t === 1 || step > run.warmup)) dots.push(dot([x(run.warmup), lossY(here)], run));
    pen.replaceChildren(...dots);
  }

  const told = h("p", { class: "tc-legend" });
  const why = h("p", { class: "tc-why", "aria-live": "polite" });
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
    say(told, about(ofWidth(run.width), paper, steps, wide));
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
