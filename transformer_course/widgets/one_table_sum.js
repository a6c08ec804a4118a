// @ts-check
// What goes into a stack for one word: its row, times the root of the width, plus its position.
import { fixed, sinusoids } from "./numbers.js";
import { h, say, svg } from "./shared.js";
import { glide } from "./stage.js";

const UNIT = 11; // pixels of a number of 1, in every chart
const TALL = [0.7, 4.5, 1.1, 4.8]; // where the bars of a chart end that are longer
const PLACE = 2; // the chart of the position

/** Entries as bars up and down from zero. @param {number} many @param {number} wide of 10 */
function plot(many, wide, half, kind) {
  const bars = Array.from({ length: many }, (_, d) =>
    svg("rect", { class: kind, x: 10 * d + (10 - wide) / 2, width: wide }),
  );
  const draw = (values) =>
    bars.forEach((bar, d) => {
      const tall = Math.min(half, Math.abs(values[d]) * UNIT);
      bar.setAttribute("y", String(values[d] > 0 ? half - tall : half));
      bar.setAttribute("height", String(tall));
    });
  return { bars, draw };
}

/** A sum of small charts in one scale: the row, what the root makes of it, the position, both added.
 * @param {number} width of a row @param {number} many entries of it are drawn */
export function sumOf(width, many) {
  const parts = TALL.map((most, n) => {
    const half = most * UNIT;
    const [name, rest] = [h("b"), h("span")];
    const bars = plot(many, n === PLACE ? 7 : 6, half, n === PLACE ? "tc-place" : "tc-row");
    const zero = svg("line", { x2: 10 * many, y1: half, y2: half });
    const box = { viewBox: `0 0 ${10 * many} ${2 * half}`, preserveAspectRatio: "none" };
    const about = { ...box, style: `height: ${2 * half}px`, "aria-hidden": true };
    const picture = svg("svg", about, zero, ...bars.bars);
    return { node: h("li", {}, h("p", {}, name, rest), picture), name, rest, bars };
  });
  const glided = glide((values) => parts.forEach(({ bars }, n) => bars.draw(values[n])));
  /** @param {string} word @param {number[]} row @param {number} position or -1
   * @param {string} reader */
  const show = (word, row, position, reader) => {
    const scaled = row.map((v) => v * Math.sqrt(width));
    const place = position < 0 ? row.map(() => 0) : sinusoids(position + 1, width)[position];
    const sum = scaled.map((v, d) => v + place[d]);
    glided([row, scaled, place, sum].map((values) => values.slice(0, many)));
    [
      [`“${word}”`, "its row, in the same scale"],
      [`× √${width}`, `${fixed(Math.sqrt(width), 1)} times as tall`],
      [`+ position ${position}`, "sines and cosines"],
      [`= ${reader} input`, ""],
    ].forEach(([name, rest], n) => {
      say(parts[n].name, name);
      say(parts[n].rest, ` ${rest}`);
      // A word that is not in the text has no position, and nobody reads it.
      parts[n].node.style.visibility = position < 0 && n >= PLACE ? "hidden" : "";
    });
  };
  return { node: h("ol", { class: "tc-sum" }, ...parts.map(({ node }) => node)), show };
}
