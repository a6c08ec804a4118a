// @ts-check
// The lines of AttentionFigures as a picture: from word to word, with what each is true of.
import { FAINTEST, isRight, labelsOf, linesOf } from "./attention_figures_lines.js";
import { h, svg } from "./shared.js";

/** The class of a head's color, or of the rule's. @param {number} head @param {number} rule */
export const hue = (head, rule) => (head === rule ? "tc-by-rule" : `tc-hue${head}`);

/** @param {number[]} heads all of a layer; behind them stands the rule */
export function linesPicture(heads) {
  const rule = heads.length + 1;
  const layered = ["truths", "drawn"].map((name) => svg("g", { class: `tc-${name}` }));
  const [truths, drawn] = layered;
  const lines = svg("svg", { preserveAspectRatio: "none", "aria-hidden": "true" }, ...layered);
  const tags = h("div", { class: "tc-tags", "aria-hidden": "true" });

  /** Lines run down, or from left to right where it is narrow.
   * @param {any} one a sentence @param {{layer: number, on: number[], word: number, marked: boolean,
   * narrow: boolean, middle: (n: number) => number, found: (i: number, j: number) => boolean,
   * rows: number[][][]}} how the middle of a word is its place in its row */
  function draw(one, { layer, on, word, marked, narrow, middle, found, rows }) {
    const total = middle(one.words.length);
    lines.setAttribute("viewBox", narrow ? `0 0 100 ${total}` : `0 0 ${total} 100`);
    const curve = (i, j, shift = 0) => {
      const [from, to] = [middle(i) + shift, middle(j) + shift];
      return narrow
        ? `M0 ${from}C45 ${from} 55 ${to} 100 ${to}`
        : `M${from} 0C${from} 45 ${to} 55 ${to} 100`;
    };
    const apart = (head) => (head === rule ? 0 : head - rule / 2) * (narrow ? 0.1 : 0.85);
    drawn.replaceChildren(
      ...linesOf(one, layer, on, word).flatMap((line) => {
        const { i, j, head, weight } = line;
        const hit = marked && isRight(one, line, rows[head - 1][i]);
        if (word < 0 && marked && i === j) return []; // a word that looks at itself joins no pair
        return svg("path", {
          class: hue(head, rule) + (hit ? " tc-hit" : ""),
          d: curve(i, j, apart(head)),
          "stroke-opacity": Math.max(FAINTEST, weight),
        });
      }),
    );
    const pairs = marked ? one.truth.filter(([asks]) => word < 0 || asks === word) : [];
    truths.replaceChildren(
      ...pairs.map(([i, j]) =>
        svg("path", { class: found(i, j) ? "tc-found" : "", d: curve(i, j) }),
      ),
    );
    const { width, height } = lines.getBoundingClientRect();
    const [wide, long] = narrow ? [height, width] : [width, height];
    const place = (n) => (middle(n) / total) * wide;
    tags.replaceChildren(
      ...labelsOf(pairs, word, found, place, narrow, long).map((tag) =>
        h(
          "span",
          { class: tag.found ? "tc-found" : "", style: `left: ${tag.x}px; top: ${tag.y}px` },
          tag.text,
        ),
      ),
    );
  }
  return { lines, tags, draw };
}
