// @ts-check
// The slices of rows where they stand, and the way of a row through W_O.
import {
  FEATURES,
  HEADING,
  MOST_CELLS,
  SAID,
  WORDS,
  across,
  boxHeight,
  panelHeight,
  place,
  shades,
  spot,
  stripes,
} from "./head_slices_numbers.js";
import { dot } from "./numbers.js";
import { h } from "./shared.js";
/** @import {Matrix} from "./types.js" */

/** Put every slice in its place, in the shades of its numbers.
 * @param {HTMLElement} stagebox @param {{token: number, part: number, node: HTMLElement}[]} slices
 * @param {any} now all traits @param {Matrix} x @param {Matrix[]} split
 * @param {Matrix[]} weights */
export function placeSlices(stagebox, slices, now, x, split, weights) {
  const { d_model: d, num_heads: n, length, stage } = now;
  const columns = across(n);
  const panels = stage === 2 || stage === 3;
  // As tall as its tallest stage, with as many words as there may be.
  stagebox.style.height = `${boxHeight(n)}px`;
  const titles = Array.from({ length: stage ? n : 0 }, (_, head) =>
    h(
      "span",
      {
        class: "tc-name",
        style: panels
          ? `left: ${(100 * (head % columns)) / columns}%; top: ` +
            `${Math.floor(head / columns) * panelHeight(n)}px`
          : `left: ${(100 * head) / n}%; top: 0`,
      },
      n > 16 ? String(head + 1) : n > 4 ? `h${head + 1}` : `head ${head + 1}`,
    ),
  );
  const width = d / n;
  for (const { token, part, node } of slices) {
    const { left, top, width: wide, height } = spot(stage, token, part, now);
    Object.assign(node.style, {
      left: `${100 * left}%`,
      top: `${top}px`,
      width: `calc(${100 * wide}% - ${stage ? 3 : 0}px)`,
      height: `${height}px`,
    });
    const [head, row] = place(token, part, n, length, now.wrong);
    const numbers =
      stage === 4
        ? split[head][0].map((_, c) =>
            dot(
              weights[head][row],
              split[head].map((r) => r[c]),
            ),
          )
        : x[token].slice(part * width, (part + 1) * width);
    node.style.background = stripes(
      shades(numbers, Math.max(1, Math.min(d, MOST_CELLS) / n)),
      "var(--hue)",
    );
  }
  stagebox.replaceChildren(...titles, ...slices.map(({ node }) => node));
}

/** What each row says about its word, as a table. */
export function rowsInWords() {
  const cells = (said) => said.map((text) => h("td", {}, text || "–"));
  const rows = SAID.map((said, n) =>
    h("tr", { class: `tc-hue${n + 1}` }, h("th", { scope: "row" }, WORDS[n]), ...cells(said)),
  );
  const names = FEATURES.map((name) => h("th", { scope: "col" }, name));
  const node = h(
    "div",
    { class: "tc-op tc-meaning" },
    h(
      "table",
      {},
      h("caption", {}, h("b", {}, "What a row says"), ", a quarter each"),
      h("thead", {}, h("tr", {}, h("td"), ...names)),
      h("tbody", {}, ...rows),
    ),
  );
  return { node, rows };
}

/** A row of all heads times W_O. @param {number} d @param {number} n heads */
export function mixing(d, n) {
  const bands = (kind) =>
    h(
      "div",
      { class: `tc-bands ${kind}` },
      ...Array.from({ length: n }, (_, m) => h("i", {}, n <= 8 ? String(m + 1) : "")),
    );
  const part = (bands, name) => h("figure", {}, bands, h("figcaption", {}, name));
  return h(
    "div",
    { class: "tc-mixing" },
    part(bands("tc-strip"), `one row: ${n} × ${d / n}`),
    h("span", {}, "×"),
    part(bands("tc-square"), `Wᴼ: ${d} × ${d}`),
    h("span", {}, "="),
    part(h("div", { class: "tc-bands tc-strip tc-all" }, h("i", {}, "all heads")), `out: ${d}`),
  );
}
