// @ts-check
// The pictures of VariationRows: what turning a knob does as curves.
import { svg } from "./shared.js";

const percent = (x) => `${x.toFixed(2)}%`;

/** The curves of one knob: what the paper's quality and ours do over its settings. All stands in
 * percent; a height of which nothing is known is NaN. */
export function curves() {
  const node = svg("svg", { class: "tc-plot", "aria-hidden": true });
  let length = 1; // of its settings
  const x = (n) => percent((100 * (n + 0.5)) / length);
  /** From dot to dot, over those that are known. */
  const line = (kind, heights) => {
    const known = [...heights.keys()].filter((n) => !Number.isNaN(heights[n]));
    return known.slice(1).map((n, k) => {
      const [x1, x2] = [x(known[k]), x(n)];
      const [y1, y2] = [percent(heights[known[k]]), percent(heights[n])];
      return svg("line", { class: `tc-way tc-${kind}`, x1, x2, y1, y2 });
    });
  };
  /** @param {{zero: number, marks: number[], paper: number[], ours: number[], seeds: number[][],
   * ends: number[][]}} heights @param {{base: number, far: string[], lone: boolean[], covered:
   * boolean[], stuck: boolean[], chosen: number, named: number}} about */
  function draw({ zero, marks, paper, ours, seeds, ends }, about) {
    const { base, far, lone, covered, stuck, chosen, named } = about;
    length = paper.length;
    const seen = (list) => list.map((y, n) => (covered[n] ? NaN : y));
    const cell = (n) => {
      if (covered[n]) return [svg("text", { class: "tc-cover", x: x(n), y: "64%" }, "?")];
      if (n === base)
        return [svg("circle", { class: "tc-base", cx: x(n), cy: percent(zero), r: 5 })];
      const made = [];
      const [low, high] = ends[n];
      if (!Number.isNaN(low) && !far[n])
        made.push(
          svg("line", { class: "tc-bar", x1: x(n), x2: x(n), y1: percent(low), y2: percent(high) }),
        );
      for (const y of lone[n] || far[n] ? [] : seeds[n])
        made.push(svg("circle", { class: "tc-seed", cx: x(n), cy: percent(y), r: 2.5 }));
      if (far[n]) {
        // The arrow stands in its column, the words beside and above it, inside the panel.
        const style = `text-anchor: ${n ? "end" : "start"}`;
        const place = { x: x(n), dx: n ? 5 : -5 };
        const words = svg("tspan", {}, far[n]);
        const why = svg("tspan", { ...place, dy: -17 }, "hardly learned, ");
        const under = svg("tspan", { ...place, dy: 13 }, far[n]);
        const parts = !n ? ["▾ ", words] : stuck[n] ? [why, under, " ▾"] : [words, " ▾"];
        made.push(svg("text", { class: "tc-far", ...place, y: "100%", dy: -4, style }, ...parts));
      } else if (!Number.isNaN(ours[n])) {
        const kind = `tc-mean${lone[n] ? " tc-lone" : ""}`;
        made.push(svg("circle", { class: kind, cx: x(n), cy: percent(ours[n]), r: 6 }));
      }
      made.push(svg("circle", { class: "tc-paper", cx: x(n), cy: percent(paper[n]), r: 4 }));
      return made;
    };
    const near = ours.map((y, n) => (far[n] ? NaN : y));
    /** Each curve's name, above or below all that stands at this setting. */
    const names = (n) => {
      const known = !Number.isNaN(near[n]);
      const all = [paper[n], ...(known ? [near[n], ...ends[n]] : [])].filter((y) => y >= 0);
      const text = (kind, word, above) => {
        const y = Math[above ? "min" : "max"](...all);
        // At the bottom it stands beside them, on the side of the panel's middle.
        if (!above && y > 78) {
          const place = { x: x(n), y: "96%", dx: n ? -9 : 9 };
          const style = `text-anchor: ${n ? "end" : "start"}`;
          return svg("text", { class: `tc-word tc-${kind}`, ...place, style }, word);
        }
        const place = { x: x(n), y: percent(y), dy: above ? -9 : 19 };
        return svg("text", { class: `tc-word tc-${kind}`, ...place }, word);
      };
      const above = known ? paper[n] < near[n] : paper[n] > 20;
      return [text("paper", "paper", above), ...(known ? [text("mean", "ours", !above)] : [])];
    };
    node.replaceChildren(
      svg("rect", { class: "tc-better", width: "100%", height: percent(zero) }),
      svg("rect", {
        class: "tc-lit",
        x: percent((100 * chosen) / length),
        width: percent(100 / length),
        height: chosen < 0 ? 0 : "100%",
      }),
      ...marks.map((y) =>
        svg("line", { x1: 0, x2: "100%", y1: percent(y), y2: percent(y), class: "tc-rule" }),
      ),
      svg("line", { class: "tc-zero", x1: 0, x2: "100%", y1: percent(zero), y2: percent(zero) }),
      ...line("mean", seen(near)),
      ...line("paper", seen(paper)),
      ...Array.from({ length }, (_, n) => cell(n)).flat(),
      ...(named < 0 ? [] : names(named)),
    );
  }
  return { node, draw };
}
