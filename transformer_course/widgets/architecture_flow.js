// @ts-check
// What a block makes of a real sentence: a row of colored numbers for each word.
import { fixed } from "./numbers.js";
import { h, say } from "./shared.js";

const LARGEST = 3; // a number of this size has the full color

/** @typedef {{english: string, src: string[], tgt: string[], values: Record<string, number[][]>,
 * next: [string, number][]}} Flow */

const word = (piece) => piece.replaceAll("▁", "");

/** @param {Flow} flow @returns {{node: any, show: (block: string) => void}} */
export function sentenceAt(flow) {
  const most = Math.max(flow.src.length, flow.tgt.length);
  const wide = Object.values(flow.values)[0][0].length;
  const [title, note] = [h("b"), h("small")];
  const rows = Array.from({ length: most }, () => {
    const [name, cells] = [h("span"), Array.from({ length: wide }, () => h("i"))];
    const said = h("output");
    return { name, cells, said, node: h("div", {}, name, h("span", {}, ...cells, said)) };
  });
  const picture = h("div", { class: "tc-flow", role: "img" }, ...rows.map(({ node }) => node));
  const node = h("div", { class: "tc-sentence" }, h("p", {}, title), picture, note);

  function show(block) {
    const values = flow.values[block];
    const source = block.startsWith("src") || block.startsWith("encoder");
    const words = source ? flow.src : flow.tgt;
    const choice = block === "softmax";
    say(title, source ? `“${flow.english}” here` : "The translation so far, here");
    say(
      note,
      values
        ? `The first ${wide} numbers of each vector; blue above 0, orange below, stronger is larger.`
        : choice
          ? "The likeliest next word after each, and its probability."
          : "Words still, one number each: its place in the vocabulary.",
    );
    rows.forEach(({ name, cells, said, node: line }, n) => {
      line.style.visibility = n < words.length ? "" : "hidden";
      say(name, word(words[n] ?? ""));
      const row = values?.[n];
      cells.forEach((cell, d) => {
        cell.hidden = !row;
        if (!row) return;
        cell.dataset.kind = row[d] < 0 ? "neg" : "pos";
        cell.style.setProperty("--t", String(Math.min(2, (2 * Math.abs(row[d])) / LARGEST)));
        cell.title = fixed(row[d], 2);
      });
      const [next, chance] = flow.next[n] ?? ["", 0];
      said.hidden = !choice || n >= words.length;
      say(said, `→ ${word(next)} ${fixed(chance, 2)}`);
      said.style.setProperty("--t", String(chance));
    });
    picture.setAttribute("aria-label", `${words.map(word).join(" ")}: ${note.textContent}`);
  }
  return { node, show };
}
