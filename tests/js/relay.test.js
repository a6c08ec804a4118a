// The numbers and words of Relay, without a browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  about,
  holds,
  looks,
  steps,
  total,
  ways,
} from "../../transformer_course/widgets/relay_numbers.js";

const SHARES = [[0.9], [0.8, 0.7], [0.6, 0.5, 0.4]]; // newest first
const TEXT = {
  end: "boat",
  words: ["the", "bank", "boat"],
  weights: [
    [100, 0, 0],
    [5, 60, 35],
    [0, 10, 90],
  ],
  translation: "",
};

test("a loop takes a step for each word, and none leads back", () => {
  assert.equal(steps(1, 4), 3);
  assert.equal(steps(2, 2), 0);
  assert.equal(steps(4, 1), null);
});

test("what is held stands in the order of the sentence, and nothing of what is not read", () => {
  assert.deepEqual(holds(SHARES, 2), [0.4, 0.5, 0.6]);
  assert.deepEqual(holds(SHARES, 0), [0.9, 0, 0]);
});

test("a sum below the room is never shown as the room", () => {
  assert.equal(total([0.9999, 0.9999]), "1.99");
  assert.equal(total([0.5]), "0.50");
});

test("of a pair the other one is asked about, of other words the first", () => {
  assert.deepEqual(
    [5, 10, 3].map((asks) => about([5, 10], asks)),
    [10, 5, 5],
  );
});

test("where a word looks is told from the strongest on", () => {
  assert.equal(looks(TEXT, 1), "“bank” looks at itself 60\u00a0%, “boat” 35\u00a0%.");
});

test("both ways are told, and a word that comes later has not been read", () => {
  assert.match(
    ways(TEXT, [1, 2], 2, [0.4, 0.5, 0.6]),
    /^After 1 more word the loop still holds 50\u00a0% of “bank”\. In attention “bank” is 1 step/,
  );
  assert.match(ways(TEXT, [1, 2], 1, [0.7, 0.8, 0]), /at “bank” and has not read “boat” yet/);
});
