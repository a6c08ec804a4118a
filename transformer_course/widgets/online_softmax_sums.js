// @ts-check
// The running sums as bars: what was there before, and what the newest tile adds.
import { fixed } from "./numbers.js";
import { assign, h, say, svg } from "./shared.js";
import { between, tween } from "./stage.js";
/** @import {Seen} from "./online_softmax_numbers.js" */

const WIDE = 300;

/** `draw` gets [kept, new] of l and of o, and the largest of each; `verdict` stands beside their
 * ratio. @param {any} verdict */
export function sumsPicture(verdict) {
  const line = (name, about, ...bar) => {
    const value = h("output");
    return { value, all: [h("b", {}, name), about, ...bar, value] };
  };
  const bars = { l: "the sum of the weights", o: "the sum of weight × value" };
  const rows = Object.entries(bars).map(([name, about]) => {
    const [kept, added] = ["old", "new"].map((kind) =>
      svg("rect", { y: 1, height: 20, class: `tc-${kind} tc-sum-${name}` }),
    );
    const zero = svg("line", { y1: 0, y2: 22 });
    const box = { viewBox: `-1 0 ${WIDE + 2} 22`, preserveAspectRatio: "none" };
    const picture = svg("svg", { ...box, "aria-hidden": true }, kept, added, zero);
    return { name, kept, added, zero, ...line(name, h("span", {}, about), picture) };
  });
  const highest = line("m", h("span", {}, "the largest score so far; weight = exp(score − m)"));
  const answer = line("o ÷ l", verdict);
  const lines = [highest, ...rows, answer];
  const node = h("div", { class: "tc-sums" }, ...lines.map(({ all }) => h("div", {}, ...all)));

  function draw({ l, o, most }) {
    for (const [n, [kept, added]] of [l, o].entries()) {
      const row = rows[n];
      const room = n ? WIDE / 2 : WIDE; // o has a sign
      const [zero, scale] = [WIDE - room, room / most[row.name]];
      const put = (bar, from, to) =>
        assign(bar, {
          x: (zero + scale * Math.min(from, to)).toFixed(1),
          width: Math.abs(scale * (to - from)).toFixed(1),
        });
      put(row.kept, 0, kept);
      put(row.added, kept, kept + added);
      assign(row.zero, { x1: zero, x2: zero });
      say(row.value, fixed(kept + added, 3));
    }
  }
  const told = (/** @type {string} */ m, /** @type {number} */ ratio, /** @type {number} */ at) => {
    say(highest.value, m);
    say(answer.value, at ? fixed(ratio, 3) : "");
  };
  return { node, draw, told };
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
