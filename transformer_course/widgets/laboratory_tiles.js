// @ts-check
// Letters in tiles, and rows of them.
import { LONGEST } from "./engine/tasks.js";
import { words } from "./laboratory_chart.js";
import { svg } from "./shared.js";

/** How wide a picture is, and how far down the letters stand that one may pick. */
export const [WIDTH, READS] = [312, 42];
/** A letter in its tile, around a point. */
export const tile = (name, x, y, kind, turn = 0) =>
  svg(
    "g",
    { class: `tc-tile tc-${kind}`, transform: `translate(${x} ${y}) rotate(${turn})` },
    svg("rect", { x: -10.5, y: -13, width: 21, height: 26, rx: 4 }),
    words(0, 5.5, name),
  );
export const SIDE = 46; // the names of rows, left of their letters
export const column = (n, width = WIDTH) => SIDE + ((n + 0.5) * (width - SIDE)) / LONGEST;
/** A row of letters, and what it is. @param {(name: string, n: number) => string} kind */
export const lettersOf = (title, names, y, kind, width = WIDTH) => [
  words(0, y + 5, title),
  ...names.slice(0, LONGEST).map((name, n) => tile(name, column(n, width), y, kind(name, n))),
];
export const [read, open] = [() => "read", () => "open"];
