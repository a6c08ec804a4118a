// @ts-check
// Three uses of attention: their masks, shapes and words.
import { fixed } from "./numbers.js";

/** @typedef {{pieces: {src: string[], tgt: string[]}, masks: Record<string, boolean[][]>, weights:
 * Record<string, number[][][][]>, sizes: {d_model: number, num_heads: number}}} Data */

/** @type {Record<string, string>} */
export const LANGUAGES = { src: "English", tgt: "German" };

/** Whose queries, whose keys and values, and a head (and a word) that shows it well.
 * @type {Record<string, any>} */
export const USES = {
  encoder: {
    name: "Encoder self-attention",
    query: "src",
    key: "src",
    start: { layer: 2, head: 3, word: 5 },
    from: "the encoder: English",
    memory: "the encoder: English",
  },
  decoder: {
    name: "Masked decoder self-attention",
    query: "tgt",
    key: "tgt",
    start: { layer: 3, head: 2 },
    from: "the decoder: German so far",
    memory: "the decoder: German so far",
  },
  cross: {
    name: "Cross-attention",
    query: "tgt",
    key: "src",
    start: { layer: 4, head: 3 },
    from: "the decoder: German so far",
    memory: "the encoder's output: English",
  },
};

/** Which mask hides each pair: "later" the causal one, "padding" the other, or "both"; "" is seen.
 * @param {Data} data @param {string} use @returns {string[][]} */
export const hides = ({ masks, pieces }, use) =>
  masks[use].map((row, i) =>
    row.map((_, j) => {
      const later = use === "decoder" && j > i;
      if (pieces[USES[use].key][j] === "<pad>") return later ? "both" : "padding";
      return later ? "later" : "";
    }),
  );

/** What a mark in the matrix says. @type {Record<string, string>} */
export const MARKS = {
  later: "a later word: hidden",
  padding: "padding: hidden",
  both: "later, and padding: hidden twice",
};

/** One head's weights, from 0 to 1.
 * @param {Data} data @param {{use: string, layer: number, head: number}} at */
export const weightsOf = ({ weights }, { use, layer, head }) =>
  weights[use][layer - 1][head - 1].map((row) => row.map((x) => x / 1000));

/** What enters and leaves, with its shape. @param {Data} data @param {string} use */
export function shapes({ pieces, sizes: { d_model: d, num_heads: n } }, use) {
  const { query, key, from, memory } = USES[use];
  const [q, k] = [pieces[query].length, pieces[key].length];
  return [
    ["Q", from, `(1, ${q}, ${d})`],
    ["K, V", memory, `(1, ${k}, ${d})`],
    [
      "mask",
      use === "decoder" ? "causal and padding" : "padding",
      use === "decoder" ? `(1, 1, ${q}, ${k})` : `(1, 1, 1, ${k})`,
    ],
    ["weights", "softmax of the scores", `(1, ${n}, ${q}, ${k})`],
  ];
}

/** Where a word looks, in words.
 * @param {Data} data @param {{use: string, layer: number, head: number, word: number}} at */
export function tell(data, at) {
  const { query, key } = USES[at.use];
  const rows = weightsOf(data, at);
  const row = rows[at.word];
  const keys = data.pieces[key];
  const best = Math.max(...row);
  const allowed = data.masks[at.use][at.word];
  const later =
    at.use === "decoder" ? keys.filter((piece, j) => piece !== "<pad>" && !allowed[j]).length : 0;
  const padded = keys.filter((piece) => piece === "<pad>").length;
  const next = data.pieces[query][at.word + 1];
  const about =
    query === "tgt"
      ? `, about to write ${!next || next === "<pad>" ? "the end" : `“${next}”`},`
      : "";
  const parts = [
    padded ? `${padded} pad${padded > 1 ? "s" : ""}` : "",
    later ? `${later} later word${later > 1 ? "s" : ""}` : "",
  ]
    .filter(Boolean)
    .join(", ");
  return (
    `“${data.pieces[query][at.word]}”${about} looks most at “${keys[row.indexOf(best)]}” ` +
    `(${fixed(best, 2)}).${parts ? ` Hidden: ${parts}.` : ""}`
  );
}
