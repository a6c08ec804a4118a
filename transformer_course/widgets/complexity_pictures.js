// @ts-check
// A layer in a lane: its name, its words as a row of dots, and at the end what is counted. Over the
// dots go the hops of a signal from the first to the last; or below them stands when each is computed.
import { layersToSpan } from "./complexity_counts.js";
import { count } from "./numbers.js";
import { assign, h, say, svg } from "./shared.js";

const MOST = 160; // hops, or places, that are drawn one by one
const EDGE = 9; // at the ends of the row of places
const LOW = 10; // an arc to the next place
const EARLY = 16; // where time begins, downward

/** A way from the first place to the last, as how far each hop goes; null if there are too many to
 * be drawn. A word enters a recurrent layer first: a hop to its own place.
 * @param {string} name @param {{n: number, k: number, r: number}} sizes */
export function hops(name, { n, k, r }) {
  if (name === "attention") return [n - 1];
  if (name === "recurrent") return n > MOST ? null : [0, ...Array(n - 1).fill(1)];
  const [window, growth] = name === "restricted" ? [r, 1] : [k, name === "dilated" ? k : 1];
  const layers = layersToSpan(n, window, growth);
  if (layers > MOST) return null;
  let left = n - 1;
  return Array.from({ length: layers }, (_, layer) => {
    // Dilated, a layer goes a multiple of its gap: the digits of the whole way in base k.
    const hop = growth > 1 ? left % k ** (layer + 1) : Math.min(window - 1, left);
    left -= hop;
    return hop;
  });
}

/** How a signal goes, or how many words are computed at a time.
 * @param {string} name @param {{n: number, k: number, r: number}} sizes @param {number} layers
 * @param {boolean} waiting */
export function about(name, { n, k, r }, layers, waiting) {
  const apart = name === "recurrent";
  if (waiting) return apart ? "one after another" : "all at once";
  if (apart) return "in, then word to word";
  if (name === "attention") return "straight to any word";
  const deep = `${count(layers)} layer${layers === 1 ? "" : "s"}`;
  if (name === "dilated") return `gaps grow ${k}-fold, ${deep}`;
  const back = Math.min(name === "restricted" ? r : k, Math.max(2, n)) - 1;
  return `${count(back)} word${back === 1 ? "" : "s"} back, ${deep}`;
}

/** The lane of one layer. `draw` takes the sizes, how much there is to count and of what, and
 * whether the time is shown; `run` how much is done, or null.
 * @param {string} name @param {string} words @param {number} width
 * @returns {{node: any, draw: (sizes: any, total: number, unit: string, waiting: boolean) => void,
 * run: (after: number | null) => void, clock: (share: number) => void}} */
