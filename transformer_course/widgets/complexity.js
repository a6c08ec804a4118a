// @ts-check
// Table 1 as a calculator: what a layer costs by the length of its sentence, and where attention
// stops being the cheaper one.
import { chart, chartWidth, onPress } from "./chart.js";
import {
  LAYERS,
  LENGTHS,
  LONGEST,
  NEIGHBORS,
  WIDTHS,
  amount,
  costs,
  crossings,
  explain,
  lineEnds,
  nearest,
  nearestRatio,
  operations,
  weights,
} from "./complexity_counts.js";
import { handle } from "./handle.js";
import { count, plain } from "./numbers.js";
import { assign, check, h, live, press, save, say, slider, svg } from "./shared.js";
import { frame } from "./stage.js";
/** @import {Context} from "./types.js" */

const [LEFT, RIGHT, TOP, BOTTOM] = [52, 12, 12, 40]; // of a chart, around its axes
const NAMES = 94; // the room for the names of the lines
const [LEAST, MOST] = [1e5, 1e18]; // multiply-adds on the axis, with room for words above
const MORE = "Add two compromises: dilated convolution, restricted attention";
const SIZES = { 1e6: "million", 1e9: "billion", 1e12: "trillion" };

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const get = (name) => model.get(name);
  const traits = ["n", "d", "k", "r", "projections"];
  const state = () =>
    /** @type {any} */ (Object.fromEntries(traits.map((name) => [name, get(name)])));
  let all = false; // the layers of the compromise too

  // -- what the reader can change --
  const setLength = (n) => save(model, { n: LENGTHS[nearestRatio(LENGTHS, n)] });
  const stops = (label, name, values) =>
    slider({
      label,
      min: 0,
      max: values.length - 1,
      value: 0,
      show: () => count(get(name)),
      change: (place) => save(model, { [name]: values[place] }),
    });
  const [width, near] = [stops("Width d", "d", WIDTHS), stops("Neighborhood r", "r", NEIGHBORS)];
  const kernel = slider({
    label: "Kernel k",
    min: 2,
    max: 15,
    value: get("k"),
    show: () => plain(get("k")),
    change: (k) => save(model, { k }),
  });
  const own = check({
    label: "Count the projections",
    value: get("projections"),
    change: (projections) => save(model, { projections }),
  });
  const more = press("", () => {
    all = !all;
    update();
  });

  // -- two charts, each line with its name at its end --
  const narrow = chartWidth(el) < 500;
  const plots = [
    ["Multiply-adds of one layer by length, both axes logarithmic", 366, 250],
    ["The longest path between two positions by length, both axes logarithmic", 284, 190],
  ].map(([label, wide, low]) => {
    const [across, tall] = narrow ? [330, Number(low)] : [Number(wide), 250];
    const { node, draw, place } = chart({ label, width: across, height: tall });
    const ends = LAYERS.map(({ hue, short }) => svg("text", { class: `tc-hue${hue}` }, short));
    node.append(svg("g", { class: "tc-ends" }, ...ends));
    const axis = across - LEFT - RIGHT;
    const far = LONGEST ** (axis / (axis - NAMES)); // the axis goes on, for the names
    const at = (part) => far ** Math.max(0, Math.min(1, part));
    onPress(node, (part) => setLength(at(part)));
    /** Lines of some layers, and their names. */
    const show = (layers, height, { y, lines, marks }) => {
      const x = { min: 1, max: far, log: true, label: "length n", ticks: [1, 100, 1e4] };
      const curves = layers.map(({ name, hue, dash }) => ({
        points: LENGTHS.map((n) => [n, height(name, n)]),
        hue,
        dash,
        width: hue === 1 && !dash ? 3 : 2,
      }));
      draw({ x: { ...x, show: count }, y, lines: [...lines, ...curves], marks });
      const last = layers.map(({ name }) => place(LONGEST, Math.min(y.max, height(name, LONGEST))));
      const apart = lineEnds(last.map((point) => point[1]));
      LAYERS.forEach(({ name }, n) => {
        const m = layers.findIndex((each) => each.name === name);
        ends[n].toggleAttribute("hidden", m < 0);
        if (m >= 0) assign(ends[n], { x: last[m][0] + 6, y: apart[m] + 4 });
      });
    };
    return { node, place, show, at: (px) => at((px - LEFT) / axis), axis, bottom: tall - BOTTOM };
  });
  const [work, paths] = plots;
  const sides = ["self-attention", "recurrence"].map((name, side) => {
    const band = svg("rect", { y: TOP, height: work.bottom - TOP, class: `tc-hue${side + 1}` });
    const lines = [name, "is cheaper"].map((text, m) => svg("tspan", { y: 28 + 14 * m }, text));
    const anchor = side ? "start" : "end";
    const words = svg("text", { class: `tc-hue${side + 1}`, "text-anchor": anchor }, ...lines);
    return { band, lines, words };
  });
  work.node.prepend(svg("g", { class: "tc-bands" }, ...sides.map(({ band }) => band)));
  work.node.append(svg("g", { class: "tc-sides tc-marks" }, ...sides.map(({ words }) => words)));
  const step = (trait, stops) => (n) => {
    const to = nearest(stops, get(trait)) + n;
    save(model, { [trait]: stops[Math.max(0, Math.min(stops.length - 1, to))] });
  };
  const meet = handle(work.node, {
    label: "Width d, at the crossing",
    hue: 5,
    move: (x) => save(model, { d: WIDTHS[nearestRatio(WIDTHS, work.at(x))] }),
    step: step("d", WIDTHS),
  });
  const length = handle(work.node, {
    label: "Length n",
    move: (x) => setLength(work.at(x)),
    step: step("n", LENGTHS),
  });

  // -- the same in numbers --
  const rows = LAYERS.map(({ name, words, hue, dash }) => {
    const cells = [h("td"), h("td"), h("td")];
    const stroke = svg("line", { x2: 32, y1: 3, y2: 3, "stroke-dasharray": dash ?? "none" });
    const key = svg("svg", { class: `tc-hue${hue} tc-key`, viewBox: "0 0 32 6" }, stroke);
    key.setAttribute("aria-hidden", "true");
    return { name, cells, node: h("tr", {}, h("th", { scope: "row" }, key, words), ...cells) };
  });
  const heads = ["multiply-adds", "sequential steps", "longest path"].map((name) =>
    h("th", { scope: "col" }, name),
  );
  const table = h(
    "table",
    {},
    h("thead", {}, h("tr", {}, h("td"), ...heads)),
    h("tbody", {}, ...rows.map((row) => row.node)),
  );
  const words = h("p", { class: "tc-why", "aria-live": "polite" });
  words.dataset.room = explain({ n: 95000, d: 4096, k: 15, r: 32, projections: false });
  const memory = h("small");
  const extra = h("div", { class: "tc-bar" }, kernel.node, near.node, memory);
  const titled = (title, hint, node) =>
    h("div", {}, h("b", {}, title), " ", h("small", {}, hint), node);
  const root = frame({
    name: "complexity",
    title: "What a layer costs",
    controls: [width.node, own.node],
    told: words,
    below: [
      h(
        "div",
        { class: "tc-plots" },
        titled("Multiply-adds of one layer", "drag the two dots", work.node),
        titled("Longest path", "steps of a signal", paths.node),
      ),
      table,
      h("div", { class: "tc-bar tc-more" }, more),
      extra,
    ],
  });

  function update() {
    const now = state();
    const { n } = now;
    width.set(nearest(WIDTHS, now.d));
    near.set(nearest(NEIGHBORS, now.r));
    kernel.set(now.k);
    own.set(now.projections);
    const layers = LAYERS.filter(({ dash }) => all || !dash);
    const here = costs(now);
    const first = (key) => Math.min(...layers.map(({ name }) => here[name][key]));
    for (const { name, cells, node } of rows) {
      node.toggleAttribute("hidden", !layers.some((layer) => layer.name === name));
      ["operations", "sequential", "path"].forEach((key, m) => {
        say(cells[m], m ? count(here[name][key]) : amount(here[name][key]));
        cells[m].classList.toggle("tc-least", here[name][key] === first(key));
      });
    }
    say(more, all ? "Leave out the two compromises" : MORE);
    more.setAttribute("aria-expanded", String(all));
    extra.toggleAttribute("hidden", !all);
    say(memory, weights(n));
    say(words, explain(now));

    const cross = crossings(now).recurrent;
    const same = operations({ ...now, n: cross }).attention;
    const high = Math.max(LEAST, here.attention.operations); // where the length is held
    const upright = (x, from, to) => ({
      points: [
        [x, from],
        [x, to],
      ],
      hue: 5,
      dash: "2 3",
      width: 1,
    });
    // A dilated convolution does the work of a plain one: one line, one name.
    const drawn = layers.filter(({ name }) => name !== "dilated");
    work.show(drawn, (name, at) => operations({ ...now, n: at })[name], {
      y: { min: LEAST, max: MOST, log: true, ticks: [1e6, 1e9, 1e12], show: (x) => SIZES[x] },
      lines: [upright(n, LEAST, high), ...(cross ? [upright(cross, LEAST, MOST)] : [])],
      marks: [
        { x: n, y: n > 1e4 ? LEAST : high, hue: 5, text: n === cross ? "" : `n = ${count(n)}` },
        ...(cross ? [{ x: cross, y: same, hue: 5, text: `n = d = ${count(cross)}` }] : []),
      ],
    });
    paths.show(layers, (name, at) => costs({ ...now, n: at })[name].path, {
      y: { min: 0.5, max: 1e6, log: true, ticks: [1, 100, 1e4], show: count },
      lines: [upright(n, 0.5, n)],
      marks: layers.map(({ name, hue }) => ({
        x: n,
        y: here[name].path,
        hue,
        text: all || name === "contiguous" ? "" : count(here[name].path),
      })),
    });

    // -- which is cheaper on either side of the crossing --
    const [x, y] = work.place(cross || 1, cross ? same : LEAST);
    sides.forEach(({ band, lines, words: side }, right) => {
      side.toggleAttribute("hidden", !cross && !right); // then recurrence is cheaper everywhere
      lines.forEach((line) => line.setAttribute("x", String(x + (right ? 6 : -6))));
      const wide = right ? LEFT + work.axis - x : x - LEFT;
      assign(band, { x: right ? x : LEFT, width: Math.max(0, wide) });
    });
    meet.node.toggleAttribute("hidden", !cross);
    meet.put(x, y, { min: WIDTHS[0], max: WIDTHS.at(-1), now: now.d, text: count(now.d) });
    const [px, py] = work.place(n, high);
    length.put(px, py, { min: 1, max: LONGEST, now: n, text: count(n) });
  }

  return live({ model, el }, root, traits, update);
}

export default { render };
