// @ts-check
// What the blocks of Figure 1 do to the shapes, and how many numbers each holds.
import { BLOCKS } from "./architecture_blocks.js";
import { count } from "./numbers.js";

/** "3.2.2" of "03-2-2-multi-head-attention". @param {string} name */
export const section = (name) =>
  name
    .replace(/^(\d+(?:-\d)*).*/, "$1")
    .replace(/^0/, "")
    .replaceAll("-", ".");

/** "b s d" in numbers. @param {string} dims @param {any} sizes @param {any} lengths */
export function shape(dims, sizes, lengths) {
  const known = {
    b: lengths.batch,
    s: lengths.src_len,
    t: lengths.tgt_len,
    d: sizes.d_model,
    f: sizes.d_ff,
    h: sizes.num_heads,
    k: sizes.d_model / sizes.num_heads,
    v: sizes.vocab_size,
  };
  const parts = dims.split(" ").map((dim) => known[dim]);
  return `(${parts.join(", ")}${parts.length > 1 ? "" : ","})`;
}

/** What a block holds, and the whole model. @param {string} block @param {any} sizes */
export function parameters(block, sizes) {
  const [number, sum] = BLOCKS[block].count(sizes);
  const [table, encoder, decoder] = ["src_embedding", "encoder", "decoder"].map(
    (name) => BLOCKS[name].count(sizes)[0],
  );
  return { number, sum, table, encoder, decoder, model: table + encoder + decoder };
}

/** Where a block's part of all parameters lies: [from, to], from 0 to 1; in the order of `walk`.
 * @param {string} block @param {any} sizes @param {string[]} walk */
export function stretch(block, sizes, walk) {
  const { table, encoder, model } = parameters(block, sizes);
  const held = (id) => BLOCKS[id].count(sizes)[0] * (BLOCKS[id].layered ? sizes.num_layers : 1);
  const side = (id) =>
    BLOCKS[id].shared ? 0 : walk.indexOf(id) < walk.indexOf("tgt_tokens") ? 1 : 2;
  const whole = BLOCKS[block].side;
  const part = whole ? (block === "encoder" ? 1 : 2) : side(block);
  let from = [0, table, table + encoder][part];
  if (part && !whole)
    for (const id of walk.slice(0, walk.indexOf(block))) if (side(id) === part) from += held(id);
  return [from / model, (from + held(block)) / model];
}

/** What the count means, in words.
 * @param {string} block @param {any} sizes @param {string} preset */
export function meaning(block, sizes, preset) {
  const { number, model } = parameters(block, sizes);
  const share = (n) => `${Number(((100 * n) / model).toPrecision(2))}\u00a0% of all in ${preset}`;
  if (!number) return "Nothing here is learned: it has no parameters.";
  if (BLOCKS[block].shared)
    return `One matrix for the two embeddings and the linear map: ${share(number)}, counted once.`;
  if (!BLOCKS[block].layered) return `${sizes.num_layers} layers together: ${share(number)}.`;
  return (
    `Each of the ${sizes.num_layers} layers has one: together ${count(number * sizes.num_layers)}, ` +
    `${share(number * sizes.num_layers)}.`
  );
}

const LETTERS = {
  b: "sentence pairs",
  s: "source tokens",
  t: "target tokens",
  d: "d_model",
  f: "d_ff",
  h: "heads",
  k: "head_dim",
  v: "pieces in the vocabulary",
};

/** What the letters of these shapes stand for. @param {string[][]} shapes */
export const spelled = (shapes) =>
  Object.entries(LETTERS)
    .filter(([letter]) => shapes.some(([, dims]) => dims.split(" ").includes(letter)))
    .map(([letter, name]) => `${letter}: ${name}`)
    .join(", ");
