// @ts-check
// The pictures of VariationRows: what turning a knob does, as a strip.
import { svg } from "./shared.js";

const percent = (x) => `${x.toFixed(2)}%`;

/** The strip of one knob: where its settings lie between better, at the left, and worse. At rest
 * these are the paper's alone; below a pressed one ours comes out, with what chance may do. All
 * stands in percent; a place of which nothing is known is NaN. */
export function strip() {
  const node = svg("svg", { class: "tc-plot", "aria-hidden": true });
  const dot = (kind, x, y, r) => svg("circle", { class: kind, cx: percent(x), cy: y, r });
  /** @param {{zero: number, marks: number[], paper: number[], ours: number, seeds: number[],
   * chance: number[], lift: number}} places lift: 1 where ours stands below the paper's, 0 at rest
   * @param {{base: number, covered: boolean[], chosen: number, most: number, arrow: string, lone:
   * boolean, told: string[][]}} about chosen: -1 at rest, where the label is that of `most` */
  function draw({ zero, marks, paper, ours, seeds, chance, lift }, about) {
    const { base, covered, chosen, most, arrow, lone, told } = about;
    const level = (way) => percent(50 + 22 * way * lift);
    const [above, below] = [level(-1), level(1)];
    const line = (kind, x1, x2, y1, y2 = y1) =>
      svg("line", { class: kind, x1: percent(x1), x2: percent(x2), y1, y2 });
    const known = paper.filter((_, n) => !covered[n]);
    const from = paper[chosen];
    const out = (x) => from + lift * (x - from);
    const [x, width] = [percent(chance[0]), percent(chance[1] - chance[0])];
    const own = Number.isNaN(ours)
      ? []
      : [
          svg("rect", { class: "tc-chance", x, width, y: "53%", height: "38%" }),
          line("tc-way tc-mean", zero, out(ours), below),
          ...(arrow
            ? [svg("text", { class: "tc-far", x: percent(out(ours)), y: below, dy: 5 }, arrow)]
            : [
                ...(lone ? [] : seeds.map((seed) => dot("tc-seed", out(seed), below, 2.5))),
                svg("rect", {
                  class: `tc-mean${lone ? " tc-lone" : ""}`,
                  x: percent(out(ours)),
                  y: below,
                  width: 12,
                  height: 12,
                }),
              ]),
        ];
    node.replaceChildren(
      ...marks.map((x) => line("tc-rule", x, x, "0", "100%")),
      ...own,
      line("tc-zero", zero, zero, "0", "100%"),
      ...(known[1] === undefined
        ? []
        : [line("tc-way tc-paper", Math.min(...known), Math.max(...known), above)]),
      ...paper.flatMap((x, n) =>
        covered[n] || n === base
          ? []
          : [dot("tc-paper", x, above, n === chosen ? 7 : n === most ? 5 : 3.5)],
      ),
      ...told.map(([name, value], n) =>
        svg(
          "text",
          {
            class: `tc-word tc-${n ? "mean" : "paper"}`,
            x: "100%",
            y: n ? below : above,
            dx: -8,
            dy: 4,
          },
          name,
          svg("tspan", {}, value),
        ),
      ),
      ...(covered[chosen]
        ? [svg("text", { class: "tc-ask", x: percent(zero), y: "50%", dy: 7 }, "?")]
        : []),
    );
  }
  return { node, draw };
}
