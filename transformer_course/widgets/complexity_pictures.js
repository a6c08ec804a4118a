// @ts-check
// A layer drawn over its places: above them the hops of a signal from the first to the last, below
// them when each is computed.
import { layersToSpan } from "./complexity_counts.js";
import { count } from "./numbers.js";
import { assign, say, svg } from "./shared.js";

const MOST = 160; // hops, or places, that are drawn one by one
const EDGE = 9; // at the ends of the row of places

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

/** @param {number} n @param {string} name */
const several = (n, name) => `${count(n)} ${name}${n === 1 ? "" : "s"}`;

/** The picture of one layer.
 * @param {string} name @param {number} width
 * @returns {{node: any, draw: (sizes: any, cost: any) => void, send: (after: number | null) =>
 * void}} */
export function layerPicture(name, width) {
  const parts = ["wait", "time", "all", "dots", "way", "done"].map((kind) =>
    svg("path", { class: `tc-${kind}` }),
  );
  const [wait, time, all, dots, way, done] = parts;
  const high = name === "attention" ? 60 : 14; // of an arc over all places
  const base = high + 24; // the row of places
  const tall = name === "recurrent" ? 56 : 24; // of the time
  const [number, more] = [svg("tspan"), svg("tspan", { class: "tc-more" })];
  const far = svg("text", { class: "tc-far" }, number, more);
  const waits = svg("text", { class: "tc-waits", x: width - EDGE, y: base + 20 });
  const steps = svg("text", { class: "tc-steps", x: EDGE - 4, y: base + tall + 4 });
  const viewBox = `0 0 ${width} ${base + tall + 14}`;
  const sent = svg("circle", { r: 8, class: "tc-sent" });
  // What the signal has behind it: its way, as far as it has come.
  const passed = svg("rect", { height: base });
  const id = `tc-passed-${Math.random().toString(36).slice(2, 9)}`;
  done.setAttribute("clip-path", `url(#${id})`);
  const clip = svg("clipPath", { id }, passed);
  const node = svg("svg", { viewBox, role: "img" }, clip, ...parts, far, steps, waits, sent);
  let long = 1;
  let [told, detail] = ["", ""];
  const [first, last] = [EDGE, width - EDGE];

  const arrival = () => `arrived after ${several(long, "hop")}`;
  /** The first lane names what each mark stands for. */
  const lead = (/** @type {string} */ kind) => (name === "attention" ? kind : "");
  const tell = (/** @type {string} */ hops, after = "") => {
    say(number, hops);
    say(more, after);
  };
  const height = (wide) => 5 + ((high - 5) * wide) / (last - first);
  const arc = (from, to) => {
    const up = base - 5 - (4 / 3) * height(to - from);
    return `M${from} ${base - 5}C${from} ${up} ${to} ${up} ${to} ${base - 5}`;
  };

  function draw(sizes, { sequential, path }) {
    const { n, k, r } = sizes;
    long = path;
    send(null);
    const gap = n > 1 ? (last - first) / (n - 1) : 0;
    const at = (place) => (n > 1 ? first + place * gap : width / 2);

    // -- the signal's way, and all that the last word reads --
    const found = hops(name, sizes);
    let place = 0;
    let [top, middle] = [0, width / 2];
    let stays = 0; // hops that stay where they are: side by side, each a mark
    const drawn = found?.map((hop) => {
      const [from, to] = [at(place), at((place += hop))];
      if (2 * hop > n) middle = (from + to) / 2; // the number stands on a long arc
      top = Math.max(top, to - from);
      stays = hop ? 0 : stays + 1;
      const aside = (place === n - 1 ? -5 : 5) * (stays - 1);
      return hop ? arc(from, to) : `M${(from + aside).toFixed(1)} ${base - 12}v7`;
    });
    for (const line of [way, done])
      line.setAttribute("d", drawn?.join("") ?? `M${first} ${base - 8}H${last}`);
    way.classList.toggle("tc-many", !found);
    const widest = gap * Math.max(...(found ?? [n])); // many small arcs are thin ones
    const thin = name === "attention" || !found ? 0 : Math.min(1.5, 0.5 + widest / 20);
    way.style.strokeWidth = thin ? String(thin) : "";
    done.style.strokeWidth = thin ? String(2 * thin) : "";
    const every = name === "attention" ? Math.max(1, n / 48) : n;
    let others = "";
    for (let other = every; other < n - 1; other += every) others += arc(at(other), last);
    all.setAttribute("d", others);
    const size = Math.max(1.5, Math.min(5, gap * 0.6 || 5));
    const each = Array.from({ length: Math.min(n, MOST) }, (_, m) => `M${at(m)} ${base}h0`);
    assign(dots, {
      d: n > MOST ? `M${first} ${base}H${last}` : each.join(""),
      "stroke-width": size,
    });

    // -- the time, downward: a place waits for those before it, or none waits --
    const thick = Math.max(3, Math.min(6, tall / sequential));
    const down = (n) => base + 6 + (sequential > 1 ? ((tall - thick) * n) / (sequential - 1) : 0);
    const wide = Math.min(14, gap * 0.75 || 14);
    const block = (n) => `M${at(n) - wide / 2} ${down(n)}h${wide}v${thick}h-${wide}z`;
    const band = `M${first} ${down(0)}v${thick}L${last} ${down(n - 1) + thick}v-${thick}z`;
    const blocks = n > MOST ? [band] : Array.from({ length: n }, (_, m) => block(m));
    time.setAttribute("d", blocks.join(""));
    // A word's line is as long as it waits.
    const waiting = Array.from({ length: sequential > 1 ? Math.min(n, 60) : 0 }, (_, m) =>
      Math.round((m * (n - 1)) / (Math.min(n, 60) - 1)),
    );
    wait.setAttribute("d", waiting.map((m) => `M${at(m)} ${base + 6}V${down(m)}`).join(""));
    say(waits, sequential > 1 ? `waits ${several(sequential - 1, "step")}` : "");

    const still = found?.filter((hop) => !hop).length;
    told = lead("Path: ") + several(path, "hop");
    detail = "";
    if (n > 1 && name === "recurrent") detail = ", the first into the layer";
    else if (n > 1 && still) detail = `; in ${several(still, "layer")} the signal stays put`;
    const words = 5.2 * told.length + 3.4 * detail.length;
    const half = Math.max(words, 5.9 * arrival().length); // with the arrival, too
    const x = Math.max(half, Math.min(width - half, middle));
    assign(far, { x, y: base - 12 - height(top) });
    tell(told, detail);
    const read = Math.min(n, { attention: n, restricted: r }[name] ?? k);
    const before = read === 2 ? "the one before" : `the ${count(read - 1)} before`;
    const reads = read === n ? `all ${count(n)}` : `itself and ${before}`;
    const together = width > 330 ? ", all at once; each reads " : "; each reads ";
    const order = sequential > 1 ? ", one after another" : together + reads;
    say(steps, lead("Time, downward: ") + several(sequential, "step") + (n > 1 ? order : ""));
    node.setAttribute("aria-label", `${told}${detail}; ${steps.textContent}`);
  }
  /** The signal, after some hops of its way; null for none. @param {number | null} after */
  function send(after) {
    for (const part of [sent, done]) part.toggleAttribute("hidden", after === null);
    const gone = Math.floor(after ?? 0);
    const there = after !== null && gone >= long;
    far.classList.toggle("tc-there", there);
    if (after === null) return tell(told, detail);
    tell(there ? arrival() : `${count(gone)} of ${several(long, "hop")}`);
    const { x, y } = way.getPointAtLength(way.getTotalLength() * Math.min(1, after / long));
    assign(sent, { cx: x.toFixed(1), cy: y.toFixed(1) });
    passed.setAttribute("width", x.toFixed(1));
  }
  return { node, draw, send };
}
