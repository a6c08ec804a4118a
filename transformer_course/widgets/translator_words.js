// @ts-check
// What one can look at in the translator, its numbers and its words.
import { fixed, format } from "./numbers.js";

/** @typedef {ArrayLike<number>} Cells  a matrix, row after row */
/** @typedef {{text: string, beam: number, source: string[], output: string[], translation: string,
 * unknown: string[], candidates: [string, number][][], weights: Record<string, Cells[][]>, alike:
 * Record<string, Cells[]>, turned: Record<string, Cells[]>}} Result as `trace` gives it */
/** @typedef {{look: string, layer: number, head: number, row: number}} Place */

/** What one can look at: whose row is asked, over whose columns.
 * @type {Record<string, {label: string, rows: string, columns: string}>} */
export const LOOKS = {
  cross: { label: "Cross-attention: German looks at English", rows: "output", columns: "source" },
  encoder: { label: "Encoder: English looks at English", rows: "source", columns: "source" },
  decoder: { label: "Decoder: German looks back at German", rows: "output", columns: "output" },
  source: { label: "English vectors, layer by layer", rows: "source", columns: "source" },
  output: { label: "German vectors, layer by layer", rows: "output", columns: "output" },
};
export const LEVELS = 6;
/** An example of Python's, whose numbers are texts of whole hundredths.
 * @param {any} example @returns {Result} */
export function fromHundredths(example) {
  const part = (x) =>
    typeof x === "string"
      ? x.split(" ").map((n) => Number(n) / 100)
      : Array.isArray(x)
        ? x.map(part)
        : Object.fromEntries(Object.entries(x).map(([name, inner]) => [name, part(inner)]));
  return {
    ...example,
    ...part({ weights: example.weights, alike: example.alike, turned: example.turned }),
  };
}

/** A piece as one reads it: without the mark of a word's start. @param {string} piece */
export const word = (piece) => (piece === "▁" ? "␣" : piece.replace("▁", ""));
const quote = (piece) => `“${word(piece)}”`;

/** Whether this is about vectors rather than attention. @param {string} look */
export const ofVectors = (look) => look === LOOKS[look].rows;

/** The matrix in question. @param {Result} result @param {Place} place @returns {Cells} */
export const matrixOf = ({ weights, alike }, { look, layer, head }) =>
  ofVectors(look) ? alike[look][layer] : weights[look][layer - 1][head - 1];

/** The numbers of one row, by column; of the decoder's self-attention only those of tokens that are
 * there.
 * @param {Result} result @param {Place} place @returns {number[]} */
export function rowOf(result, place) {
  const { columns } = LOOKS[place.look];
  const width = result[columns].length;
  const row = Array.from(
    { length: width },
    (_, j) => matrixOf(result, place)[place.row * width + j],
  );
  return place.look === "decoder" ? row.slice(0, place.row + 1) : row;
}

/** Names of the columns: the decoder looks back at what it was given, so its row starts with the
 * start mark.
 * @param {Result} result @param {string} look */
const columnsOf = (result, look) =>
  look === "decoder" ? ["<s>", ...result.output] : result[LOOKS[look].columns];

/** What the chosen row says, in words. @param {Result} result @param {Place} place */
export function describe(result, place) {
  const { look, layer, head, row } = place;
  const piece = result[LOOKS[look].rows][row];
  const names = columnsOf(result, look);
  const values = rowOf(result, place);
  const order = values
    .map((_, j) => j)
    .filter((j) => !ofVectors(look) || j !== row)
    .sort((a, b) => values[b] - values[a]);
  const told = order.slice(0, 2).map((j) => `${quote(names[j])} (${format(values[j])})`);
  const likely = (result.candidates[row] ?? [])
    .filter(([, share]) => share >= 0.005)
    .map(([name, share]) => `${quote(name)} ${fixed(share * 100, 0)} %`);
  const step = LOOKS[look].rows === "output" ? ` Likeliest here: ${likely.join(", ")}.` : "";
  if (ofVectors(look)) {
    const whose =
      look === "output"
        ? `the vector that becomes ${quote(piece)}`
        : `the vector of ${quote(piece)}`;
    const near = told.length ? ` points most the way of ${told.join(", then ")}` : " stands alone";
    const turn = layer
      ? ` Layer ${layer} kept ${format(result.turned[look][layer - 1][row])} of its own direction.`
      : " It holds no more than a token and a position.";
    return `${layer ? `After layer ${layer}` : "Before the first layer"}, ${whose}${near}.${turn}`;
  }
  const [verb, who] =
    look === "encoder"
      ? ["read", "the encoder looks"]
      : ["write", look === "cross" ? "the decoder looks" : "the decoder looks back"];
  return (
    `Layer ${layer}, head ${head}. To ${verb} ${quote(piece)}, ${who} most at ` +
    `${told.join(", then at ")}.${step}`
  );
}

