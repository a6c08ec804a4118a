// @ts-check
// A real sentence on its way through the map: vectors, in small, along the wires.
import { BLOCKS, LEFT, RIGHT, WIDE } from "./architecture_blocks.js";
import { WIRES, path } from "./architecture_wires.js";
import { typeset } from "./architecture_picture.js";
import { assign, h, say, svg } from "./shared.js";
import { still, tween } from "./stage.js";

/** What a block does, its first sentence, and what more there is to say. @param {string} role */
export const parted = (role) => role.split(/(?<=\.) (.*)/);

/** What the block does, and before anything happened, the question and what to press.
 * @param {any} texts @param {string} first the block that is open at first
 * @param {string} asked the question */
export function wayInto(texts, first, asked) {
  const way = `${asked}? Press Play, or any block.`;
  const [title, brief, said] = [h("b"), h("span"), h("span")];
  const all = [way, ...Object.values(texts).map(({ role }) => parted(role)[0])];
  const node = h(
    "div",
    { class: "tc-way", "aria-live": "polite" },
    h("p", {}, title, brief),
    h("p", { "data-room": all.sort((a, b) => b.length - a.length)[0] }, said),
  );
  let moved = false;
  /** @param {string} id @param {string} held its shape and parameters */
  const show = (id, held) => {
    say(title, texts[id].name);
    title.className = `tc-title tc-hue${BLOCKS[id].hue}`;
    say(brief, held);
    moved ||= id !== first;
    said.replaceChildren(...(moved ? typeset(parted(texts[id].role)[0]) : [way]));
  };
  return { node, show };
}

/** @typedef {{src: number, tgt: number, source: string, made: Record<string, any>}} Flow */

/** What leaves a block, in small: a stroke for each word, on a card.
 * @param {Flow} flow @param {string} block */
const packed = ({ src, tgt }, block) => {
  const many = /^(src|encoder)/.test(block) ? src : tgt;
  const d = Array.from({ length: many }, (_, n) => `M-14 ${4 * n - 2 * many + 2}h28`).join("");
  const [height, y] = [4 * many + 6, -2 * many - 3];
  return svg("g", {}, svg("rect", { x: -18, y, width: 36, height, rx: 4 }), svg("path", { d }));
};

/** Vectors on their way: along every wire into the block that is opened, from the middle of a block
 * to the middle of the next, if the sentence comes from the block before. At a sum two of them meet. Below the map
 * stands what goes in, and above it what comes out, once the sentence is there.
 * @param {{from: string, to: string, node: any}[]} wires @param {Flow} flow */
export function traveling(wires, flow) {
  const { src_tokens: given, softmax: made } = flow.made;
  const word = (x, y, text = "") => svg("text", { class: "tc-word", x: x + WIDE / 2, y }, text);
  const asked = word(RIGHT, 553, made.title.replace(/.*“(.*)”/, "“$1 …”"));
  const answer = word(RIGHT, -8);
  const packets = svg("g", { class: "tc-packets" });
  let [stop, last] = [() => {}, ""];
  function travel(to) {
    say(answer, to === "softmax" ? `“${made.rows[0].name}” ${made.rows[0].told}` : "?");
    const known = wires.some((each) => each.from === last && each.to === to);
    last = to;
    stop();
    packets.replaceChildren();
    if (!known || still()) return;
    const way = wires
      .filter((each) => each.to === to)
      .map(({ from }) => {
        const node = svg("path", { d: path(from, to, true) });
        return { node, long: node.getTotalLength(), packet: packed(flow, from) };
      });
    packets.append(...way.map(({ packet }) => packet));
    stop = tween(1000, (t) => {
      for (const { node, long, packet } of way) {
        const { x, y } = node.getPointAtLength(t * long);
        assign(packet, { transform: `translate(${x} ${y})`, opacity: 8 * (1 - t) });
      }
      if (t === 1) packets.replaceChildren();
    });
  }
  return { node: svg("g", {}, word(LEFT, 553, given.title), asked, answer, packets), to: travel };
}
