// @ts-check
// All looks so far as one matrix: a line for each written word, a column for each word read.
import { h, say, svg } from "./shared.js";

const CELL = 17; // pixels

/** @param {number} rows that can be written @param {number} columns that can be read
 * @param {number} longest letters of a word */
export function lookMap(rows, columns, longest) {
  const [LEFT, TOP] = [10 + 6.2 * longest, 10 + 5.4 * longest];
  const line = (length, make) => Array.from({ length }, (_, n) => make(n));
  const center = (n, from) => from + (n + 0.5) * CELL;
  const above = line(columns, (n) => {
    const place = `translate(${center(n, LEFT) + 4} ${TOP - 5}) rotate(-90)`;
    return svg("text", { transform: place });
  });
  const beside = line(rows, (n) =>
    svg("text", { class: "tc-end", x: LEFT - 6, y: center(n, TOP) + 4 }),
  );
  const cells = line(rows, (i) =>
    line(columns, (j) => {
      const [x, y] = [LEFT + j * CELL, TOP + i * CELL];
      return svg("rect", { x, y, width: CELL - 1.5, height: CELL - 1.5, rx: 2 });
    }),
  );
  const mark = svg("rect", { class: "tc-mark", rx: 3 });
  const parts = [...above, ...beside, ...cells.flat(), mark];
  const picture = svg("svg", { "aria-hidden": "true" }, ...parts);
  const node = h("div", { class: "tc-map" }, h("p", {}, h("b", {}, "Every look so far")), picture);

  /** @param {string[]} read @param {string[]} wrote @param {number[][]} weights in percent
   * @param {number} step the word just written */
  function draw(read, wrote, weights, step) {
    const size = [LEFT + read.length * CELL + 4, TOP + wrote.length * CELL + 4];
    picture.setAttribute("viewBox", `0 0 ${size.join(" ")}`);
    above.forEach((text, j) => say(text, read[j] ?? ""));
    beside.forEach((text, i) => {
      say(text, i <= step ? (wrote[i] ?? "") : "");
      text.classList.toggle("tc-now", i === step);
    });
    cells.forEach((row, i) =>
      row.forEach((cell, j) => {
        const weight = i <= step ? (weights[i]?.[j] ?? 0) : 0;
        cell.setAttribute("fill-opacity", String(weight / 100));
        cell.classList.toggle("tc-later", i > step);
        cell.toggleAttribute("hidden", i >= wrote.length || j >= read.length);
      }),
    );
    const frame = { x: LEFT - 2, y: TOP + step * CELL - 2, width: read.length * CELL + 2 };
    for (const [name, value] of Object.entries({ ...frame, height: CELL + 2 }))
      mark.setAttribute(name, String(value));
  }
  return { node, draw };
}
