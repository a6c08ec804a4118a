// The masks of MaskedSoftmax and what is said of them, without a browser: node --test tests/js/
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  compute,
  equal,
  fault,
  leakage,
  verdict,
  weights,
} from "../../transformer_course/widgets/masked_softmax_numbers.js";

const START = {
  scores: [
    [1.2, 0.4, -0.6, 2.1, 0.3],
    [0.8, 1.5, 0.2, -0.4, 1.9],
    [-0.3, 2.2, 0.6, 1.1, -1],
    [0.5, -0.8, 1.7, 0.9, 1.4],
    [1, 0.3, 1.8, -0.5, 0.7],
  ],
  causal: true,
  pads: 0,
  side: "end",
  place: "before",
  fill: "-inf",
  half: false,
  token: 3,
  change: 2,
};
const close = (a, b) =>
  a.forEach((x, n) => assert.ok(Math.abs(x - b[n]) < 1e-12, `${a} is not ${b}`));

test("before softmax the masked weights are zero and the others share one whole", () => {
  const { weights, rows } = compute({ ...START, pads: 1 });
  weights.forEach((row, i) => row.forEach((x, j) => assert.equal(x === 0, j > i || j === 4)));
  close(
    rows.map(([sum]) => sum),
    [1, 1, 1, 1, 1],
  );
});

test("after softmax, divided by what is left, is before softmax", () => {
  const after = weights(START.scores, { ...START, place: "renormalized" });
  weights(START.scores, START).forEach((row, i) => close(row, after[i]));
});

test("each mistake is named with its number", () => {
  assert.equal(verdict(START), "All five rows are right.");
  assert.match(
    verdict({ ...START, fill: "0" }),
    /^Wrong\. row 1: 0\.55 goes to masked tokens; .* A score of 0 is no mask: exp\(0\) = 1\.$/,
  );
  assert.match(
    verdict({ ...START, place: "after" }),
    /^Wrong\. row 1: it sums to 0\.22, not to 1; .* thrown away\.$/,
  );
  assert.match(
    verdict({ ...START, pads: 2, side: "start" }),
    /^Wrong\. row 1, row 2: NaN, as every key is masked: 0 ÷ 0 is not a number\.$/,
  );
  assert.match(
    verdict({ ...START, pads: 2, side: "start", fill: "-1e9" }),
    /row 1, row 2: every key is masked, yet 1\.00 is spread over them/,
  );
  assert.match(
    verdict({ ...START, pads: 2, side: "start", fill: "-1e9", half: true }),
    /row 1, row 2: NaN.* In float16 −1e9 does not fit/,
  );
  assert.match(
    verdict({ ...START, pads: 2, side: "start", place: "after" }),
    /row 1, row 2: every key is masked, and nothing comes through/,
  );
  assert.match(verdict({ ...START, place: "renormalized" }), /^All five rows are right\./);
});

test("a leak is a change of a row that may not see the token", () => {
  assert.match(
    leakage(START),
    /^No leak: “the”, “cat” and “sat” may not see “on”, and no change of it reaches them\.$/,
  );
  assert.match(leakage({ ...START, causal: false }), /nothing can leak/);
  assert.match(
    leakage({ ...START, fill: "0" }),
    /^Leak: .* moves their outputs: a part of its value comes through\.$/,
  );
  assert.match(
    leakage({ ...START, place: "after" }),
    /^Leak: .* moves their outputs: softmax counted its score before/,
  );
  assert.match(leakage({ ...START, place: "after", change: 0 }), /^No leak/);
});

test("divided by the sum, the weights are told to equal those of a mask before softmax", () => {
  const third = { ...START, place: "renormalized" };
  assert.ok(equal(third) && !equal(START) && !equal({ ...START, place: "after" }));
  assert.match(
    leakage(third),
    /^No leak: .* The weights equal those of the mask before softmax\.$/,
  );
  assert.doesNotMatch(leakage(START), /equal/);
  const tall = [[0, 900, 0, 0, 0], ...START.scores.slice(1)]; // nothing is left to divide by
  assert.ok(!equal({ ...third, scores: tall }));
});

test("a score so high that the rest underflows leaves nothing to divide by", () => {
  const rows = weights([[0, 900, 0, 0, 0], ...START.scores.slice(1)], {
    ...START,
    place: "renormalized",
  });
  assert.equal(
    fault(rows[0], [true, false, false, false, false]),
    "NaN, nothing is left to divide by",
  );
});
