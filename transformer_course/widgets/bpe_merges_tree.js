// @ts-check
// How a word's pieces came to be: a tree of merges over its letters, each with its number.
import { visible } from "./bpe_learner.js";
import { assign, svg } from "./shared.js";
/** @import {Placed} from "./bpe_learner.js" */

const [STEP, ROOM] = [17, 74]; // pixels: from level to level at most, over the letters

/** @typedef {{x: number, level: number, n?: number, piece?: string | null, from: Node[]}} Node */

/** Each piece as a tree: a letter stands at its place, a merge between its two parts and above them.
 * @param {Placed[]} row @param {number[]} places of all letters @returns {Node[]} */
export function treesOf(row, places) {
  let at = 0;
  const grow = (/** @type {Placed} */ { n, piece, parts }) => {
    const from = (parts ?? []).map(grow);
    return parts ? over(from, n, piece) : { x: places[at++], level: 0, from };
  };
  return row.map(grow);
}

/** A merge of two. @param {Node[]} from @param {number} [n] @param {string | null} [piece]
 * @returns {Node} */
export const over = (from, n, piece) => ({
  x: (from[0].x + from[1].x) / 2,
  level: 1 + Math.max(from[0].level, from[1].level),
  n,
  piece,
  from,
});

/** All merges below a node and itself, the lower ones first. @param {Node} node @returns {Node[]} */
export const mergesOf = (node) => (node.from.length ? [...node.from.flatMap(mergesOf), node] : []);

/** Where each letter of the pieces stands that are shown.
 * @param {Element[]} chips @param {Placed[]} row @param {number} left where places begin */
export function placesOf(chips, row, left) {
  const range = document.createRange();
  return chips.flatMap((chip, n) => {
    const text = /** @type {any} */ (chip.querySelector("bdi")).firstChild;
    let at = 0;
    return [...(row[n].piece ?? "?")].map((letter) => {
      range.setStart(text, row[n].piece === null ? 0 : at);
      at = row[n].piece === null ? text.length : at + visible(letter).length;
      range.setEnd(text, at);
      const box = range.getBoundingClientRect();
      return (
        (box.left + box.right - parseFloat(getComputedStyle(chip).letterSpacing || "0")) / 2 - left
      );
    });
  });
}

/** The picture over the pieces of a word. */
export function mergeTree() {
  const node = svg("svg", { class: "tc-tree" });
  let now = /** @type {any} */ ({ chips: [], row: [] });

  function draw() {
    const { chips, row, done, fresh } = now;
    const places = placesOf(chips, row, node.getBoundingClientRect().left);
    const trees = treesOf(row.slice(0, chips.length), places);
    const soon = trees.flatMap((one, n) =>
      chips[n + 1]?.matches(".tc-last") ? [over([one, trees[n + 1]], done + 1)] : [],
    );
    const made = trees.flatMap(mergesOf);
    const all = [...made, ...soon];
    const step = Math.min(STEP, (ROOM - 18) / Math.max(1, ...all.map(({ level }) => level)));
    const height = ({ level }) => (level ? ROOM - 8 - level * step : ROOM);
    const late = `tc-late ${fresh ? "tc-grow" : ""}`;
    const group = (each, ...parts) => {
      const kind = each.n > done ? "tc-soon" : each.n === done ? late : "";
      return svg("g", { class: kind }, ...parts);
    };
    const legs = all.map((each) => {
      const leg = (part) => `M${each.x} ${height(each)}L${part.x} ${height(part)}`;
      return group(each, svg("path", { d: each.from.map(leg).join("") }));
    });
    const marks = all.map((each) => {
      const [y, width] = [height(each), 10 + 6 * String(each.n).length];
      const box = { x: each.x - width / 2, y: y - 8, width, height: 16, rx: 8 };
      return group(each, svg("rect", box), svg("text", { x: each.x, y: y + 4 }, `${each.n}`));
    });
    node.replaceChildren(...legs, ...marks);
    const told = made.map(({ n, piece }) => `merge ${n}: ${visible(String(piece))}`);
    assign(node, { role: "img", "aria-label": told.join(", ") || "no merge yet" });
  }
  new ResizeObserver(draw).observe(node); // letters have places once it stands in the page

  /** @param {{chips: Element[], row: Placed[], done: number, fresh: boolean}} how the newest merge
   * of those done rises where it is fresh */
  const show = (how) => {
    now = how;
    draw();
  };
  return { node, show };
}
