// @ts-check
// How one number is made, as a chart whose columns stand below the cells they are made from; and
// lines from the words that a word looks at.
import { mean } from "./encoder_trip_numbers.js";
import { format } from "./numbers.js";
import { assign, h, say, svg } from "./shared.js";

const MOVED = "Gray before, arrow added, outline after";
/** What the chart of a kind shows. @type {Record<string, string>} */
const SHOWS = {
  add: MOVED,
  scale: MOVED,
  softmax: "exp of each, as a share",
  norm: "Distance from the mean",
};
const HIGH = 44; // of the band with the lines

/** For each column where its bar starts and ends, and its digits; what is moved has the start and
 * the end of the move. `line` is dashed: the sum of all products, or the mean.
 * @param {string} kind @param {number[][]} rows the row of each input @param {number[]} made
 * @returns {{bars: number[][], line?: number, digits?: string[]}} */
export function bars(kind, [a, b], made) {
  if (kind === "add" || kind === "scale") return { bars: a.map((x, n) => [x, made[n]]) };
  if (kind === "softmax") return { bars: made.map((x) => [0, x]) };
  if (kind === "norm") return { bars: a.map((x) => [mean(a), x]), line: mean(a) };
  let line = 0;
  const products = b.map((x, n) => x * (a[n] ?? 1)); // the bias is multiplied by 1
  return { bars: products.map((x) => [line, (line += x)]), line, digits: products.map(format) };
}

/** @param {string} kind of a step @param {number} many columns */
export function chart(kind, many) {
  const moves = SHOWS[kind] === MOVED;
  const joins = kind !== "concat" && !SHOWS[kind];
  const columns = Array.from({ length: many }, (_, k) => {
    const parts = ["i", "s", "u", "data"].map((name) => h(/** @type {any} */ (name)));
    return { node: h("div", { style: `--k: ${k}` }, ...parts), parts };
  });
  const [line, zero, total] = [h("hr"), h("hr"), h("b")];
  const plot = h("div", { class: "tc-plot" }, zero, ...columns.map(({ node }) => node), line);
  const way = `tc-op tc-how ${moves ? "tc-moves" : joins ? "tc-ends" : ""}`;
  const shape = { class: way, style: `--n: ${many}`, "aria-hidden": true };
  const node = h("div", shape, h("p", {}, SHOWS[kind] ?? "Products, end to end", total), plot);

  /** @param {number[][]} rows @param {number[]} made @param {number} picked */
  const draw = (rows, made, picked) => {
    node.hidden = kind === "concat";
    if (node.hidden) return;
    const { bars: all, line: at, digits } = bars(kind, rows, made);
    const ends = [0, ...all.flat()];
    const [low, high] = [Math.min(...ends), Math.max(...ends)];
    const down = (x) => (100 * (high - x)) / (high - low || 1);
    const span = ({ style }, a, b) => {
      style.top = `${down(Math.max(a, b))}%`;
      style.bottom = `${100 - down(Math.min(a, b))}%`;
    };
    columns.forEach(({ node, parts: [bar, arrow, edge, data] }, k) => {
      const [from, to] = all[k];
      span(bar, moves ? 0 : from, moves ? from : to);
      span(arrow, from, to);
      span(edge, 0, to);
      node.className = `${to < from ? "tc-less" : ""} ${k === picked && !joins ? "tc-col" : ""}`;
      if (many < 10) say(data, digits?.[k] ?? "");
    });
    span(zero, 0, 0);
    line.hidden = at === undefined;
    span(line, at, at);
    say(total, joins ? `= ${format(at ?? 0)}` : "");
  };
  return { node, draw, joins };
}

/** A line from every word to the German of every word. @param {number} many words */
export function lines(many) {
  const all = Array.from({ length: many }, (_, i) =>
    Array.from({ length: many }, (_, j) => {
      const [from, to] = [100 * j + 50, 100 * i + 50];
      return svg("path", { d: `M${from} 0Q${0.7 * to + 0.3 * from} 22 ${to} ${HIGH}` });
    }),
  );
  const box = { viewBox: `0 0 ${100 * many} ${HIGH}`, preserveAspectRatio: "none" };
  const node = svg("svg", { ...box, "aria-hidden": true }, ...all.flat());
  /** @param {number[][] | null} weights null: each word is alone @param {number} row
   * @param {boolean} every whether the lines of all words are drawn */
  const draw = (weights, row, every) =>
    all.forEach((paths, i) =>
      paths.forEach((path, j) => {
        const weight = weights?.[i][j] ?? (i === j ? 0.05 : 0);
        const seen = weights ? i === row || every : i === j;
        const width = weight && 1 + 11 * weight;
        assign(path, { "stroke-width": seen ? width : 0, opacity: i === row ? 1 : 0.4 });
      }),
    );
  return { node, draw };
}
