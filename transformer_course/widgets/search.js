// @ts-check
// Greedy and beam search: each step yields the ids so far.
import { BOS_ID, EOS_ID } from "./bpe.js";
import { lengthPenalty } from "./numbers.js";
/** @import {Transformer} from "./transformer.js" */
/** @typedef {Float32Array | Float64Array} Row of numbers */

/** The `count` largest, best first; the earlier of equals first.
 * @param {Row} row @param {number} count */
export function largest(row, count) {
  /** @type {number[]} */
  const found = [];
  for (let id = 0; id < row.length; id += 1) {
    if (found.length === count && !(row[id] > row[found[count - 1]])) continue;
    let place = found.length;
    while (place && row[id] > row[found[place - 1]]) place -= 1;
    found.splice(place, 0, id);
    if (found.length > count) found.pop();
  }
  return found;
}

/** The logarithm of the sum of exponentials. @param {Row} row */
export function logSum(row) {
  let [top, total] = [-Infinity, 0];
  for (let n = 0; n < row.length; n += 1) if (row[n] > top) top = row[n];
  for (let n = 0; n < row.length; n += 1) total += Math.exp(row[n] - top);
  return top + Math.log(total);
}

/** What may follow a beginning: scores, with minus infinity for what may not, and the rule of the
 * beginning that is longer by a token.
 * @typedef {{restrict: (row: Row) => Row, after: (id: number) => Rule}} Rule */

/** @type {Rule} */
const FREE = { restrict: (row) => row, after: () => FREE };

/** @param {Pick<Transformer, "begin" | "encode" | "limit" | "step">} model
 * @param {number[]} src with its end mark
 * @param {number[]} begun what the output must begin with; an end mark ends it
 * @returns {Generator<number[], number[]>} */
export function* greedySearch(model, src, maxExtra = 50, begun = []) {
  const { memory, past, ids, ended } = start(model, src, begun);
  while (!ended && ids.length <= model.limit(src.length, maxExtra)) {
    const [id] = largest(model.step(memory, [past], [ids[ids.length - 1]])[0], 1);
    if (id === EOS_ID) break;
    ids.push(id);
    yield ids.slice(1);
  }
  return ids.slice(1);
}

/** The state of a search whose output is begun: all of it but the last id has been read.
 * @param {Pick<Transformer, "begin" | "encode" | "step">} model
 * @param {number[]} src @param {number[]} begun */
function start(model, src, begun) {
  const [memory, past] = [model.encode(src), model.begin()];
  const ended = begun.includes(EOS_ID);
  const ids = [BOS_ID, ...begun.filter((id) => id !== EOS_ID)];
  for (const id of ids.slice(0, -1)) model.step(memory, [past], [id]);
  return { memory, past, ids, ended };
}

/** Best score first; of equals the larger ids, as Python sorts them. */
const better = (a, b) => {
  if (a.score !== b.score) return b.score - a.score;
  const place = a.ids.findIndex((id, n) => id !== b.ids[n]);
  return place < 0 ? b.ids.length - a.ids.length : (b.ids[place] ?? -1) - a.ids[place];
};

/** Keep the `beam` likeliest beginnings at every step; return the best whole sentence.
 * @param {Pick<Transformer, "begin" | "encode" | "limit" | "step">} model
 * @param {number[]} src with its end mark
 * @param {number[]} begun what the output must begin with; an end mark ends it
 * @param {Rule} rule of the output
 * @returns {Generator<number[], number[]>} */
export function* beamSearch(
  model,
  src,
  beam = 4,
  alpha = 0.6,
  maxExtra = 50,
  begun = [],
  rule = FREE,
) {
  const { memory, past, ids: first, ended } = start(model, src, begun);
  if (ended) return first.slice(1);
  const limit = model.limit(src.length, maxExtra);
  let alive = [{ total: 0, ids: first, past, rule }];
  /** @type {{score: number, ids: number[]}[]} */
  const finished = [];
  for (;;) {
    const length = alive[0].ids.length; // of the outputs after this step, their end mark included
    const scored = model.step(
      memory,
      alive.map(({ past: each }) => each),
      alive.map(({ ids }) => ids[length - 1]),
    );
    const followers = alive.flatMap((from, row) => {
      const logits = from.rule.restrict(scored[row]);
      const norm = logSum(logits);
      const ids = length > limit ? [EOS_ID] : largest(logits, 2 * beam);
      return ids.map((id) => ({ total: from.total + logits[id] - norm, id, from }));
    });
    // Twice the beam, since at most half of the best continuations can be endings.
    const best = followers
      .filter(({ total }) => total > -Infinity)
      .sort((a, b) => b.total - a.total)
      .slice(0, 2 * beam);
    for (const { total, id, from } of best.slice(0, beam)) {
      if (id === EOS_ID)
        finished.push({ score: total / lengthPenalty(length, alpha), ids: from.ids.slice(1) });
    }
    finished.sort(better);
    const going = best.filter(({ id }) => id !== EOS_ID).slice(0, beam);
    // Log-probabilities only fall, and the longest output has the kindest penalty.
    if (
      !going.length ||
      (finished.length >= beam &&
        finished[beam - 1].score >= going[0].total / lengthPenalty(limit + 1, alpha))
    )
      return finished[0].ids;
    alive = going.map(({ total, id, from }) => ({
      total,
      ids: [...from.ids, id],
      rule: from.rule.after(id),
      past: from.past.map(({ keys, values }) => ({ keys: [...keys], values: [...values] })),
    }));
    yield alive[0].ids.slice(1);
  }
}
