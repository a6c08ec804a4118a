// @ts-check
// What the open block makes of a real sentence: weights, sums, vectors or words, as its trade is.
import { fixed } from "./numbers.js";
import { h, say, svg } from "./shared.js";
/** @import {Flow} from "./architecture_flow.js" */

// The rows that Python made: each has a name and bars, weights, or a number in words.
const [ACROSS, HIGH, FROM] = [314, 130, 82]; // of the picture; where its marks begin

/** What stands after an underscore is set low, and after a caret high.
 * @param {string} text @returns {any[]} */
export const typeset = (text) =>
  text.split(/(_\w+|\^\([^()]*\))/).map((part) => {
    if (part[0] === "_") return h("sub", {}, part.slice(1));
    return part[0] === "^" ? h("sup", {}, ...typeset(part.slice(2, -1))) : part;
  });

/** The picture beside the map. @param {Flow} flow
 * @returns {{node: any, show: (block: string) => void}} */
export function sentenceAt(flow) {
  const [title, note] = [h("b"), h("small")];
  const picture = svg("svg", { viewBox: `0 0 ${ACROSS} ${HIGH}`, class: "tc-flow", role: "img" });
  const wide = ACROSS - FROM;

  function show(block) {
    const { title: named, note: told, rows, heads = [] } = flow.made[block];
    say(title, named);
    say(note, told);
    const top = heads.length && 20;
    const high = Math.min(40, (HIGH - top) / Math.max(3, rows.length));
    const text = (x, y, words, kind) => svg("text", { x, y: y + 4.5, class: kind }, words);
    const step = wide / heads.length;
    const peak = (list) => Math.max(...list.flatMap(({ bars }) => bars ?? [0]).map(Math.abs));
    const most = peak(rows.filter(({ bars }) => bars?.length === 24));
    picture.replaceChildren(
      ...heads.map((name, k) => text(FROM + (k + 0.5) * step, k % 2 ? 14 : 3, name)),
      ...rows.map(
        ({ name, hue, bars = [], weights = [], share = 0, told, band: spread = 0 }, n) => {
          const [y, middle] = [top + n * high, top + (n + 0.5) * high];
          const box = (x, y, width, height, more, x0) =>
            svg("rect", { x, y, width, height, ...more }, svg("title", {}, fixed(x0, 2)));
          const half = (high / 2 - 1.5) / (bars.length === 24 ? most : peak([{ bars }]));
          const each = wide / bars.length;
          const band = spread * half;
          return svg(
            "g",
            { class: `tc-line tc-${hue ?? "hue3"}` },
            text(FROM - 8, middle, name, "tc-name"),
            bars.length ? svg("path", { class: "tc-zero", d: `M${FROM} ${middle}h${wide}` }) : "",
            band ? box(FROM, middle - band, wide, 2 * band, { class: "tc-band" }, spread) : "",
            ...bars.map((x, d) => {
              const tall = half * Math.abs(x);
              const kind = x < 0 ? "tc-below" : "tc-above";
              const left = FROM + each * (d + 0.1);
              const up = x < 0 ? middle : middle - tall;
              return x ? box(left, up, Math.max(1.5, each * 0.8), tall, { class: kind }, x) : "";
            }),
            ...weights.flatMap((w, k) => [
              box(
                FROM + k * step + 1,
                y + 1,
                step - 2,
                high - 2,
                { rx: 3, "fill-opacity": 0.6 * w },
                w,
              ),
              w < 0.1 ? "" : text(FROM + (k + 0.5) * step, middle, fixed(w, 2)),
            ]),
            share ? box(FROM, y + 3, share * (wide - 44), high - 6, { rx: 2 }, share) : "",
            told ? text(FROM + 6 + share * (wide - 44), middle, told, "tc-said") : "",
          );
        },
      ),
    );
    picture.setAttribute("aria-label", `${rows.map(({ name }) => name).join(", ")}: ${told}`);
  }
  return { node: h("div", { class: "tc-sentence" }, h("p", {}, title), picture, note), show };
}
