// @ts-check
// Dropout (section 5.4): three places of a layer, a vector there, and what a mask does to it.
import { apart, drop, meanOf, reach, rowsOf } from "./dropout_numbers.js";
import { fixed } from "./numbers.js";
import { assign, check, h, live, press, save, say, slider, svg } from "./shared.js";
import { frame, glide, stepBar } from "./stage.js";
/** @import {Context} from "./types.js" */

const PLACES = ["Embeddings", "Self-attention", "Feed-forward"];
const ROWS = [
  ["embedding", "+ position", "= their sum, dropped"],
  ["what came in", "+ self-attention’s output, dropped", "= sum, to the norm"],
  ["what came in", "+ feed-forward’s output, dropped", "= sum, to the norm"],
];
// The wire on which each of these vectors runs.
const WIRES = [
  ["M90 296V276", "M180 268H98", "M90 260V220"],
  ["M90 236H20V168H82", "M90 208V176", "M90 160V150"],
  ["M90 118H20V44H82", "M90 82V52", "M90 36V24"],
];
const [WIDE, TALL, ENTRIES] = [320, 88, 16];
// The drawing of a layer, from the bottom: boxes by their height, the sums, the three dots.
const BOXES = { Embedding: 296, "Self-attention": 208, Norm: 138, "Feed-forward": 82, "Norm ": 12 };
const DOTS = [246, 188, 62];
// Where a wire ends: it runs upward, around a sub-layer to the right, from the position to the left.
const TIPS = [319, 276, 231, 176, 161, 105, 52, 35, 6]
  .map((y) => `M90 ${y}l-4 7h8z`)
  .concat(["M82 168l-7 -4v8z", "M82 44l-7 -4v8z", "M98 268l7 -4v8z"]);

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const get = (name) => model.get(name);
  const [vectors, luck] = [get("vectors"), get("luck")];
  const steps = stepBar({
    names: PLACES,
    get: () => get("place"),
    go: (place) => save(model, { place }),
  });
  const share = slider({
    label: "Dropped share p",
    min: 0,
    max: 0.5,
    step: 0.05,
    value: get("p"),
    show: (p) => fixed(p, 2),
    change: (p) => save(model, { p }),
  });
  const mode = check({
    label: "Training",
    value: true,
    change: (training) => save(model, { training }),
  });
  const all = press(`${luck.length} masks`, () => save(model, { draw: luck.length - 1 }));
  const another = press("New mask", () => save(model, { draw: (get("draw") + 1) % luck.length }));

  // -- the layer, with its dots --
  const dots = DOTS.map((y, n) =>
    svg(
      "g",
      { class: "tc-drop" },
      svg("circle", { cx: 90, cy: y, r: 9 }),
      svg("text", { x: 90, y: y + 4, "text-anchor": "middle" }, String(n + 1)),
    ),
  );
  const flows = [0, 1, 2].map((n) => svg("path", { class: `tc-flow tc-row${n}` }));
  const layer = svg(
    "svg",
    { class: "tc-chart", viewBox: "0 0 240 330", role: "img" },
    svg("path", { d: "M90 330V6M90 236H20V168H82M90 118H20V44H82M180 268H98", class: "tc-wire" }),
    ...flows,
    svg("path", { class: "tc-tips", d: TIPS.join("") }),
    ...Object.entries(BOXES).flatMap(([name, y]) => [
      svg("rect", { x: 30, y, width: 120, height: 22, rx: 6 }),
      svg("text", { x: 90, y: y + 15, "text-anchor": "middle" }, name.trim()),
    ]),
    svg("text", { x: 184, y: 272 }, "position"),
    ...[268, 168, 44].flatMap((y) => [
      svg("circle", { cx: 90, cy: y, r: 8, class: "tc-plus" }),
      svg("text", { x: 90, y: y + 4, "text-anchor": "middle" }, "+"),
    ]),
    ...dots,
  );

  // -- three rows of bars: outlines for what was, bars for what is, dots for the mean --
  const strips = [0, 1, 2].map(() => {
    const name = h("p", { class: "tc-named" });
    const parts = Array.from({ length: ENTRIES }, () => [
      svg("rect", { class: "tc-was" }),
      svg("rect", { class: "tc-is" }),
      svg("circle", { class: "tc-mean", r: 2.5 }),
    ]);
    const ground = svg("line", { class: "tc-ground", x1: 0, x2: WIDE });
    const box = { class: "tc-chart", viewBox: `0 0 ${WIDE} ${TALL}`, "aria-hidden": true };
    const node = h("div", {}, name, svg("svg", box, ground, ...parts.flat()));
    return { name, parts, ground, node };
  });
  const bar = (rect, x, top, zero) =>
    assign(rect, {
      x,
      width: WIDE / ENTRIES - 5,
      y: fixedPoint(zero - Math.max(top, 0)),
      height: fixedPoint(Math.abs(top)),
    });
  const fixedPoint = (x) => x.toFixed(1);
  const draw = glide(({ before, now, mean, zero }) =>
    strips.forEach(({ parts, ground }, r) => {
      assign(ground, { y1: zero, y2: zero });
      parts.forEach(([was, is, dot], n) => {
        const x = (n * WIDE) / ENTRIES + 3;
        bar(was, x, before[r][n], zero);
        bar(is, x, now[r][n], zero);
        assign(dot, { cx: x + WIDE / ENTRIES / 2 - 3, cy: fixedPoint(zero - mean[n]) });
      });
    }),
  );
  const words = h("p", { class: "tc-why", "aria-live": "polite" });
  const key = ["was", "is", "mean"].map((name) =>
    h(
      "span",
      {},
      h("i", { class: `tc-${name}` }),
      { was: "without dropout", is: "now", mean: "mean of the masks so far" }[name],
    ),
  );
  const root = frame({
    name: "dropout",
    title: "Where dropout acts",
    controls: [mode.node, another, all],
    steps: steps.node,
    told: words,
    inputs: [share.node, layer],
    result: [...strips.map(({ node }) => node), h("p", { class: "tc-legend" }, ...key)],
  });

  function update() {
    const [place, p, turn, training] = ["place", "p", "draw", "training"].map(get);
    const how = { p, training };
    steps.show(place);
    share.set(p);
    mode.set(training);
    for (const button of [another, all]) button.setAttribute("aria-disabled", String(!training));
    dots.forEach((dot, n) => dot.classList.toggle("tc-here", n === place));
    layer.setAttribute(
      "aria-label",
      `An encoder layer. Dropout acts at three dots; now at ${PLACES[place]}.`,
    );

    const { before, now, at } = rowsOf(vectors[place], place, luck[turn], how);
    const mean = meanOf(before[at], luck.slice(0, turn + 1), how);
    const [least, most] = reach(vectors[place], place, how);
    const pixels = (TALL - 4) / (most - least);
    const high = (row) => row.map((x) => x * pixels);
    const zero = 2 + most * pixels;
    draw({ before: before.map(high), now: now.map(high), mean: high(mean), zero });
    strips.forEach(({ name, parts, node }, r) => {
      say(name, ROWS[place][r]);
      node.setAttribute("class", r === at ? "tc-dropped" : `tc-row${r}`);
      flows[r].setAttribute("class", `tc-flow ${r === at ? "tc-dropped" : `tc-row${r}`}`);
      flows[r].setAttribute("d", WIRES[place][r]);
      parts.forEach(([, , dot]) => dot.toggleAttribute("hidden", r !== at));
    });
    const gone = drop(before[at], luck[turn], how).filter((x) => x === 0).length;
    const percent = (a) => `${Math.round(100 * apart(a, before[at]))}\u00a0%`;
    say(
      words,
      training
        ? `${gone} of ${ENTRIES} entries ${gone === 1 ? "is" : "are"} zero, the others times ` +
            `${fixed(1 / (1 - p), 2)}: together off by ${percent(now[at])}` +
            `${turn ? `, the mean of ${turn + 1} masks by ${percent(mean)}` : ""}.`
        : "Evaluation: nothing is dropped and nothing scaled, and every pass is the same.",
    );
  }

  return live({ model, el }, root, ["place", "p", "draw", "training"], update);
}

export default { render };
