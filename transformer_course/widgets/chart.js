// @ts-check
// A small line chart as SVG, for widgets that show a curve. Colors and fonts come from shared.css.
import { raised } from "./numbers.js";
import { svg } from "./shared.js";

const MARGIN = { left: 52, right: 12, top: 12, bottom: 40 };
const LETTER = 7; // pixels of a letter at 12 px, rather too many

/** @typedef {{left: number, right: number, top: number, bottom: number}} Box */

/** Whether a line from a to b touches a box.
 * @param {Box} box @param {number[]} a @param {number[]} b */
export function touches({ left, right, top, bottom }, a, b) {
  let [from, to] = [0, 1];
  for (const [start, way, low, high] of [
    [a[0], b[0] - a[0], left, right],
    [a[1], b[1] - a[1], top, bottom],
  ]) {
    if (!way && (start < low || start > high)) return false;
    if (!way) continue;
    const ends = [(low - start) / way, (high - start) / way];
    from = Math.max(from, Math.min(...ends));
    to = Math.min(to, Math.max(...ends));
  }
  return from <= to;
}

/** Where the words of a mark may stand, the nearest places first: beside it, above and below, then
 * further off.
 * @param {number} x @param {number} y @param {number} width of the words
 * @returns {{x: number, y: number, anchor: string, box: Box}[]} */
function around(x, y, width) {
  const levels = [-8, 17, -22, 31, -36, 45, -50, 59];
  return levels.flatMap((down) =>
    [
      [9, "start", 0],
      [-9, "end", -width],
      [0, "middle", -width / 2],
    ].map(([aside, anchor, start]) => {
      const left = x + Number(aside) + Number(start);
      return {
        x: x + Number(aside),
        y: y + down,
        anchor: String(anchor),
        box: { left, right: left + width, top: y + down - 11, bottom: y + down + 3 },
      };
    }),
  );
}

/** The first place for a mark's words that no line strikes and no other mark covers, within the
 * frame; failing that, the one with the least in its way.
 * @param {number[]} at @param {string} text @param {Box} frame
 * @param {number[][][]} lines in pixels @param {Box[]} taken */
export function freePlace([x, y], text, frame, lines, taken) {
  const counted = around(x, y, text.length * LETTER).map((place) => {
    const { box } = place;
    const outside =
      box.left < frame.left ||
      box.right > frame.right ||
      box.top < frame.top ||
      box.bottom > frame.bottom;
    const struck = lines.filter((points) =>
      points.some((point, n) => n && touches(box, points[n - 1], point)),
    ).length;
    const covered = taken.filter(
      (other) =>
        box.left < other.right &&
        other.left < box.right &&
        box.top < other.bottom &&
        other.top < box.bottom,
    ).length;
    return { place, faults: 100 * Number(outside) + struck + 2 * covered };
  });
  return counted.reduce((best, each) => (each.faults < best.faults ? each : best)).place;
}

/** Round places between two ends, about `wanted` of them; powers of ten on a log axis. */
export function ticks({ min, max, log = false }, wanted = 5) {
  if (log) {
    const places = [];
    for (let power = Math.ceil(Math.log10(min) - 1e-9); power <= Math.log10(max) + 1e-9; power += 1)
      places.push(10 ** power);
    const every = Math.ceil(places.length / (wanted + 1));
    return places.filter((_, n) => n % every === 0);
  }
  const rough = (max - min) / wanted;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * unit).find((size) => size >= rough) ?? rough;
  const places = [];
  for (let n = Math.ceil(min / step - 1e-9); n * step <= max + step * 1e-9; n += 1)
    places.push(Number((n * step).toPrecision(12)));
  return places;
}

/** A chart of lines. `x` and `y` are {min, max, log, label, show}; `draw({x, y, lines, marks})`
 * draws it anew with lines {name, points: [x, y][], hue: 1 to 6, dash, width} and marks {x, y, hue,
 * text}. Points outside are clipped.
 * @returns {{node: any, draw: (content: any) => void, place: (x: number, y: number) =>
 * number[]}} */
