// @ts-check
// What a block makes of a real sentence: a row of colored numbers for each word.
import { fixed } from "./numbers.js";
import { h, say, svg } from "./shared.js";
import { still, tween } from "./stage.js";

export const WAY =
  "Press Play: a sentence runs up the encoder, across, and up the decoder. Or press any block.";
export const SOURCE =
  "The sentence is in the first layers of the course's translator. The paper counts 65 M " +
  "parameters for base, 213 M for big.";
const LARGEST = 3; // a number of this size has the full color

/** @typedef {{english: string, src: string[], tgt: string[], values: Record<string, number[][]>,
 * next: [string, number][]}} Flow */

const word = (piece) => piece.replaceAll("▁", "");

/** The vectors that leave a block, in small: a row of colors for each word.
 * @param {Flow} flow @param {string} block @returns {any} */
function packed(flow, block) {
  const rows = flow.values[block] ?? (block.startsWith("src") ? flow.src : flow.tgt).map(() => [3]);
  const cells = rows.flatMap((row, n) =>
    row.slice(0, 8).map((x, d) => {
      const [left, top] = [4 * d - 2 * Math.min(8, row.length), 4 * n - 2 * rows.length];
      const strength = Math.min(1, Math.abs(x) / LARGEST).toFixed(2);
      const kind = x < 0 ? "tc-less" : "tc-more";
      const about = { x: left, y: top, width: 4, height: 3.5, "fill-opacity": strength };
      return svg("rect", { ...about, class: kind });
    }),
  );
  const [wide, tall] = [4 * Math.min(8, rows[0].length), 4 * rows.length];
  const ground = { x: -wide / 2 - 2, y: -tall / 2 - 2, width: wide + 4, height: tall + 4, rx: 3 };
  return svg("g", {}, svg("rect", ground), ...cells);
}

/** Vectors on their way: along every wire into the block that is opened, if the sentence comes from
 * the block before. At a sum two of them meet.
 * @param {{from: string, to: string, node: any}[]} wires @param {Flow} flow */
export function traveling(wires, flow) {
  const packets = svg("g", { class: "tc-packets" });
  let [stop, last] = [() => {}, ""];
  function travel(to) {
    const known = wires.some((each) => each.from === last && each.to === to);
    last = to;
    stop();
    packets.replaceChildren();
    if (!known || still()) return;
    const way = wires
      .filter((each) => each.to === to)
      .map(({ from, node }) => ({ node, long: node.getTotalLength(), packet: packed(flow, from) }));
    packets.append(...way.map(({ packet }) => packet));
    stop = tween(600, (t) => {
      for (const { node, long, packet } of way) {
        const { x, y } = node.getPointAtLength(t * long);
        packet.setAttribute("transform", `translate(${x} ${y})`);
      }
      if (t === 1) packets.replaceChildren();
    });
  }
  return { packets, travel };
}

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
    const text = source ? `“${flow.english}”` : "The translation so far";
    say(title, values ? `${text} after this block` : choice ? `${text} and what comes next` : text);
    say(
      note,
      values
        ? `The first ${wide} numbers of each vector; blue is above 0, gray below.`
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
