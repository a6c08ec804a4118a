// @ts-check
// Where each head looks, as squares: the stronger, the more.
import { box, faint, words } from "./laboratory_chart.js";
import { svg } from "./shared.js";

const CELL = 14;
const BELOW = 18 + CELL; // room for the names of a head and of its columns

/** One map. @param {string} title @param {string} told what its strongest squares are, in words
 * @param {number[][]} lines by token that is written, by token of the source
 * @param {string[]} source @param {string[]} output both without the end mark */
function headMap(title, told, lines, source, output) {
  const at = (n, from = CELL) => from + (n + 0.5) * CELL;
  const size = Math.max(source.length + 2, 11);
  const most = lines.map((line) => source[line.indexOf(Math.max(...line))] ?? "the end mark");
  return svg(
    "svg",
    {
      // The shorter the row, the larger its squares, down to nine letters. What is written may be
      // longer than what is read.
      viewBox: `0 0 ${CELL * size} ${BELOW + CELL * Math.max(size, lines.length)}`,
      role: "img",
      "aria-label": `${told}: ${most.join(", ")}`,
    },
    words(CELL, 13, title, "tc-title"),
    ...[...source, "■"].map((name, n) => words(at(n), BELOW - 3, name)),
    ...[...output, "■"].map((name, n) => words(6, at(n, BELOW) + 4, name)),
    ...lines.flatMap((line, i) =>
      line.map((weight, j) =>
        faint(box(CELL + j * CELL, BELOW + i * CELL, CELL - 1, CELL - 1, "", 2), "fill", weight),
      ),
    ),
  );
}

/** @param {any} node to draw into @param {number[][][]} heads as of `headMap`
 * @param {string[]} source @param {string[]} output
 * @param {{hoped: string[], ways: number[]}} goal which token of the source each hoped one is: it
 * stands beside one head alone */
export function headMaps(node, heads, source, output, { hoped, ways }) {
  const goal = [...ways, source.length].map((from) => [...source, ""].map((_, n) => +(n === from)));
  const title = "Where each belongs";
  node.replaceChildren(
    ...heads.map((lines, n) =>
      headMap(`Head ${n + 1} looks at`, `Head ${n + 1} looks most at`, lines, source, output),
    ),
    ...(heads.length === 1 ? [headMap(title, title, goal, source, hoped)] : []),
  );
}

/** @param {number[][][]} heads */
export const meanOf = (heads) =>
  heads[0].map((line, i) =>
    line.map((_, j) => heads.reduce((sum, head) => sum + head[i][j], 0) / heads.length),
  );
