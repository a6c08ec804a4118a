// @ts-check
// The pictures of VariationRows: the model as bars, and what turning a knob does as curves.
import { assign, say, svg } from "./shared.js";
/** @import {Row} from "./variation_rows_numbers.js" */

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
  const node = svg("svg", { class: "tc-model", viewBox: "0 0 316 151", role: "img" }, ...groups);

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
    parts.dropout.forEach((one, n) => {
      box(one, 5 * n, 123, 4, 9);
      one.classList.toggle("tc-hollow", n % 10 < 10 * dropout);
    });
    parts.smoothing.forEach((bar, n) => {
      const tall = n === 4 ? 1 - smoothing : smoothing / 2;
      box(bar, LEFT + 9 * n, 133 - 20 * tall, 7, 20 * tall + 0.5);
    });
    const rise = (x) =>
      learned ? [2, 7, -5, -8, 4, 6, -3, 8, -6, 1][(x / 9) % 10] : 8 * Math.sin(x / 7);
    const points = Array.from({ length: learned ? 10 : 30 }, (_, n) => (learned ? 9 * n : 3 * n));
    const path = points.map((x) => `${x + 228} ${(125 - rise(x)).toFixed(1)}`).join("L");
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

const percent = (x) => `${x.toFixed(2)}%`;

/** The curves of one knob: what the paper's quality and ours do over its settings. All stands in
 * percent; `at` gives the height of a difference, or of one that nothing is known of as NaN.
 * @param {number} length of its settings */
export function curves(length) {
  const node = svg("svg", { class: "tc-plot", "aria-hidden": true });
  const x = (n) => percent((100 * (n + 0.5)) / length);
  /** From dot to dot, over those that are known. */
  const line = (kind, heights) => {
    const known = [...heights.keys()].filter((n) => !Number.isNaN(heights[n]));
    return known.slice(1).map((n, k) => {
      const [x1, x2] = [x(known[k]), x(n)];
      const [y1, y2] = [percent(heights[known[k]]), percent(heights[n])];
      return svg("line", { class: `tc-way tc-${kind}`, x1, x2, y1, y2 });
    });
  };
  /** @param {{zero: number, marks: number[], band: number[], paper: number[], ours: number[],
   * seeds: number[][], ends: number[][]}} heights @param {{base: number, far: string[], lone:
   * boolean[], covered: boolean[], stuck: boolean[]}} about */
  function draw({ zero, marks, band, paper, ours, seeds, ends }, about) {
    const { base, far, lone, covered, stuck } = about;
    const seen = (list) => list.map((y, n) => (covered[n] ? NaN : y));
    const cell = (n) => {
      if (covered[n]) return [svg("text", { class: "tc-cover", x: x(n), y: "64%" }, "?")];
      if (n === base)
        return [svg("circle", { class: "tc-base", cx: x(n), cy: percent(zero), r: 5 })];
      const made = [];
      const [low, high] = ends[n];
      if (!Number.isNaN(low))
        made.push(
          svg("line", { class: "tc-bar", x1: x(n), x2: x(n), y1: percent(low), y2: percent(high) }),
        );
      for (const y of lone[n] ? [] : seeds[n])
        made.push(svg("circle", { class: "tc-seed", cx: x(n), cy: percent(y), r: 2.5 }));
      if (far[n]) {
        // The arrow stands in its column, the number beside it, inside the panel.
        const style = `text-anchor: ${n ? "end" : "start"}`;
        const text = n ? `${far[n]}${stuck[n] ? "*" : ""} ▾` : `▾ ${far[n]}`;
        made.push(
          svg(
            "text",
            {
              class: `tc-far${stuck[n] ? " tc-stuck" : ""}`,
              x: x(n),
              y: "100%",
              dx: n ? 5 : -5,
              dy: -4,
              style,
            },
            text,
          ),
        );
      } else if (!Number.isNaN(ours[n])) {
        const kind = `tc-mean${lone[n] ? " tc-lone" : ""}`;
        made.push(svg("circle", { class: kind, cx: x(n), cy: percent(ours[n]), r: 6 }));
      }
      made.push(svg("circle", { class: "tc-paper", cx: x(n), cy: percent(paper[n]), r: 4 }));
      return made;
    };
    const near = ours.map((y, n) => (far[n] ? NaN : y));
    node.replaceChildren(
      svg("rect", { class: "tc-better", width: "100%", height: percent(zero) }),
      ...(band.length
        ? [
            svg("rect", {
              class: "tc-band",
              width: "100%",
              y: percent(Math.min(...band)),
              height: percent(Math.abs(band[1] - band[0])),
            }),
          ]
        : []),
      ...marks.map((y) =>
        svg("line", { x1: 0, x2: "100%", y1: percent(y), y2: percent(y), class: "tc-rule" }),
      ),
      svg("line", { class: "tc-zero", x1: 0, x2: "100%", y1: percent(zero), y2: percent(zero) }),
      ...line("mean", seen(near)),
      ...line("paper", seen(paper)),
      ...Array.from({ length }, (_, n) => cell(n)).flat(),
    );
  }
  return { node, draw };
}
