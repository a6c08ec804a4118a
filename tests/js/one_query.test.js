// What the table says at each step, for words that look at others and at themselves.
import assert from "node:assert/strict";
import test from "node:test";
import { NAMES, heard, told } from "../../transformer_course/widgets/one_query_words.js";

const words = ["The", "bank", "safe"];
const look = (share) => ({
  scores: [
    [4, 0, 8],
    [0, 20, 40],
    [0, 0, 9],
  ],
  weights: [[0.2, 0.1, 0.7], share, [0.1, 0.1, 0.8]],
});
const say = (
  step,
  i,
  r = look([0, 0.25, 0.75]),
  german = "Die Bank.",
  given = words.map((_, n) => Number(n === i)),
) => told(step, i, words, r, german, [4, given]);

test("each step has a sentence", () => {
  for (const i of [0, 1, 2])
    NAMES.forEach((_, step) => assert.match(say(step, i), /^[A-ZÄ“].+[.?]$/));
});

test("shares are told by how much larger the largest is", () => {
  assert.match(
    say(4, 1),
    /“safe” leads “bank” by 20\.0, ÷ √16 by 5\.0: softmax makes that 3 times/,
  );
  assert.match(say(4, 1, look([0, 0.0001, 0.9999])), /over 1,000 times/);
});

test("the German noun is named where bank asks, as it stands in the translation", () => {
  assert.match(say(5, 1), /has read “safe”: Bank\./);
  assert.match(say(5, 1, look([0, 1, 0]), "Das Ufer."), /“safe”: Ufer\./);
  assert.match(say(5, 0), /has read “safe”\./);
});

test("a word that scores most with itself hands on its own value", () => {
  assert.match(
    say(5, 2),
    /^This head finds “safe” no better match than itself: its own value goes on\.$/,
  );
  assert.match(say(3, 2), /itself scores most, 9\.$/);
  const self = {
    scores: [
      [1, 0, 0],
      [0, 9, 1],
      [0, 0, 1],
    ],
    weights: [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ],
  };
  assert.match(
    say(5, 1, self, "Das Ufer.", [0, 0.2, 0.8]),
    /^This head finds “bank” no better match than itself\. Head 4 reads “safe”: Ufer\.$/,
  );
});

test("a button is called by its word, then by what has been computed", () => {
  assert.equal(heard(0, "safe", 93.4, 0.99), "safe");
  assert.equal(heard(3, "safe", 93.4, 0.99), "safe, score 93");
  assert.equal(heard(5, "safe", -20, 0.014), "safe, score −20, share 1 %");
});
