// @ts-check
// The pictures of VariationRows: what turning a knob does, as a strip.
import { svg } from "./shared.js";

const percent = (x) => `${x.toFixed(2)}%`;
const LANES = { paper: "32%", mean: "71%" }; // where both are drawn

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
    const level = (kind) => (both ? LANES[kind] : "50%");
    const upright = (x, kind) =>
      svg("line", { x1: percent(x), x2: percent(x), y1: 0, y2: "100%", class: kind });
    /** What lies beyond the scale is told in its row, where no other setting is. */
    const loud = (n) => named && far[n] && (chosen === n || chosen === base);
    /** One lane: from the least to the most that is known, and one of its dots in words. */
    const lane = (kind, list) => {
      const y = level(kind);
      const known = [...list.keys()].filter((n) => !covered[n] && !Number.isNaN(list[n]));
      if (known.length < 2) return [];
      const [low, high] = [Math.min, Math.max].map((of) => of(...known.map((n) => list[n])));
      const least = chosen < 0 || chosen === base;
      const told = least
        ? known.filter((n) => n !== base).reduce((a, b) => (list[b] > list[a] ? b : a))
        : chosen;
      const way = { class: `tc-way tc-${kind}`, x1: percent(low), x2: percent(high), y1: y, y2: y };
      const made = [svg("line", way)];
      const mute = kind === "mean" && (!named || far.some((_, n) => loud(n)));
      if (mute || !known.includes(told)) return made;
      const full = high > 78; // its words stand beyond all that the lane holds
      const before = low > 40 && (full || list[told] < zero);
      const x = before ? low : high;
      const past = kind === "mean" && named && !before ? seeds[told] : [];
      const at = { x: percent(Math.max(x, ...past)), y, dy: 4, dx: before ? -9 : 10 };
      const style = `text-anchor: ${before ? "end" : "start"}`;
      // The setting is named where there is room, and beside its own dot alone.
      const own = list[told] === x && (before || !full);
      if (named && !own && known.length > 2) return made;
      const much = high < 74 ? [svg("tspan", {}, `: ${by[kind][told]}`)] : [];
      return [
        ...made,
        svg("text", { class: `tc-word tc-${kind}`, ...at, style }, values[told], ...much),
      ];
    };
    const cell = (n) => {
      if (covered[n] || n === base) return [];
      const made = [];
      const y = LANES.mean;
      const big = n === chosen ? 8 : named || !both ? 6 : 5;
      for (const x of lone[n] || far[n] || !named ? [] : seeds[n])
        made.push(dot("tc-seed", x, y, 2.5));
      if (far[n]) {
        const first = n === far.findIndex(Boolean) && !far.some((_, m) => loud(m));
        const beyond = first ? values.filter((_, m) => far[m]).join(", ") : "";
        const words = loud(n) ? `${values[n]}: ${far[n]}` : beyond;
        made.push(
          svg(
            "text",
            { class: "tc-far", x: "100%", y, dx: -3, dy: 4 },
            words,
            svg("tspan", {}, " ▸"),
          ),
        );
      } else if (!Number.isNaN(ours[n]))
        made.push(dot(`tc-mean${lone[n] ? " tc-lone" : ""}`, ours[n], y, big));
      made.push(dot("tc-paper", paper[n], level("paper"), big));
      return made;
    };
    const [from, to] = chance;
    const [x, width] = [percent(from), percent(to - from)];
    const reach = Number.isNaN(from)
      ? []
      : [svg("rect", { class: "tc-chance", x, width, y: "54%", height: "34%" })];
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
      ...(both ? ["paper", "mean"] : ["paper"]).map((kind) => dot("tc-base", zero, level(kind), 5)),
    );
  }
  return { node, draw };
}
