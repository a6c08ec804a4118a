// The arithmetic of Dropout, without a browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  drop,
  explain,
  gaps,
  masksUpTo,
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

test("each place draws its own masks, of one list and in turn", () => {
  const luck = Array.from({ length: 40 }, (_, n) => [n]);
  assert.deepEqual(masksUpTo(luck, 0, 2), [[0], [1], [2]]);
  assert.deepEqual(masksUpTo(luck, 1, 1), [[4], [5]]);
  assert.deepEqual(masksUpTo(luck, 2, 6).at(-1), [0]);
  assert.equal(masksUpTo(luck, 2, 39).length, 40);
});

test("a mask is said to take nothing away when all masks are in the mean", () => {
  const state = { place: 1, p: 0.1, training: true, gone: 0, size: 16, many: 100, off: 0.034 };
  assert.match(
    explain({ ...state, masks: 100 }),
    /100 masks, .*times 1\.11 .* 3\u00a0% off .* takes nothing away/,
  );
  assert.doesNotMatch(explain({ ...state, masks: 1 }), /takes nothing|masks/);
  const one = { ...state, masks: 0, gone: 1 };
  const said = [0, 1, 2].map((place) => explain({ ...one, place }));
  assert.equal(new Set(said).size, 3);
  for (const text of said) assert.match(text, /zeroes 1 of (the(se)? )?16/);
  assert.match(explain({ ...one, training: false }), /^Evaluation: /);
  assert.match(explain({ ...one, p: 0 }), /^At p = 0 /);
});
