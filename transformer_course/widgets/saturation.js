// @ts-check
// Wide keys make large scores, those one winner, and it hardly any gradient (section 3.2.1).
import { chart } from "./chart.js";
import { fixed } from "./numbers.js";
import {
  ACROSS,
  REACH,
  SCALES,
  beyond,
  bothWeights,
  contrast,
  explain,
  keysInUse,
  nameAt,
  noted,
  short,
} from "./saturation_numbers.js";
import { assign, h, live, press, save, say, slider, svg } from "./shared.js";
import { frame, glide, stepBar } from "./stage.js";
/** @import {Context} from "./types.js" */

const WIDTHS = Array.from({ length: 11 }, (_, n) => 2 ** n);
const MODES = ["not divided", "divided"];
const CHARTS = { spread: "Spread", keys: "Keys in use", gradient: "Gradient" };
const [TALLEST, LOWEST] = [172, 66]; // of the chart; where a name still fits below its dot

/** dₖ, as a book sets it. */
const dk = () => [h("i", {}, "d"), h("sub", {}, "k")];

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const names = ["d_k", "divided", "draw", "shown"];
  const [scores, figures] = ["scores", "figures"].map((name) => model.get(name));

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
  width.node.querySelector("label").replaceChildren(...dk());
  width.input.setAttribute("aria-label", "d_k");
  const next = () => save(model, { draw: (model.get("draw") + 1) % scores.length });
  const another = press("Another query", next);

  // -- the query in sight, both ways: scores as strokes on a line, weights as bars in their order --
  const [wide, tall, low] = [316, 108, 92]; // of a drawing; the bars stand on `tall + low`
  const place = (n) => 8 + (n * (wide - 16)) / scores[0].length;
  const note = (x, y, text, more = {}) => svg("text", { x, y, ...more }, text);
  const ways = MODES.map((mode, m) => {
    const dots = scores[0].map(() => svg("rect", { width: 2.5, height: 16, y: 6, rx: 1 }));
    const bars = scores[0].map(() => svg("rect", { class: "tc-bar-now", rx: 2 }));
    const wires = scores[0].map(() => svg("path", { class: "tc-drop" }));
    const [share, key] = [0, 1].map((n) =>
      svg("text", { y: tall + low + 15, class: n ? "tc-key" : "tc-share" }),
    );
    const ends = [0, 1].map((n) =>
      svg("text", { x: n * wide, y: 18.5, "text-anchor": n ? "end" : "start", class: "tc-end" }),
    );
    const show = glide(({ places, heights, ranks }) => {
      const best = Math.max(...heights);
      const above = tall + low - best * tall - 25; // the number on the tallest bar
      places.forEach((x, key) => {
        const [middle, top] = [place(ranks[key] + 0.5), tall + low - heights[key] * tall];
        dots[key].setAttribute("x", (x - 1.25).toFixed(1));
        wires[key].setAttribute(
          "d",
          `M${x.toFixed(1)} 22c0 38 ${middle - x} 18 ${middle - x} ${low - 36}` +
            `V${(ranks[key] > 12.5 ? Math.max(low - 14, above) : top).toFixed(1)}`,
        );
        wires[key].style.opacity = String(0.15 + 0.85 * heights[key]);
        bars[key].classList.toggle("tc-best", heights[key] === best);
        assign(bars[key], {
          x: (middle - place(0.5) + 10).toFixed(1),
          width: (place(1) - place(0) - 4).toFixed(1),
          y: top.toFixed(1),
          height: (heights[key] * tall).toFixed(1),
        });
      });
      share.setAttribute("y", String(tall + low - best * tall - 6));
    }, 220);
    const picture = svg(
      "svg",
      { class: "tc-chart", viewBox: `0 0 ${wide} ${tall + low + 18}`, role: "img" },
      svg(
        "g",
        { class: "tc-axis tc-ground" },
        svg("path", { d: `M30 14H${wide - 30}M${wide / 2} 4v20` }),
        ...ends,
      ),
      ...wires,
      ...bars,
      svg("g", { class: "tc-strokes" }, ...dots),
      svg("g", { class: "tc-axis tc-ground" }, svg("path", { d: `M0 ${tall + low}H${wide}` })),
      note(0, tall + low + 15, "softmax weights", { class: "tc-named" }),
      share,
      key,
    );
    const choose = press(m ? "q · k ÷ √" : "q · k", () => save(model, { divided: Boolean(m) }), {
      "aria-label": mode,
      class: "tc-choose",
    });
    if (m) choose.append(...dk());
    const used = h("b");
    const line = h("p", {}, choose, h("span", {}, used, " of 16 keys in use"));
    const box = { class: `tc-mode tc-hue${m ? 1 : 6}` };
    return { show, ends, share, key, picture, choose, used, node: h("div", box, line, picture) };
  });

  // -- over all widths --
  const tabs = Object.entries(CHARTS).map(([shown, name]) => ({
    shown,
    tab: press(name, () => save(model, { shown })),
  }));
  const curve = chart({
    label: "The chosen figure over all widths, with and without the division",
    width: 316,
    height: TALLEST,
  });
  const marks = MODES.map((_, m) => svg("text", { class: `tc-hue${m ? 1 : 6}` }));
  curve.node.append(svg("g", { class: "tc-marks tc-names" }, ...marks));
  const what = h("span");
  const swatch = (mode, m) => h("span", {}, h("i", { class: `tc-hue${m ? 1 : 6}` }), mode);
  const legend = h("p", { class: "tc-legend" }, ...MODES.map(swatch), " ", what);
  const cells = MODES.map(() =>
    ["spread", "keys", "median", "mean"].map((name) => ({ name, cell: h("td") })),
  );
  const heads = ["spread", "keys in use", "median gradient", "mean gradient"];
  const rows = MODES.map((mode, m) =>
    h("tr", {}, h("th", { scope: "row" }, mode), ...cells[m].map(({ cell }) => cell)),
  );
  const table = h(
    "table",
    {},
    h("caption", {}, "At this width"),
    h("thead", {}, h("tr", {}, h("td"), ...heads.map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, ...rows),
  );
  const words = h("p", { class: "tc-why", "aria-live": "polite" });
  const [over, asIf] = ["over", "legend"].map((kind) => h("p", { class: `tc-${kind}` }));
  steps.node.append(width.node);
  const root = frame({
    name: "saturation",
    title: "Wide keys, one winner",
    controls: [another],
    steps: steps.node,
    told: h(
      "div",
      {},
      words,
      h("div", { class: "tc-ways" }, ...ways.map(({ node }) => node)),
      asIf,
    ),
    below: [
      h(
        "details",
        {},
        h("summary", {}, "Over 1,000 queries, at every width"),
        h(
          "div",
          { class: "tc-more" },
          h("div", { class: "tc-tabs" }, ...tabs.map(({ tab }) => tab)),
          h("div", {}, curve.node, legend),
          h("div", {}, table, over),
        ),
      ),
    ],
  });

  function update() {
    const [wideness, divided, draw, shown] = names.map((name) => model.get(name));
    const [n, mode] = [WIDTHS.indexOf(wideness), Number(divided)];
    width.set(n);
    steps.show(n);
    const [row, both] = [scores[draw], bothWeights(scores[draw], wideness)];
    const ranks = row.map((x) => row.filter((other) => other < x).length);
    ways.forEach(({ show, ends, share, key, picture, choose, used, node }, m) => {
      const spreads = row.map((x) => (m ? x : x * Math.sqrt(wideness)));
      const last = ranks.indexOf(row.length - 1);
      const on = spreads.map((x) => Math.max(-REACH, Math.min(REACH, x)));
      show({ places: on.map((x) => wide * (0.5 + x / REACH / 2.5)), heights: both[m], ranks });
      const off = beyond(spreads);
      ends.forEach((node, n) => {
        say(node, off[n] ? (n ? `${off[n]} →` : `← ${off[n]}`) : fixed(n ? REACH : -REACH, 0));
        node.classList.toggle("tc-far", off[n] > 0);
      });
      for (const node of [share, key])
        assign(node, { x: place(row.length) - 2, "text-anchor": "end" });
      say(key, `key ${last + 1}`);
      say(share, fixed(both[m][last], 3));
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
    say(words, explain(both, wideness));
    say(asIf, noted(beyond(row.map((x) => x * Math.sqrt(wideness)))));
    say(over, contrast(figures[MODES[0]], figures[MODES[1]], n));

    for (const { shown: name, tab } of tabs)
      tab.setAttribute("aria-pressed", String(name === shown));
    const series = shown === "gradient" ? ["median", "mean"] : [shown];
    const lines = MODES.flatMap((name, m) =>
      series.map((each) => ({
        hue: m ? 1 : 6,
        dash: each === "mean" ? "5 4" : undefined,
        width: m === mode ? 2.5 : 1.5,
        points: WIDTHS.map((w, k) => [w, figures[name][each][k]]),
      })),
    );
    const ends = MODES.map((name) => figures[name][series[0]][n]);
    const y = SCALES[shown];
    curve.draw({
      x: ACROSS,
      y: { ...y, label: CHARTS[shown] },
      lines,
      marks: ends.map((at, m) => ({ x: wideness, y: Math.max(y.min, at), hue: m ? 1 : 6 })),
    });
    ends.forEach((at, m) => {
      const [x, down] = curve.place(wideness, Math.max(y.min, at));
      const all = figures[MODES[m]][series[0]];
      const rising = all[Math.min(10, n + 1)] > all[Math.max(0, n - 1)];
      const beyond = down > TALLEST - LOWEST; // below it there is no room above the axis
      const upper = beyond || at > ends[1 - m] || (at === ends[1 - m] && m === 1);
      assign(marks[m], nameAt([x, down], upper, rising, 316));
      say(marks[m], short(at));
    });
    say(what, y.about);
    cells.forEach((list, m) =>
      list.forEach(({ name, cell }) => say(cell, short(figures[MODES[m]][name][n]))),
    );
  }

  return live({ model, el }, root, names, update);
}

export default { render };
