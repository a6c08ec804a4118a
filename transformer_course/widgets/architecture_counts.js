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

/** What all layers of a block hold. @param {string} id @param {any} sizes */
const held = (id, sizes) =>
  BLOCKS[id].count(sizes)[0] * (BLOCKS[id].layered ? sizes.num_layers : 1);

/** The blocks that hold most, all layers together; the stacks are made of blocks. @param {any} sizes */
export function richest(sizes) {
  const all = Object.keys(BLOCKS).filter((id) => !BLOCKS[id].side);
  const most = Math.max(...all.map((id) => held(id, sizes)));
  return all.filter((id) => held(id, sizes) === most);
}

/** What leaves a block, and what it holds. @param {string} id @param {any} sizes
 * @param {any} lengths */
export function brief(id, sizes, lengths) {
  const { shapes, count: counted, layered } = BLOCKS[id];
  const [what, dims] = shapes.at(-1);
  return (
    `${what} ${shape(dims, sizes, lengths)} · ${layered ? `${sizes.num_layers} × ` : ""}` +
    `${count(counted(sizes)[0])} parameters${richest(sizes).includes(id) ? ", the most" : ""}`
  );
}

/** Where a block's part of all parameters lies: [from, to], from 0 to 1; in the order of `walk`.
 * @param {string} block @param {any} sizes @param {string[]} walk */
export function stretch(block, sizes, walk) {
  const { table, encoder, model } = parameters(block, sizes);
  const side = (id) =>
    BLOCKS[id].shared ? 0 : walk.indexOf(id) < walk.indexOf("tgt_tokens") ? 1 : 2;
  const whole = BLOCKS[block].side;
  const part = whole ? (block === "encoder" ? 1 : 2) : side(block);
  let from = [0, table, table + encoder][part];
  if (part && !whole)
    for (const id of walk.slice(0, walk.indexOf(block)))
      if (side(id) === part) from += held(id, sizes);
  return [from / model, (from + held(block, sizes)) / model];
}

/** What the count means, in words.
 * @param {string} block @param {any} sizes @param {string} preset */
export function meaning(block, sizes, preset) {
  const { number, model } = parameters(block, sizes);
  const share = (n) => `${Number(((100 * n) / model).toPrecision(2))}\u00a0% of all in ${preset}`;
  const [most] = richest(sizes); // said at the end only
  const total = held(most, sizes);
  const answer = ` Most in one block: ${BLOCKS[most].text}, ${count(total)}, ${share(total)}.`;
  if (!number) return `Nothing here is learned.${block === "softmax" ? answer : ""}`;
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
