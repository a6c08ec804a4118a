// What the laboratory draws of a task, without a browser: node --test tests/js/
import assert from "node:assert/strict";
import { test } from "node:test";
import { PAPERS } from "../../transformer_course/widgets/engine/experiment.js";
import { TASKS } from "../../transformer_course/widgets/engine/tasks.js";
import { EOS_ID } from "../../transformer_course/widgets/engine/tokens.js";
import { alike } from "../../transformer_course/widgets/laboratory_changes.js";
import { EXPERIMENTS } from "../../transformer_course/widgets/laboratory_experiments.js";
import {
  QUESTIONS,
  guessesOf,
  proven,
} from "../../transformer_course/widgets/laboratory_guesses.js";
import { pairs, route, verdict } from "../../transformer_course/widgets/laboratory_pictures.js";
import { options, sketch } from "../../transformer_course/widgets/laboratory_sketches.js";
import { written } from "../../transformer_course/widgets/laboratory_tiles.js";
import { lowestLoss } from "../../transformer_course/widgets/laboratory_view.js";

test("a model that stops at once is said to write nothing", (t) => {
  const world = /** @type {any} */ (globalThis);
  const said = /** @type {any[]} */ ([]);
  world.document = {
    createElementNS: () => ({
      setAttribute() {},
      append: (/** @type {any[]} */ ...all) => said.push(...all),
    }),
  };
  t.after(() => delete world.document);
  const scene = { hoped: ["b", "a"], width: 312 };
  written({ ...scene, output: [], looks: [] }, 0);
  assert.ok(said.includes("nothing"));
  said.length = 0;
  written({ ...scene, output: [], looks: null }, 0); // not asked yet
  written({ ...scene, output: ["b"], looks: [[1, 0]] }, 0);
  assert.ok(!said.includes("nothing"));
});

test("the lowest loss is that of the smoothed target itself", () => {
  for (const [width, smoothing] of [
    [24, 0.1],
    [7, 0.3],
  ]) {
    const even = smoothing / width;
    const target = Array.from({ length: width }, (_, n) => even + (n === 3 ? 1 - smoothing : 0));
    const entropy = -target.reduce((sum, p) => sum + p * Math.log(p), 0);
    assert.ok(Math.abs(lowestLoss(width, smoothing) - entropy) < 1e-12);
  }
  assert.equal(lowestLoss(24, 0), 0);
});

test("each wanted letter comes from a place of its own", () => {
  const row = [..."transformer"];
  assert.deepEqual(route(row, [...row].reverse(), true), [10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
  assert.deepEqual(route(row, row, false), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  assert.deepEqual(route([..."cab"], [..."abc"], false), [1, 2, 0]);
});

test("what came of a row is one line: its sign, how many are right, whether it went on", () => {
  const say = (/** @type {string} */ output) => verdict([...output], [..."cab"], "letters");
  assert.equal(say("cab"), "✓ 3 of 3 letters right");
  assert.equal(say("cbb"), "✗ 2 of 3 letters right");
  assert.equal(say(""), "✗ 0 of 3 letters right");
  assert.equal(say("cabc"), "✗ 3 of 3 letters right, then more");
});

test("a German word belongs to the English one that the phrasebook gives it for", () => {
  const english = "today the small king can not see a good bird .".split(" ");
  const german = "heute kann der kleine König keinen guten Vogel sehen .".split(" ");
  const from = pairs(english, german).map((n) => english[n]);
  const wanted = ["today", "can", "the", "small", "king", "not", "good", "bird", "see", "."];
  assert.deepEqual(from, wanted);
  assert.deepEqual(pairs(["does", "the"], ["die"]), [1]); // "does" has no word of its own
});

test("a sketch ends, or crosses the half, where its guess says", () => {
  const about = { steps: 2000, guessing: 3 };
  for (const { asks, guesses } of EXPERIMENTS)
    for (const [value] of guesses ?? []) {
      const { y, at } = sketch(asks, value, about);
      if (asks === "half") {
        assert.equal(at, Number(value) / 2000);
        assert.ok(Math.abs(y(at) - 50) < 1e-9);
      } else assert.ok(Math.abs(y(1) - Number(value)) < 0.02);
    }
  const ends = [95, 50, 5].map((guess) => sketch("share", guess, about).y(1) / 100);
  assert.ok(ends.every((end, n) => Math.abs(end - [0.95, 0.5, 0.05][n]) < 0.01));
});

test("the guess that is right is the sketch that ends nearest to the run's loss", () => {
  const about = { steps: 1200, guessing: 3.04 };
  const onLoss = EXPERIMENTS.filter(({ asks }) => asks === "loss");
  assert.equal(onLoss.length, 6);
  for (const each of onLoss)
    for (let tenths = 0; tenths <= 31; tenths += 1) {
      const losses = Array(1200).fill(tenths / 10);
      const answer = QUESTIONS.loss.answer(/** @type {any} */ ({ losses }));
      const right = proven(guessesOf(each), answer);
      const off = (/** @type {any} */ value) =>
        Math.abs(sketch("loss", value, about).y(1) - tenths / 10);
      for (const [value] of guessesOf(each)) assert.ok(off(right) < off(value) + 0.06, each.name);
    }
});

test("of a row each letter may be picked, and is called by its place", () => {
  const onHead = EXPERIMENTS.filter(({ asks }) => asks === "look")[0];
  assert.deepEqual(options(onHead, [..."cab"]), [
    ["first", "the first letter", "c"],
    ["between", "another letter", "a"],
    ["last", "the last letter", "b"],
    ["end", "the end mark", "■"],
  ]);
  assert.deepEqual(options(EXPERIMENTS[0], [..."cab"])[0], [95, "nearly all"]);
});

test("untrained, tokens grow more alike with the norm after the sum than before it", () => {
  for (let seed = 0; seed < 5; seed += 1)
    for (const text of ["transformer", "cabbage", "abc"]) {
      const row = [...TASKS.reverse.read(text), EOS_ID];
      const [post, pre] = ["post", "pre"].map((norm) =>
        alike({ ...PAPERS, layers: 6, norm, seed }, row),
      );
      assert.equal(post.length, 7);
      assert.equal(post[0], pre[0]);
      assert.ok(post[6] > 0.75 && post[6] > pre[6] + 0.05, `${seed} ${text} ${post} ${pre}`);
    }
  // The picture of a lower stack is cut from that of six layers.
  for (const norm of ["post", "pre"]) {
    const deep = alike({ ...PAPERS, layers: 6, norm, positions: "learned" }, [5, 6, 7, EOS_ID]);
    const low = alike({ ...PAPERS, layers: 2, norm, positions: "learned" }, [5, 6, 7, EOS_ID]);
    assert.deepEqual(low, deep.slice(0, 3));
  }
  // Of equal tokens without positions nothing is left to tell apart.
  const same = alike({ ...PAPERS, layers: 2, positions: "none" }, [5, 5, 5]);
  assert.ok(same.every((cosine) => Math.abs(cosine - 1) < 1e-5));
});
