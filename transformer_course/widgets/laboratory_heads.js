// @ts-check
// Where each head looks, as squares: the stronger, the more.
import { LONGEST } from "./engine/tasks.js";
import { box, faint, words } from "./laboratory_chart.js";
import { svg } from "./shared.js";

const CELL = 14;
const BELOW = 18 + CELL; // room for the names of a head and of its columns
const SIZE = CELL * (LONGEST + 2);

/** @param {any} node @param {number[][][]} heads by token that is written, by token of the source
 * @param {string[]} source @param {string[]} output both without the end mark */
export function headMaps(node, heads, source, output) {
  node.replaceChildren(
    ...(heads ?? []).map((lines, head) => {
      const at = (n, from = CELL) => from + (n + 0.5) * CELL;
      const who = `Head ${head + 1} looks`;
      const most = lines.map((line) => source[line.indexOf(Math.max(...line))] ?? "the end mark");
      return svg(
        "svg",
        {
          viewBox: `0 0 ${SIZE} ${BELOW + CELL * lines.length}`,
          role: "img",
          "aria-label": `${who} most at: ${most.join(", ")}`,
        },
        words(CELL, 13, `${who} at`, "tc-title"),
        ...[...source, "■"].map((name, n) => words(at(n), BELOW - 3, name)),
        ...[...output, "■"].map((name, n) => words(6, at(n, BELOW) + 4, name)),
        ...lines.flatMap((line, i) =>
          line.map((weight, j) =>
            faint(
              box(CELL + j * CELL, BELOW + i * CELL, CELL - 1, CELL - 1, "", 2),
              "fill",
              weight,
            ),
          ),
        ),
      );
    }),
  );
}

/** @param {number[][][]} heads */
export const meanOf = (heads) =>
  heads[0].map((line, i) =>
    line.map((_, j) => heads.reduce((sum, head) => sum + head[i][j], 0) / heads.length),
  );
