// @ts-check
// A line of lengths to set n and d on: on either side of n = d another layer does less work.
import {
  LENGTHS,
  LONGEST,
  WIDTHS,
  nearest,
  nearestRatio,
  operations,
  times,
} from "./complexity_counts.js";
import { handle } from "./handle.js";
import { count } from "./numbers.js";
import { assign, say, svg } from "./shared.js";

const [SIDE, AXIS, OFF] = [10, 206, 26]; // words stand off the dots’ rings
const [EQUAL, DECADE] = [90, 17]; // of the curves: where both do the same work, a factor of ten

/** @param {number} width @param {(changes: Record<string, number>) => void} set
 * @returns {{node: any, show: (now: any, cross: number) => void}} */
export function lengthLine(width, set) {
  const left = svg("path", { class: "tc-cheaper" });
  const right = svg("path");
  const sides = ["self-attention", "recurrent"].map((name, n) => {
    const lines = width > 500 ? [`${name}: less work`] : [name, "less work"];
    const parts = lines.map((line, m) => svg("tspan", { y: AXIS + OFF + 10 + 14 * m }, line));
    return svg("text", { class: "tc-side", "text-anchor": n ? "start" : "end" }, ...parts);
  });
  const [long, wide] = [svg("text", { class: "tc-n" }), svg("text")];
  const equal = svg("text", { class: "tc-side", "text-anchor": "middle" });
  const hint = svg("text", { class: "tc-side", y: AXIS - OFF }, "← drag the dots →");
  // -- self-attention's work beside a recurrent layer's, over the same lengths --
  const label = (about, words) => svg("text", about, words);
  const title = label(
    { x: SIDE, y: 12 },
    `${width > 500 ? "Self-attention’s" : "Its"} work beside recurrence’s; each line: 10 times`,
  );
  const own = label({ x: SIDE, class: "tc-own" }, "self-attention");
  const other = label({ x: SIDE }, "recurrent");
  const tens = [-3, -2, -1, 1, 2, 3].map((n) => `M${SIDE} ${EQUAL + n * DECADE}H${width - SIDE}`);
  const lines = svg("path", { class: "tc-tens", d: tens.join("") });
  const flat = svg("path", { d: `M${SIDE} ${EQUAL}H${width - SIDE}` });
  const [between, guide, gap, curve] = ["between", "guide", "gap", "hue1"].map((name) =>
    svg("path", { class: `tc-${name}` }),
  );
  const ratio = svg("text", { class: "tc-ratio" });
  const drawn = [between, lines, guide, flat, gap, curve, title, own, other, ratio];
  const curves = svg("g", { class: "tc-curves" }, ...drawn);
  const node = svg(
    "svg",
    { class: "tc-length", viewBox: `0 0 ${width} ${AXIS + (width > 500 ? 58 : 72)}` },
    ...[curves, right, left, ...sides, long, wide, equal, hint],
  );
  function at(n) {
    return SIDE + ((width - 2 * SIDE) * Math.log(n)) / Math.log(LONGEST);
  }
  const from = (x) => LONGEST ** Math.max(0, Math.min(1, (x - SIDE) / (width - 2 * SIDE)));
  const dot = (trait, label, stops, hue) => {
    let now = 0;
    const to = (place) => set({ [trait]: stops[Math.max(0, Math.min(stops.length - 1, place))] });
    const move = (x) => to(nearestRatio(stops, from(x)));
    const step = (by) => to(nearest(stops, now) + by);
    const { put } = handle(node, { label, move, step, hue });
    const [min, max] = [stops[0], stops.at(-1)];
    const show = (value) => {
      now = value;
      put(at(value), AXIS, { min, max, now, text: count(value) });
    };
    return { move, show };
  };
  const d = dot("d", "Width d", WIDTHS, 5);
  const n = dot("n", "Length n", LENGTHS, 1);
  node.style.touchAction = "pan-y";
  const press = (event) => {
    const box = node.getBoundingClientRect();
    if (event.type === "pointerdown") node.setPointerCapture(event.pointerId);
    if (event.buttons & 1) n.move(((event.clientX - box.left) / box.width) * width);
  };
  for (const name of ["pointerdown", "pointermove"]) node.addEventListener(name, press);

  /** Words above or under the line, wholly inside the picture. */
  const put = (text, words, x, y) => {
    say(text, words);
    const half = 4.2 * words.length;
    assign(text, { x: Math.max(half, Math.min(width - half, x)), y });
  };
  const show = (now, cross) => {
    const x = at(cross || 1);
    left.setAttribute("d", `M${SIDE} ${AXIS}H${x}`);
    right.setAttribute("d", `M${x} ${AXIS}H${width - SIDE}`);
    const beside = 4 * `d = ${count(now.d)}`.length + 5;
    sides.forEach((side, n) => {
      side.toggleAttribute("hidden", !cross);
      side.classList.toggle("tc-won", n ? now.n > cross : now.n < cross);
      for (const line of side.children) line.setAttribute("x", String(n ? x + beside : x - beside));
    });
    n.show(now.n);
    d.show(now.d);
    const share = (long) => {
      const { attention, recurrent } = operations({ ...now, n: long });
      return attention / recurrent;
    };
    const high = (long) => EQUAL - DECADE * Math.log10(share(long));
    const points = Array.from({ length: 65 }, (_, m) => LONGEST ** (m / 64));
    const path = points.map((long) => `${at(long)} ${high(long)}`).join("L");
    curve.setAttribute("d", `M${path}`);
    between.setAttribute("d", `M${SIDE} ${EQUAL}L${path}V${EQUAL}Z`);
    // How many times as much: where the curve is not, beside the name of what it is compared with.
    const told = now.n === cross ? "" : times(share(now.n));
    const clear = 4.8 * told.length;
    const near = Math.max(84 + clear, Math.min(width - clear, at(now.n)));
    put(ratio, told, near, EQUAL + (now.n < cross ? -7 : 18));
    other.setAttribute("y", String(EQUAL + (cross ? -7 : 17)));
    gap.setAttribute("d", `M${at(now.n)} ${EQUAL}V${high(now.n)}`);
    const low = AXIS - OFF - 16; // over the words
    const crossing = cross ? `M${x} ${EQUAL}V${low}` : "";
    guide.setAttribute("d", `M${at(now.n)} ${EQUAL}V${low}${crossing}`);
    own.setAttribute("y", String(cross ? Math.min(high(1) + 17, 162) : high(1) - 8));
    const words = `n = ${count(now.n)} word${now.n === 1 ? "" : "s"}`;
    put(long, words, at(now.n), AXIS - OFF);
    const [middle, half] = [Number(long.getAttribute("x")), 4.2 * words.length + 10];
    equal.classList.toggle("tc-won", now.n === cross);
    const after = at(now.n) < width / 2;
    assign(hint, { x: middle + (after ? half : -half), "text-anchor": after ? "start" : "end" });
    put(wide, `d = ${count(now.d)}`, at(now.d), AXIS + OFF + 10);
    put(equal, cross ? "equal work at n = d" : "", x, AXIS + OFF + (width > 500 ? 27 : 42));
  };
  return { node, show };
}
