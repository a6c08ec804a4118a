// What AttentionFigures draws, without a browser: node --test tests/js/
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  known,
  linesOf,
  rowsOf,
  told,
  truthOf,
} from "../../transformer_course/widgets/attention_figures_lines.js";

const ONE = {
  text: "It is a b",
  words: ["It", "a", "b"],
  truth: [
    [0, 2, "stands for"],
    [0, 1, "told by"],
  ],
  weights: [["4 6 90 50 45 5 1 0 99", "100 0 0 0 100 0 0 0 100"]],
};

test("percents become rows", () => {
  assert.deepEqual(rowsOf(ONE, 1, 1), [
    [4, 6, 90],
    [50, 45, 5],
    [1, 0, 99],
  ]);
});

test("of one word every line is drawn that can be seen, the strongest last", () => {
  const lines = linesOf(ONE, 1, [1, 2], 0);
  assert.deepEqual(
    lines.map(({ j, head, weight }) => [head, j, weight]),
    [
      [1, 0, 0.04],
      [1, 1, 0.06],
      [1, 2, 0.9],
      [2, 0, 1],
    ],
  );
});

test("of all words at once only what is strong is drawn", () => {
  const lines = linesOf(ONE, 1, [1], -1);
  assert.ok(lines.every(({ weight }) => weight >= 0.1));
  assert.equal(lines.length, 4);
  assert.deepEqual(linesOf(ONE, 1, [], -1), []);
});

test("a word is told with the place that each head looks at most", () => {
  const text = "“It” in layer 1. Head 1: 90 % to “b”; head 2: 100 % to “It”.";
  assert.equal(told(ONE, 1, [1, 2], 0), text);
  assert.match(told(ONE, 1, [1], -1), /^All words at once/);
  assert.match(told(ONE, 1, [], 1), /no head is switched on/);
});

test("what is true is told of the words that have a truth", () => {
  assert.deepEqual(truthOf(ONE, 0), [
    [2, "stands for"],
    [1, "told by"],
  ]);
  assert.equal(known(ONE, 0), "The grammar knows: stands for “b”, told by “a”.");
  assert.equal(known(ONE, 1), "");
  assert.equal(known(ONE, -1), "");
});
