// @ts-check
// What two writers have copied so far, letter under letter, with what was read above.
import { h, say } from "./shared.js";
import { score } from "./looking_back_words.js";
/** @import {Writing} from "./looking_back_words.js" */

/** @param {number} most letters of a word */
export function copies(most) {
  const rows = ["read", "looking back", "one vector"].map((name, n) => {
    const cells = Array.from({ length: most }, () => h("i"));
    const sum = h("output");
    const about = n ? { "data-looks": String(n === 1) } : {};
    return { cells, sum, node: h("p", about, h("small", {}, name, sum), h("span", {}, ...cells)) };
  });
  const node = h("div", { class: "tc-copies" }, ...rows.map((row) => row.node));

  /** @param {Writing} one @param {number} step the letter just written */
  function draw(one, step) {
    [one.read, one.wrote, one.without].forEach((word, n) => {
      rows[n].cells.forEach((cell, at) => {
        cell.hidden = at >= one.read.length;
        const seen = !n || at <= step;
        say(cell, seen ? (word[at] ?? "") : "");
        cell.className = !n || !seen ? "" : word[at] === one.read[at] ? "tc-same" : "tc-other";
      });
      say(rows[n].sum, n ? score(one, step, n === 1) : "");
    });
  }
  return { node, draw };
}
