// @ts-check
// Wide keys make large scores, large scores one winner, and one winner hardly any gradient (section
// 3.2.1).
import { chart } from "./chart.js";
import { fixed } from "./numbers.js";
import { bothWeights, keysInUse, short, spread, times } from "./saturation_numbers.js";
import { assign, h, live, press, save, say, slider, svg } from "./shared.js";
import { frame, glide, stepBar } from "./stage.js";
/** @import {Context} from "./types.js" */

const WIDTHS = Array.from({ length: 11 }, (_, n) => 2 ** n);
const MODES = ["not divided", "divided"];
const CHARTS = { spread: "Spread", keys: "Keys in use", gradient: "Gradient" };
const REACH = 75; // scores from −75 to 75 fit on the line of dots

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
  const another = press("Another query", () =>
    save(model, { draw: (model.get("draw") + 1) % scores.length }),
  );

  // -- the query in sight, both ways: its scores as dots on a line, its weights as bars --
  const [wide, tall, low] = [316, 100, 66]; // of a drawing; the bars stand on `tall + low`
  const place = (n) => 8 + (n * (wide - 16)) / scores[0].length;
  const note = (x, y, text) => svg("text", { x, y, "text-anchor": "middle" }, text);
  const ways = MODES.map((mode, m) => {
    const dots = scores[0].map(() => svg("circle", { r: 5, cy: 14 }));
    const bars = scores[0].map(() => svg("rect", { class: "tc-bar-now", rx: 2 }));
    const wires = scores[0].map(() => svg("path", { class: "tc-drop" }));
    const show = glide(({ places, heights }) => {
      places.forEach((x, key) => {
        const [middle, top] = [place(key + 0.5), tall + low - heights[key] * tall];
        dots[key].setAttribute("cx", x.toFixed(1));
        wires[key].setAttribute(
          "d",
          `M${x.toFixed(1)} 20C${x.toFixed(1)} 44 ${middle} 34 ${middle} 58V${top.toFixed(1)}`,
        );
        wires[key].style.opacity = String(0.15 + 0.85 * heights[key]);
        assign(bars[key], {
          x: (place(key) + 2).toFixed(1),
          width: (place(1) - place(0) - 4).toFixed(1),
          y: top.toFixed(1),
          height: (heights[key] * tall).toFixed(1),
        });
      });
    }, 220);
    const picture = svg(
      "svg",
      { class: "tc-chart", viewBox: `0 0 ${wide} ${tall + low + 16}`, role: "img" },
      svg(
        "g",
        { class: "tc-axis tc-ground" },
        svg("line", { x1: 22, x2: wide - 20, y1: 14, y2: 14 }),
      ),
      ...wires,
      ...bars,
      svg("g", { class: "tc-marks" }, ...dots),
      svg(
        "g",
        { class: "tc-axis tc-ground" },
        svg("line", { x1: 0, x2: wide, y1: tall + low, y2: tall + low }),
        note(9, 18.5, fixed(-REACH, 0)),
        note(wide - 8, 18.5, fixed(REACH, 0)),
        ...[0, 4, 8, 12, 15].map((n) => note(place(n + 0.5), tall + low + 14, String(n + 1))),
      ),
    );
    const choose = press(m ? "q · k ÷ √d_k" : "q · k", () => save(model, { divided: Boolean(m) }), {
      "aria-label": mode,
      class: "tc-choose",
    });
    const used = h("b");
    const line = h("p", {}, choose, h("span", {}, used, " of 16 keys in use"));
    const box = { class: `tc-mode tc-hue${m ? 1 : 6}` };
    return { show, picture, choose, used, node: h("div", box, line, picture) };
  });

  // -- over all widths --
  const tabs = Object.entries(CHARTS).map(([shown, name]) => ({
    shown,
    tab: press(name, () => save(model, { shown })),
  }));
  const curve = chart({
    label: "The chosen figure over all widths, with and without the division",
    width: 316,
    height: 190,
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
    controls: [another],
    steps: steps.node,
    told: h("div", { class: "tc-ways" }, ...ways.map(({ node }) => node)),
    inputs: [h("div", { class: "tc-tabs" }, ...tabs.map(({ tab }) => tab)), curve.node, legend],
    result: [words, over, table],
  });

  function update() {
    const [dk, divided, draw, shown] = names.map((name) => model.get(name));
    const [n, mode] = [WIDTHS.indexOf(dk), Number(divided)];
    width.set(n);
    steps.show(n);

    const row = scores[draw];
    const now = row.map((x) => (divided ? x : x * Math.sqrt(dk)));
    const both = bothWeights(row, dk);
    ways.forEach(({ show, picture, choose, used, node }, m) => {
      const spreads = row.map((x) => (m ? x : x * Math.sqrt(dk)));
      const clipped = spreads.map((x) => Math.max(-1, Math.min(1, x / REACH)));
      show({ places: clipped.map((x) => wide * (0.5 + x / 2.4)), heights: both[m] });
      choose.setAttribute("aria-pressed", String(m === mode));
      node.classList.toggle("tc-on", m === mode);
      say(used, fixed(keysInUse(both[m]), 1));
      const [low, high] = [Math.min(...spreads), Math.max(...spreads)].map((x) => fixed(x, 1));
      const top = fixed(Math.max(...both[m]), 3);
      picture.setAttribute(
        "aria-label",
        `${MODES[m]}: scores from ${low} to ${high}, the largest weight ${top}`,
      );
    });
    const [top, used] = [Math.max(...both[mode]), keysInUse(both[mode])];
    const summary =
      `Scores spread by ${fixed(spread(now), 2)}, from ` +
      `${fixed(Math.min(...now), 1)} to ${fixed(Math.max(...now), 1)}. Key ` +
      `${both[mode].indexOf(top) + 1} takes ${fixed(top, 3)} of the weight, and ` +
      `${fixed(used, 2)} of 16 keys are in use.`;

    const [raw, calm] = MODES.map((name) => figures[name]);
    const gap = calm.median[n] / raw.median[n];
    const contrast =
      dk === 1
        ? "At d_k = 1 the division changes nothing."
        : gap >= 1
          ? `Over 1,000 queries the median gradient without the division is ${times(gap)} times ` +
            `smaller than with it, and the mean ${times(raw.mean[n] / calm.mean[n])} times ` +
            "larger: fewer and fewer queries get the most of it."
          : `Over 1,000 queries the median gradient is ${times(1 / gap)} times as large without the ` +
            "division: it does not starve yet.";
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
    const ends = MODES.map((name) => figures[name][series[0]][n]);
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
      marks: ends.map((at, m) => ({
        x: dk,
        y: Math.max(y.min, at),
        hue: m ? 1 : 6,
        text: `${MODES[m]}: ${short(at)}`,
      })),
    });
    legend.replaceChildren(
      shown === "gradient"
        ? "Solid: median, dashed: mean of 1,000 queries."
        : "Mean of 1,000 queries." +
            (shown === "keys"
              ? " In use: e to the entropy, 16 if all share alike, 1 if one wins."
              : ""),
    );
    cells.forEach((list, m) =>
      list.forEach(({ name, cell }) => say(cell, short(figures[MODES[m]][name][n]))),
    );
  }

  return live({ model, el }, root, names, update);
}

export default { render };
