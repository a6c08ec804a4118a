// The words of LookingBack, without a browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  lines,
  opening,
  score,
  told,
  written,
} from "../../transformer_course/widgets/looking_back_words.js";

const COPIED = {
  read: ["a", "b"],
  wrote: ["a", "b"],
  without: ["a", "x"],
  weights: [
    [98, 2],
    [30, 70],
  ],
};
const TRANSLATED = { ...COPIED, without: [] };

test("without looking it is what the other writer wrote, where there is one", () => {
  assert.deepEqual(written(COPIED, false), ["a", "x"]);
  assert.deepEqual(written(TRANSLATED, false), ["a", "b"]);
});

test("weak lines are left out, and the strongest comes first", () => {
  assert.deepEqual(lines(COPIED, 0), [{ weight: 98, at: 0 }]);
  assert.deepEqual(
    lines(COPIED, 1).map(({ at }) => at),
    [1, 0],
  );
});

test("a writing opens when three quarters of it are written", () => {
  assert.equal(opening({ ...COPIED, wrote: [..."translation"] }), 8);
  assert.equal(opening(COPIED), 1);
});

test("a step is told in words", () => {
  assert.match(told(COPIED, 0, true), /^For “a” it looks most at “a” \(98\u00a0%\)\.$/);
  assert.match(told(COPIED, 1, true), /“b” \(70\u00a0%\), then at “a” \(30\u00a0%\)\.$/);
  assert.match(told(COPIED, 1, false), /^“x” comes from one vector for all\.$/);
});

test("what is right is counted where both are to copy, and nowhere else", () => {
  assert.equal(score(COPIED, 1, true), "2 of 2 right.");
  assert.equal(score(COPIED, 1, false), "1 of 2 right.");
  assert.equal(score(TRANSLATED, 1, true), "");
});