/** Why a text cannot be translated, before anything is loaded; empty if it can.
 * @param {string} text @param {number} limit */
export function refusal(text, limit) {
  const words = text.trim().split(/\s+/).length;
  if (!text.trim()) return "There is nothing to translate yet: type an English sentence.";
  if (words <= limit && text.length <= 20 * limit) return "";
  const size = words > limit ? `${words} words` : `${text.length} characters`;
  return (
    `This text has ${size}, and the page takes ${limit} pieces of words at most. The model ` +
    "has learned from single sentences: give it one at a time."
  );
}

/** Squares of a matrix as SVG paths, one for each shade; what would be too faint to see is left
 * out.
 * @param {Cells} cells @param {number} width
 * @returns {{level: number, negative: boolean, path: string}[]} */
export function shades(cells, width) {
  /** @type {Map<number, string[]>} */
  const found = new Map();
  for (let n = 0; n < cells.length; n += 1) {
    const level =
      Math.sign(cells[n]) * Math.min(LEVELS, Math.round(Math.abs(cells[n]) * LEVELS + 0.2));
    if (level)
      found.set(level, [
        ...(found.get(level) ?? []),
        `M${n % width} ${Math.floor(n / width)}h1v1h-1z`,
      ]);
  }
  return [...found].map(([level, squares]) => ({
    level: Math.abs(level),
    negative: level < 0,
    path: squares.join(""),
  }));
}

/** What the model has never seen. @param {Result} result */
export function unknownInWords({ unknown }) {
  return unknown.length
    ? `It has never seen ${unknown.map((x) => `“${x}”`).join(", ")}. Each becomes ` +
        "<unk>, and the translation has to guess."
    : "";
}

/** What is looked at, within what there is.
 * @param {(name: string) => any} get of a trait @param {Result} result
 * @param {number | null} pointed the row under the pointer @returns {Place} */
export const placeOf = (get, result, pointed) => ({
  look: get("look"),
  head: get("head"),
  layer: Math.min(
    Math.max(get("layer"), ofVectors(get("look")) ? 0 : 1),
    result.weights.cross.length,
  ),
  row: pointed ?? Math.min(get("token"), result[LOOKS[get("look")].rows].length - 1),
});

/** The numbers of a row beside the pieces of its columns; null is one that is not written yet.
 * @param {Result} result @param {Place} now @returns {(number | null | undefined)[]} */
export function alongColumns(result, now) {
  const { columns } = LOOKS[now.look];
  const values = rowOf(result, now);
  const lead = columns === "output" && ofVectors(now.look) ? [undefined] : [];
  return now.look === "decoder"
    ? Array.from({ length: result.output.length + 1 }, (_, j) => values[j] ?? null)
    : [...lead, ...values];
}

/** How to look when a piece of a side is asked: that of the other side in the way that is its own.
 * @param {string} side @param {string} now */
export function lookOf(side, now) {
  if (LOOKS[now].rows === side) return now;
  return ofVectors(now) ? side : { source: "encoder", output: "cross" }[side];
}

/** How fast it was. @param {number} tokens @param {number} ms @param {number} beam */
export const factsInWords = (tokens, ms, beam) =>
  `${tokens} tokens in ${fixed(ms, 0)} ms, ${fixed((tokens / ms) * 1000, 0)} a second, ` +
  `by your own browser, ${beam === 1 ? "greedy" : `beam of ${beam}`}.`;
