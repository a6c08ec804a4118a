// @ts-check
// A small picture of each part of the course: pale and full shapes, lines, dots.
import { svg } from "./shared.js";

const spots = (...at) => at.map(([x, y]) => `M${x} ${y}h0`).join("");
const blockAt = (x, y, wide, high) => `M${x} ${y}h${wide}v${high}h-${wide}z`;
const inRow = (n, from, by, y) => Array.from({ length: n }, (_, m) => [from + m * by, y]);
const triangle = Array.from({ length: 5 }, (_, r) =>
  Array.from({ length: r + 1 }, (_, c) => blockAt(29 + 13 * c, 3 + 11 * r, 11, 9)),
);
const askers = inRow(8, 11, 14, 12);

/** By the title of the part. @type {Record<string, {pale?: string, full?: string, line?: string,
 * dots?: string, open?: string}>} */
const PICTURES = {
  "Why attention": {
    line: "M108 44C100-4 20-4 12 44M108 44C100 14 44 14 36 44M108 44C104 26 88 26 84 44",
    dots: spots(...inRow(5, 12, 24, 48)),
  },
  Attention: {
    pale: triangle.flat().join(""),
    full: [triangle[0][0], triangle[1][0], triangle[2][2], triangle[3][1], triangle[4][3]].join(""),
  },
  "The rest of the model": {
    pale: blockAt(32, 4, 50, 12) + blockAt(32, 24, 50, 12),
    full: blockAt(32, 44, 50, 12),
    line: "M57 16v8M57 36v8M57 40H94V20H57",
  },
  Training: {
    pale: "M14 6C26 40 44 47 106 49V56H14z",
    line: "M14 6C26 40 44 47 106 49",
    dots: spots([106, 49]),
  },
  Results: {
    line: "M12 30L44 14M12 30L44 46M44 14L76 6M44 14L76 24M44 46L76 40M44 46L76 54M76 24H108",
    dots: spots([12, 30], [44, 14], [76, 24], [108, 24]),
  },
  "Beyond the paper": {
    line: askers.map(([x, y], n) => `M${x} ${y}L${n < 4 ? 32 : 88} 46`).join(""),
    full: blockAt(26, 42, 12, 12) + blockAt(82, 42, 12, 12),
    dots: spots(...askers),
  },
  "Flash cards": {
    pale: "M50 4L96 14L88 48L42 38z",
    full: blockAt(26, 16, 52, 38),
    open: "M34 27h32M34 35h36M34 43h20",
  },
};

/** @param {string} part */
export function pictureOf(part) {
  const paths = Object.entries(PICTURES[part] ?? {});
  return svg(
    "svg",
    { viewBox: "0 0 120 60", "aria-hidden": "true" },
    ...paths.map(([kind, d]) => svg("path", { class: `tc-${kind}`, d })),
  );
}
