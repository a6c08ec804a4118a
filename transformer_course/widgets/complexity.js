// @ts-check
// Table 1 as a calculator: multiply-adds, sequential steps and longest path of four kinds of
// layers.
import { chart, chartWidth, onPress } from "./chart.js";
import { count, plain } from "./numbers.js";
import { check, h, live, save, say, slider } from "./shared.js";

/** @typedef {{n: number, d: number, k: number, r: number, projections: boolean}} State */
/** @typedef {{operations: number, sequential: number, path: number}} Cost */

export const LONGEST = 128000;
/** @type {[string, string, number, string | undefined][]} name, words, hue, dash */
const LAYERS = [
  ["attention", "self-attention", 1, undefined],
  ["recurrent", "recurrent", 2, "8 4"],
  ["contiguous", "convolution", 3, "2 3"],
  ["dilated", "dilated convolution", 3, "2 3"],
  ["restricted", "restricted attention", 4, "10 3 2 3"],
];

// ---- The mathematics: the same counts as transformer_course/widgets/complexity.py ----

/** Layers that join n positions, each reaching back over a window.
 * @param {number} n @param {number} window @param {number} growth */
export function layersToSpan(n, window, growth = 1) {
  let [layers, reach, step] = [1, window, 1];
  while (reach < n) {
    step *= growth;
    reach += (window - 1) * step;
    layers += 1;
  }
  return layers;
}

/** The multiply-adds of one layer of each kind.
 * @param {State} state @returns {Record<string, number>} */
export function operations({ n, d, k, r, projections }) {
  const own = projections ? 4 * n * d * d : 0;
  const convolution = k * n * d * d;
  return {
    attention: 2 * n * n * d + own,
    recurrent: 2 * n * d * d,
    contiguous: convolution,
    dilated: convolution,
    restricted: 2 * Math.min(r, n) * n * d + own,
  };
}

/** Table 1 for one setting. @param {State} state @returns {Record<string, Cost>} */
export function costs(state) {
  const { n, k, r } = state;
  const work = operations(state);
  const row = (name, sequential, path) => ({ operations: work[name], sequential, path });
  return {
    attention: row("attention", 1, 1),
    recurrent: row("recurrent", n, n),
    contiguous: row("contiguous", 1, layersToSpan(n, k)),
    dilated: row("dilated", 1, layersToSpan(n, k, k)),
    restricted: row("restricted", 1, layersToSpan(n, r)),
  };
}

/** Where attention becomes dearer than another layer; 0 if it always is.
 * @param {State} state @returns {Record<string, number>} */
export function crossings({ d, k, projections }) {
  // Of 2 n + own against what the other layer has in place of it.
  const own = projections ? 4 * d : 0;
  return { recurrent: Math.max(0, (2 * d - own) / 2), contiguous: Math.max(0, (k * d - own) / 2) };
}

/** Lengths that the slider stops at: about twenty in each factor of ten. */
export const LENGTHS = [
  ...new Set(
    Array.from({ length: 104 }, (_, p) =>
      Math.min(LONGEST, Math.round(Number((10 ** (p / 20)).toPrecision(2)))),
    ),
  ),
];
const WIDTHS = [64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096];
const NEIGHBORS = [
  2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 2048, 4096,
];

/** The place of the stop next to a value. @param {number[]} stops @param {number} value */
export const nearest = (stops, value) =>
  stops.reduce(
    (best, stop, n) => (Math.abs(stop - value) < Math.abs(stops[best] - value) ? n : best),
    0,
  );

// ---- Words ----

const UNITS = [
  [1e12, " trillion"],
  [1e9, " billion"],
  [1e6, " million"],
];

/** "10.2 million" @param {number} x @param {(string | number)[][]} units */
export function amount(x, units = UNITS) {
  const [size, name] = units.find(([least]) => x >= Number(least)) ?? [1, ""];
  return Number(size) === 1
    ? `${count(x)}${name}`
    : `${plain(Number((x / Number(size)).toPrecision(3)))}${name}`;
}

/** @param {number} x */
const bytes = (x) =>
  amount(x, [
    [1e9, " GB"],
    [1e6, " MB"],
    [1e3, " KB"],
    [1, " bytes"],
  ]);

/** "0.2 times" @param {number} ratio */
const times = (ratio) =>
  `${ratio >= 100 ? count(ratio) : plain(Number(ratio.toPrecision(2)))} times`;

/** What the state means. @param {State} state */
export function explain(state) {
  const { n, d } = state;
  const { attention, recurrent, dilated } = costs(state);
  const cross = crossings(state).recurrent;
  const ratio = attention.operations / recurrent.operations;
  const against = n === cross ? "exactly as many as" : `${times(ratio)} as many as`;
  const wide = crossings(state).contiguous;
  const kernel = wide ? `, and than the convolution while n < ${count(wide)}` : "";
  const rule = cross
    ? `Attention is cheaper than recurrence while n < d = ${count(d)}${kernel}.`
    : "With its projections attention is never cheaper than " +
      `recurrence${kernel && `, but cheaper${kernel.slice(5)}`}.`;
  const layers = `${count(dilated.path)} layer${dilated.path === 1 ? "" : "s"}`;
  const steps =
    "From the first position to the last a signal takes 1 step instead of " +
    `${count(recurrent.path)}${n > 2 ? `; dilated convolutions need ${layers}` : ""}.`;
  const memory =
    `The weights of one head are ${count(n)} × ${count(n)} = ${amount(n * n)} ` +
    `number${n === 1 ? "" : "s"}: ${bytes(4 * n * n)} in float32.`;
  return (
    `For ${count(n)} position${n === 1 ? "" : "s"} self-attention takes ` +
    `${amount(attention.operations)} multiply-adds, ${against} the recurrent layer. ${rule} ` +
    `${n > 1 ? `${steps} ` : ""}${memory}`
  );
}

// ---- The page ----

/** @param {{model: any, el: HTMLElement}} context @returns {() => void} clean-up */
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
