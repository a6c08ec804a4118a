// @ts-check
// Dropout (section 5.4): three places of a layer, a vector there, what a mask does to it, and the
// mean over masks.
import { drop, gaps, meanOf, reach, vectorAt } from "./dropout_numbers.js";
import { fixed } from "./numbers.js";
import { assign, check, h, live, press, save, say, slider, svg } from "./shared.js";
import { frame, glide, stepBar, tween } from "./stage.js";
/** @import {Context} from "./types.js" */

const PLACES = ["Embeddings", "Self-attention", "Feed-forward"];
const NAMES = ["Embedding + position", "Self-attention’s output", "Feed-forward’s output"];
// The wire on which each of these vectors runs.
const WIRES = ["M68 260V226", "M68 208V150", "M68 82V26"];
const CLOSE = ". Average many masks, and they close";
const [WIDE, TALL, ENTRIES] = [400, 84, 16];
// The drawing of a layer, from the bottom: boxes by their height, the sums, the three dots.
const BOXES = { Embedding: 296, "Self-attention": 208, Norm: 138, "Feed-forward": 82, "Norm ": 12 };
const DOTS = [246, 188, 62];
// Where a wire ends: it runs upward, around a sub-layer to the right, from the position to the left.
const TIPS = [319, 276, 231, 176, 161, 105, 52, 35, 6]
  .map((y) => `M68 ${y}l-4 7h8z`)
  .concat(["M60 168l-7 -4v8z", "M60 44l-7 -4v8z", "M76 268l7 -4v8z"]);

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const get = (name) => model.get(name);
  const [vectors, luck] = [get("vectors"), get("luck")];
  const last = luck.length - 1;
  let stop = () => {};
  const go = (draw) => {
    stop();
    save(model, { draw });
  };
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
  const another = press("New mask", () => go((get("draw") + 1) % luck.length));
  const all = press(`Average ${luck.length}`, () => {
    const from = get("draw") < last ? get("draw") : 0;
    stop();
    stop = tween(1500, (t) => save(model, { draw: Math.round(from + (last - from) * t) }));
  });

  // -- the layer, with its dots --
  const dots = DOTS.map((y, n) =>
    svg(
      "g",
      { class: "tc-drop" },
      svg("circle", { cx: 68, cy: y, r: 9 }),
      svg("text", { x: 68, y: y + 4, "text-anchor": "middle" }, String(n + 1)),
    ),
  );
  const flow = svg("path", { class: "tc-flow" });
  const layer = svg(
    "svg",
    { class: "tc-chart", viewBox: "0 0 150 330", role: "img" },
    svg("path", { d: "M68 330V6M68 236H5V168H60M68 118H5V44H60M92 268H76", class: "tc-wire" }),
    flow,
    svg("path", { class: "tc-tips", d: TIPS.join("") }),
    ...Object.entries(BOXES).flatMap(([name, y]) => [
      svg("rect", { x: 16, y, width: 104, height: 22, rx: 6 }),
      svg("text", { x: 68, y: y + 15, "text-anchor": "middle" }, name.trim()),
    ]),
    svg("text", { x: 94, y: 272 }, "position"),
    ...[268, 168, 44].flatMap((y) => [
      svg("circle", { cx: 68, cy: y, r: 8, class: "tc-plus" }),
      svg("text", { x: 68, y: y + 4, "text-anchor": "middle" }, "+"),
    ]),
    ...dots,
  );

  // -- three rows of bars: the vector, one mask of it, the mean of the masks so far --
  const strips = [[], [another], [all]].map((buttons, r) => {
    const [name, note] = [h("b"), h("small")];
    const parts = Array.from({ length: ENTRIES }, () => [
      svg("rect", { class: "tc-is" }),
      svg("rect", { class: "tc-was" }),
    ]);
    const ground = svg("line", { class: "tc-ground", x1: 0, x2: WIDE });
    const picture = svg(
      "svg",
      { class: "tc-chart", viewBox: `0 0 ${WIDE} ${TALL}`, preserveAspectRatio: "none" },
      ground,
      ...parts.flat(),
    );
    picture.setAttribute("aria-hidden", "true");
    const node = h(
      "div",
      { class: `tc-row${r}` },
      h("p", {}, h("span", {}, name, note), ...buttons),
      picture,
    );
    return { name, note, parts, ground, node };
  });
  const bar = (rect, n, top, zero) =>
    assign(rect, {
      x: (n * WIDE) / ENTRIES + 3,
      width: WIDE / ENTRIES - 6,
      y: (zero - Math.max(top, 0)).toFixed(1),
      height: Math.abs(top).toFixed(1),
    });
  const draw = glide(({ rows, zero }) =>
    strips.forEach(({ parts, ground }, r) => {
      assign(ground, { y1: zero, y2: zero });
      parts.forEach(([is, was], n) => {
        bar(is, n, rows[r][n], zero);
        bar(was, n, rows[0][n], zero);
      });
    }),
  );
  const told = h("p", { class: "tc-why", "aria-live": "polite" });
  const root = frame({
    name: "dropout",
    title: "Dropout",
    controls: [mode.node, share.node],
    steps: steps.node,
    told,
    inputs: [layer],
    result: strips.map(({ node }) => node),
  });

  function update() {
    const [place, p, turn, training] = ["place", "p", "draw", "training"].map(get);
    const how = { p, training };
    steps.show(place);
    share.set(p);
    mode.set(training);
    for (const button of [another, all]) button.setAttribute("aria-disabled", String(!training));
    dots.forEach((dot, n) => dot.classList.toggle("tc-here", n === place));
    flow.setAttribute("d", WIRES[place]);
    layer.setAttribute(
      "aria-label",
      `An encoder layer. Dropout acts at three dots; now at ${PLACES[place]}.`,
    );

    const whole = vectorAt(vectors[place], place);
    const left = drop(whole, luck[turn], how);
    const mean = meanOf(whole, luck.slice(0, turn + 1), how);
    const [least, most] = reach(whole, how);
    const pixels = (TALL - 4) / (most - least);
    const rows = [whole, left, mean].map((row) => row.map((x) => x * pixels));
    draw({ rows, zero: 2 + most * pixels });
    const gone = left.filter((x) => x === 0).length;
    const percent = (row) => `${Math.round(100 * gaps(row, whole))}\u00a0%`;
    const missing = (row) => `gaps: ${percent(row)}`;
    const masks = turn ? `Mean of ${turn + 1} masks` : "Mean of 1 mask";
    const words = training
      ? [
          [NAMES[place], "the whole"],
          ["One mask", missing(left)],
          [masks, missing(mean)],
        ]
      : [
          [NAMES[place], "the whole"],
          ["In evaluation", "the whole"],
          ["Every pass", "the same again"],
        ];
    words.forEach(([name, note], r) => {
      say(strips[r].name, name);
      say(strips[r].note, note);
    });
    say(
      told,
      training
        ? `One mask: ${gone} of ${ENTRIES} numbers are zero, the rest times ${fixed(1 / (1 - p), 2)}. ` +
            `Gaps to the dashed outline: ${percent(left)} of the whole` +
            `${turn ? `; for the mean of ${turn + 1} masks ${percent(mean)}` : CLOSE}.`
        : "Evaluation: nothing is dropped and nothing multiplied. These are the numbers that the mean of many masks comes near, so the next layer meets what it is used to.",
    );
  }

  const clean = live({ model, el }, root, ["place", "p", "draw", "training"], update);
  return () => {
    stop();
    clean();
  };
}

export default { render };
