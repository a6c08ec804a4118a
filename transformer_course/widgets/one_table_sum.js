// @ts-check
// What goes into a stack for one word: its row, times the root of the width, plus its position.
import { sinusoids } from "./numbers.js";
import { h, say, svg } from "./shared.js";
import { glide } from "./stage.js";

const MOST = 4; // where a bar ends that is longer
const [HALF, AIR] = [32, 4]; // of a chart's height; free above the tallest bar

/** Entries as bars up and down from zero. */
function plot(many) {
  const bars = Array.from({ length: many }, (_, d) => svg("rect", { x: 10 * d + 1, width: 8 }));
  const draw = (values) =>
    bars.forEach((bar, d) => {
      const tall = Math.min(1, Math.abs(values[d]) / MOST) * (HALF - AIR);
      bar.setAttribute("y", String(values[d] > 0 ? HALF - tall : HALF));
      bar.setAttribute("height", String(tall));
    });
  return { bars, draw };
}

/** Three small charts, one below the other, in one scale.
 * @param {number} width of a row @param {number} many entries of it are drawn */
export function sumOf(width, many) {
  const parts = ["row", "place", "sum"].map((kind) => {
    const name = h("span");
    const [whole, inner] = [plot(many), plot(many)];
    const zero = svg("line", { x2: 10 * many, y1: HALF, y2: HALF });
    const box = { viewBox: `0 0 ${10 * many} ${2 * HALF}`, preserveAspectRatio: "none" };
    const drawn = kind === "row" ? [...whole.bars, ...inner.bars] : whole.bars;
    inner.bars.forEach((bar) => bar.setAttribute("class", "tc-inner"));
    const picture = svg("svg", { ...box, "aria-hidden": true }, ...drawn, zero);
    return { node: h("li", { class: `tc-${kind}` }, name, picture), name, whole, inner };
  });
  const glided = glide((values) => {
    parts.forEach(({ whole }, n) => whole.draw(values[n]));
    parts[0].inner.draw(values[3]);
  });
  /** @param {string} word @param {number[]} row @param {number} position or -1 @param {string} reader */
  const show = (word, row, position, reader) => {
    const scaled = row.map((v) => v * Math.sqrt(width));
    const place = position < 0 ? row.map(() => 0) : sinusoids(position + 1, width)[position];
    const sum = scaled.map((v, d) => v + place[d]);
    glided([scaled, place, sum, row].map((values) => values.slice(0, many)));
    [
      `“${word}” × √${width}, inside: its row`,
      position < 0 ? "+ no position" : `+ position ${position}`,
      `= what the ${reader} reads`,
    ].forEach((text, n) => say(parts[n].name, text));
  };
  return { node: h("ol", { class: "tc-sum" }, ...parts.map(({ node }) => node)), show };
}
