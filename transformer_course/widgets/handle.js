// @ts-check
// A dot of a chart that a mouse, a finger or the arrow keys move.
import { assign, svg, take } from "./shared.js";

/** How many steps each key goes. @type {Record<string, number>} */
const KEYS = {
  ArrowRight: 1,
  ArrowUp: 1,
  ArrowLeft: -1,
  ArrowDown: -1,
  PageUp: 10,
  PageDown: -10,
  Home: -Infinity,
  End: Infinity,
};

/** A dot in a chart that can be held: a slider for those who do not see it. `move(x, y)` gets the
 * place it was dragged to, in the chart's pixels, `step(n)` how far a key goes; Home and End go to
 * −∞ and ∞. `put(x, y, {min, max, now, text})` sets it down.
 * @param {any} chart @param {{label: string, move: (x: number, y: number) => void,
 * step: (n: number) => void, hue?: number, radius?: number}} how
 * @returns {{node: any, put: (x: number, y: number, value: any) => void}} */
export function handle(chart, { label, move, step, hue = 1, radius = 7 }) {
  let grip = [0, 0];
  let at = grip;
  const point = (event) => {
    const { left, top, width } = chart.getBoundingClientRect();
    const scale = chart.viewBox.baseVal.width / width;
    return [(event.clientX - left) * scale, (event.clientY - top) * scale];
  };
  const node = svg(
    "g",
    {
      class: `tc-handle tc-hue${hue}`,
      role: "slider",
      tabindex: 0,
      "aria-label": label,
      pointerdown(event) {
        take(event);
        node.focus({ preventScroll: true });
        node.setPointerCapture(event.pointerId);
        grip = point(event).map((x, n) => x - at[n]);
      },
      pointermove(event) {
        if (!node.hasPointerCapture(event.pointerId)) return;
        event.stopPropagation();
        const [x, y] = point(event);
        move(x - grip[0], y - grip[1]);
      },
      keydown(event) {
        if (!(event.key in KEYS)) return;
        take(event);
        step(KEYS[event.key]);
      },
    },
    svg("circle", { r: 22, class: "tc-halo" }),
    svg("circle", { r: radius }),
  );
  chart.append(node);
  chart.setAttribute("role", "group"); // a picture may hold nothing to focus
  const put = (x, y, { min, max, now, text }) => {
    at = [x, y];
    assign(node, {
      transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`,
      "aria-valuemin": min,
      "aria-valuemax": max,
      "aria-valuenow": now,
      "aria-valuetext": text,
    });
  };
  return { node, put };
}
