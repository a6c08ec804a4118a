// @ts-check
// Where the heads look, as squares: the stronger, the more. Of letters a picture for each head, of
// words one picture with room for them.
import { LONGEST } from "./engine/tasks.js";
import { say, svg } from "./shared.js";

const CELL = 14;
const TITLE = 16; // room for a head's name

/** @param {any} node @param {number[][][]} heads by token that is written, by token of the source
 * @param {string[]} source @param {string[]} output both without the end mark
 * @param {boolean} words whether they are words */
export function headMaps(node, heads, source, output, words) {
  const shown = words && heads.length ? [meanOf(heads)] : heads;
  const shape = `${words} ${shown.length} ${shown[0]?.length} ${source.length}`;
  if (node.dataset.shape !== shape) {
    node.dataset.shape = shape;
    node.classList.toggle("tc-words", words);
    node.replaceChildren(
      ...shown.map((lines, n) => grid(lines, words ? 62 : CELL, words ? "" : `Head ${n + 1}`)),
    );
  }
  const names = [...source, "■", ...output, "■"];
  shown.forEach((lines, head) => {
    const picture = node.children[head];
    const cells = picture.querySelectorAll("rect");
    lines.flat().forEach((weight, n) => {
      const shade = weight.toFixed(2); // only what changes is drawn again
      if (cells[n].getAttribute("fill-opacity") !== shade)
        cells[n].setAttribute("fill-opacity", shade);
    });
    const texts = picture.querySelectorAll("text:not(.tc-title)");
    texts.forEach((text, n) => say(text, names[n] ?? ""));
    const who = words ? "It" : `Head ${head + 1}`;
    const seen = lines.filter((line) => line.some(Boolean)); // the others wait, or never came
    const most = `${who} looks most at: ${looked(seen, source)}`;
    picture.setAttribute("aria-label", seen.length ? most : `${who} has not looked yet`);
  });
}

/** @param {number[][][]} heads */
export const meanOf = (heads) =>
  heads[0].map((line, i) =>
    line.map((_, j) => heads.reduce((sum, head) => sum + head[i][j], 0) / heads.length),
  );

/** @param {number[][]} lines @param {number} edge for the names of lines and columns
 * @param {string} title */
function grid(lines, edge, title) {
  const size = edge + CELL * (LONGEST + 1);
  const top = title ? TITLE + edge : edge;
  const middle = (n, from = edge) => from + (n + 0.5) * CELL;
  const words = edge > CELL;
  const above = lines[0].map((_, n) =>
    words
      ? svg("text", {
          transform: `translate(${middle(n) + 3} ${edge - 4}) rotate(-90)`,
          "text-anchor": "start",
        })
      : svg("text", { x: middle(n), y: top - 3 }),
  );
  const left = lines.map((_, n) =>
    words
      ? svg("text", { x: edge - 4, y: middle(n) + 3, "text-anchor": "end" })
      : svg("text", { x: 6, y: middle(n, top) + 4 }),
  );
  const cells = lines.flatMap((line, i) =>
    line.map((_, j) =>
      svg("rect", {
        x: edge + j * CELL,
        y: top + i * CELL,
        width: CELL - 1,
        height: CELL - 1,
        rx: 2,
        "fill-opacity": "0.00",
      }),
    ),
  );
  const name = title ? [svg("text", { class: "tc-title", x: edge, y: 11 }, title)] : [];
  const viewBox = `0 0 ${size} ${size + top - edge}`;
  return svg("svg", { viewBox, role: "img" }, ...name, ...above, ...left, ...cells);
}

/** @param {number[][]} lines @param {string[]} source */
const looked = (lines, source) =>
  lines.map((line) => source[line.indexOf(Math.max(...line))] ?? "the end mark").join(", ");
