// @ts-check
// The running sums as bars: what was there before, and what the newest tile adds.
import { fixed } from "./numbers.js";
import { assign, say, svg } from "./shared.js";
import { between, tween } from "./stage.js";
/** @import {Seen} from "./online_softmax_numbers.js" */

const [WIDE, LEFT, RIGHT] = [304, 2, 58];
const ROOM = WIDE - LEFT - RIGHT;

/** `draw` gets [kept, new] of l and of o, and the largest of each. */
export function sumsPicture() {
  const row = (name, about, y) => {
    const [kept, added] = [
      svg("rect", { y, height: 22, class: `tc-old tc-sum-${name}` }),
      svg("rect", { y, height: 22, class: `tc-new tc-sum-${name}` }),
    ];
    const value = svg("text", { x: WIDE, y: y + 16, "text-anchor": "end" });
    const zero = svg("line", { y1: y - 4, y2: y + 26 });
    const symbol = svg("tspan", { class: "tc-name" }, name);
    const label = svg("text", { x: 0, y: y - 8 }, symbol, ` ${about}`);
    return { kept, added, value, zero, all: [kept, added, zero, value, label] };
  };
  const rows = {
    l: row("l", "the sum of what the keys count for", 50),
    o: row("o", "their values, summed in these shares", 106),
  };
  const highest = svg("tspan");
  const symbol = svg("tspan", { class: "tc-name" }, "m");
  const title = svg("text", { x: 0, y: 14 }, symbol, " the largest score so far: ", highest);
  const node = svg(
    "svg",
    { class: "tc-sums", viewBox: `0 0 ${WIDE} 134`, role: "img" },
    title,
    ...Object.values(rows).flatMap(({ all }) => all),
  );

  function draw({ l, o, most }) {
    for (const [name, parts] of Object.entries({ l, o })) {
      const signed = name === "o";
      const zero = LEFT + (signed ? ROOM / 2 : 0);
      const scale = (signed ? ROOM / 2 : ROOM) / most[name];
      const bars = rows[/** @type {"l" | "o"} */ (name)];
      const put = (bar, from, to) =>
        assign(bar, {
          x: (zero + scale * Math.min(from, to)).toFixed(1),
          width: Math.abs(scale * (to - from)).toFixed(1),
        });
      const [kept, sum] = [parts[0], parts[0] + parts[1]];
      put(bars.kept, 0, kept);
      put(bars.added, kept, sum);
      assign(bars.zero, { x1: zero, x2: zero });
      say(bars.value, fixed(sum, 3));
    }
    const sums = [l, o].map(([kept, added]) => fixed(kept + added, 3));
    node.setAttribute("aria-label", `Running sums: l = ${sums[0]}, o = ${sums[1]}`);
  }
  return { node, draw, rise: (/** @type {string} */ m) => say(highest, m) };
}

/** What stands after some tiles: the height of each key, and [kept, new] of each sum; `before` are
 * the heights when what was there has shrunk and the newest tile is still to come.
 * @param {Seen[]} states @param {number} at tiles seen @param {number[]} earlier heights
 * @param {number[]} heights */
export function standings(states, at, earlier, heights) {
  const last = states[at - 1];
  const parts = (/** @type {"l" | "o"} */ name) => {
    const kept = at > 1 ? states[at - 2][name] * last.shrink : 0;
    return last ? [kept, last[name] - kept] : [0, 0];
  };
  const largest = (/** @type {"l" | "o"} */ name) =>
    Math.max(1e-9, ...states.map((state) => Math.abs(state[name])));
  return {
    heights,
    before: earlier.map((x) => x * (last?.shrink ?? 0)),
    l: parts("l"),
    o: parts("o"),
    most: { l: largest("l"), o: largest("o") },
  };
}

/** Glides to new standings; after a step in two phases: what was there shrinks, then the tile comes
 * in.
 * @param {(standing: any) => void} paint @returns {(to: any, stepped: boolean) => void} */
export function twoPhases(paint) {
  let painted = /** @type {any} */ (null);
  let stop = () => {};
  return (to, stepped) => {
    stop();
    const merge = ([kept, added]) => [kept + added, 0];
    const from = painted ?? to;
    const start = stepped ? { ...from, l: merge(from.l), o: merge(from.o) } : from;
    const shrunk = { heights: to.before, l: [to.l[0], 0], o: [to.o[0], 0] };
    const phase = (t) => {
      if (!stepped) return [start, to, t];
      return t < 0.5 ? [start, shrunk, 2 * t] : [shrunk, to, 2 * t - 1];
    };
    const put = (t) => {
      const [a, b, part] = phase(t);
      const mix = (name) => between(a[name], b[name], part);
      painted = { ...to, heights: mix("heights"), l: mix("l"), o: mix("o") };
      paint(painted);
    };
    if (from === to) put(1);
    else stop = tween(stepped ? 700 : 300, put);
  };
}
