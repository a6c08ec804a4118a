// @ts-check
// Table 1 as a calculator: multiply-adds, sequential steps and longest path of four kinds of
// layers.
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
} from "./complexity_counts.js";
import { handle } from "./handle.js";
import { count, plain, raised } from "./numbers.js";
import { assign, check, h, live, save, say, slider, svg } from "./shared.js";
import { frame } from "./stage.js";
/** @import {Context} from "./types.js" */

/** All marks of an axis in one writing: 10⁶. @param {number} x */
const tenTo = (x) => `10${raised(Math.round(Math.log10(x)))}`;

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const get = (name) => model.get(name);
  const state = () => ({
    n: get("n"),
    d: get("d"),
    k: get("k"),
    r: get("r"),
    projections: get("projections"),
  });
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
  const narrow = chartWidth(el) < 500;
  const [wide, tall, room] = narrow ? [330, 250, 95] : [420, 280, 130]; // room for the names
  const plot = chart({
    label: "Multiply-adds of one layer by length, both axes logarithmic",
    width: wide,
    height: tall,
  });
  const paths = chart({
    label: "The longest path between two positions by length, both axes logarithmic",
    width: narrow ? 330 : 226,
    height: narrow ? 180 : tall,
  });
  const [left, right] = [52, 12]; // of the axis
  const across = wide - left - right;
  const far = LONGEST ** (across / (across - room)); // the axis goes on, for the names of the lines
  const at = (x) => far ** Math.max(0, Math.min(1, (x - left) / across));
  const setLength = (n) => save(model, { n: LENGTHS[nearestRatio(LENGTHS, n)] });
  onPress(plot.node, (place) => setLength(far ** place));
  onPress(paths.node, (place) => setLength(LONGEST ** place));
  const names = LAYERS.filter(([name]) => name !== "dilated").map(([name, words, hue]) => ({
    name,
    node: svg("text", { class: `tc-hue${hue}` }, narrow ? words.split(" ")[0] : words),
  }));
  const here = svg("text", { y: 10 });
  const sides = ["attention", "recurrence"].map((name, n) => ({
    lines: [name, "is cheaper"].map((text, m) => svg("tspan", { y: 30 + 14 * m }, text)),
    anchor: n ? "start" : "end",
  }));
  const sideNames = sides.map(({ lines, anchor }) =>
    svg("text", { class: "tc-side", "text-anchor": anchor }, ...lines),
  );
  plot.node.append(
    svg("g", { class: "tc-ends" }, ...names.map(({ node }) => node)),
    svg("g", { class: "tc-marks" }, here, ...sideNames),
  );
  const step = (trait, stops) => (n) => {
    const to = nearest(stops, get(trait)) + n;
    save(model, { [trait]: stops[Math.max(0, Math.min(stops.length - 1, to))] });
  };
  const meet = handle(plot.node, {
    label: "Width d, at the crossing",
    hue: 2,
    move: (x) => save(model, { d: WIDTHS[nearestRatio(WIDTHS, at(x))] }),
    step: step("d", WIDTHS),
  });
  const length = handle(plot.node, {
    label: "Length n",
    move: (x) => setLength(at(x)),
    step: step("n", LENGTHS),
  });

  const rows = LAYERS.map(([name, words, hue, dash]) => {
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
  const root = frame({
    name: "complexity",
    title: "What a layer costs",
    controls: [own.node],
    steps: h("div", { class: "tc-bar" }, width.node, kernel.node, near.node),
    told: h(
      "div",
      {},
      words,
      h(
        "div",
        { class: "tc-plots" },
        h(
          "div",
          {},
          h("b", {}, "Multiply-adds of one layer "),
          h("small", {}, "drag the length, or the crossing"),
          plot.node,
        ),
        h("div", {}, h("b", {}, "Longest path "), h("small", {}, "steps of a signal"), paths.node),
      ),
    ),
    below: [table],
  });

  function update() {
    const now = state();
    const { n } = now;
    width.set(nearest(WIDTHS, now.d));
    near.set(nearest(NEIGHBORS, now.r));
    kernel.set(now.k);
    own.set(now.projections);
    const all = costs(now);
    const least = Math.min(...Object.values(all).map((cost) => cost.operations));
    for (const { name, cells } of rows) {
      const cost = all[name];
      [amount(cost.operations), count(cost.sequential), count(cost.path)].forEach((text, m) =>
        say(cells[m], text),
      );
      cells[0].classList.toggle("tc-least", cost.operations === least);
    }
    const curve = (name) => LENGTHS.map((at) => [at, operations({ ...now, n: at })[name]]);
    const cross = crossings(now).recurrent;
    const meeting = operations({ ...now, n: cross }).attention;
    const [bottom, top] = [1e4, 1e15];
    plot.draw({
      x: { min: 1, max: far, log: true, label: "length n", ticks: [1, 100, 1e4], show: count },
      y: { min: bottom, max: top, log: true, show: tenTo },
      lines: [
        {
          points: [
            [n, bottom],
            [n, top],
          ],
          hue: 1,
          dash: "1 3",
          width: 1,
        },
        ...(cross
          ? [
              {
                points: [
                  [cross, bottom],
                  [cross, top],
                ],
                hue: 2,
                dash: "1 3",
                width: 1,
              },
            ]
          : []),
        ...LAYERS.filter(([name]) => name !== "dilated").map(([name, , hue, dash]) => ({
          points: curve(name),
          hue,
          dash,
          width: hue === 1 ? 3 : 2,
        })),
      ],
      marks: [
        ...(cross
          ? [
              { x: cross, y: meeting, hue: 2 },
              { x: cross, y: bottom, hue: 2, text: `they cross at n = d = ${count(cross)}` },
            ]
          : []),
        { x: n, y: all.attention.operations, hue: 1 },
      ],
    });
    const spans = (name) => LENGTHS.map((m) => [m, costs({ ...now, n: m })[name].path]);
    paths.draw({
      x: { min: 1, max: LONGEST, log: true, label: "length n", ticks: [1, 100, 1e4], show: count },
      y: { min: 1, max: LONGEST, log: true, show: tenTo },
      lines: LAYERS.map(([name, , hue, dash]) => ({
        points: spans(name),
        hue,
        dash,
        width: hue === 1 ? 3 : 2,
      })),
      marks: LAYERS.map(([name, , hue]) => ({ x: n, y: all[name].path, hue })),
    });
    const [x, y] = plot.place(n, all.attention.operations);
    say(here, `n = ${count(n)}`);
    assign(here, { x: x + (x > wide / 2 ? 4 : -4), "text-anchor": x > wide / 2 ? "end" : "start" });
    length.put(x, y, { min: 1, max: LONGEST, now: n, text: count(n) });
    const [mx, my] = plot.place(cross || 1, cross ? meeting : bottom);
    meet.node.toggleAttribute("hidden", !cross);
    sideNames[0].toggleAttribute("hidden", !cross); // recurrence is cheaper everywhere
    sides.forEach(({ lines }, n) =>
      lines.forEach((line) => line.setAttribute("x", String(mx + (n ? 6 : -6)))),
    );
    meet.put(mx, my, { min: WIDTHS[0], max: WIDTHS.at(-1), now: now.d, text: count(now.d) });
    const ends = names.map(({ name }) => {
      const work = operations({ ...now, n: LONGEST })[name];
      return plot.place(LONGEST, Math.min(top, work));
    });
    lineEnds(ends.map(([, end]) => end)).forEach((end, place) =>
      assign(names[place].node, { x: ends[place][0] + 7, y: end + 4 }),
    );
    say(words, explain(now));
  }

  return live({ model, el }, root, ["n", "d", "k", "r", "projections"], update);
}

export default { render };
