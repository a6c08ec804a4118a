// @ts-check
// The pictures of VariationRows: what turning a knob does, as a strip.
import { svg } from "./shared.js";

const percent = (x) => `${x.toFixed(2)}%`;
const LANES = { paper: "30%", mean: "63%" }; // where both are drawn

/** The strip of one knob: where its settings lie between better, at the left, and worse, the
 * paper's above and ours below, and how far chance reaches from base. All stands in percent; a
 * place of which nothing is known is NaN. */
export function strip() {
  const node = svg("svg", { class: "tc-plot", "aria-hidden": true });
  const dot = (kind, x, y, r) => svg("circle", { class: kind, cx: percent(x), cy: y, r });
  /** @param {{zero: number, marks: number[], paper: number[], ours: number[], seeds: number[][],
   * chance: number[]}} places @param {{base: number, values: string[], far: string[], lone:
   * boolean[], covered: boolean[], by: {paper: string[], mean: string[]}, chosen:
   * number, named: boolean}} about */
  function draw({ zero, marks, paper, ours, seeds, chance }, about) {
    const { base, values, far, lone, covered, by, chosen, named } = about;
    const both = ours.some((x) => !Number.isNaN(x));
    const hidden = named && covered[chosen];
    const level = (kind) => (both ? LANES[kind] : "50%");
    const upright = (x, kind) =>
      svg("line", { x1: percent(x), x2: percent(x), y1: 0, y2: "100%", class: kind });
    /** One lane: from the least to the most that is known, and one of its dots in words. */
    const knownOf = (list) => [...list.keys()].filter((n) => !covered[n] && !Number.isNaN(list[n]));
    /** The setting in words: the pressed one, or else the worst. */
    const tellsOf = (list) =>
      chosen < 0 || chosen === base
        ? knownOf(list).reduce((a, b) => (b !== base && !(list[b] <= list[a]) ? b : a), -1)
        : chosen;
    const most = tellsOf(paper);
    const lane = (kind, list) => {
      const y = level(kind);
      const known = knownOf(list);
      if (known.length < 2) return [];
      const [low, high] = [Math.min, Math.max].map((of) => of(...known.map((n) => list[n])));
      const told = tellsOf(list);
      const way = { class: `tc-way tc-${kind}`, x1: percent(low), x2: percent(high), y1: y, y2: y };
      const made = [svg("line", way)];
      if ((kind === "mean" && !named) || !known.includes(told)) return made;
      const full = high > 78; // its words stand beyond all that the lane holds
      const before = low > 40 && (full || list[told] < zero);
      const x = before ? low : high;
      const past = kind === "mean" && named && !before ? seeds[told] : [];
      const end = Math.max(x, ...past);
      const anchor = { dx: before ? -9 : 10, "text-anchor": before ? "end" : "start" };
      const at = { x: percent(end), y, dy: 4, ...anchor };
      // The setting is named where there is room, and beside its own dot alone.
      const own = list[told] === x && (before || !full);
      if (named && !own && known.length > 2) return made;
      const much = end < 66 ? [svg("tspan", {}, `: ${by[kind][told]}`)] : [];
      return [...made, svg("text", { class: `tc-word tc-${kind}`, ...at }, values[told], ...much)];
    };
    const cell = (n) => {
      if (covered[n] || n === base) return [];
      const made = [];
      const y = LANES.mean;
      const big = n === chosen ? 7 : n === most ? 5 : 3.5;
      for (const x of lone[n] || far[n] || !named ? [] : seeds[n])
        made.push(dot("tc-seed", x, y, 2.5));
      if (far[n]) {
        // What lies beyond the scale is told below both lanes; at rest it has no number.
        const beyond = values.flatMap((value, m) =>
          far[m] ? (named ? `${value}: ${far[m]}` : value) : [],
        );
        const at = { class: "tc-far", x: "100%", y: named ? "87%" : y, dx: -3, dy: 4 };
        if (n === far.findIndex(Boolean))
          made.push(svg("text", at, `${beyond.join(", ")}${named ? "" : ": off the scale"} →`));
      } else if (!Number.isNaN(ours[n]))
        made.push(
          svg("rect", {
            class: `tc-mean${lone[n] ? " tc-lone" : ""}`,
            x: percent(ours[n]),
            y,
            width: 1.8 * big,
            height: 1.8 * big,
          }),
        );
      made.push(dot("tc-paper", paper[n], level("paper"), big));
      return made;
    };
    const [from, to] = chance;
    const [x, width] = [percent(from), percent(to - from)];
    const reach = Number.isNaN(from)
      ? []
      : [svg("rect", { class: "tc-chance", x, width, y: "46%", height: "34%" })];
    node.replaceChildren(
      ...reach,
      ...marks.map((x) => upright(x, "tc-rule")),
      upright(zero, "tc-zero"),
      ...lane(
        "mean",
        ours.map((x, n) => (far[n] ? NaN : n === base ? zero : x)),
      ),
      ...lane("paper", paper),
      ...paper.flatMap((_, n) => cell(n)),
      ...(hidden ? [svg("text", { class: "tc-ask", x: percent(zero), y: "50%", dy: 7 }, "?")] : []),
    );
  }
  return { node, draw };
}
