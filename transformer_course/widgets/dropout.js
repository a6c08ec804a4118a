// @ts-check
// Dropout (section 5.4): three places of a layer, two vectors that are added there, what a mask
// does to one of them, and the mean over masks.
import { drop, explain, gaps, masksUpTo, meanOf, reach, rowsAt } from "./dropout_numbers.js";
import { fixed } from "./numbers.js";
import { assign, check, h, live, press, save, say, slider, svg } from "./shared.js";
import { frame, glide, stepBar, tween } from "./stage.js";
/** @import {Context} from "./types.js" */

const PLACES = ["Embeddings", "Self-attention", "Feed-forward"];
// Which row a mask acts on: the sum at the bottom, else what a sub-layer says, before it is added.
const MASKED = [2, 1, 1];
const NAMES = [
  ["The word’s embedding", "Its position", "The sum goes on"],
  ["What came in passes by", "Self-attention says", "The sum goes on"],
  ["What came in passes by", "Feed-forward says", "The sum goes on"],
];
const [WIDE, TALL, ENTRIES] = [400, 92, 16];
const ALL = WIDE / ENTRIES;
// The layer, from the bottom: the stream upward at x = 38, a sub-layer to the right of it.
const SIDES = ["M38 230H112V164H38", "M38 112H112V46H38"];
const FLOWS = ["M38 268V230", "M112 186V164H38", "M112 68V46H38"];
const BYES = ["", "M38 230V164", "M38 112V46"];
const BOXES = [
  ["Embedding", -8, 300, 92],
  ["Self-attention", 59, 188, 106],
  ["Norm", 12, 122, 52],
  ["Feed-forward", 59, 70, 106],
  ["Norm", 12, 8, 52],
  ["Position", 66, 256, 68],
];
const DOTS = [
  [38, 250],
  [78, 164],
  [78, 46],
];
const SUMS = [268, 164, 46];

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const get = (name) => model.get(name);
  const [vectors, luck] = [get("vectors"), get("luck")];
  const last = luck.length - 1;
  let stop = () => {};
  const go = (draw) => {
    stop();
    save(model, { draw, average: false });
  };
  const steps = stepBar({
    names: PLACES,
    get: () => get("place"),
    go: (place) => {
      stop();
      save(model, { place, average: false });
    },
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
    stop();
    stop = tween(1500, (t) => save(model, { draw: Math.round(last * t), average: true }));
  });

  // -- the layer, with its dots --
  const dots = DOTS.map(([x, y], n) =>
    svg(
      "g",
      { class: "tc-drop" },
      svg("circle", { cx: x, cy: y, r: 9 }),
      svg("text", { x, y: y + 4, "text-anchor": "middle" }, String(n + 1)),
    ),
  );
  const [flow, by] = [svg("path", { class: "tc-flow" }), svg("path", { class: "tc-by" })];
  const layer = svg(
    "svg",
    { class: "tc-chart", viewBox: "0 0 164 344", role: "img" },
    svg("path", { d: "M38 344V5M66 268H46", class: "tc-stream" }),
    ...SIDES.map((d) => svg("path", { d, class: "tc-wire" })),
    by,
    flow,
    svg("path", { class: "tc-tips", d: "M38 -2l-7 10h14zM112 212l-4 8h8zM112 94l-4 8h8z" }),
    ...BOXES.flatMap(([name, x, y, width]) => [
      svg("rect", { x, y, width, height: 24, rx: 6 }),
      svg(
        "text",
        { x: Number(x) + Number(width) / 2, y: Number(y) + 16, "text-anchor": "middle" },
        name,
      ),
    ]),
    ...SUMS.flatMap((y) => [
      svg("circle", { cx: 38, cy: y, r: 8, class: "tc-plus" }),
      svg("text", { x: 38, y: y + 4, "text-anchor": "middle" }, "+"),
    ]),
    ...dots,
  );

  // -- three rows of bars: two vectors and their sum; one of them is masked --
  const strips = ["", "+", "="].map((sign) => {
    const [name, note] = [h("b"), h("small")];
    const parts = Array.from({ length: ENTRIES }, (_, n) => {
      const x = (n + 0.5) * ALL;
      return {
        band: svg("rect", { class: "tc-band", x: n * ALL, width: ALL, height: TALL }),
        is: svg("rect", { class: "tc-is" }),
        was: svg("rect", { class: "tc-was" }),
        cross: svg("path", { class: "tc-cross", d: `M${x - 8} -8l16 16m0 -16l-16 16` }),
      };
    });
    const ground = svg("line", { class: "tc-ground", x1: 0, x2: WIDE });
    const picture = svg(
      "svg",
      { class: "tc-chart", viewBox: `0 0 ${WIDE} ${TALL}`, preserveAspectRatio: "none" },
      ...parts.map(({ band }) => band),
      ground,
      ...parts.flatMap(({ is, was, cross }) => [is, was, cross]),
    );
    picture.setAttribute("aria-hidden", "true");
    const node = h("div", {}, h("p", {}, h("i", {}, sign), name, note), picture);
    return { name, note, parts, ground, node };
  });
  const bar = (rect, n, top, zero) =>
    assign(rect, {
      x: n * ALL + 4,
      width: ALL - 8,
      y: (zero - Math.max(top, 0)).toFixed(1),
      height: Math.abs(top).toFixed(1),
    });
  const draw = glide(({ rows, whole, zero }) =>
    strips.forEach(({ parts, ground }, r) => {
      assign(ground, { y1: zero, y2: zero });
      parts.forEach(({ is, was, cross }, n) => {
        bar(is, n, rows[r][n], zero);
        bar(was, n, whole[r][n], zero);
        assign(cross, { transform: `translate(0 ${zero.toFixed(1)})` });
      });
    }),
  );
  const told = h("p", { class: "tc-why", "aria-live": "polite" });
  const room = { p: 0.5, training: true, gone: 16, size: ENTRIES, masks: 0, many: 0, off: 0 };
  const longest = [0, 1, 2].map((place) => explain({ ...room, place }));
  longest.push(explain({ ...room, place: 0, training: false }));
  told.dataset.room = longest.reduce((a, b) => (a.length > b.length ? a : b));
  const root = frame({
    name: "dropout",
    title: "Dropout",
    controls: [another, all],
    steps: steps.node,
    told,
    inputs: [layer],
    result: strips.map(({ node }) => node),
    below: [h("div", { class: "tc-foot" }, share.node, mode.node)],
  });

  function update() {
    const [place, p, turn, training, average] = ["place", "p", "draw", "training", "average"].map(
      get,
    );
    const how = { p, training };
    steps.show(place);
    share.set(p);
    mode.set(training);
    for (const button of [another, all]) button.setAttribute("aria-disabled", String(!training));
    all.setAttribute("aria-pressed", String(average && training));
    dots.forEach((dot, n) => dot.classList.toggle("tc-here", n === place));
    flow.setAttribute("d", FLOWS[place]);
    by.setAttribute("d", BYES[place]);

    const masked = MASKED[place];
    const whole = rowsAt(vectors[place], place, (row) => row);
    const upTo = masksUpTo(luck, place, turn);
    const masks = average ? upTo : upTo.slice(-1);
    const rows = rowsAt(vectors[place], place, (row) => meanOf(row, masks, how));
    const [least, most] = reach(vectors[place], place, how);
    const pixels = (TALL - 4) / (most - least);
    const scaled = (all) => all.map((row) => row.map((x) => x * pixels));
    draw({ rows: scaled(rows), whole: scaled(whole), zero: 2 + most * pixels });
    const holes = training && !average ? drop(whole[0], masks[0], how).map((x) => x === 0) : [];
    const gone = holes.filter(Boolean).length;
    layer.classList.toggle("tc-none", !gone);
    layer.setAttribute(
      "aria-label",
      (training
        ? `An encoder layer. Dropout acts at three dots; now at ${PLACES[place]}.`
        : `An encoder layer. In evaluation dropout is off, also at ${PLACES[place]}.`) +
        (place ? " What came in passes it by." : ""),
    );
    strips.forEach(({ name, note, parts, node }, r) => {
      node.className = `tc-row${r}`;
      parts.forEach(({ band, is, was, cross }, n) => {
        const hole = Boolean(holes[n]);
        band.classList.toggle("tc-on", hole && (place > 0 || r === 2));
        cross.classList.toggle("tc-on", hole && r === masked);
        was.classList.toggle("tc-on", training && p > 0 && (r === masked || (r > masked && hole)));
        was.classList.toggle("tc-lost", hole);
        is.classList.toggle("tc-old", hole && r > masked);
      });
      say(name, NAMES[place][r]);
      say(
        note,
        !training
          ? ""
          : r === masked
            ? average
              ? `mean of ${turn + 1} mask${turn ? "s" : ""}`
              : `${gone} of ${ENTRIES} dropped, rest × ${fixed(1 / (1 - p), 2)}`
            : r > masked && gone
              ? "gray: what came in"
              : "",
      );
    });
    const off = gaps(rows[masked], whole[masked]);
    const size = ENTRIES;
    const shown = { place, ...how, gone, size, masks: average ? turn + 1 : 0 };
    say(told, explain({ ...shown, many: luck.length, off }));
  }

  const clean = live({ model, el }, root, ["place", "p", "draw", "training", "average"], update);
  return () => {
    stop();
    clean();
  };
}

export default { render };
