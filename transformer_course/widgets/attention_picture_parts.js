// @ts-check
// The drawing's parts: vectors as bars that can be pulled, keys as arrows.
import { fold } from "./attention_picture_numbers.js";
import { handle } from "./handle.js";
import { fixed } from "./numbers.js";
import { MOVES, assign, h, say, svg, take } from "./shared.js";
/** @import {Matrix} from "./types.js" */

/** A vector as bars; with `put` each can be pulled up and down, by keys too.
 * @param {{kind: string, count: number, largest: number, put?: (d: number, x: number) => void}}
 * how */
export function bars({ kind, count, largest, put }) {
  const [wide, tall] = [16, 40];
  let numbers = Array.from({ length: count }, () => 0);
  const rects = numbers.map((_, d) =>
    svg("rect", { x: d * wide + 2, width: wide - 4, class: "tc-bar-of" }),
  );
  const holds = numbers.map((_, d) =>
    svg(
      "g",
      put
        ? {
            role: "slider",
            tabindex: d ? -1 : 0,
            "aria-valuemin": -largest,
            "aria-valuemax": largest,
            pointerdown(event) {
              event.preventDefault();
              holds[d].setPointerCapture(event.pointerId);
              holds[d].focus({ preventScroll: true });
              from = [event.clientY, numbers[d]];
            },
            pointermove(event) {
              if (!holds[d].hasPointerCapture(event.pointerId)) return;
              const scale = (2 * largest) / node.getBoundingClientRect().height;
              change(d, from[1] + (from[0] - event.clientY) * scale);
            },
            focus: () =>
              holds.forEach((other, n) => other.setAttribute("tabindex", n === d ? 0 : -1)),
            keydown(event) {
              const [down, right] = MOVES[event.key] ?? [0, 0];
              if (!down && !right) return;
              take(event);
              if (right) holds[d + right]?.focus();
              else change(d, numbers[d] - down * 0.25);
            },
          }
        : {},
      svg("rect", { x: d * wide, width: wide, height: tall, class: "tc-pull" }),
      rects[d],
    ),
  );
  let from = [0, 0];
  const change = (d, x) =>
    put?.(d, Math.round(100 * Math.min(largest, Math.max(-largest, x))) / 100);
  const node = svg(
    "svg",
    {
      class: `tc-bars-of tc-of-${kind}`,
      viewBox: `0 0 ${count * wide} ${tall}`,
      role: "group",
      preserveAspectRatio: "none",
    },
    svg("path", { d: `M0 ${tall / 2}h${count * wide}`, class: "tc-zero" }),
    ...holds,
  );
  const title = h("span");
  const sum = h("span");
  const box = h("div", { class: "tc-vector" }, h("div", {}, title, sum), node);
  /** @param {number[]} row @param {string} label @param {string} [about] */
  const draw = (row, label, about = "") => {
    numbers = row;
    say(title, label);
    say(sum, about);
    node.setAttribute("aria-label", label);
    row.forEach((x, d) => {
      const size = (Math.min(1, Math.abs(x) / largest || 0) * tall) / 2;
      assign(rects[d], {
        y: x < 0 ? tall / 2 : tall / 2 - size,
        height: size,
        "data-kind": x < 0 ? "neg" : "pos",
      });
      if (put)
        assign(holds[d], {
          "aria-label": `${label}, entry ${d + 1}`,
          "aria-valuenow": x.toFixed(2),
        });
    });
  };
  return { node: box, draw };
}

/** The query along a line, every key at its true length and angle to it.
 * @param {number} count of keys @param {(j: number, to: {along: number, beside: number}) => void} put
 * a key @param {(size: number) => void} stretch the query */
export function arrows(count, put, stretch) {
  const [wide, tall, x0, scale] = [320, 250, 100, 5.6];
  const y0 = tall / 2;
  const side = (j) => (j % 2 ? -1 : 1);
  const line = (kind) => svg("line", { class: kind, x1: x0, y1: y0 });
  const lines = Array.from({ length: count }, () => line("tc-key"));
  const names = lines.map(() => svg("text"));
  const [asked, shadow, reach] = [line("tc-query"), line("tc-shadow"), line("tc-reach")];
  const node = svg(
    "svg",
    { class: "tc-chart tc-arrows", viewBox: `0 0 ${wide} ${tall}` },
    svg("path", { class: "tc-zero", d: `M0 ${y0}H${wide}` }),
    reach,
    shadow,
    ...lines,
    asked,
    ...names,
  );
  let now = /** @type {{along: number, beside: number}[]} */ ([]);
  let size = 0;
  const tips = lines.map((_, j) =>
    handle(node, {
      label: "",
      move: (x, y) =>
        put(j, { along: (x - x0) / scale, beside: Math.max(0, ((y0 - y) * side(j)) / scale) }),
      step: (n) => Number.isFinite(n) && put(j, { ...now[j], along: now[j].along + n / 4 }),
      hue: 2,
      radius: 5,
    }),
  );
  const tip = handle(node, {
    label: "",
    move: (x) => stretch(Math.max(0.1, (x - x0) / scale)),
    step: (n) => Number.isFinite(n) && stretch(Math.max(0.1, size + n / 4)),
    hue: 1,
    radius: 6,
  });
  /** @param {number[]} q @param {Matrix} keys @param {number[]} scores @param {string[]} words
   * @param {number} i @param {number} picked @param {number[]} weights */
  const draw = (q, keys, scores, words, i, picked, weights) => {
    size = Math.hypot(...q);
    now = keys.map((k) => fold(q, k));
    const place = ({ along, beside }, j) => [x0 + scale * along, y0 - scale * beside * side(j)];
    const spots = /** @type {any[]} */ ([]);
    now.forEach((each, j) => {
      const [x, y] = place(each, j);
      assign(lines[j], { x2: x, y2: y, "stroke-width": 1.5 + 5 * (weights[j] || 0) });
      lines[j].classList.toggle("tc-picked", j === picked);
      // A name stands beside its tip, clear of those before it.
      const dx = each.along < 0 ? -8 : 8;
      let at = y + 4;
      while (spots.some(([a, b, c]) => c === dx && Math.hypot((a - x) / 4, b - at) < 11))
        at -= side(j);
      spots.push([x, at, dx]);
      assign(names[j], { x: x + dx, y: at, "text-anchor": dx < 0 ? "end" : "start" });
      say(names[j], words[j]);
      tips[j].node.setAttribute("aria-label", `key of ${words[j]}, along the query of ${words[i]}`);
      tips[j].put(x, y, {
        min: -30,
        max: 30,
        now: each.along.toFixed(2),
        text: `${fixed(each.along, 1)} along, ${fixed(each.beside, 1)} beside, score ${fixed(scores[j], 1)}`,
      });
    });
    const [x, y] = place(now[picked], picked);
    assign(asked, { x2: x0 + scale * size, y2: y0 });
    assign(shadow, { x1: x, y1: y, x2: x, y2: y0 });
    assign(reach, { x2: x, y2: y0 });
    tip.node.setAttribute("aria-label", `length of the query of ${words[i]}`);
    tip.put(x0 + scale * size, y0, { min: 0, max: 30, now: size.toFixed(2), text: fixed(size, 1) });
  };
  return { node, draw };
}
