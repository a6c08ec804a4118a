// The arithmetic of Dropout, without a browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  drop,
  gaps,
  meanOf,
  reach,
  rowsAt,
} from "../../transformer_course/widgets/dropout_numbers.js";

const LUCK = [0.05, 0.9, 0.3, 0.7];
const half = { p: 0.5, training: true };

test("where luck is below p stands a zero, the others are divided by 1 − p", () => {
  assert.deepEqual(drop([1, 2, 3, 4], LUCK, half), [0, 4, 0, 8]);
  assert.deepEqual(drop([1, 2, 3, 4], LUCK, { p: 0, training: true }), [1, 2, 3, 4]);
});

test("in evaluation nothing is dropped", () => {
  assert.deepEqual(drop([1, 2, 3, 4], LUCK, { p: 0.5, training: false }), [1, 2, 3, 4]);
});

test("two masks that complete each other have the vector as their mean", () => {
  const other = LUCK.map((x) => 1 - x);
  assert.deepEqual(meanOf([1, 2, 3, 4], [LUCK, other], half), [1, 2, 3, 4]);
});

const pair = [
  [1, 1, 1, 1],
  [1, 2, 3, 4],
];

test("a sub-layer is dropped before it is added, the embeddings after", () => {
  const left = (row) => drop(row, LUCK, half);
  assert.deepEqual(rowsAt(pair, 0, left), [...pair, [0, 6, 0, 10]]);
  assert.deepEqual(rowsAt(pair, 1, left), [pair[0], [0, 4, 0, 8], [1, 5, 1, 9]]);
});

test("gaps are added up, as a share of the whole", () => {
  assert.equal(gaps([3, -1], [3, -1]), 0);
  assert.equal(gaps([0, -2], [3, -1]), 1);
  assert.equal(gaps([3, 0], [3, -1]), 0.25);
});

test("the scale has room for every mask, and for what it scales up", () => {
  const signed = [
    [1, -3],
    [2, -1],
  ];
  assert.deepEqual(reach(signed, 1, half), [-5, 5]);
  assert.deepEqual(reach(signed, 0, half), [-8, 6]);
  assert.deepEqual(reach(signed, 1, { p: 0.5, training: false }), [-4, 3]);
  assert.deepEqual(reach(pair, 1, half), [0, 9]);
});
