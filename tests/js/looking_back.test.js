// The words of LookingBack, without a browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  lines,
  opening,
  score,
  told,
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

test("weak lines are left out, and the strongest comes first", () => {
  assert.deepEqual(lines(COPIED, 0), [{ weight: 98, at: 0 }]);
  assert.deepEqual(
    lines(COPIED, 1).map(({ at }) => at),
    [1, 0],
  );
});

test("a writing opens when three quarters of it are written, with two writers at its first", () => {
  assert.equal(opening({ ...TRANSLATED, wrote: [..."translation"] }), 8);
  assert.equal(opening(TRANSLATED), 1);
  assert.equal(opening(COPIED), 0);
});

test("a step is told in words", () => {
  assert.match(told(COPIED, 0), /^For “a” it looks most at “a” \(98\u00a0%\)\.$/);
  assert.match(told(COPIED, 1), /“b” \(70\u00a0%\), then at “a” \(30\u00a0%\)\.$/);
});

test("where no share is large, nothing in particular is looked at", () => {
  const flat = { ...TRANSLATED, weights: [[24, 23]] };
  assert.equal(
    told(flat, 0),
    "For “a” it looks at nothing in particular: most gets “a” (24\u00a0%).",
  );
  assert.match(told({ ...flat, weights: [[25, 23]] }, 0), /^For “a” it looks most at “a”/);
});

test("at its end a writer shows each word's own line, and no last word alone", () => {
  const last = TRANSLATED.wrote.length - 1;
  assert.match(told(TRANSLATED, last), /^All is written\. A line leads from each word/);
});

test("what is right is counted where two are to copy, and nowhere else", () => {
  assert.equal(score(COPIED, 0), "Which of the two copies more of “ab” right?");
  assert.equal(score(COPIED, 1), "Right so far: 2 of 2 looking back, only 1 from one vector.");
  assert.equal(score(TRANSLATED, 1), "");
});
