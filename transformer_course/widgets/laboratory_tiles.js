// @ts-check
// Letters in tiles, and rows of them.
import { LONGEST } from "./engine/tasks.js";
import { box, words } from "./laboratory_chart.js";
import { svg } from "./shared.js";

/** How wide a picture is, and how far down the letters stand that one may pick. */
export const [WIDTH, READS] = [312, 42];
/** A letter in its tile, around a point. */
export const tile = (name, x, y, kind) =>
  svg(
    "g",
    { class: `tc-tile tc-${kind}`, transform: `translate(${x} ${y})` },
    box(-10.5, -13, 21, 26, "", 4),
    words(0, 5.5, name),
  );
export const SIDE = 50; // the names of rows, left of their letters
export const column = (n, width = WIDTH) => SIDE + ((n + 0.5) * (width - SIDE)) / LONGEST;
/** A row of letters, and what it is. @param {(name: string, n: number) => string} kind */
export const lettersOf = (title, names, y, kind, width = WIDTH) => [
  words(0, y + 5, title),
  ...names.slice(0, LONGEST).map((name, n) => tile(name, column(n, width), y, kind(name, n))),
];
/** What it writes, and, while no run shows its looks, what is wrong with that besides letters. */
export const written = ({ output, hoped, looks }, y) => {
  const dot = looks ? -1 : output.indexOf("·");
  const long = !looks && output.length > hoped.length;
  const kind = (name, n) => (name === hoped[n] ? "good" : "wrong");
  return [
    ...lettersOf("writes", output, y, kind),
    dot < 0 ? "" : words(column(dot), y + 29, "no letter", "tc-mid tc-red"),
    long ? words(WIDTH, y + 29, "too long", "tc-end tc-red") : "",
    output.length || !looks ? "" : words(SIDE, y + 5, "nothing", "tc-red"),
  ];
};
/** Of an answer, the first is marked. */
export const opens = (_, n) => (n ? "open" : "open tc-mine");
export const [read, open] = [() => "read", () => "open"];
