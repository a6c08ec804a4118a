// @ts-check
// Figure 1 drawn as a map: its blocks, its wires, and what each block does to the shapes.
import { count } from "./numbers.js";
import { MOVES, choice, h, live, save, say, slider, svg, take } from "./shared.js";

const LEFT = 46; // of the encoder's blocks
const RIGHT = 200; // of the decoder's
const WIDE = 114;

/** "3.2.2" of "03-2-2-multi-head-attention". @param {string} name */
export const section = (name) =>
  name
    .match(/^\d+(-\d)*/)[0]
    .replace(/^0/, "")
    .replaceAll("-", ".");

// ---- What each kind of block holds: [number, how it is counted] ----

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
  hue: 1,
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
const POSITIONS = { y: 406, height: 28, hue: 6, text: ["+ positions ∿"], count: none };
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
const LEARNED = ["gain, shift", "d"];

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
    hue: 4,
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
    hue: 3,
    text: ["Softmax"],
    count: none,
    shapes: [
      ["in", "b t v"],
      ["probabilities", "b t v"],
    ],
  },
};

// ---- The wires: [from, to], and how residual and memory wires bend ----

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
  if (outward)
    return BLOCKS[block].y < 400 && BLOCKS[block].y > 100
      ? inEncoder
        ? "encoder"
        : "decoder"
      : undefined;
  if (inEncoder) return DECODER[Math.min(at, 5)];
  return ENCODER[at < 5 ? at : 6];
}

/** The path of a wire in the picture. @param {string} from @param {string} to */
export function path(from, to) {
  const [a, b] = [BLOCKS[from], BLOCKS[to]];
  if (from === "encoder_norm2" && to === "cross_attn")
    return `M${LEFT + WIDE / 2} ${a.y}V174H181V${b.y + b.height / 2}H${RIGHT - 2}`;
  if (!RESIDUAL.some(([x, y]) => x === from && y === to))
    return `M${a.x + WIDE / 2} ${a.y}V${b.y + b.height + 2}`;
  const side = a.x === LEFT ? LEFT - 9 : RIGHT + WIDE + 9;
  const edge = a.x === LEFT ? b.x - 2 : b.x + WIDE + 2;
  return `M${a.x + WIDE / 2} ${a.y - (a.y > 400 ? 26 : 10)}H${side}V${b.y + b.height / 2}H${edge}`;
}

// ---- Shapes and counts ----

/** "b s d" as names and numbers. @param {string} dims @param {any} sizes @param {any} lengths */
export function shape(dims, sizes, lengths) {
  const known = {
    b: ["batch", lengths.batch],
    s: ["src_len", lengths.src_len],
    t: ["tgt_len", lengths.tgt_len],
    d: ["d_model", sizes.d_model],
    f: ["d_ff", sizes.d_ff],
    h: ["num_heads", sizes.num_heads],
    k: ["head_dim", sizes.d_model / sizes.num_heads],
    v: ["vocab_size", sizes.vocab_size],
  };
  const parts = dims.split(" ").map((dim) => known[dim]);
  const tuple = (list) => (list.length === 1 ? `(${list[0]},)` : `(${list.join(", ")})`);
  return {
    names: tuple(parts.map(([name]) => name)),
    numbers: tuple(parts.map(([, n]) => n)),
    size: parts.reduce((product, [, n]) => product * n, 1),
  };
}

/** What a block holds, and the whole model. @param {string} block @param {any} sizes */
export function parameters(block, sizes) {
  const [number, sum] = BLOCKS[block].count(sizes);
  const [table, encoder, decoder] = ["src_embedding", "encoder", "decoder"].map(
    (name) => BLOCKS[name].count(sizes)[0],
  );
  return { number, sum, table, encoder, decoder, model: table + encoder + decoder };
}

/** What the count means, in words.
 * @param {string} block @param {any} sizes @param {string} preset */
