// @ts-check
// The map of all numbers: its colors, and where its edge has room for a word.
import { format } from "./numbers.js";
import { omega, product } from "./positional_encoding_numbers.js";
import { assign, svg } from "./shared.js";

const ratesOf = ({ dModel, base: b }) =>
  Array.from({ length: dModel / 2 }, (_, i) => omega(i, dModel, b));

/** One pixel for each number, in colors that let the page through, light or dark.
 * @param {any} canvas @param {any} state */
export function paint(canvas, { dModel, length: rows, base: b }) {
  [canvas.width, canvas.height] = [dModel, rows];
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const image = context.createImageData(dModel, rows);
  const pixels = new DataView(image.data.buffer); // red, green, blue, and how opaque
  for (let d = 0; d < dModel; d += 1) {
    const rate = omega(Math.floor(d / 2), dModel, b);
    for (let pos = 0; pos < rows; pos += 1) {
      const x = d % 2 ? Math.cos(pos * rate) : Math.sin(pos * rate);
      pixels.setUint32(
        4 * (pos * dModel + d),
        (x < 0 ? 0x80808000 : 0x2f6fc400) + Math.round(230 * Math.abs(x)),
      );
    }
  }
  context.putImageData(image, 0, 0);
  return -1; // the least that a sine can be
}

/** The dot product of each row with each: pale the least, strong that with itself.
 * @param {any} canvas @param {any} state */
export function paintProducts(canvas, state) {
  const { dModel, length: rows } = state;
  canvas.width = canvas.height = rows;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const image = context.createImageData(rows, rows);
  const pixels = new DataView(image.data.buffer);
  const rates = ratesOf(state);
  const all = Array.from({ length: rows }, (_, k) => product(k, rates));
  const low = Math.min(...all);
  for (let p = 0; p < rows; p += 1)
    for (let q = 0; q < rows; q += 1) {
      const x = (all[Math.abs(p - q)] - low) / (dModel / 2 - low || 1);
      pixels.setUint32(4 * (p * rows + q), 0x2f6fc400 + Math.round(230 * x));
    }
  context.putImageData(image, 0, 0);
  return low;
}

/** The line of all pairs of rows that stand as far apart as the two in question. */
export function makeRidge() {
  const diagonal = svg("line", {});
  const node = svg(
    "svg",
    { class: "tc-ridge", preserveAspectRatio: "none", "aria-hidden": true },
    diagonal,
  );
  /** Gives what is the same all along it. @param {any} state */
  const draw = (state) => {
    const { length: rows, k } = state;
    node.setAttribute("viewBox", `0 0 ${rows} ${rows}`);
    assign(diagonal, { x1: 0, y1: k + 0.5, x2: rows, y2: rows + k + 0.5 });
    return `${Math.abs(k)} apart: ${format(product(k, ratesOf(state)))} all along`;
  };
  return { node, draw };
}

/** The middle of the widest gap between marks. @param {number[]} marks */
export function roomiest(marks) {
  const stops = marks.toSorted((a, b) => a - b);
  const gaps = stops
    .slice(1)
    .map((to, n) => ({ size: to - stops[n], middle: (to + stops[n]) / 2 }));
  return gaps.reduce((most, gap) => (gap.size > most.size ? gap : most)).middle;
}