export function chart({ label, width = 560, height = 260 }) {
  const clip = `tc-clip-${Math.random().toString(36).slice(2, 9)}`;
  const box = {
    x: MARGIN.left,
    y: MARGIN.top,
    width: width - MARGIN.left - MARGIN.right,
    height: height - MARGIN.top - MARGIN.bottom,
  };
  const inner = svg("g");
  const node = svg(
    "svg",
    { class: "tc-chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label },
    svg("clipPath", { id: clip }, svg("rect", box)),
    inner,
  );
  let axes = { x: { min: 0, max: 1 }, y: { min: 0, max: 1 } };
  const part = (axis, value) =>
    axis.log
      ? (Math.log(value) - Math.log(axis.min)) / (Math.log(axis.max) - Math.log(axis.min))
      : (value - axis.min) / (axis.max - axis.min);
  const place = (x, y) => [
    box.x + part(axes.x, x) * box.width,
    box.y + (1 - part(axes.y, y)) * box.height,
  ];

  const axis = (which) => {
    const {
      show = (value) => (axes[which].log ? power(value) : String(value).replace("-", "−")),
      label: title = "",
    } = axes[which];
    const across = which === "x";
    const made = (axes[which].ticks ?? ticks(axes[which], across ? 6 : 5)).map((value) => {
      const [px, py] = across ? place(value, axes.y.min) : place(axes.x.min, value);
      const shown = show(value);
      // The last one would be cut at the right edge.
      const last = across && px + (shown.length * LETTER) / 2 > width;
      return svg(
        "g",
        {},
        svg(
          "line",
          across
            ? { x1: px, x2: px, y1: box.y, y2: py }
            : { x1: px, x2: box.x + box.width, y1: py, y2: py },
        ),
        svg(
          "text",
          across
            ? { x: last ? width : px, y: py + 16, "text-anchor": last ? "end" : "middle" }
            : { x: px - 6, y: py + 4, "text-anchor": "end" },
          shown,
        ),
      );
    });
    const name = svg(
      "text",
      across
        ? { x: box.x + box.width / 2, y: height - 6, "text-anchor": "middle" }
        : {
            x: 12,
            y: box.y + box.height / 2,
            "text-anchor": "middle",
            transform: `rotate(-90 12 ${box.y + box.height / 2})`,
          },
      title,
    );
    return svg("g", { class: "tc-axis" }, ...made, name);
  };

  const draw = ({ x, y, lines = [], marks = [] }) => {
    axes = { x, y };
    const drawn = lines.map(({ points }) =>
      points
        .filter(
          ([a, b]) =>
            Number.isFinite(a) && Number.isFinite(b) && (!x.log || a > 0) && (!y.log || b > 0),
        )
        .map(([a, b]) => place(a, b)),
    );
    const curves = lines.map(({ hue = 1, dash, width: thick = 2 }, n) =>
      svg("polyline", {
        class: `tc-hue${hue}`,
        points: drawn[n].map((point) => point.map((p) => p.toFixed(1)).join(",")).join(" "),
        "stroke-dasharray": dash,
        "stroke-width": thick,
      }),
    );
    const frame = { left: box.x, right: box.x + box.width, top: 0, bottom: box.y + box.height };
    const taken = marks.map((mark) => {
      const [px, py] = place(mark.x, mark.y);
      return { left: px - 6, right: px + 6, top: py - 6, bottom: py + 6 };
    });
    const dots = marks.map(({ x: a, y: b, hue = 1, text = "" }) => {
      const [px, py] = place(a, b);
      const words = freePlace([px, py], text, frame, drawn, taken);
      if (text) taken.push(words.box);
      return svg(
        "g",
        { class: `tc-hue${hue}` },
        svg("circle", { cx: px, cy: py, r: 4.5 }),
        svg("text", { x: words.x, y: words.y, "text-anchor": words.anchor }, text),
      );
    });
    inner.replaceChildren(
      axis("x"),
      axis("y"),
      svg("g", { class: "tc-lines", "clip-path": `url(#${clip})` }, ...curves),
      svg("g", { class: "tc-marks" }, ...dots),
    );
  };
  return { node, draw, place };
}

/** "10⁻³" for 0.001; small powers are written out. @param {number} value */
export function power(value) {
  const exponent = Math.round(Math.log10(value));
  if (Math.abs(10 ** exponent / value - 1) > 1e-9 || (exponent >= -2 && exponent <= 4))
    return value.toLocaleString("en-US");
  return `10${raised(exponent)}`;
}

/** A press or a drag across a chart: `change` gets its place on the axis, from 0 (left end) to 1. A
 * finger may still scroll the page. */
export function onPress(node, change) {
  const point = (event) => {
    const { left, width } = node.getBoundingClientRect();
    const across = ((event.clientX - left) / width) * node.viewBox.baseVal.width;
    change(
      Math.min(
        1,
        Math.max(
          0,
          (across - MARGIN.left) / (node.viewBox.baseVal.width - MARGIN.left - MARGIN.right),
        ),
      ),
    );
  };
  node.style.touchAction = "pan-y";
  node.addEventListener("pointerdown", (event) => {
    node.setPointerCapture(event.pointerId);
    point(event);
  });
  node.addEventListener("pointermove", (event) => {
    if (event.buttons & 1) point(event);
  });
}

/** The width to draw a chart for, so that its words stay readable on a phone.
 * @param {HTMLElement} el the place it will stand in */
export const chartWidth = (el) => (el.clientWidth && el.clientWidth < 560 ? 380 : 600);
