// @ts-check
// A matrix of the drawing: quiet around its rows in question.
import { assign, svg } from "./shared.js";
/** @import {Matrix} from "./types.js" */

const LEVELS = 6;

const cell = (x, y, width, height) => `M${x} ${y}h${width}v${height}h${-width}z`;

/** A matrix as colored cells: the stronger, the larger; pale where nothing counts. A row in
 * question is large: as bars, or in a `square` as calm cells.
 * `point(i, j, event)` hears of the pointer: "pointermove", "click", "pointerleave".
 * @param {{columns: number, square: boolean,
 * point: (i: number, j: number, event: string) => void}} how */
export function heatmap({ columns, square, point }) {
  const levels = (share) =>
    Array.from({ length: 2 * LEVELS + 1 }, (_, n) =>
      svg("path", {
        class: n ? "tc-on-scale" : "tc-off",
        "data-kind": n ? (n > LEVELS ? "neg" : "pos") : "none",
        opacity: n ? (share * (((n - 1) % LEVELS) + 1)) / LEVELS : 1,
      }),
    );
  // Around the rows in question all is quiet; digits stand on calm cells.
  const [plain, calm] = [0.27, square ? 0.5 : 0.95].map(levels);
  const rows = [1, 2].map((n) => svg("rect", { class: `tc-row tc-row${n}`, x: 0, width: columns }));
  const column = svg("rect", { class: "tc-row", y: 0, width: 1 });
  const about = { class: "tc-heatmap", preserveAspectRatio: "none", "aria-hidden": "true" };
  const node = svg("svg", about, ...plain, ...rows, ...calm, column);
  let [numbers, tops, largest] = [/** @type {Matrix} */ ([]), /** @type {number[]} */ ([]), 1];
  let marks = [-1, -1, -1];
  const at = ({ clientX, clientY, type }) => {
    const { left, top, width, height } = node.getBoundingClientRect();
    const y = ((clientY - top) / height) * tops[numbers.length];
    const j = Math.floor(((clientX - left) / width) * columns);
    const i = tops.findLastIndex((start, n) => n < numbers.length && start <= y);
    point(Math.max(0, i), Math.min(columns - 1, Math.max(0, j)), type);
  };
  for (const name of ["pointermove", "click", "pointerleave"]) node.addEventListener(name, at);
  const draw = () => {
    const all = [...plain, ...calm];
    const texts = all.map(() => "");
    numbers.forEach((line, i) => {
      const [top, tall] = [tops[i], tops[i + 1] - tops[i]];
      const large = marks.slice(0, 2).includes(i);
      line.forEach((x, j) => {
        const share = Math.min(1, Math.abs(x) / largest);
        const level = Math.round(share * LEVELS);
        const below = x < 0 ? LEVELS : 0;
        if (!Number.isFinite(x)) texts[0] += cell(j, top, 1, tall);
        else if (large && !square) {
          const size = (share * tall) / 2;
          texts[plain.length + LEVELS + below] += cell(
            j + 0.12,
            top + tall / 2 - (below ? 0 : size),
            0.76,
            size,
          );
        } else if (level)
          texts[(large ? plain.length : 0) + level + below] += cell(j, top, 1, tall);
      });
    });
    all.forEach((path, n) => path.setAttribute("d", texts[n]));
    const box = (n) => ({ y: tops[n] ?? 0, height: n < 0 ? 0 : tops[n + 1] - tops[n] });
    rows.forEach((row, n) => assign(row, box(marks[n])));
    assign(column, { x: marks[2], width: marks[2] < 0 ? 0 : 1, height: tops[numbers.length] });
    assign(node, { viewBox: `0 0 ${columns} ${tops[numbers.length]}`, "data-row": marks[0] }); // prettier-ignore
  };
  return {
    node,
    /** @param {Matrix} next @param {number} most */
    paint: (next, most) => ([numbers, largest] = [next, most]),
    /** Where the rows begin, and which are in question. @param {number[]} starts
     * @param {number[]} marked */
    lay(starts, marked) {
      [tops, marks] = [starts, marked];
      draw();
    },
  };
}
