// @ts-check
// Wide keys make large scores, large scores one winner, and one winner hardly any gradient (section
// 3.2.1).
import { chart } from "./chart.js";
import { fixed } from "./numbers.js";
import { bothWeights, keysInUse, short, spread, times } from "./saturation_numbers.js";
import { assign, check, h, live, press, save, say, slider, svg } from "./shared.js";
import { frame, glide, stepBar } from "./stage.js";
/** @import {Context} from "./types.js" */

const WIDTHS = Array.from({ length: 11 }, (_, n) => 2 ** n);
const MODES = ["not divided", "divided"];
const CHARTS = { spread: "Spread", keys: "Keys in use", gradient: "Gradient" };
const REACH = 100; // scores from −100 to 100 fit on the line of dots

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const names = ["d_k", "divided", "draw", "shown"];
  const scores = model.get("scores");
  const figures = model.get("figures");

  const steps = stepBar({
    names: WIDTHS.map((width) => `d_k = ${width}`),
    get: () => WIDTHS.indexOf(model.get("d_k")),
    go: (n) => save(model, { d_k: WIDTHS[n] }),
    every: 700,
  });
  const width = slider({
    label: "d_k",
    min: 0,
    max: 10,
    value: 0,
    show: (n) => String(WIDTHS[n]),
    change: (n) => save(model, { d_k: WIDTHS[n] }),
  });
  const scale = check({
    label: "Divide by √d_k",
    value: false,
    change: (divided) => save(model, { divided }),
  });
  const another = press("Another query", () =>
    save(model, { draw: (model.get("draw") + 1) % scores.length }),
  );

  // -- the query in sight: its scores as dots on a line, its weights as bars --
  const [wide, tall, low] = [316, 100, 54]; // of the drawing; the bars stand on `tall + low`
  const dots = scores[0].map(() => svg("circle", { r: 4, cy: 18 }));
  const bars = scores[0].map(() => [
    svg("rect", { class: "tc-bar-now" }),
    svg("rect", { class: "tc-bar-other" }),
  ]);
  const glideTo = glide(({ places, heights, others }) => {
    dots.forEach((dot, key) => dot.setAttribute("cx", places[key].toFixed(1)));
    bars.forEach((pair, key) =>
      [heights, others].forEach((tops, layer) =>
        assign(pair[layer], {
          x: (place(key) + 3).toFixed(1),
          width: (place(1) - place(0) - 6).toFixed(1),
          y: (tall + low - tops[key] * tall).toFixed(1),
          height: (tops[key] * tall).toFixed(1),
        }),
      ),
    );
  }, 220);
  const note = (x, y, text) => svg("text", { x, y, "text-anchor": "middle" }, text);
  const place = (n) => 8 + (n * (wide - 16)) / bars.length;
  const picture = svg(
    "svg",
    { class: "tc-chart", viewBox: `0 0 ${wide} ${tall + low + 18}`, role: "img" },
    svg(
      "g",
      { class: "tc-axis tc-ground" },
      svg("line", { x1: 0, x2: wide, y1: 18, y2: 18 }),
      ...[-80, -40, 0, 40, 80].map((x) => note(wide * (0.5 + x / 2 / REACH), 40, fixed(x, 0))),
      svg("line", { x1: 0, x2: wide, y1: tall + low, y2: tall + low }),
      ...bars.map((_, n) => note(place(n + 0.5), tall + low + 14, String(n + 1))),
    ),
    svg("g", { class: "tc-marks" }, ...dots),
    ...bars.flat(),
  );

  // -- over all widths --
  const tabs = Object.entries(CHARTS).map(([shown, name]) => ({
    shown,
    tab: press(name, () => save(model, { shown })),
  }));
  const curve = chart({
    label: "The chosen figure over all widths, with and without the division",
    width: 316,
    height: 200,
  });
  const legend = h("p", { class: "tc-legend" });
  const cells = MODES.map(() =>
    ["spread", "keys", "median", "mean"].map((name) => ({ name, cell: h("td") })),
  );
  const heads = ["spread", "keys in use", "median gradient", "mean gradient"];
  const table = h(
    "details",
    {},
    h("summary", {}, "Figures over 1,000 queries"),
    h(
      "table",
      {},
      h("thead", {}, h("tr", {}, h("td"), ...heads.map((name) => h("th", { scope: "col" }, name)))),
      h(
        "tbody",
        {},
        ...MODES.map((mode, m) =>
          h("tr", {}, h("th", { scope: "row" }, mode), ...cells[m].map(({ cell }) => cell)),
        ),
      ),
    ),
  );
  const words = h("p", { class: "tc-why", "aria-live": "polite" });
  const over = h("p", { class: "tc-over" });
  steps.node.append(width.node);
  const root = frame({
    name: "saturation",
    title: "Wide keys, one winner",
    controls: [scale.node, another],
    steps: steps.node,
    inputs: [
      h("p", {}, h("b", {}, "One query, 16 keys")),
      picture,
      h(
        "p",
        { class: "tc-legend" },
        h("span", {}, h("i", { class: "tc-dot" }), "score"),
        h("span", {}, h("i", { class: "tc-now" }), "weight"),
        h("span", {}, h("i", { class: "tc-other" }), "the other way"),
      ),
      words,
    ],
    result: [
      h("div", { class: "tc-tabs" }, ...tabs.map(({ tab }) => tab)),
      curve.node,
      legend,
      over,
    ],
    below: [table],
  });

  function update() {
    const [dk, divided, draw, shown] = names.map((name) => model.get(name));
    const [n, mode] = [WIDTHS.indexOf(dk), Number(divided)];
    width.set(n);
    steps.show(n);
    scale.set(divided);

    const row = scores[draw];
    const now = row.map((x) => (divided ? x : x * Math.sqrt(dk)));
    const both = bothWeights(row, dk);
    glideTo({
      places: now.map((x) => wide * (0.5 + Math.max(-1, Math.min(1, x / REACH)) / 2)),
      heights: both[mode],
      others: both[1 - mode],
    });
    const [top, used] = [Math.max(...both[mode]), keysInUse(both[mode])];
    const summary =
      `Scores spread by ${fixed(spread(now), 2)}, from ` +
      `${fixed(Math.min(...now), 1)} to ${fixed(Math.max(...now), 1)}. Key ` +
      `${both[mode].indexOf(top) + 1} takes ${fixed(top, 3)} of the weight, and ` +
      `${fixed(used, 2)} of 16 keys are in use.`;
    picture.setAttribute("aria-label", summary);

    const [raw, calm] = MODES.map((name) => figures[name]);
    const gap = calm.median[n] / raw.median[n];
    const contrast =
      dk === 1
        ? "At d_k = 1 the division changes nothing."
        : gap >= 1
          ? `Over 1,000 queries the median gradient without the division is ${times(gap)} times ` +
            `smaller than with it, and the mean ${times(raw.mean[n] / calm.mean[n])} times ` +
            "larger: fewer and fewer queries get the most of it."
          : `Over 1,000 queries the median gradient without the division is ${times(1 / gap)} ` +
            "times that with it: at this width nothing starves yet.";
    say(words, `d_k = ${dk}, ${MODES[mode]}. ${summary}`);
    say(over, contrast);

    for (const { shown: name, tab } of tabs)
      tab.setAttribute("aria-pressed", String(name === shown));
    const series = shown === "gradient" ? ["median", "mean"] : [shown];
    const lines = MODES.flatMap((name, m) =>
      series.map((what) => ({
        hue: m ? 1 : 6,
        dash: what === "mean" ? "5 4" : undefined,
        width: m === mode ? 2.5 : 1.5,
        points: WIDTHS.map((w, k) => [w, figures[name][what][k]]),
      })),
    );
    const at = figures[MODES[mode]][series[0]][n];
    const y = {
      spread: { min: 0.5, max: 64, log: true, ticks: [1, 4, 16, 64], show: String },
      keys: { min: 0, max: 16 },
      gradient: { min: 1e-4, max: 10, log: true },
    }[shown];
    curve.draw({
      x: {
        min: 1,
        max: 1250,
        log: true,
        label: "d_k",
        ticks: WIDTHS.filter((_, k) => k % 2 === 0),
        show: String,
      },
      y: { ...y, label: CHARTS[shown] },
      lines,
      marks: [{ x: dk, y: Math.max(y.min, at), hue: divided ? 1 : 6, text: short(at) }],
    });
    legend.replaceChildren(
      ...[
        ["tc-hue1", "divided"],
        ["tc-hue6", "not divided"],
      ].map(([hue, name]) => h("span", {}, h("i", { class: hue }), name)),
      shown === "gradient"
        ? "Solid: median, dashed: mean of 1,000 queries."
        : "Mean of 1,000 queries.",
    );
    cells.forEach((list, m) =>
      list.forEach(({ name, cell }) => say(cell, short(figures[MODES[m]][name][n]))),
    );
  }

  return live({ model, el }, root, names, update);
}

export default { render };