export function meaning(block, sizes, preset) {
  const { number, model } = parameters(block, sizes);
  const share = (n) =>
    `${Number(((100 * n) / model).toPrecision(2))} % of the ${count(model)} in ${preset}`;
  if (!number) return "Nothing here is learned: it has no parameters.";
  if (BLOCKS[block].shared)
    return `One matrix for the two embeddings and the linear map: ${share(number)}, counted once.`;
  if (!BLOCKS[block].layered) return `${sizes.num_layers} layers together: ${share(number)}.`;
  return (
    `${sizes.num_layers} layers have one each: ${count(number * sizes.num_layers)}, ` +
    `${share(number * sizes.num_layers)}.`
  );
}

// ---- The page ----

/** @param {{model: any, el: HTMLElement}} context @returns {() => void} clean-up */
function render({ model, el }) {
  const names = ["block", "preset", "batch", "src_len", "tgt_len"];
  const get = (name) => model.get(name);
  const sizes = () => get("sizes")[get("preset")];
  const texts = get("texts"); // of each block: name, formula, role, chapter
  const open = (block, focus = false) => {
    save(model, { block });
    if (focus) nodes[block].focus();
  };

  // -- the map --
  const arrow = `tc-arrow-${Math.random().toString(36).slice(2, 8)}`;
  const marker = (id) =>
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
  const wires = WIRES.map(([from, to]) => ({
    from,
    to,
    node: svg("path", { class: "tc-wire", d: path(from, to), "marker-end": `url(#${arrow})` }),
  }));
  const nodes = Object.fromEntries(
    Object.entries(BLOCKS).map(([id, { x, y, wide = WIDE, height, hue, text, side }]) => {
      const lines = text ?? [];
      const words = side
        ? [
            svg("text", {
              transform: `translate(${x + wide / 2 + 4.5} ${y + height / 2}) rotate(-90)`,
            }),
          ]
        : lines.map((line, n) =>
            svg(
              "text",
              { x: x + wide / 2, y: y + height / 2 + 4.5 + (n - (lines.length - 1) / 2) * 15 },
              line,
            ),
          );
      return [
        id,
        svg(
          "g",
          {
            class: `tc-block tc-hue${hue}`,
            role: "button",
            "aria-label": texts[id].name,
            "data-block": id,
            click: () => open(id, true),
            keydown(event) {
              if (event.key === "Enter" || event.key === " ") {
                take(event);
                open(id);
              }
              if (!MOVES[event.key]) return;
              take(event);
              const to = neighbor(id, event.key);
              if (to) open(to, true);
            },
          },
          svg("rect", { x, y, width: wide, height, rx: 5 }),
          ...words,
        ),
      ];
    }),
  );
  const shares = ["Embedding", "Encoder", "Decoder"].map((name, n) => ({
    name,
    bar: svg("rect", { y: 50, height: 20, class: `tc-hue${[6, 1, 4][n]}` }),
    text: svg("text", { x: 2, y: 88 + 17 * n, class: `tc-hue${[6, 1, 4][n]}` }),
  }));
  const total = svg("text", { x: 2, y: 24, class: "tc-total" });
  const frame = (x, y, width, height) =>
    svg("rect", { class: "tc-frame", x, y, width, height, rx: 9 });
  const map = svg(
    "svg",
    {
      class: "tc-map",
      viewBox: "0 0 360 542",
      role: "group",
      "aria-label": "Figure 1: arrow keys follow the wires",
      "data-lm-suppress-shortcuts": "true",
    },
    svg("defs", {}, marker(arrow)),
    frame(31, 188, 138, 202),
    frame(191, 96, 138, 294),
    svg(
      "g",
      { class: "tc-shares", "aria-hidden": true },
      total,
      svg("text", { x: 2, y: 42 }, "parameters"),
      ...shares.flatMap(({ bar, text }) => [bar, text]),
    ),
    ...wires.map(({ node }) => node),
    svg("text", { class: "tc-note", x: LEFT + WIDE / 2 + 6, y: 168 }, "memory"),
    ...Object.values(nodes),
  );

  // -- the details --
  const [title, formula, role, where, sum, means] = Array.from({ length: 6 }, () => h("p"));
  title.className = "tc-title";
  formula.className = "tc-formula";
  const rows = h("tbody");
  const table = h(
    "table",
    {},
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("th", { scope: "col" }, "What"),
        h("th", { scope: "col" }, "Shape"),
        h("th", { scope: "col" }, "Numbers"),
      ),
    ),
    rows,
  );
  const link = h("a");
  const details = h(
    "div",
    { class: "tc-details" },
    h("div", { "aria-live": "polite" }, title, formula, role, where),
    h("div", { class: "tc-op" }, table),
    h("div", { class: "tc-why" }, sum, means),
    h("p", {}, link),
  );

  const ranges = [
    ["batch", "Sentence pairs", 64],
    ["src_len", "Source tokens", 128],
    ["tgt_len", "Target tokens", 128],
  ].map(([name, label, max]) => ({
    name,
    ...slider({
      label,
      min: 1,
      max,
      value: get(name),
      change: (value) => save(model, { [name]: value }),
    }),
  }));
  const presets = choice({
    label: "Model",
    options: Object.keys(get("sizes")).map((name) => [name, name]),
    value: get("preset"),
    change: (preset) => save(model, { preset }),
  });
  const root = h(
    "div",
    { class: "tc tc-map-figure", role: "group", "aria-label": "Map of the Transformer" },
    h(
      "div",
      { class: "tc-two" },
      h(
        "div",
        {},
        map,
        h("div", { class: "tc-bar" }, presets.node, ...ranges.map(({ node }) => node)),
      ),
      details,
    ),
    h(
      "p",
      { class: "tc-legend" },
      "Press a block, or Tab to the map and follow the wires with the arrow keys. Counts are " +
        "those of this course's model; the paper says 65 M for base and 213 M for big.",
    ),
  );

  function update() {
    const [id, z, preset] = [get("block"), sizes(), get("preset")];
    const { name: named, formula: written, role: words, chapter } = texts[id];
    const { number, sum: counted, table: matrix, encoder, decoder, model: all } = parameters(id, z);
    presets.set(preset);
    for (const { name, set } of ranges) set(get(name));
    for (const [name, node] of Object.entries(nodes)) {
      node.setAttribute("aria-pressed", name === id);
      node.setAttribute("tabindex", name === id ? 0 : -1);
      if (BLOCKS[name].side)
        say(node.querySelector("text"), `${BLOCKS[name].side}: ${z.num_layers} layers`);
    }
    for (const { from, to, node } of wires)
      node.classList.toggle("tc-on", from === id || to === id);
    let x = 2;
    say(total, count(all));
    [matrix, encoder, decoder].forEach((part, n) => {
      const { name, bar, text } = shares[n];
      const width = (158 * part) / all;
      bar.setAttribute("x", x);
      bar.setAttribute("width", width);
      say(text, `▪ ${name} ${((100 * part) / all).toFixed(0)} %`);
      x += width;
    });

    say(title, named);
    say(formula, written);
    say(role, words);
    const sources = WIRES.filter(([, to]) => to === id).map(([from]) => texts[from].name);
    say(where, sources.length ? `Reads: ${sources.join("; ")}.` : "");
    rows.replaceChildren(
      ...BLOCKS[id].shapes.flatMap(([what, dims]) => {
        const {
          names: symbols,
          numbers,
          size,
        } = shape(dims, z, {
          batch: get("batch"),
          src_len: get("src_len"),
          tgt_len: get("tgt_len"),
        });
        return [
          h(
            "tr",
            {},
            h("th", { scope: "row" }, what),
            h("td", {}, h("code", {}, numbers)),
            h("td", {}, count(size)),
          ),
          h("tr", {}, h("td", { colspan: 3 }, h("code", {}, symbols))),
        ];
      }),
    );
    sum.replaceChildren(h("b", {}, `${count(number)} parameters`), counted ? ` = ${counted}` : "");
    say(means, meaning(id, z, preset));
    link.href = `${chapter}.html`;
    say(link, `Chapter ${section(chapter)}`);
  }

  return live({ model, el }, root, names, update);
}

export default { render };
