// The algorithm and the words of BpeMerges, without a browser: node --test tests/js/
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  explain,
  join,
  learn,
  partsOf,
  visible,
} from "../../transformer_course/widgets/bpe_learner.js";
import { mergesOf, over, treesOf } from "../../transformer_course/widgets/bpe_merges_tree.js";
import { random } from "../../transformer_course/widgets/numbers.js";

const EXAMPLE =
  "low low low low low lower lower newest newest newest newest newest newest widest widest widest";
const merged = ({ merges, pieces }) =>
  merges.map(({ left, right }) => [pieces[left], pieces[right]]);

test("a text falls into words with their space, and punctuation alone", () => {
  assert.deepEqual(partsOf("  A dog's\n\tball. "), ["▁A", "▁dog", "'", "s", "▁ball", "."]);
  assert.deepEqual(partsOf("<b>x</b>"), ["▁", "<", "b", ">", "x", "<", "/", "b", ">"]);
  assert.deepEqual(partsOf("e\u0301▁é"), ["▁é", "▁é"]);
  for (const empty of ["", "  ", "▁", "\u2003\n"]) assert.deepEqual(partsOf(empty), []);
});

test("a pair is joined from the left, each piece once", () => {
  assert.deepEqual(join([1, 1, 1, 1, 1], 1, 1, 9), [9, 9, 1]);
  assert.deepEqual(join([1, 2, 1, 2, 3], 1, 2, 9), [9, 9, 3]);
  assert.deepEqual(join([1], 1, 1, 9), [1]);
});

test("the most frequent pair merges; of equals, the one first in the vocabulary", () => {
  const learner = learn(EXAMPLE);
  assert.deepEqual(learner.pieces, [..."deilnorstw▁"]);
  const [best, second] = learner.pairs();
  assert.deepEqual(
    [learner.pieces[best.left], learner.pieces[best.right], best.count],
    ["e", "s", 9],
  );
  assert.deepEqual(
    [learner.pieces[second.left], learner.pieces[second.right], second.count],
    ["s", "t", 9],
  );
  while (learner.merge());
  assert.deepEqual(merged(learner).slice(0, 5), [
    ["e", "s"],
    ["es", "t"],
    ["l", "o"],
    ["▁", "lo"],
    ["▁lo", "w"],
  ]);
  assert.ok(learner.pairs().every((pair) => pair.count < 2));
});

test("going back undoes a merge exactly", () => {
  const learner = learn("aaaa aaaa abab <i>abab</i> aa");
  const states = [];
  const state = () =>
    JSON.stringify([learner.pieces, learner.words.map((word) => word.ids), learner.pairs()]);
  do states.push(state());
  while (learner.merge());
  assert.ok(states.length > 4);
  for (const before of states.reverse().slice(1)) {
    learner.back();
    assert.equal(state(), before);
  }
  learner.back();
  assert.equal(state(), states.at(-1));
});

test("a word is encoded by the same merges, and an unknown character is nothing known", () => {
  const learner = learn(EXAMPLE);
  for (let n = 0; n < 4; n += 1) learner.merge();
  assert.deepEqual(learner.encode("lowest"), ["▁lo", "w", "est"]);
  assert.deepEqual(learner.encode("slöwest"), ["▁", "s", "l", null, "w", "est"]);
  assert.deepEqual(learner.encode(" "), []);
});

test("each part of a text is placed alone, with the ids of its pieces", () => {
  const learner = learn(EXAMPLE);
  for (let n = 0; n < 4; n += 1) learner.merge();
  const parts = learner.place("lowest, ö");
  assert.deepEqual(
    parts.map((part) => part.map(({ piece }) => piece)),
    [["▁lo", "w", "est"], [null], ["▁", null]],
  );
  for (const { id, piece } of parts.flat()) assert.equal(learner.pieces[id] ?? null, piece);
});

test("a pair occurs in some words, as often as it is counted", () => {
  const learner = learn(`${EXAMPLE} esses`);
  const [best] = learner.pairs();
  assert.deepEqual(learner.occurs(best), [6, 3, 2]);
  assert.equal(best.count, 11);
});

test("what is encoded is what the text became, and nothing of it is lost", () => {
  const learner = learn(EXAMPLE);
  for (let n = 0; n < 9; n += 1) {
    learner.merge();
    for (const { ids, count } of learner.words) {
      const word = ids.map((id) => learner.pieces[id]);
      assert.deepEqual(learner.encode(word.join("")), word);
      assert.equal(EXAMPLE.split(" ").filter((each) => `▁${each}` === word.join("")).length, count);
    }
    assert.equal(learner.encode(EXAMPLE).length, learner.size());
    assert.equal(learner.encode(EXAMPLE).join(""), `▁${EXAMPLE.replaceAll(" ", "▁")}`);
  }
});

test("20,000 characters learn merge by merge within a frame or two each", () => {
  const next = random(1);
  const text = Array.from({ length: 20000 }, () => "etaoin shrdlu "[Math.floor(next() * 14)]).join(
    "",
  );
  const start = performance.now();
  const learner = learn(text);
  for (let n = 0; n < 20; n += 1) assert.ok(learner.merge());
  assert.ok((performance.now() - start) / 21 < 100);
});

test("what cannot be seen shows its number", () => {
  assert.deepEqual(["a", "▁", "\u200d", "😀", "\ufe0f", "\u0000"].map(visible), [
    "a",
    "▁",
    "U+200D",
    "😀",
    "U+FE0F",
    "U+0000",
  ]);
});

test("the words say what comes next, ties, the end, and that there is no text", () => {
  const say = (learner) => explain(learner, learner.pairs());
  const learner = learn(EXAMPLE);
  assert.equal(
    say(learner),
    "0 merges so far. “e” before “s” occurs 9 times, as does 1 other; the pair of oldest pieces merges next.",
  );
  learner.merge();
  assert.equal(
    say(learner),
    "1 merge so far. “es” before “t” occurs 9 times, more than any other pair: they merge next.",
  );
  const one = learn("aa aa");
  one.merge();
  assert.equal(say(one), "1 merge so far. “▁” before “aa” occurs 2 times: they merge next.");
  while (learner.merge());
  assert.equal(
    say(learner),
    "15 merges so far, and no pair occurs twice any more: 95 characters are 16 pieces.",
  );
  assert.equal(learner.letters(), 95);
  assert.match(say(learn("ab")), /^0 merges so far, and no pair occurs twice any more/);
  assert.match(say(learn("")), /^There is no text yet\./);
});

test("a word's pieces are trees of merges, each with its number, over the letters", () => {
  const learner = learn("low low low lower lower");
  while (learner.merge());
  const [row] = learner.place("lowest");
  const trees = treesOf(
    row,
    [..."▁lowest"].map((_, n) => 10 * n),
  );
  const merges = trees.flatMap(mergesOf);
  assert.deepEqual(
    merges.map(({ n, piece }) => [n, piece]),
    learner.merges.slice(0, merges.length).map(({ made }, n) => [n + 1, learner.pieces[made]]),
  );
  for (const { level, x, from } of merges) {
    assert.equal(level, 1 + Math.max(...from.map((part) => part.level)));
    assert.ok(from[0].x < x && x < from[1].x);
  }
  const leaves = (node) => (node.from.length ? node.from.flatMap(leaves) : [node.x]);
  assert.deepEqual(trees.flatMap(leaves), [0, 10, 20, 30, 40, 50, 60]);
  const [first, second] = trees;
  assert.equal(over([first, second], 9).level, 1 + Math.max(first.level, second.level));
});
