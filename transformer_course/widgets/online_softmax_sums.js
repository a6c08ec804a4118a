// @ts-check
// The running sums as bars: what was there before, and what the newest tile adds.
import { fixed, plain } from "./numbers.js";
import { assign, h, say, svg } from "./shared.js";
import { between, tween } from "./stage.js";
/** @import {Seen} from "./online_softmax_numbers.js" */

const [WIDE, ROOM] = [300, 0.8]; // of the track, the part that bars may fill; the rest is for words

/** `draw` gets [kept, new] of l and of o, what they were before, and the least and the largest of
 * both: one zero, one scale; `verdict` stands beside their ratio. @param {any} verdict */
export function sumsPicture(verdict) {
  const line = (name, about, ...bar) => {
    const value = h("data");
    return { value, all: [h("b", {}, name), about, ...bar, value] };
  };
  /** A track: what is drawn, and an arrow with a word at its end. */
  const lane = (name, words, ...drawn) => {
    const [arrow, by] = [h("em"), h("span")];
    arrow.append(by);
    const box = { viewBox: `-3 0 ${WIDE + 3} 44`, preserveAspectRatio: "none" };
    const picture = svg("svg", { ...box, "aria-hidden": true }, ...drawn);
    const track = h("div", { class: `tc-track tc-sum-${name}` }, picture, arrow);
    return { arrow, by, ...line(name, h("span", {}, ...words), track) };
  };
  const bars = { l: ["running sum", "of weights"], o: ["running sum of", "weight × value"] };
  const words = (two) => [two[0], " ", h("br"), two[1]];
  const rows = Object.entries(bars).map(([name, about]) => {
    const [was, kept, added] = ["was", "old", "new"].map((kind) =>
      svg("rect", { y: 17, height: 25, class: `tc-${kind}` }),
    );
    const zero = svg("line", { y1: 13, y2: 44 });
    return { was, kept, added, zero, ...lane(name, words(about), was, kept, added, zero) };
  });
  const [dots, mark] = [svg("path"), svg("path", { class: "tc-mark" })];
  const highest = lane("m", words(["running maximum", "of the scores"]), dots, mark);
  const answer = line("o ÷ l", verdict);
  const lines = [highest, ...rows, answer];
  const node = h("div", { class: "tc-sums" }, ...lines.map(({ all }) => h("div", {}, ...all)));

  /** An arrow from one place to another, with what is said at its end; none where it is short.
   * @param {any} row @param {string} told @param {number} from @param {number} to */
  function point({ arrow, by }, told, from, to) {
    const [left, right] = [from, to].map((x) => (100 * x) / WIDE).sort((a, b) => a - b);
    assign(arrow, { style: `left: ${left}%; width: ${right - left}%` });
    arrow.classList.toggle("tc-back", to < from);
    arrow.classList.toggle("tc-same", right - left < 4);
    say(by, told);
  }

  /** A dot for each score read, a large one at the largest, an arrow where that rose. */
  function drawScores({ m, past, read, low, high }) {
    const at = (x) => 4 + ((ROOM * WIDE - 8) * (x - low)) / (high - low || 1);
    const shown = read.filter(Number.isFinite);
    const dot = (x) => `M${at(x).toFixed(1)} 30h0.01`;
    assign(dots, { d: shown.map(dot).join("") });
    assign(mark, { d: Number.isFinite(m) ? dot(m) : "" });
    highest.arrow.hidden = !(m > past && Number.isFinite(past));
    if (highest.arrow.hidden) return;
    point(highest, `+ ${plain(Number((m - past).toFixed(2)))}`, at(past), at(m));
  }

  function draw({ l, o, was, least, most, times, ...about }) {
    drawScores(/** @type {any} */ (about));
    const scale = (ROOM * WIDE) / (most - least);
    const zero = -least * scale;
    for (const [n, [kept, added]] of [l, o].entries()) {
      const row = rows[n];
      const put = (bar, from, to) =>
        assign(bar, {
          x: (zero + scale * Math.min(from, to)).toFixed(1),
          width: Math.abs(scale * (to - from)).toFixed(1),
        });
      put(row.was, 0, was[n]);
      put(row.kept, 0, kept);
      put(row.added, kept, kept + added);
      assign(row.zero, { x1: zero, x2: zero });
      point(row, times, zero + scale * was[n], zero + scale * kept);
      say(row.value, fixed(kept + added, 2));
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
 * @param {number[]} heights @param {number[]} seen scores, those of masked keys −∞ */
export function standings(states, at, earlier, heights, seen) {
  const last = states[at - 1];
  const parts = (/** @type {"l" | "o"} */ name) => {
    const kept = at > 1 ? states[at - 2][name] * last.shrink : 0;
    return last ? [kept, last[name] - kept] : [0, 0];
  };
  const past = at > 1 ? states[at - 2] : { l: 0, o: 0, m: -Infinity };
  const finite = seen.filter(Number.isFinite);
  const all = states.flatMap(({ l, o }) => [l, o]);
  return {
    heights,
    before: earlier.map((x) => x * (last?.shrink ?? 0)),
    l: parts("l"),
    o: parts("o"),
    was: [past.l, past.o],
    least: Math.min(0, ...all),
    most: Math.max(1e-9, ...all),
    times: past.l && last.shrink < 1 ? `× ${plain(Number(last.shrink.toFixed(2)))}` : "",
    m: last?.m ?? -Infinity,
    past: past.m,
    read: seen.slice(0, last?.to ?? 0),
    low: Math.min(...finite),
    high: Math.max(...finite),
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
    const shrunk = { m: to.m, heights: to.before, l: [to.l[0], 0], o: [to.o[0], 0] };
    const phase = (t) => {
      if (!stepped) return [start, to, t];
      return t < 0.5 ? [start, shrunk, 2 * t] : [shrunk, to, 2 * t - 1];
    };
    const put = (t) => {
      const [a, b, part] = phase(t);
      const mix = (name) => between(a[name], b[name], part);
      painted = { ...to, m: mix("m"), heights: mix("heights"), l: mix("l"), o: mix("o") };
      paint(painted);
    };
    if (from === to) put(1);
    else stop = tween(stepped ? 700 : 300, put);
  };
}
