// @ts-check
// Looking inside: what the model went through when it wrote a sentence.
import { BOS_ID } from "./bpe.js";
import { largest, logSum } from "./search.js";
/** @import {Transformer} from "./transformer.js" */

const cosine = (a, b) => {
  let [ab, aa, bb] = [0, 0, 0];
  for (let d = 0; d < a.length; d += 1) {
    ab += a[d] * b[d];
    aa += a[d] * a[d];
    bb += b[d] * b[d];
  }
  return ab / Math.sqrt(aa * bb);
};

/** What the model went through when it wrote `tgt`. Row t of the decoder is the step that wrote
 * token t, the end mark last. `weights[which][layer][head]` and `alike[side][layer]` are matrices,
 * row after row; `turned[side][layer]` has one number a row.
 * @param {Transformer} model @param {number[]} src with its end mark
 * @param {number[]} tgt without marks */
export function trace(model, src, tgt) {
  const { num_layers: depth, num_heads: heads } = model.config;
  const records = (length) => Array.from({ length }, () => ({ weights: [], states: [] }));
  const [read, wrote] = [records(src.length), records(tgt.length + 1)];
  const memory = model.encode(src, read);
  const past = model.begin();
  const candidates = [BOS_ID, ...tgt].map((id, t) => {
    const logits = model.step(memory, past, id, wrote[t]);
    const norm = logSum(logits);
    return largest(logits, 3).map((next) => [next, Math.exp(logits[next] - norm)]);
  });
  /** Matrices of one attention; a shorter row, of tokens that came before, ends in zeros. */
  const matrices = (rows, width, every, first) =>
    Array.from({ length: depth }, (_, layer) =>
      Array.from({ length: heads }, (_, head) => {
        const cells = new Float32Array(rows.length * width);
        rows.forEach((row, i) => {
          const all = row.weights[layer * every + first];
          const length = all.length / heads;
          cells.set(all.subarray(head * length, (head + 1) * length), i * width);
        });
        return cells;
      }),
    );
  const encoderStates = memory.states;
  const decoderStates = Array.from({ length: depth + 1 }, (_, n) =>
    wrote.map((row) => row.states[n]),
  );
  const alike = (states) =>
    states.map((rows) => Float32Array.from(rows.flatMap((a) => rows.map((b) => cosine(a, b)))));
  const turned = (states) =>
    states
      .slice(1)
      .map((rows, n) => Float32Array.from(rows, (row, i) => cosine(row, states[n][i])));
  return {
    weights: {
      cross: matrices(wrote, src.length, 2, 1),
      encoder: matrices(read, src.length, 1, 0),
      decoder: matrices(wrote, wrote.length, 2, 0),
    },
    alike: { source: alike(encoderStates), output: alike(decoderStates) },
    turned: { source: turned(encoderStates), output: turned(decoderStates) },
    candidates,
  };
}
