// @ts-check
// A real sentence on its way through the map: vectors, in small, along the wires.
import { BLOCKS } from "./architecture_blocks.js";
import { WIRES } from "./architecture_wires.js";
import { h, say, svg } from "./shared.js";
import { still, tween } from "./stage.js";

const WAY = "Press Play: a sentence runs through the map. Or press any block.";
export const SOURCE =
  "The sentence is in the course’s translator, which has four layers each side. The paper " +
  "counts 65 M parameters for base, 213 M for big.";

/** From where the sentence comes into a block. @param {any} texts @param {string} id */
export function into(texts, id) {
  const from = WIRES.filter(([, to]) => to === id).map(([each]) => texts[each].name);
  if (from.length) return `${from.join(" and ")} → ${texts[id].name}`;
  return BLOCKS[id].side ? "All layers of this side at once." : "Here a sentence enters.";
}

/** What happens now, and before anything did, what to press.
 * @param {any} texts @param {string} first the block that is open at first */
export function wayInto(texts, first) {
  const said = h("span");
  const node = h("p", { class: "tc-way", "aria-live": "polite" }, said);
  const all = Object.keys(BLOCKS).map((id) => into(texts, id));
  node.dataset.room = [WAY, ...all].sort((a, b) => b.length - a.length)[0];
  let moved = false;
  /** @param {string} id */
  const show = (id) => {
    moved ||= id !== first;
    say(said, moved ? into(texts, id) : WAY);
  };
  return { node, show };
}

/** @typedef {{src: number, tgt: number, made: Record<string, any>}} Flow */

/** What leaves a block, in small: a stroke for each word.
 * @param {Flow} flow @param {string} block */
const packed = ({ src, tgt }, block) => {
  const many = /^(src|encoder)/.test(block) ? src : tgt;
  const d = Array.from({ length: many }, (_, n) => `M-13 ${4 * n - 2 * many + 1.5}h26`).join("");
  return svg("g", {}, svg("path", { d }));
};

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
