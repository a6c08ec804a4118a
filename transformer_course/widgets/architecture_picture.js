// @ts-check
// What the open block makes of a real sentence: weights, sums, vectors or words, as its trade is.
import { fixed } from "./numbers.js";
import { assign, h, say, svg } from "./shared.js";
/** @import {Flow} from "./architecture_flow.js" */

// The rows that Python made: each has a name and bars, weights, or a number in words.
const ACROSS = 314; // of the picture

/** ".66", and nothing for nothing. */
const short = (x) => (x ? fixed(x, 2).replace(/^0/, "") : "");

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
  const picture = svg("svg", { class: "tc-flow", role: "img" });

  function show(block) {
    const { title: named, note: told, rows, heads = [] } = flow.made[block];
    say(title, named);
    say(note, told);
    const longest = Math.max(...rows.map(({ name }) => name.length));
    const from = Math.max(44, 12 + 6.6 * longest); // where the marks begin
    const wide = ACROSS - from;
    const [top, tall] = heads.length ? [18, 150] : [0, 166];
    const high = Math.min(46, (tall - top) / Math.max(3, rows.length));
    assign(picture, { viewBox: `0 0 ${ACROSS} ${tall}` });
    const text = (x, y, words, kind) => svg("text", { x, y: y + 4.5, class: kind }, words);
    // A column is as wide as its word, so that all words stand in one line.
    const room = heads.map((name) => Math.max(4.5, name.length + 1.5));
    const all = room.reduce((sum, x) => sum + x, 0);
    const steps = room.map((x) => (wide * x) / all);
    const starts = steps.map((_, k) => steps.slice(0, k).reduce((sum, x) => sum + x, from));
    const peak = (list) => Math.max(...list.flatMap(({ bars }) => bars ?? [0]).map(Math.abs));
    const most = peak(rows.filter(({ bars }) => bars?.length === 24));
    picture.replaceChildren(
      ...heads.map((name, k) => text(starts[k] + steps[k] / 2, 5, name)),
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
            text(from - 8, middle, name, "tc-name"),
            name[0] === "=" ? svg("path", { class: "tc-rule", d: `M0 ${y}H${ACROSS}` }) : "",
            bars.length ? svg("path", { class: "tc-zero", d: `M${from} ${middle}h${wide}` }) : "",
            band ? box(from, middle - band, wide, 2 * band, { class: "tc-band" }, spread) : "",
            ...bars.map((x, d) => {
              const tall = half * Math.abs(x);
              const kind = x < 0 ? "tc-below" : "tc-above";
              const left = from + each * (d + 0.1);
              const up = x < 0 ? middle : middle - tall;
              return x ? box(left, up, Math.max(1.5, each * 0.8), tall, { class: kind }, x) : "";
            }),
            ...weights.flatMap((w, k) => [
              box(
                starts[k] + 1,
                y + 1,
                steps[k] - 2,
                high - 2,
                { rx: 3, "fill-opacity": 0.6 * w },
                w,
              ),
              text(starts[k] + steps[k] / 2, middle, short(w), w < 0.1 ? "tc-faint" : ""),
            ]),
            share ? box(from, y + 3, share * (wide - 44), high - 6, { rx: 2 }, share) : "",
            told ? text(from + 6 + share * (wide - 44), middle, told, "tc-said") : "",
          );
        },
      ),
    );
    picture.setAttribute("aria-label", `${rows.map(({ name }) => name).join(", ")}: ${told}`);
  }
  return {
    node: h(
      "div",
      { class: "tc-sentence" },
      h("small", {}, flow.source),
      h("p", {}, title),
      picture,
      note,
    ),
    show,
  };
}
