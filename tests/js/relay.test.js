// The numbers and words of Relay, without a browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  about,
  holds,
  linesOf,
  looks,
  meanOf,
  meant,
  reader,
  readers,
  remains,
  steps,
  told,
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
  assert.equal(about([5, 10], 5, true), 5); // in a loop always the first
});

test("where a word looks is told from the strongest on", () => {
  const { words, weights } = TEXT;
  assert.equal(looks(words, weights, 1), "itself 60\u00a0%, “boat” 35\u00a0%");
});

test("both ways are told, and a word that comes later has not been read", () => {
  assert.match(
    ways(TEXT, [1, 2], 2, [0.4, 0.5, 0.6]),
    /^After 1 more word the loop still holds 50\u00a0% of “bank”\. In attention it is whole, and 1 step away\.$/,
  );
  assert.equal(
    ways(TEXT, [1, 2], 1, [0.7, 0.8, 0]),
    "The loop has just read “bank” and holds 80\u00a0% of it: 2 words share its state. " +
      "In attention it is whole.",
  );
  assert.match(ways(TEXT, [1, 2], 0, [0.7, 0, 0]), /has not read “bank” yet/);
  assert.match(ways(TEXT, [1, 2], 0, [0.7, 0, 0]), /sees later words too: it is 1 step away\.$/);
});

const PAIR = [1, 2];
const row = (last) => [
  [100, 0, 0],
  [0, 100 - last, last],
  [0, 0, 100],
];
const MONEY = {
  ...TEXT,
  end: "money",
  words: ["the", "bank", "money"],
  heads: [row(100), row(3)],
  translation: "zur Bank.",
};
const BOAT = { ...TEXT, heads: [row(2), row(99)], translation: "zum Ufer." };

test("the head that reads the noun is the one that takes most from it", () => {
  assert.deepEqual(
    [MONEY, BOAT].map((text) => reader(text, PAIR)),
    [1, 2],
  );
});

test("the heads that tell the sentences apart are told first by the one that reads the noun", () => {
  const texts = [MONEY, BOAT];
  assert.deepEqual(readers(texts, PAIR), [1, 2]);
  assert.equal(
    told(texts, PAIR, { text: 1, asks: 1, head: -1 }),
    "With “boat” two heads swap: in head 2 “bank” looks at “boat”, in head 1 at itself.",
  );
  assert.equal(
    told(texts, PAIR, { text: 0, asks: 1, head: -1 }),
    "Four heads divide the work: in head 1 “bank” looks at “money”, in head 2 at itself.",
  );
  assert.doesNotMatch(told(texts, PAIR, { text: 1, asks: 2, head: -1 }), /With/);
  const mixed = [MONEY, { ...BOAT, heads: [row(40), row(99)] }];
  assert.match(
    told(mixed, PAIR, { text: 1, asks: 1, head: -1 }),
    /in head 1 at itself 60\u00a0%, “boat” 40\u00a0%\.$/, // what is no clear look keeps its shares
  );
});

test("a head is told with whether it looks elsewhere in the other sentence, a mean as a trap", () => {
  const texts = [MONEY, BOAT];
  const now = { text: 1, asks: 1, head: 2 };
  assert.equal(meant(BOAT), "Ufer");
  assert.match(told(texts, PAIR, now), /^Head 2: .* With “money” it looks elsewhere\.$/);
  assert.match(
    told(texts, PAIR, { ...now, head: 0 }),
    /35\u00a0%\. With “money” it looks nearly the same, yet the German is “Bank”: the mean hides its heads\.$/,
  );
  assert.doesNotMatch(told(texts, PAIR, { text: 1, asks: 2, head: 0 }), /With/);
  const alike = [MONEY, { ...BOAT, heads: MONEY.heads }]; // one head reads both: nothing is hidden
  assert.match(told(alike, PAIR, { ...now, head: 0 }), /yet the German is “Bank”\.$/);
});

test("of two heads only the strong lines are drawn, each with its name and color", () => {
  assert.deepEqual(
    linesOf(BOAT, 1, [1, 2]).map(({ to, lane, name, hue }) => [to, lane, name, hue]),
    [
      [1, 0, "head 1", "var(--hue1)"],
      [2, 1, "head 2", "var(--hue2)"],
    ],
  );
  assert.deepEqual(
    linesOf(BOAT, 1, [0]).map(({ to, name }) => [to, name]),
    [
      [0, ""],
      [1, ""],
      [2, ""],
    ],
  );
});

test("what is left of a word is told with its steps, where there is room", () => {
  assert.equal(remains(5, 0.334, false), "33 % after 5 steps");
  assert.equal(remains(1, 0.5, false), "50 % after 1 step");
  assert.equal(remains(5, 0.334, true), "33 %");
  assert.equal(remains(0, 0.71, false), "71 %");
});

test("the mean of a word's heads stands in the order of the sentence, without what is faint", () => {
  assert.deepEqual(meanOf(TEXT, 1), [
    { weight: 60, name: "itself" },
    { weight: 35, name: "boat" },
  ]);
});
