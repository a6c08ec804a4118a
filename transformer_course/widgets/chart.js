// @ts-check
// A small line chart as SVG, for widgets that show a curve. Colors and fonts come from shared.css.
import { LETTER, freePlace } from "./chart_words.js";
import { raised } from "./numbers.js";
import { svg } from "./shared.js";

const MARGIN = { left: 52, right: 12, top: 12, bottom: 40 };

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
  const frames = { x: svg("g", { class: "tc-axis" }), y: svg("g", { class: "tc-axis" }) };
  const curves = svg("g", { class: "tc-lines", "clip-path": `url(#${clip})` });
  const dots = svg("g", { class: "tc-marks" });
  const node = svg(
    "svg",
    { class: "tc-chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label },
    svg("clipPath", { id: clip }, svg("rect", box)),
    frames.x,
    frames.y,
    curves,
    dots,
  );
  const told = { x: "", y: "" }; // what each axis says now
  let axes = { x: { min: 0, max: 1 }, y: { min: 0, max: 1 } };
  const part = (axis, value) =>
    axis.log
      ? (Math.log(value) - Math.log(axis.min)) / (Math.log(axis.max) - Math.log(axis.min))
      : (value - axis.min) / (axis.max - axis.min);
  const place = (x, y) => [
    box.x + part(axes.x, x) * box.width,
    box.y + (1 - part(axes.y, y)) * box.height,
  ];

  /** Draw an axis, unless it says already what it has to say. */
  const axis = (which) => {
    const {
      show = (value) => (axes[which].log ? power(value) : String(value).replace("-", "−")),
      label: title = "",
    } = axes[which];
    const across = which === "x";
    const values = axes[which].ticks ?? ticks(axes[which], across ? 6 : 5);
    const texts = values.map((value) => show(value));
    const { min, max, log } = axes[which];
    const says = JSON.stringify([min, max, log, title, values, texts]);
    if (told[which] === says) return;
    told[which] = says;
    const made = values.map((value, n) => {
      const [px, py] = across ? place(value, axes.y.min) : place(axes.x.min, value);
      const shown = texts[n];
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
    frames[which].replaceChildren(...made, name);
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
    const made = lines.map(({ hue = 1, dash, width: thick = 2 }, n) =>
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
    const named = marks.map(({ x: a, y: b, hue = 1, text = "" }) => {
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
    axis("x");
    axis("y");
    curves.replaceChildren(...made);
    dots.replaceChildren(...named);
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
