// Greedy and beam search on a model that is a table: what may follow which beginning, how likely.
import assert from "node:assert/strict";
import { test } from "node:test";
import { lengthPenalty } from "../../transformer_course/widgets/numbers.js";
import { beamSearch, greedySearch } from "../../transformer_course/widgets/search.js";

function close(actual, expected, tolerance = 1e-12) {
  assert.equal(actual.length, expected.length);
  Array.from(actual).forEach((x, n) =>
    assert.ok(Math.abs(x - expected[n]) <= tolerance, `${actual} is not ${expected}`),
  );
}

/** @returns {any} what the searches ask of a Transformer */
function table(rows, maxLen = 9) {
  return {
    begin: () => [{ keys: [], values: [] }],
    encode: () => ({}),
    limit: (length, extra) => Math.min(length + extra, maxLen - 1),
    step: (memory, pasts, ids) =>
      ids.map((id, n) => {
        const [{ keys }] = pasts[n];
        keys.push(id);
        const shares = rows[keys.slice(1).join(" ")] ?? { 2: 1 };
        return Float64Array.from({ length: 8 }, (_, next) => Math.log(shares[next] ?? 0));
      }),
  };
}
const finish = (search) => {
  const seen = [];
  for (;;) {
    const { done, value } = search.next();
    if (done) return { ids: value, seen };
    seen.push(value);
  }
};
const GARDEN = { "": { 4: 0.6, 5: 0.4 }, 4: { 6: 0.4, 7: 0.3, 2: 0.3 }, 5: { 7: 1 } };

test("greedy search takes the likeliest token; a beam finds the likelier sentence", () => {
  assert.deepEqual(finish(greedySearch(table(GARDEN), [9, 2])), {
    ids: [4, 6],
    seen: [[4], [4, 6]],
  });
  // 0.4 against 0.24 and 0.18.
  assert.deepEqual(finish(beamSearch(table(GARDEN), [9, 2], 2, 0)).ids, [5, 7]);
});

test("the length penalty decides between a short and a long sentence", () => {
  const rows = { "": { 4: 0.5, 2: 0.5 }, 4: { 5: 0.9, 2: 0.1 } };
  assert.deepEqual(finish(beamSearch(table(rows), [9, 2], 2, 0)).ids, []);
  assert.deepEqual(finish(beamSearch(table(rows), [9, 2], 2, 1)).ids, [4, 5]);
  close([lengthPenalty(1, 0.6), lengthPenalty(13, 0.6)], [1, 3 ** 0.6]);
});

test("equal sentences are ordered as Python orders them, the larger ids first", () => {
  assert.deepEqual(finish(beamSearch(table({ "": { 4: 0.5, 5: 0.5 } }), [9, 2], 2)).ids, [5]);
});

test("both searches end at the limit", () => {
  const forever = new Proxy({}, { get: () => ({ 4: 0.9, 2: 0.1 }) });
  assert.equal(finish(greedySearch(table(forever, 99), [9, 2], 5)).ids.length, 7);
  assert.equal(finish(greedySearch(table(forever, 4), [9, 2], 5)).ids.length, 3);
  assert.ok(finish(beamSearch(table(forever, 4), [9, 2], 2)).ids.length <= 3);
  assert.deepEqual(finish(beamSearch(table(forever, 4), [9, 2], 1, 9)).ids, [4, 4, 4]);
});

test("a search can be told how its output begins, and goes on from there", () => {
  const from = (search, begun) => finish(search(begun)).ids;
  const greedily = (begun) => greedySearch(table(GARDEN), [9, 2], undefined, begun);
  const beam = (begun) => beamSearch(table(GARDEN), [9, 2], 2, 0, undefined, begun);
  assert.deepEqual(from(greedily, [5]), [5, 7]);
  assert.deepEqual(from(greedily, [4, 7]), [4, 7]);
  assert.deepEqual(from(beam, [4]), [4, 6]);
  for (const search of [greedily, beam]) assert.deepEqual(from(search, [4, 2]), [4]);
});
