// The rounds and words of Speculation, without a browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  brings,
  follows,
  line,
  roundInWords,
  rounds,
  shown,
} from "../../transformer_course/widgets/speculation_rounds.js";

const TEXT = {
  source: "It is old.",
  pieces: ["</s>", "▁Es", "▁ist", "▁alt", ".", "▁war"],
  written: [1, 2, 3, 4, 0],
  drafts: [[1, 5], [2, 3], [5, 3], [4, 0], [0]],
};

test("what is kept and what the translator adds is the whole text, once", () => {
  for (const most of [0, 1, 2, 8]) {
    const all = rounds(TEXT, most);
    let at = 0;
    for (const round of all) {
      assert.equal(round.at, at);
      at += round.right + 1;
    }
    assert.ok(at >= TEXT.written.length);
    assert.ok(at <= TEXT.written.length + 1);
  }
});

test("rounds end at the first wrong guess", () => {
  assert.equal(rounds(TEXT, 0).length, 5);
  assert.deepEqual(rounds(TEXT, 2), [
    { at: 0, guess: [1, 5], right: 1, own: 2 },
    { at: 2, guess: [5, 3], right: 0, own: 3 },
    { at: 3, guess: [4, 0], right: 2, own: null },
  ]);
});

test("a call is told in words", () => {
  const [first, second, third] = rounds(TEXT, 2);
  assert.match(roundInWords(TEXT, first), /1 of them is kept\. Instead of “war” .* “ist”/);
  assert.match(
    roundInWords(TEXT, second),
    /^One call checks both guesses\. Neither of them is kept/,
  );
  assert.match(roundInWords(TEXT, third), /the sentence is done/);
  assert.match(roundInWords(TEXT, rounds(TEXT, 0)[0]), /^Nothing is guessed/);
  assert.match(roundInWords(TEXT, rounds(TEXT, 1)[0]), /It is right, and the call gives one more/);
});

test("where the table guesses the end, it is said why a call checks fewer than it may", () => {
  const told = (most, step) => roundInWords(TEXT, rounds(TEXT, most)[step], most);
  assert.match(told(8, 2), /^One call checks 2 guesses, not 8: the last is “■ end”\. They are/);
  assert.match(told(2, 2), /^One call checks both guesses\. /); // as many as it may
  assert.match(told(8, 0), /^One call checks both guesses\. /); // fewer, but not for the end
  const last = { at: 4, guess: [0], right: 1, own: null };
  assert.match(
    roundInWords(TEXT, last, 8),
    /^One call checks 1 guess, not 8: it is “■ end”\. It is/,
  );
});

test("a call brings what is kept and the translator's own, all calls together the text", () => {
  assert.deepEqual(rounds(TEXT, 2).map(brings), [2, 1, 2]);
  for (const most of [0, 1, 2, 8]) {
    const sum = rounds(TEXT, most).reduce((tokens, round) => tokens + brings(round), 0);
    assert.equal(sum, TEXT.written.length);
  }
});

test("pieces are joined to a line without their marks", () => {
  assert.equal(line(TEXT, 5), "Es ist alt.");
  assert.equal(shown("</s>"), "■ end");
  assert.equal(shown("▁Es"), "Es");
  assert.equal(shown("."), ".");
  assert.equal(shown("e"), "+e");
  assert.deepEqual(follows(TEXT, rounds(TEXT, 2)[0]), ["(start)", "Es", "war"]);
  assert.deepEqual(follows(TEXT, rounds(TEXT, 2)[2]), ["alt", ".", "■ end"]);
});
