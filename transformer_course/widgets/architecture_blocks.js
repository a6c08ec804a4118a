// @ts-check
// The blocks of Figure 1: where they stand, and what each holds.
import { count } from "./numbers.js";

export const LEFT = 46; // of the encoder's blocks
export const RIGHT = 200; // of the decoder's
export const WIDE = 114;

const attentionCount = ({ d_model: d }) => [4 * (d * d + d), `4 · (${d}² + ${d})`];
const feedForwardCount = ({ d_model: d, d_ff: f }) => [
  2 * d * f + f + d,
  `2 · ${d} · ${f} + ${f} + ${d}`,
];
const normCount = ({ d_model: d }) => [2 * d, `2 · ${d}`];
const tableCount = ({ vocab_size: v, d_model: d }) => [v * d, `${v} · ${d}`];
const none = () => [0, ""];
const stackCount = (attentions) => (z) => {
  const [a, f, n] = [attentionCount, feedForwardCount, normCount].map((counted) => counted(z)[0]);
  const layer = attentions * a + f + (attentions + 1) * n;
  return [
    z.num_layers * layer,
    `${z.num_layers} · (${attentions > 1 ? `${attentions} · ` : ""}${count(a)} + ${count(f)} + ` +
      `${attentions + 1} · ${count(n)})`,
  ];
};

const NORM = { height: 28, hue: 5, text: ["Add & norm"], count: normCount, layered: true };
const ATTENTION = {
  height: 40,
  hue: 2,
  text: ["Multi-head", "attention"],
  count: attentionCount,
  layered: true,
};
const FORWARD = {
  height: 36,
  hue: 3,
  text: ["Feed-forward"],
  count: feedForwardCount,
  layered: true,
};
const EMBEDDING = {
  y: 450,
  height: 28,
  hue: 6,
  text: ["Embedding"],
  count: tableCount,
  shared: true,
};
const POSITIONS = { y: 406, height: 28, hue: 0, text: ["+ positions ∿"], count: none };
const TOKENS = { y: 494, height: 40, hue: 0, count: none };
const heads = (to, from) => [
  ["queries", `b h ${to} k`],
  ["keys, values", `b h ${from} k`],
  ["scores", `b h ${to} ${from}`],
];
const through = (length, ...inside) => [
  ["in", `b ${length} d`],
  ...inside,
  ["out", `b ${length} d`],
];
const LEARNED = ["scale, shift", "d"];

/** Where each block stands, and its shapes: b batch, s and t lengths, d, f, h, k, v as in the
 * paper.
 * @type {Record<string, any>} */
export const BLOCKS = {
  src_tokens: { ...TOKENS, x: LEFT, text: ["Source", "tokens"], shapes: [["ids", "b s"]] },
  src_embedding: {
    ...EMBEDDING,
    x: LEFT,
    shapes: [
      ["in", "b s"],
      ["E", "v d"],
      ["out", "b s d"],
    ],
  },
  src_positions: { ...POSITIONS, x: LEFT, shapes: through("s", ["PE", "s d"]) },
  encoder_self_attn: { ...ATTENTION, x: LEFT, y: 328, shapes: through("s", ...heads("s", "s")) },
  encoder_norm1: { ...NORM, x: LEFT, y: 294, shapes: through("s", LEARNED) },
  encoder_feed_forward: { ...FORWARD, x: LEFT, y: 234, shapes: through("s", ["hidden", "b s f"]) },
  encoder_norm2: { ...NORM, x: LEFT, y: 198, shapes: through("s", LEARNED) },
  encoder: {
    x: 2,
    y: 204,
    wide: 26,
    height: 166,
    hue: 1,
    side: "Encoder",
    count: stackCount(1),
    shapes: [
      ["in", "b s d"],
      ["memory", "b s d"],
    ],
  },
  tgt_tokens: {
    ...TOKENS,
    x: RIGHT,
    text: ["Target tokens", "shifted right"],
    shapes: [["ids", "b t"]],
  },
  tgt_embedding: {
    ...EMBEDDING,
    x: RIGHT,
    shapes: [
      ["in", "b t"],
      ["E", "v d"],
      ["out", "b t d"],
    ],
  },
  tgt_positions: { ...POSITIONS, x: RIGHT, shapes: through("t", ["PE", "t d"]) },
  decoder_self_attn: {
    ...ATTENTION,
    x: RIGHT,
    y: 328,
    text: ["Masked multi-", "head attention"],
    shapes: through("t", ...heads("t", "t")),
  },
  decoder_norm1: { ...NORM, x: RIGHT, y: 294, shapes: through("t", LEARNED) },
  cross_attn: {
    ...ATTENTION,
    x: RIGHT,
    y: 232,
    shapes: [["in", "b t d"], ["memory", "b s d"], ...heads("t", "s"), ["out", "b t d"]],
  },
  decoder_norm2: { ...NORM, x: RIGHT, y: 198, shapes: through("t", LEARNED) },
  decoder_feed_forward: { ...FORWARD, x: RIGHT, y: 140, shapes: through("t", ["hidden", "b t f"]) },
  decoder_norm3: { ...NORM, x: RIGHT, y: 106, shapes: through("t", LEARNED) },
  decoder: {
    x: 332,
    y: 112,
    wide: 26,
    height: 258,
    hue: 4,
    side: "Decoder",
    count: stackCount(2),
    shapes: [
      ["in", "b t d"],
      ["memory", "b s d"],
      ["out", "b t d"],
    ],
  },
  linear: {
    x: RIGHT,
    y: 52,
    height: 28,
    hue: 6,
    text: ["Linear"],
    count: tableCount,
    shared: true,
    shapes: [
      ["in", "b t d"],
      ["E", "v d"],
      ["logits", "b t v"],
    ],
  },
  softmax: {
    x: RIGHT,
    y: 8,
    height: 28,
    hue: 0,
    text: ["Softmax"],
    count: none,
    shapes: [
      ["in", "b t v"],
      ["probabilities", "b t v"],
    ],
  },
};
