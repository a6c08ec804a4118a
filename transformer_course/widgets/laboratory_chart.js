// @ts-check
// The chart of a run: curves with their words at their ends.
import { svg } from "./shared.js";

const [LEFT, RIGHT, TOP, BOTTOM] = [34, 311, 12, 290];

/** @param {number} x @param {number} y @param {string} text */
export const words = (x, y, text, kind = "") => svg("text", { x, y, class: kind }, text);
/** @param {number[]} from @param {number[]} to */
export const line = ([x1, y1], [x2, y2], kind = "") => svg("line", { x1, y1, x2, y2, class: kind });

/** @typedef {{points: number[][], hue: number, width?: number, dash?: string, text?: string,
 * at?: number}} Curve `at` is the point where its words stand, the last one if it is left out */

/** A chart, for a page that is told of it in `label`. */
export function makeChart() {
  const [axes, curves, ends] = ["tc-axis", "tc-lines", "tc-marks"].map((kind) =>
    svg("g", { class: kind }),
  );
  const about = { class: "tc-chart", viewBox: "0 0 320 326", role: "img" };
  const node = svg("svg", { ...about, "aria-label": "Loss and share by step" }, axes, curves, ends);
  let /** @type {number[]} */ [from, to, top] = [0, 1, 1];
  const place = (x, y) => [
    LEFT + ((RIGHT - LEFT) * (x - from)) / (to - from),
    BOTTOM - ((BOTTOM - TOP) * Math.min(y, top)) / top,
  ];
  return {
    node,
    place,
    /** @param {{x: number[], top: number, label: string, across: any[][],
     * up: any[][], known?: any[][], lines: Curve[]}} what `known` are
     * dotted lines with words so far below them, at the end or not */
    draw({ x, top: highest, label, across, up, known = [], lines }) {
      [[from, to], top] = [x, highest];
      axes.replaceChildren(
        ...across.flatMap(([value, text]) => [
          line(place(value, 0), place(value, top)),
          words(place(value, 0)[0], BOTTOM + 16, text, `tc-${value === to ? "end" : "mid"}`),
        ]),
        ...up.flatMap(([value, text]) => [
          line(place(from, value), place(to, value)),
          words(LEFT - 6, place(0, value)[1] + 4, text, "tc-end"),
        ]),
        words((LEFT + RIGHT) / 2, BOTTOM + 33, label, "tc-mid"),
        ...known.flatMap(([value, text, down, end]) => [
          line(place(from, value), place(to, value), "tc-known"),
          words(
            end ? RIGHT - 14 : LEFT + 4,
            place(0, value)[1] + down,
            text,
            `tc-landmark${end ? " tc-end" : ""}`,
          ),
        ]),
      );
      curves.replaceChildren(
        ...lines.map(({ points, hue, width = 2, dash }) =>
          svg("polyline", {
            class: `tc-hue${hue}`,
            points: points.map(([a, b]) => place(a, b).map((p) => p.toFixed(1))).join(" "),
            "stroke-width": width,
            "stroke-dasharray": dash,
          }),
        ),
      );
      let lowest = Infinity; // the words stand one above the other
      const named = lines
        .map(({ points, at = -1, hue, text = "" }) => {
          const [x, y] = /** @type {number[]} */ (points.at(at));
          return { at: place(x, y), hue, text, kind: at > 0 ? "" : "tc-end" };
        })
        .sort((a, b) => b.at[1] - a.at[1]);
      ends.replaceChildren(
        ...named.map(({ hue, text, at: [cx, cy], kind }) => {
          lowest = Math.min(cy - 8, lowest - 16);
          const circle = svg("circle", { cx, cy, r: 4.5 });
          return svg("g", { class: `tc-hue${hue}` }, circle, words(cx, lowest, text, kind));
        }),
      );
    },
  };
}
