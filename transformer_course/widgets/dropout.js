// @ts-check
// Dropout (section 5.4): a place of a layer, two vectors that are added there, a mask that falls on
// one of them, and the mean over masks.
import { drop, explain, gaps, masksUpTo, meanOf, reach, rowsAt } from "./dropout_numbers.js";
import { fixed } from "./numbers.js";
import { assign, check, h, live, press, save, say, slider, svg } from "./shared.js";
import { between, frame, stepBar, tween } from "./stage.js";
/** @import {Context} from "./types.js" */

const PLACES = ["Embeddings", "Self-attention", "Feed-forward"];
// Which row a mask acts on: the sum at the bottom, else what a sub-layer says, before it is added.
const MASKED = [2, 1, 1];
const ON = ["the sum", "what self-attention says", "what feed-forward says"];
const NAMES = [
  ["The word’s embedding", "Its position", "The sum goes on"],
  ["What came in passes by", "Self-attention says", "The sum goes on"],
  ["What came in passes by", "Feed-forward says", "The sum goes on"],
];
const [WIDE, TALL, ENTRIES] = [400, 92, 16];
const ALL = WIDE / ENTRIES;
const SEEN = 8; // masks of a mean that are shown one by one; the others go too fast
const FALL = 0.5; // of a mask's way: then it lies on the bars

/** Lines and boxes of a place of the layer, upward as in all its pictures. Heights are percents: the
 * picture is as tall as the bars beside it. @param {number} place */
function diagram(place) {
  const line = (name, x1, y1, x2, y2) =>
    svg("line", { class: name, x1, y1: `${y1}%`, x2, y2: `${y2}%` });
  const box = (name, x, y, width, kind = "") => {
    const text = svg("text", { y: 4, "text-anchor": "middle" }, name);
    const rect = svg("rect", { x: -width / 2, y: -12, width, height: 24, rx: 6 });
    return svg("svg", { x, y: `${y}%`, class: kind }, rect, text);
  };
  const sum = (x, y) => box("+", x, y, 17, "tc-plus");
  const tip = (x, y) => svg("svg", { x, y }, svg("path", { class: "tc-tip", d: "M-7 10H7L0 0z" }));
  const parts = place
    ? [
        line("tc-stream", 20, 100, 20, 2),
        line("tc-by", 20, 87, 20, 38),
        ...[
          [20, 87, 84, 87],
          [84, 87, 84, 68],
        ].map(([a, b, c, d]) => line("tc-wire", a, b, c, d)),
        line("tc-flow", 84, 66, 84, 38),
        line("tc-flow", 86, 38, 20, 38),
        box(PLACES[place], 84, 69, 94),
        box("Dropout", 84, 53, 62, "tc-drop"),
        sum(20, 38),
        box("Norm", 20, 17, 40),
        tip(20, 0),
      ]
    : [
        line("tc-stream", 38, 88, 38, 2),
        line("tc-stream", 90, 55, 38, 55),
        line("tc-flow", 38, 55, 38, 22),
        box("Embedding", 38, 88, 76),
        box("Position", 101, 55, 60),
        sum(38, 55),
        box("Dropout", 38, 22, 62, "tc-drop"),
        tip(38, 0),
      ];
  return svg("svg", { class: "tc-layer", role: "img" }, ...parts);
}

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
    // The first masks slowly, one by one, the others faster and faster.
    stop = tween(3000, (t) => {
      const draw = Math.round(last * (1 - Math.cbrt(1 - t)) ** 3);
      save(model, { draw, average: true });
    });
  });

  const layers = PLACES.map((_, place) => diagram(place));

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
  // -- drawing: a mask falls, then what it hits shrinks and the rest grows --
  let now = /** @type {any} */ (null);
  let halt = () => {};
  const put = (state) => {
    now = state;
    strips.forEach(({ parts, ground }, r) => {
      assign(ground, { y1: state.zero, y2: state.zero });
      parts.forEach(({ is, was, cross }, n) => {
        bar(is, n, state.rows[r][n], state.zero);
        bar(was, n, state.whole[r][n], state.zero);
        const y = state.fall * state.zero - 10 * (1 - state.fall);
        assign(cross, { transform: `translate(0 ${y.toFixed(1)})` });
      });
    });
  };
  const draw = (to, mask) => {
    halt();
    const fresh = now && mask !== now.mask;
    const from = now;
    if (!now || get("average")) return put({ ...to, mask });
    halt = tween(fresh ? 1400 : 300, (t) => {
      const later = fresh ? Math.max(0, (t - FALL) / (1 - FALL)) : t;
      const rows = between(fresh ? to.whole : from.rows, to.rows, later);
      put({ ...to, rows, fall: fresh ? Math.min(1, t / FALL) : 1, mask });
    });
  };
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
    inputs: layers,
    result: strips.map(({ node }) => node).toReversed(),
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
    layers.forEach((layer, n) => layer.toggleAttribute("hidden", n !== place));

    const masked = MASKED[place];
    const whole = rowsAt(vectors[place], place, (row) => row);
    const upTo = masksUpTo(luck, place, turn);
    const masks = average ? upTo : upTo.slice(-1);
    const rows = rowsAt(vectors[place], place, (row) => meanOf(row, masks, how));
    const [least, most] = reach(vectors[place], place, how);
    const pixels = (TALL - 4) / (most - least);
    const scaled = (all) => all.map((row) => row.map((x) => x * pixels));
    const target = { rows: scaled(rows), whole: scaled(whole), zero: 2 + most * pixels, fall: 1 };
    draw(target, `${place} ${turn} ${average} ${training}`);
    const hits = drop(whole[0], upTo[turn], how).map((x) => x === 0);
    const holes = training && !average ? hits : [];
    const gone = holes.filter(Boolean).length;
    layers[place].classList.toggle("tc-none", !training || !p);
    const acts = training ? `Dropout acts on ${ON[place]}.` : "In evaluation dropout is off.";
    assign(layers[place], { "aria-label": acts + (place ? " What came in passes it by." : "") });
    strips.forEach(({ name, note, parts, node }, r) => {
      node.className = `tc-row${r}`;
      parts.forEach(({ band, is, was, cross }, n) => {
        const hole = Boolean(holes[n]);
        band.classList.toggle("tc-on", hole && (place > 0 || r === 2));
        const falls = hole || (training && average && turn < SEEN && hits[n]);
        cross.classList.toggle("tc-on", falls && r === masked);
        const changed = r === masked || (r > masked && (hole || average));
        was.classList.toggle("tc-on", training && p > 0 && changed);
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
              ? `mean of masks: ${turn + 1} of ${luck.length}`
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
    halt();
    clean();
  };
}

export default { render };
