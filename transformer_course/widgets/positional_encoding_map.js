// @ts-check
// The map of all numbers: its colors, and where its edge has room for a word.
import { omega } from "./positional_encoding_numbers.js";

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
}

/** The middle of the widest gap between marks. @param {number[]} marks */
export function roomiest(marks) {
  const stops = marks.toSorted((a, b) => a - b);
  const gaps = stops
    .slice(1)
    .map((to, n) => ({ size: to - stops[n], middle: (to + stops[n]) / 2 }));
  return gaps.reduce((most, gap) => (gap.size > most.size ? gap : most)).middle;
}
