// @ts-check
// The chart of a run: one measure above the other, and words right of where curves end.
import { count } from "./numbers.js";
import { svg } from "./shared.js";

const [LEFT, TOP] = [32, 22];

/** @param {number} x @param {number} y @param {string} text */
export const words = (x, y, text, kind = "") => svg("text", { x, y, class: kind }, text);
/** @param {number[]} from @param {number[]} to */
export const line = ([x1, y1], [x2, y2], kind = "") => svg("line", { x1, y1, x2, y2, class: kind });
export const path = (d, kind = "") => svg("path", { d, class: kind });
/** A rectangle. @param {number} x @param {number} y @param {number} width @param {number} height */
export const box = (x, y, width, height, kind = "", rx = 0) =>
  svg("rect", { x, y, width, height, class: kind, rx });
/** What is filled, or a line, is seen as much as it weighs. @param {Element} node */
export const faint = (node, part, weight) => {
  node.setAttribute(`${part}-opacity`, weight.toFixed(2));
  return node;
};

/** @typedef {{points: number[][], kind: string, text: string, at?: number}} Curve `at` is the point
 * above which its words stand, or below it, right of it; else they stand right of its end, a dot */
/** A measure: how far up it goes, its name, the values at its left side, and dotted lines with
 * words so far below them.
 * @typedef {{top: number, title?: string, up: number[], known?: any[][], lines: Curve[]}} Band */

/** A chart, for a page that is told of it in `label`. */
export function makeChart() {
  const [axes, curves, ends] = ["tc-axis", "tc-lines", "tc-marks"].map((kind) =>
    svg("g", { class: kind }),
  );
  const about = { class: "tc-chart", role: "img" };
  const node = svg("svg", { ...about, "aria-label": "Loss and share by step" }, axes, curves, ends);
  let /** @type {Band[]} */ shown = [];
  let [last, low, part, right] = [1, 0, 0, 0]; // `part` is the second band's height
  let /** @type {number[][]} */ taken = [];
  const place = (x, y, band = 0) => {
    const [from, to] = band ? [low - part, low] : [TOP, low - (part && part + 44)];
    const { top } = shown[band];
    return [LEFT + ((right - LEFT) * x) / last, to - ((to - from) * Math.min(y, top)) / top];
  };
  /** The height nearest to `y` where nothing stands yet, so far up and down.
   * @param {number} y @param {number} half */
  const free = (y, half) => {
    let at = y;
    for (let n = 1; taken.some(([other, far]) => Math.abs(other - at) < far + half); n += 1)
      at = y + (n % 2 ? n : -n);
    taken.push([at, half]);
    return at;
  };
  return {
    node,
    place,
    free,
    /** @param {number} steps @param {Band[]} bands one or two @param {number} high
     * @param {number} across words included */
    draw(steps, bands, high, across) {
      [shown, last, taken, low, right] = [bands, steps, [], high - 26, across - 120];
      part = bands[1] ? low / 5 : 0;
      node.setAttribute("viewBox", `0 0 ${across} ${high}`);
      axes.replaceChildren(
        ...bands.flatMap(({ top, title = "", up, known = [] }, n) => [
          words(0, place(0, top, n)[1] - 14, title),
          ...up.flatMap((value) => [
            line(place(0, value, n), place(steps, value, n)),
            words(LEFT - 5, place(0, value, n)[1] + 5, `${value}`, "tc-end"),
          ]),
          ...known.flatMap(([value, text, down]) => [
            line(place(0, value, n), place(steps, value, n), "tc-known"),
            words(right - 8, place(0, value, n)[1] + down, text, "tc-end"),
          ]),
        ]),
        words(LEFT, low + 19, "0"),
        words(right - 8, low + 19, `${count(steps)} steps`, "tc-end"),
      );
      const drawn = bands.flatMap(({ lines }, n) =>
        lines.map((each) => ({ ...each, spots: each.points.map(([a, b]) => place(a, b, n)) })),
      );
      curves.replaceChildren(
        ...drawn.map(({ spots, kind }) =>
          svg("polyline", { class: kind, points: spots.join(" ") }),
        ),
      );
      ends.replaceChildren(
        ...drawn.map(({ spots, kind, text, at = -1 }) => {
          const [cx, cy] = /** @type {number[]} */ (spots.at(at));
          const told =
            at < 0
              ? [svg("circle", { cx, cy, r: 5 }), words(right + 12, free(cy, 9) + 5, text)]
              : [words(cx + 8, cy + (cy < 80 ? 20 : -6), text)];
          return svg("g", { class: kind }, ...told);
        }),
      );
    },
  };
}
