// @ts-check
// Self-attention's work beside a recurrent layer's, by length: a dot on the curve is n, and one
// where both do the same work is d.
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

const [LEFT, RIGHT, AXIS, EQUAL, DECADE] = [56, 12, 158, 74, 18];
const TENS = [3, 2, 1, 0, -1, -2, -3];

/** "100 ×", "1/100" @param {number} power */
const tick = (power) =>
  power ? (power > 0 ? `${count(10 ** power)} ×` : `1/${count(10 ** -power)}`) : "same";

/** @param {number} width @param {(changes: Record<string, number>) => void} set
 * @returns {{node: any, show: (now: any) => void}} */
export function workChart(width, set) {
  const end = width - RIGHT;
  const text = (kind, about = {}, words = "") =>
    svg("text", { class: `tc-${kind}`, ...about }, words);
  const at = (n) => LEFT + ((end - LEFT) * Math.log(n)) / Math.log(LONGEST);
  const from = (x) => LONGEST ** Math.max(0, Math.min(1, (x - LEFT) / (end - LEFT)));
  const lines = TENS.map((n) => `M${LEFT} ${EQUAL - n * DECADE}H${end}`).join("");
  const across = width > 330 ? [1, 10, 100, 1000, 1e4, 1e5] : [1, 100, 1e4];
  const sides = TENS.map((n) =>
    text("tick", { x: LEFT - 8, y: EQUAL - n * DECADE + 4, "text-anchor": "end" }, tick(n)),
  );
  const ends = across.map((n) =>
    text("tick", { x: at(n), y: AXIS + 16, "text-anchor": "middle" }, count(n)),
  );
  const [grid, between, guide, flat, curve] = ["tens", "between", "guide", "flat", "curve"].map(
    (name) => svg("path", { class: `tc-${name}` }),
  );
  grid.setAttribute("d", `${lines}M${LEFT} ${AXIS}H${end}`);
  flat.setAttribute("d", `M${LEFT} ${EQUAL}H${end}`);
  const own = text("own", { x: end, "text-anchor": "end" }, "self-attention");
  const other = text("other", { x: end, y: EQUAL + 15, "text-anchor": "end" }, "recurrent");
  const [long, wide] = [text("own", { y: AXIS - 5 }), text("other", { y: AXIS - 5 })];
  const ratio = text("ratio", { x: LEFT + 8, y: 28 });
  const rest = text("rest", { x: LEFT + 8, y: 44 }, "of recurrence’s work");
  const hint = text(
    "tick",
    { x: (LEFT + end) / 2, y: AXIS + 33, "text-anchor": "middle" },
    "length n in words: drag the dots",
  );
  const node = svg(
    "svg",
    { class: "tc-length", viewBox: `0 0 ${width} ${AXIS + 38}` },
    ...[grid, between, guide, flat, curve, ...sides, ...ends, hint, own, other, long, wide],
    ...[ratio, rest],
  );
  const dot = (trait, label, stops, hue) => {
    let now = 0;
    const to = (place) => set({ [trait]: stops[Math.max(0, Math.min(stops.length - 1, place))] });
    const move = (x) => to(nearestRatio(stops, from(x)));
    const step = (by) => to(nearest(stops, now) + by);
    const { put } = handle(node, { label, move, step, hue });
    const [min, max] = [stops[0], stops.at(-1)];
    const show = (value, y) => {
      now = value;
      put(at(value), y, { min, max, now, text: count(value) });
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

  /** At the foot of a dot, on one side of its line, wholly inside the picture. */
  const put = (name, words, x, after) => {
    say(name, words);
    const room = 8.3 * words.length + 6;
    const left = after ? Math.min(x + 6, width - room + 6) : Math.max(x - 6, room - 6);
    assign(name, { x: left, "text-anchor": after ? "start" : "end" });
  };
  const show = (now) => {
    const share = (long) => {
      const { attention, recurrent } = operations({ ...now, n: long });
      return attention / recurrent;
    };
    const high = (long) => EQUAL - DECADE * Math.log10(share(long));
    const points = Array.from({ length: 65 }, (_, m) => LONGEST ** (m / 64));
    const path = points.map((long) => `${at(long)} ${high(long)}`).join("L");
    curve.setAttribute("d", `M${path}`);
    between.setAttribute("d", `M${LEFT} ${EQUAL}L${path}V${EQUAL}Z`);
    guide.setAttribute("d", `M${at(now.n)} ${high(now.n)}V${AXIS}M${at(now.d)} ${EQUAL}V${AXIS}`);
    own.setAttribute("y", String(high(LONGEST) - 7));
    n.show(now.n, high(now.n));
    d.show(now.d, EQUAL);
    put(long, `n = ${count(now.n)}`, at(now.n), now.n > now.d);
    put(wide, `d = ${count(now.d)}`, at(now.d), now.n <= now.d);
    say(ratio, share(now.n) === 1 ? "the same" : times(share(now.n)));
  };
  return { node, show };
}
