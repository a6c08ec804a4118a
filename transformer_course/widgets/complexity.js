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
  nearest,
  operations,
} from "./complexity_counts.js";
import { count, plain } from "./numbers.js";
import { check, h, live, save, say, slider } from "./shared.js";
/** @import {Context} from "./types.js" */

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
  const [length, width, near] = [
    stops("Length n", "n", LENGTHS),
    stops("Width d", "d", WIDTHS),
    stops("Neighborhood r", "r", NEIGHBORS),
  ];
  const kernel = slider({
    label: "Kernel k",
    min: 2,
    max: 15,
    value: get("k"),
    show: () => plain(get("k")),
    change: (k) => save(model, { k }),
  });
  const own = check({
    label: "Count the projections, 4 n d²",
    value: get("projections"),
    change: (projections) => save(model, { projections }),
  });
  const wide = chartWidth(el);
  const plot = chart({
    label: "Multiply-adds of one layer by length, both axes logarithmic",
    width: wide,
    height: wide < 500 ? 280 : 320,
  });
  onPress(plot.node, (place) => save(model, { n: LENGTHS[nearest(LENGTHS, LONGEST ** place)] }));

  const rows = LAYERS.map(([name, words, hue, dash]) => {
    const cells = [h("td"), h("td"), h("td")];
    const key = h("i", { class: `tc-hue${hue}`, "data-dash": dash ? "yes" : "no" });
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
  const root = h(
    "div",
    { class: "tc tc-complexity", role: "group", "aria-label": "What a layer costs" },
    h("div", { class: "tc-bar" }, length.node, width.node, kernel.node, near.node, own.node),
    words,
    table,
    plot.node,
    h(
      "p",
      { class: "tc-legend" },
      "Counted: the multiply-adds of the plainest layer of each kind. Attention: Q Kᵀ and " +
        "weights · V; recurrent: W x + U h. Table 1 gives the order of growth and leaves " +
        "constants out. A window reaches back over k or r positions, its own among them. Bold: " +
        "the fewest.",
    ),
  );

  function update() {
    const now = state();
    const { n } = now;
    length.set(nearest(LENGTHS, n));
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
      x: { min: 1, max: LONGEST, log: true, label: "length n" },
      y: { min: bottom, max: top, log: true, label: "multiply-adds" },
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
                  [cross, meeting],
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
          width: hue === 1 ? 2.5 : 2,
        })),
      ],
      marks: [
        ...(cross
          ? [
              { x: cross, y: meeting, hue: 2 },
              { x: cross, y: bottom, hue: 2, text: "n = d" },
            ]
          : []),
        { x: n, y: all.attention.operations, hue: 1 },
      ],
    });
    say(words, explain(now));
  }

  return live({ model, el }, root, ["n", "d", "k", "r", "projections"], update);
}

export default { render };
