// @ts-check
// The pictures of VariationRows: what turning a knob does, as a strip.
import { svg } from "./shared.js";

const percent = (x) => `${x.toFixed(2)}%`;
const LANES = { paper: ["50%", "30%"], mean: ["50%", "74%"] }; // at rest, and of the chosen one

/** The strip of one knob: where its settings lie between better, at the left, and worse, the
 * paper's and ours. All stands in percent; a place of which nothing is known is NaN. */
export function strip() {
  const node = svg("svg", { class: "tc-plot", "aria-hidden": true });
  const dot = (kind, x, y, r) => svg("circle", { class: kind, cx: percent(x), cy: y, r });
  /** @param {{zero: number, marks: number[], paper: number[], ours: number[], seeds: number[][],
   * ends: number[][]}} places @param {{base: number, values: string[], far: string[], lone:
   * boolean[], covered: boolean[], stuck: boolean[], by: string[], chosen: number, named: boolean}}
   * about */
  function draw({ zero, marks, paper, ours, seeds, ends }, about) {
    const { base, values, far, lone, covered, stuck, by, chosen, named } = about;
    const levels = { paper: LANES.paper[Number(named)], mean: LANES.mean[Number(named)] };
    const upright = (x, kind) =>
      svg("line", { x1: percent(x), x2: percent(x), y1: 0, y2: "100%", class: kind });
    /** What lies beyond the scale is told in its row, where no other setting is. */
    const loud = (n) => named && far[n] && (chosen === n || chosen === base);
    /** One lane: from the least to the most that is known, and the name of one of its dots. */
    const lane = (kind, name, list) => {
      const y = levels[kind];
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
      const paper = kind === "paper";
      if (mute || !known.includes(told)) return made;
      // Beyond all that the lane holds, so that it covers nothing.
      const reach = kind === "mean" ? known.flatMap((n) => (n === base ? [] : ends[n])) : [];
      const all = [low, high, ...reach.filter((x) => x >= 0)];
      const [left, right] = [Math.min(...all), Math.max(...all)];
      const full = right > 78;
      const before = left > (named ? 24 : 40) && (full || list[told] < zero);
      const x = before ? left : right;
      const at = { x: percent(x), y, dy: 4, dx: before ? -9 : 10 };
      const style = `text-anchor: ${before ? "end" : "start"}`;
      // The setting is named where there is room, and beside its own dot alone.
      const own = !named || (list[told] === (before ? low : high) && (before || !full));
      const text = [named && name, own && values[told]].filter(Boolean).join(", ");
      const much =
        paper && own && right < (named ? 63 : 74) ? [svg("tspan", {}, `: ${by[told]}`)] : [];
      return [...made, svg("text", { class: `tc-word tc-${kind}`, ...at, style }, text, ...much)];
    };
    const cell = (n) => {
      if (covered[n] || n === base) return [];
      const made = [];
      const [low, high] = ends[n].map(percent);
      const y = levels.mean;
      const big = n === chosen ? 7 : 5;
      if (!Number.isNaN(ends[n][0]) && !far[n])
        made.push(svg("line", { class: "tc-bar", x1: low, x2: high, y1: y, y2: y }));
      for (const x of lone[n] || far[n] ? [] : seeds[n]) made.push(dot("tc-seed", x, y, 2.5));
      if (far[n]) {
        const first = n === far.findIndex(Boolean) && !far.some((_, m) => loud(m));
        const beyond = first ? values.filter((_, m) => far[m]).join(", ") : "";
        const words = loud(n) ? `${stuck[n] ? "hardly learned, " : ""}${far[n]}` : beyond;
        made.push(
          svg("text", { class: "tc-far", x: "100%", y, dy: 4 }, words, svg("tspan", {}, " ▸")),
        );
      } else if (!Number.isNaN(ours[n]))
        made.push(dot(`tc-mean${lone[n] ? " tc-lone" : ""}`, ours[n], y, big));
      made.push(dot("tc-paper", paper[n], levels.paper, big));
      return made;
    };
    node.replaceChildren(
      ...marks.map((x) => upright(x, "tc-rule")),
      upright(zero, "tc-zero"),
      ...lane(
        "mean",
        "ours",
        ours.map((x, n) => (far[n] ? NaN : n === base ? zero : x)),
      ),
      ...lane("paper", "paper", paper),
      dot("tc-base", zero, levels.paper, 5),
      ...paper.flatMap((_, n) => cell(n)),
    );
  }
  return { node, draw };
}
