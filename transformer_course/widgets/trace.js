// @ts-check
// Looking inside: what the model went through when it wrote a sentence.
import { BOS_ID, EOS_ID } from "./bpe.js";
import { largest, logSum } from "./search.js";
/** @import {Transformer} from "./transformer.js" */

const CANDIDATES = 5; // that are told of every step

/** What the model went through when it wrote `tgt`. Row t of the decoder is the step that wrote
 * token t, the end mark last. `weights[which][layer][head]` are matrices, row after row; `sure` is
 * the geometric mean of the probabilities of what was written.
 * @param {Transformer} model @param {number[]} src with its end mark
 * @param {number[]} tgt without marks */
export function trace(model, src, tgt) {
  const { num_layers: depth, num_heads: heads } = model.config;
  const records = (length) => Array.from({ length }, () => ({ weights: [] }));
  const [read, wrote] = [records(src.length), records(tgt.length + 1)];
  const memory = model.encode(src, read);
  const past = model.begin();
  let total = 0;
  const candidates = [BOS_ID, ...tgt].map((id, t) => {
    const [logits] = model.step(memory, [past], [id], [wrote[t]]);
    const norm = logSum(logits);
    total += logits[tgt[t] ?? EOS_ID] - norm;
    return largest(logits, CANDIDATES).map((next) => [next, Math.exp(logits[next] - norm)]);
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
  return {
    weights: {
      cross: matrices(wrote, src.length, 2, 1),
      encoder: matrices(read, src.length, 1, 0),
      decoder: matrices(wrote, wrote.length, 2, 0),
    },
    candidates,
    sure: Math.exp(total / wrote.length),
  };
}
