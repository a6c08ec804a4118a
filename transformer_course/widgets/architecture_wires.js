// @ts-check
// The wires of Figure 1: from where to where, how they bend, which way arrow keys follow them.
import { BLOCKS, LEFT, RIGHT, WIDE } from "./architecture_blocks.js";
import { assign, svg } from "./shared.js";

const ENCODER = [
  "src_tokens",
  "src_embedding",
  "src_positions",
  "encoder_self_attn",
  "encoder_norm1",
  "encoder_feed_forward",
  "encoder_norm2",
];
const DECODER = [
  "tgt_tokens",
  "tgt_embedding",
  "tgt_positions",
  "decoder_self_attn",
  "decoder_norm1",
  "cross_attn",
  "decoder_norm2",
  "decoder_feed_forward",
  "decoder_norm3",
  "linear",
  "softmax",
];
/** The way of a sentence through the model: up the encoder, then up the decoder. */
export const WALK = [...ENCODER, ...DECODER];
const pairs = (list) => list.slice(1).map((to, n) => [list[n], to]);
const RESIDUAL = [
  ["src_positions", "encoder_norm1"],
  ["encoder_norm1", "encoder_norm2"],
  ["tgt_positions", "decoder_norm1"],
  ["decoder_norm1", "decoder_norm2"],
  ["decoder_norm2", "decoder_norm3"],
];
export const WIRES = [
  ...pairs(ENCODER),
  ...pairs(DECODER),
  ...RESIDUAL,
  ["encoder_norm2", "cross_attn"],
];

/** The block that an arrow key leads to, or undefined. @param {string} block @param {string} key */
export function neighbor(block, key) {
  if (block === "encoder") return key === "ArrowRight" ? "encoder_self_attn" : undefined;
  if (block === "decoder") return key === "ArrowLeft" ? "decoder_self_attn" : undefined;
  const inEncoder = ENCODER.includes(block);
  const column = inEncoder ? ENCODER : DECODER;
  const at = column.indexOf(block);
  if (key === "ArrowUp") return column[at + 1] ?? (inEncoder ? "cross_attn" : undefined);
  if (key === "ArrowDown") return column[at - 1];
  const outward = key === (inEncoder ? "ArrowLeft" : "ArrowRight");
  if (outward) return BLOCKS[block].layered ? (inEncoder ? "encoder" : "decoder") : undefined;
  if (inEncoder) return DECODER[Math.min(at, 5)];
  return ENCODER[at < 5 ? at : 6];
}

/** The path of a wire in the picture, or through it, from middle to middle of the blocks.
 * @param {string} from @param {string} to @param {boolean} [through] @returns {string} */
export function path(from, to, through) {
  const [a, b] = [BLOCKS[from], BLOCKS[to]];
  const middle = (it) => `${it.x + WIDE / 2} ${it.y + it.height / 2}`;
  if (through) return `M${middle(a)}${path(from, to).replace(/^M/, "L")}L${middle(b)}`;
  if (from === "encoder_norm2" && to === "cross_attn")
    return `M${LEFT + WIDE / 2} ${a.y}V174H181V${b.y + b.height / 2}H${RIGHT - 2}`;
  if (!RESIDUAL.some(([x, y]) => x === from && y === to))
    return `M${a.x + WIDE / 2} ${a.y}V${b.y + b.height + 2}`;
  const side = a.x === LEFT ? LEFT - 9 : RIGHT + WIDE + 9;
  const edge = a.x === LEFT ? b.x - 2 : b.x + WIDE + 2;
  return `M${a.x + WIDE / 2} ${a.y - (a.y > 400 ? 26 : 10)}H${side}V${b.y + b.height / 2}H${edge}`;
}

/** Light the wires into a block. Into a sum go two, in the colors of the rows beside the map: what
 * was added, and what went around, which `kept` names.
 * @param {{from: string, to: string, node: any}[]} wires @param {string} id @param {any} kept */
export function light(wires, id, kept) {
  kept.style.visibility = id.includes("norm") ? "" : "hidden";
  for (const { from, to, node } of wires) {
    const around = RESIDUAL.some(([x, y]) => x === from && y === to);
    const kind = !id.includes("norm") ? "" : around ? " tc-around" : " tc-added";
    assign(node, { class: to === id ? `tc-wire tc-on${kind}` : "tc-wire" });
    const [a, b] = [BLOCKS[from], BLOCKS[to]];
    if (around && to === id)
      assign(kept, { x: a.x === LEFT ? LEFT - 9 : RIGHT + WIDE + 9, y: (a.y + b.y) / 2 + 5 });
  }
}

/** The head of an arrow in the color of its wire. @param {string} id */
export const marker = (id) =>
  svg(
    "marker",
    {
      id,
      viewBox: "0 0 8 8",
      refX: 6,
      refY: 4,
      markerWidth: 7,
      markerHeight: 7,
      markerUnits: "userSpaceOnUse",
      orient: "auto",
    },
    svg("path", { d: "M0 0L8 4L0 8z", fill: "context-stroke" }),
  );
