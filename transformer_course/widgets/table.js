// @ts-check
// A table of numbers, colored by size, whose cells can be picked.
import { fixed } from "./numbers.js";
import { MOVES, h, say, take } from "./shared.js";

/** What a table is made of. `name` is what a screen reader calls a cell.
 * @typedef {object} TableOptions
 * @property {string} caption
 * @property {string} [hint]
 * @property {string[]} rows
 * @property {string[]} columns
 * @property {(i: number, j: number, how: "point" | "press" | "focus") => void} [pick]
 * @property {(i: number, j: number) => string} [name]
 * @property {number} [digits] */

/** Run for every cell.
 * @param {any[][]} rows @param {(cell: any, i: number, j: number) => void} run */
export const each = (rows, run) =>
  rows.forEach((row, i) => row.forEach((cell, j) => run(cell, i, j)));

/** A table whose cells are numbers, colored by size. With `pick` the cells are buttons that arrow
 * keys move between, one of them in the tab order; `name(i, j)` is what a screen reader calls a
 * cell. `fill(rows, {kind, largest, masked})`: kind "signed" (gray below zero) or "weight" (green,
 * from 0 to 1).
 * @param {TableOptions} options
 * @returns {{node: any, cells: any[][], fill: Function, mark: Function}} */
export function numberTable({
  caption,
  hint = "",
  rows,
  columns,
  pick,
  name = (i, j) => `${rows[i]}, ${columns[j]}`,
  digits = 2,
}) {
  const cells = rows.map((_, i) =>
    columns.map((_, j) => {
      if (!pick) return h("span");
      return h("button", {
        type: "button",
        tabindex: i || j ? -1 : 0,
        pointerenter: () => pick(i, j, "point"),
        click: () => pick(i, j, "press"),
        focus() {
          each(cells, (other, a, b) => {
            other.tabIndex = a === i && b === j ? 0 : -1;
          });
          pick(i, j, "focus");
        },
        keydown(event) {
          const move = MOVES[event.key];
          if (!move) return;
          take(event);
          cells[i + move[0]]?.[j + move[1]]?.focus();
        },
      });
    }),
  );
  const body = rows.map((row, i) =>
    h("tr", {}, h("th", { scope: "row" }, row), ...cells[i].map((cell) => h("td", {}, cell))),
  );
  const head = h("tr", {}, h("td"), ...columns.map((column) => h("th", { scope: "col" }, column)));
  const node = h(
    "div",
    { class: "tc-op" },
    h(
      "table",
      {},
      h("caption", {}, h("b", {}, caption), ` ${hint}`),
      h("thead", {}, head),
      h("tbody", {}, ...body),
    ),
  );
  const fill = (
    numbers,
    {
      kind = "signed",
      largest = kind === "weight"
        ? 1
        : Math.max(1e-9, ...numbers.flat().filter(Number.isFinite).map(Math.abs)),
      masked = (i, j) => false,
    } = {},
  ) =>
    each(cells, (cell, i, j) => {
      const x = numbers[i][j];
      say(cell, fixed(x, digits));
      if (pick) cell.setAttribute("aria-label", `${fixed(x, digits)}, ${name(i, j)}`);
      cell.parentElement.dataset.kind = !Number.isFinite(x)
        ? "off"
        : kind === "weight"
          ? "seq"
          : x < 0
            ? "neg"
            : "pos";
      cell.parentElement.style.setProperty("--t", Math.min(1, Math.abs(x) / largest) || 0);
      cell.parentElement.classList.toggle("tc-masked", masked(i, j));
    });
  const mark = (chosen, mark = "tc-pick") =>
    each(cells, (cell, i, j) => cell.parentElement.classList.toggle(mark, Boolean(chosen(i, j))));
  return { node, cells, fill, mark };
}
