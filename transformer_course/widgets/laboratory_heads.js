// @ts-check
// The weights of every head on the reader's row, as squares: the stronger, the more.
import { svg } from "./shared.js";

const CELL = 14;

/** @param {any} node @param {{output: number[], weights: number[][][]}} seen
 * @param {string[]} letters of the row */
export function headMap(node, { output, weights }, letters) {
  const shape = `${weights.length} ${output.length} ${letters.length}`;
  if (node.dataset.shape !== shape) {
    node.dataset.shape = shape;
    node.replaceChildren(...weights.map((rows) => grid(rows)));
  }
  weights.forEach((rows, head) => {
    const [picture] = [node.children[head]];
    const cells = picture.querySelectorAll("rect");
    rows.flat().forEach((weight, n) => cells[n].setAttribute("fill-opacity", weight.toFixed(2)));
    const names = picture.querySelectorAll("text");
    letters.forEach((letter, n) => (names[n].textContent = letter));
    picture.setAttribute("aria-label", inWords(rows, letters, head));
  });
}

/** @param {number[][]} rows */
function grid(rows) {
  const [height, width] = [rows.length, rows[0].length];
  const names = rows[0].map((_, n) =>
    svg(
      "text",
      { x: (n + 0.5) * CELL, y: 10, "text-anchor": "middle" },
      n < width - 1 ? "" : "end",
    ),
  );
  const cells = rows.flatMap((row, i) =>
    row.map((_, j) =>
      svg("rect", { x: j * CELL, y: i * CELL + 14, width: CELL - 1, height: CELL - 1 }),
    ),
  );
  const size = `-2 0 ${width * CELL + 14} ${height * CELL + 14}`;
  return svg("svg", { viewBox: size, role: "img" }, ...names, ...cells);
}

/** @param {number[][]} rows @param {string[]} letters @param {number} head */
function inWords(rows, letters, head) {
  const looked = rows.map((row) => row.indexOf(Math.max(...row)));
  const places = looked.map((n) => letters[n] ?? "the end mark");
  return `Head ${head + 1} looks most at: ${places.join(", ")}`;
}
