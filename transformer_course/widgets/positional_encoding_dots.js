// @ts-check
// Beside the map: the dot product of one row with every row, at that row's height.
import { format, plain } from "./numbers.js";
import { omega, product } from "./positional_encoding_numbers.js";
import { assign, h, say, svg } from "./shared.js";

const GAP = 7; // percent of the height that two labels need

export function makeDots() {
  const [pale, own, other] = ["all", "own", "other"].map((name) =>
    svg("path", { class: `tc-${name}` }),
  );
  const bars = svg(
    "svg",
    { preserveAspectRatio: "none", role: "img" },
    svg("g", {}, pale, own, other),
  );
  const [mine, theirs] = [h("b"), h("b", { class: "tc-other" })];
  const bracket = h("s", {}, h("span"));
  const named = h("small");
  const panel = h("div", { class: "tc-dots" }, bracket, bars, mine, theirs, named);
  const draw = ({ dModel, length: rows, base: b, pos, k }) => {
    const rates = Array.from({ length: dModel / 2 }, (_, i) => omega(i, dModel, b));
    const all = Array.from({ length: rows }, (_, p) => product(p - pos, rates));
    const top = dModel / 2;
    const low = Math.min(0, ...all);
    const to = pos + k;
    const inside = to >= 0 && to < rows;
    const bar = (p) => (p in all ? `M0 ${p + 0.5}H${all[p].toFixed(3)}` : "");
    bars.setAttribute("viewBox", `${low} 0 ${top - low} ${rows}`);
    bars.setAttribute(
      "aria-label",
      `Dot product of row ${pos} with each row: ${plain(top)} with itself, ` +
        `${format(product(k, rates))} with row ${plain(to)}`,
    );
    assign(pale, { d: all.map((_, p) => bar(p)).join("") });
    assign(own, { d: bar(pos) });
    assign(other, { d: k ? bar(to) : "" });
    const middle = (p) => (100 * (p + 0.5)) / rows;
    const end = Math.max(0, Math.min(rows, to));
    const [from, far] = [middle(pos), inside ? middle(to) : (100 * end) / rows];
    mine.style.top = `${from}%`;
    theirs.style.top = `${k < 0 ? Math.min(far, from - GAP) : Math.max(far, from + GAP)}%`;
    say(mine, plain(top));
    say(theirs, inside ? format(product(k, rates)) : `${k < 0 ? "↑" : "↓"} ${plain(to)}`);
    bracket.hidden = theirs.hidden = !k;
    Object.assign(bracket.style, {
      top: `${Math.min(from, far)}%`,
      height: `${Math.abs(far - from)}%`,
    });
    say(named, `Each bar: its row times row ${pos}.`);
    say(bracket.firstChild, `k = ${plain(k)}`);
  };
  return { panel, draw };
}