export function lane(name, words, width) {
  const tall = width > 330 ? 112 : 76;
  const [high, late] = [tall - 22, tall - 6]; // an arc over all places; the end of the time
  const parts = ["room", "wait", "time", "lit", "all", "dots", "way", "done", "now"].map((kind) =>
    svg("path", { class: `tc-${kind}` }),
  );
  const [room, wait, time, lit, all, dots, way, done, now] = parts;
  const sent = svg("circle", { r: 8, class: "tc-sent" });
  // What the signal has behind it: its way, as far as it has come.
  const passed = svg("rect", { height: tall });
  const id = `tc-passed-${Math.random().toString(36).slice(2, 9)}`;
  for (const part of [done, lit]) part.setAttribute("clip-path", `url(#${id})`);
  const viewBox = `0 0 ${width} ${tall}`;
  const clip = svg("clipPath", { id }, passed);
  const when = svg("text", { x: 8, y: late - 7 }, "time ↓");
  const picture = svg("svg", { viewBox, role: "img" }, clip, ...parts, when, sent);
  const [small, number, unit] = [h("span"), h("b"), h("span")];
  const what = h("p", {}, h("b", {}, words), small);
  const counter = h("p", { class: "tc-counter" }, number, unit);
  const node = h("div", { class: `tc-layer tc-${name}` }, what, picture, counter);
  const [first, last] = [EDGE, width - EDGE];
  const height = (wide) => LOW + ((high - LOW) * wide) / (last - first);
  let [total, things, waiting, base] = [1, "", false, 0];
  let arcs = /** @type {number[][] | null} */ (null); // from where to where each hop goes

  function draw(sizes, most, single, timed) {
    const { n } = sizes;
    [total, waiting] = [most, timed];
    things = `${single}${most === 1 ? "" : "s"}`;
    say(small, about(name, sizes, most, timed));
    const gap = n > 1 ? (last - first) / (n - 1) : 0;
    const at = (place) => (n > 1 ? first + place * gap : width / 2);
    const size = Math.max(1.5, Math.min(5, gap * 0.6 || 5));
    for (const part of parts) part.setAttribute("d", "");

    const found = hops(name, sizes);
    let place = 0;
    arcs = found && found.map((hop) => [at(place), at((place += hop))]);
    const top = height(Math.max(0, ...(arcs ?? []).map(([from, to]) => to - from)));
    base = timed ? 8 : tall / 2 + 5 + top / 2;
    const each = Array.from({ length: Math.min(n, MOST) }, (_, m) => `M${at(m)} ${base}h0`);
    assign(dots, {
      d: n > MOST ? `M${first} ${base}H${last}` : each.join(""),
      "stroke-width": size,
    });
    when.toggleAttribute("hidden", !timed || name !== "attention");
    if (timed) drawTime(n, at, gap);
    else drawWay(n, at);
    run(null);
    picture.setAttribute("aria-label", `${count(most)} ${things}, ${small.textContent}`);
  }

  /** The signal's way, and all that the last word reads. */
  function drawWay(n, at) {
    const arc = (/** @type {number[]} */ [from, to]) => {
      const up = base - 5 - (4 / 3) * height(to - from);
      // A hop on the spot is a stroke.
      if (from === to) return `M${from} ${base - 5}v${-LOW}`;
      return `M${from} ${base - 5}C${from} ${up} ${to} ${up} ${to} ${base - 5}`;
    };
    const line = arcs?.map(arc).join("") ?? `M${first} ${base - 8}H${last}`;
    const widest = arcs ? Math.max(...arcs.map(([from, to]) => to - from)) : 0;
    const thin = arcs ? Math.min(3, 0.75 + widest / 30) : 6; // many small arcs are thin ones
    way.classList.toggle("tc-many", !arcs);
    assign(way, { d: line, "stroke-width": thin });
    assign(done, { d: line, "stroke-width": Math.max(2, 1.5 * thin) });
    if (name !== "attention") return;
    const every = Math.max(1, n / 48);
    let others = "";
    for (let other = every; other < n - 1; other += every) others += arc([at(other), last]);
    all.setAttribute("d", others);
  }

  /** When each word is computed, on one scale for all layers; a line is as long as it waits. */
  function drawTime(n, at, gap) {
    const thick = Math.max(3, (late - EARLY) / n);
    const down = (m) => EARLY + (total > 1 ? ((late - EARLY - thick) * m) / Math.max(1, n - 1) : 0);
    const wide = Math.min(14, gap * 0.75 || 14);
    const block = (m) => `M${at(m) - wide / 2} ${down(m)}h${wide}v${thick}h-${wide}z`;
    const band = `M${first} ${down(0)}v${thick}L${last} ${down(n - 1) + thick}v-${thick}z`;
    const blocks = n > MOST ? band : Array.from({ length: n }, (_, m) => block(m)).join("");
    for (const part of [time, lit]) part.setAttribute("d", blocks);
    room.setAttribute("d", `M0 ${EARLY}H${width}V${late}H0z`);
    const shown = Math.min(n, 60);
    const waits = Array.from({ length: total > 1 ? shown : 0 }, (_, m) =>
      Math.round((m * (n - 1)) / (shown - 1)),
    );
    wait.setAttribute("d", waits.map((m) => `M${at(m)} ${EARLY}V${down(m)}`).join(""));
  }

  /** @param {number | null} after */
  function run(after) {
    for (const part of [done, lit, now]) part.toggleAttribute("hidden", after === null);
    sent.toggleAttribute("hidden", after === null || waiting);
    const gone = Math.min(total, Math.floor(after ?? total));
    const there = after !== null && gone === total;
    counter.classList.toggle("tc-there", there);
    say(number, count(gone));
    say(unit, there ? `${things} ✓` : after === null ? things : `of ${count(total)} ${things}`);
    if (after === null) return;
    const part = Math.min(1, after / total);
    let [x, y] = [first + part * (last - first), base - 8];
    if (arcs && !waiting) {
      const hop = Math.min(arcs.length - 1, gone);
      const t = there ? 1 : after - gone;
      const [from, to] = arcs[hop];
      x = from + (to - from) * t * t * (3 - 2 * t);
      y = base - 5 - 4 * height(to - from) * t * (1 - t);
    }
    assign(sent, { cx: x.toFixed(1), cy: y.toFixed(1) });
    passed.setAttribute("width", waiting && (there || total === 1) ? width : x.toFixed(1));
    lit.style.opacity = total === 1 ? String(part) : "";
  }
  /** The clock of all lanes. @param {number} share of the longest time */
  const clock = (share) =>
    now.setAttribute("d", waiting ? `M0 ${EARLY + (late - EARLY) * share}H${width}` : "");
  return { node, draw, run, clock };
}
