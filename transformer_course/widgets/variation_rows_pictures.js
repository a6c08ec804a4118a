// @ts-check
// The pictures of VariationRows: the model as bars, and what was measured as dots on a scale.
import { assign, say, svg } from "./shared.js";
import { place } from "./variation_rows_numbers.js";
/** @import {Range, Row} from "./variation_rows_numbers.js" */

const [MOST_LAYERS, MOST_HEADS, MOST_LINES, DROPS, TARGETS] = [8, 32, 8, 20, 9];
const PIXEL = 190 / 1024; // of a number of a vector
const LEFT = 122; // where the inside of a layer begins

const many = (length, make = () => svg("rect")) => Array.from({ length }, make);
const box = (node, x, y, width, height) => assign(node, { x, y, width, height });

/** The model: both stacks, what stands in each layer, and how it learns.
 * @returns {{node: any, draw: (row: Row, base: Row) => void}} */
export function modelPicture() {
  const parts = {
    N: many(2 * MOST_LAYERS),
    values: many(MOST_HEADS, () => svg("rect", { class: "tc-hollow" })),
    d_k: many(MOST_HEADS),
    d_ff: many(MOST_LINES),
    dropout: many(DROPS),
    smoothing: many(TARGETS),
    positions: [svg("path")],
  };
  const words = Object.fromEntries(
    /** @type {[string, number, number][]} */ ([
      ["N", 0, 108],
      ["d_k", LEFT, 11],
      ["d_ff", LEFT, 45],
      ["dropout", 0, 147],
      ["smoothing", LEFT, 147],
      ["positions", 228, 147],
    ]).map(([name, x, y]) => [name, svg("text", { x, y })]),
  );
  const groups = Object.keys(words).map((name) =>
    svg(
      "g",
      { "data-part": name },
      ...(name === "d_k" ? parts.values : []),
      ...parts[name],
      words[name],
    ),
  );
  const node = svg("svg", { class: "tc-model", viewBox: "0 0 320 151", role: "img" }, ...groups);

  function draw({ name, sizes, knob, change }, base) {
    const { N, d_model, d_ff, h, d_k, dropout, smoothing } = sizes;
    const learned = knob === "positions";
    parts.N.forEach((slab, n) => {
      const layer = n >> 1;
      const width = layer < N ? (d_model * 46) / 1024 : 0;
      box(slab, (n % 2 ? 78 : 24) - width / 2, 85 - 11 * layer, width, 8);
    });
    const cell = (d_model / h) * PIXEL;
    parts.d_k.forEach((head, n) => {
      const there = n < h;
      const gap = Math.min(2, cell / 4);
      const x = LEFT + (there ? n * cell : d_model * PIXEL);
      box(head, x, 16, there ? Math.min(cell, d_k * PIXEL) - gap : 0, 16);
      box(parts.values[n], x, 16, there ? cell - gap : 0, 16);
    });
    parts.d_ff.forEach((line, n) =>
      box(line, LEFT, 50 + 5.5 * n, n < d_ff / d_model ? d_model * PIXEL : 0, 4.5),
    );
    parts.dropout.forEach((dot, n) => {
      box(dot, 5 * n, 123, 4, 9);
      dot.classList.toggle("tc-hollow", n % 10 < 10 * dropout);
    });
    parts.smoothing.forEach((bar, n) => {
      const tall = n === 4 ? 1 - smoothing : smoothing / 2;
      box(bar, LEFT + 9 * n, 133 - 20 * tall, 7, 20 * tall + 0.5);
    });
    const wave = (x) =>
      learned ? [2, 7, -5, -8, 4, 6, -3, 8, -6, 1][(x / 9) % 10] : 8 * Math.sin(x / 7);
    const points = Array.from({ length: learned ? 10 : 30 }, (_, n) => (learned ? 9 * n : 3 * n));
    const path = points.map((x) => `${x + 228} ${(125 - wave(x)).toFixed(1)}`).join("L");
    assign(parts.positions[0], { d: `M${path}` });
    const told = {
      N: `${N} + ${N} layers, d_model = ${d_model}`,
      d_k: `${h} head${h === 1 ? "" : "s"}, d_k = ${d_k}`,
      d_ff: `d_ff = ${d_ff}, in rows of ${d_model}`,
      dropout: `dropout ${dropout.toFixed(1)}`,
      smoothing: `smoothing ${smoothing.toFixed(1)}`,
      positions: learned ? "learned" : "sinusoids",
    };
    const turned = { N: ["N", "d_model"], d_k: ["h", "d_k", "d_model"], d_ff: ["d_ff", "d_model"] };
    groups.forEach((group) => {
      const part = group.dataset.part;
      say(words[part], told[part]);
      const own = turned[part] ?? [part];
      const differs =
        part === "positions" ? learned : own.some((size) => sizes[size] !== base.sizes[size]);
      group.classList.toggle("tc-turned", differs);
    });
    node.setAttribute(
      "aria-label",
      name === "base" ? `The base model: ${change}` : `Base with ${change}`,
    );
  }
  return { node, draw };
}

/** What is drawn on a scale. `at` is a place, or two of a bar.
 * @typedef {{kind: string, at: number[], y: number, r?: number}} Shape */

/** A scale with dots, as wide as its place: everything stands in percent.
 * @returns {{node: any, draw: (scale: Range, marks: {at: number, text: string}[], shapes: Shape[],
 * words?: boolean) => void}} */
export function lane() {
  const node = svg("svg", { class: "tc-lane", "aria-hidden": true });
  function draw(scale, marks, shapes, words = false) {
    const x = (at) => `${place(at, scale).toFixed(2)}%`;
    const zero = marks.findIndex(({ at }) => !at);
    const lines = marks.map(({ at, text }, n) =>
      words
        ? svg("text", { x: x(at), y: 13, class: (n - zero) % 2 ? "tc-odd" : "" }, text)
        : svg("line", { class: at ? "" : "tc-zero", x1: x(at), x2: x(at), y1: 0, y2: "100%" }),
    );
    const beyond = (at) => (at < scale.min ? "◂" : at > scale.max ? "▸" : "");
    const drawn = shapes.map(({ kind, at: [from, to], y, r = 5 }) => {
      const about = { class: `tc-${kind}` };
      if (kind === "band") {
        const width = `${Math.max(0.4, place(to, scale) - place(from, scale)).toFixed(2)}%`;
        return svg("rect", { ...about, x: x(from), width, y: 0, height: "100%" });
      }
      if (to !== undefined)
        return svg("line", { ...about, x1: x(from), x2: x(to), y1: y, y2: y, "stroke-width": r });
      if (beyond(from)) return svg("text", { ...about, x: x(from), y: y + 4 }, beyond(from));
      return svg("circle", { ...about, cx: x(from), cy: y, r, style: `--from: ${x(0)}` });
    });
    node.replaceChildren(...lines, ...drawn);
  }
  return { node, draw };
}
