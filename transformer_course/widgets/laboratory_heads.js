// @ts-check
// Where the heads look, as squares: the stronger, the more. Of letters a picture for each head, of
// words one picture with room for them.
import { LONGEST } from "./engine/tasks.js";
import { say, svg } from "./shared.js";

const CELL = 14;

/** @param {any} node @param {number[][][]} heads by token that is written, by token of the source
 * @param {string[]} source @param {string[]} output both without the end mark
 * @param {boolean} words whether they are words */
export function headMaps(node, heads, source, output, words) {
  const shown = words && heads.length ? [meanOf(heads)] : heads;
  const shape = `${words} ${shown.length} ${output.length} ${source.length}`;
  if (node.dataset.shape !== shape) {
    node.dataset.shape = shape;
    node.classList.toggle("tc-words", words);
    node.replaceChildren(...shown.map((lines) => grid(lines, words ? 62 : CELL)));
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
    const texts = picture.querySelectorAll("text");
    names.forEach((name, n) => say(texts[n], name));
    const who = words ? "It" : `Head ${head + 1}`;
    picture.setAttribute("aria-label", `${who} looks most at: ${looked(lines, source)}`);
  });
}

/** @param {number[][][]} heads */
const meanOf = (heads) =>
  heads[0].map((line, i) =>
    line.map((_, j) => heads.reduce((sum, head) => sum + head[i][j], 0) / heads.length),
  );

/** @param {number[][]} lines @param {number} edge for the names of lines and columns */
function grid(lines, edge) {
  const size = edge + CELL * (LONGEST + 1);
  const middle = (n) => edge + (n + 0.5) * CELL;
  const words = edge > CELL;
  const top = lines[0].map((_, n) =>
    words
      ? svg("text", {
          transform: `translate(${middle(n) + 3} ${edge - 4}) rotate(-90)`,
          "text-anchor": "start",
        })
      : svg("text", { x: middle(n), y: 10 }),
  );
  const left = lines.map((_, n) =>
    words
      ? svg("text", { x: edge - 4, y: middle(n) + 3, "text-anchor": "end" })
      : svg("text", { x: 6, y: middle(n) + 3 }),
  );
  const cells = lines.flatMap((line, i) =>
    line.map((_, j) =>
      svg("rect", { x: edge + j * CELL, y: edge + i * CELL, width: CELL - 1, height: CELL - 1 }),
    ),
  );
  return svg("svg", { viewBox: `0 0 ${size} ${size}`, role: "img" }, ...top, ...left, ...cells);
}

/** @param {number[][]} lines @param {string[]} source */
const looked = (lines, source) =>
  lines.map((line) => source[line.indexOf(Math.max(...line))] ?? "the end mark").join(", ");
