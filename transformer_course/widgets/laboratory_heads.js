// @ts-check
// The weights of every head on the reader's row, as squares: the stronger, the more.
import { LONGEST } from "./engine/experiment.js";
import { svg } from "./shared.js";

const CELL = 14;
const EDGE = 14; // for the names of lines and columns
const SIZE = EDGE + CELL * (LONGEST + 1);

/** @param {any} node @param {{weights: number[][][]}} seen
 * @param {string[]} row the reader's letters @param {string[]} output what the model writes */
export function headMaps(node, { weights }, row, output) {
  const shape = `${weights.length} ${output.length} ${row.length}`;
  if (node.dataset.shape !== shape) {
    node.dataset.shape = shape;
    node.replaceChildren(...weights.map(grid));
  }
  const names = [...row, "■", ...output, "■"];
  weights.forEach((lines, head) => {
    const picture = node.children[head];
    const cells = picture.querySelectorAll("rect");
    lines.flat().forEach((weight, n) => cells[n].setAttribute("fill-opacity", weight.toFixed(2)));
    const texts = picture.querySelectorAll("text");
    names.forEach((name, n) => (texts[n].textContent = name));
    picture.setAttribute("aria-label", inWords(lines, row, head));
  });
}

/** @param {number[][]} lines */
function grid(lines) {
  const middle = (n) => EDGE + (n + 0.5) * CELL;
  const top = lines[0].map((_, n) => svg("text", { x: middle(n), y: 10 }));
  const left = lines.map((_, n) => svg("text", { x: 6, y: middle(n) + 3 }));
  const cells = lines.flatMap((line, i) =>
    line.map((_, j) =>
      svg("rect", { x: EDGE + j * CELL, y: EDGE + i * CELL, width: CELL - 1, height: CELL - 1 }),
    ),
  );
  return svg("svg", { viewBox: `0 0 ${SIZE} ${SIZE}`, role: "img" }, ...top, ...left, ...cells);
}

/** @param {number[][]} lines @param {string[]} row @param {number} head */
function inWords(lines, row, head) {
  const looked = lines.map((line) => row[line.indexOf(Math.max(...line))] ?? "the end mark");
  return `Head ${head + 1} looks most at: ${looked.join(", ")}`;
}
