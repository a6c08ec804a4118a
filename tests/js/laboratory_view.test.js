// What the laboratory draws of a task, without a browser: node --test tests/js/
import assert from "node:assert/strict";
import { test } from "node:test";
import { PAPERS } from "../../transformer_course/widgets/engine/experiment.js";
import { TASKS, vocabulary } from "../../transformer_course/widgets/engine/tasks.js";
import { EXPERIMENTS } from "../../transformer_course/widgets/laboratory_experiments.js";
import { pairs, route } from "../../transformer_course/widgets/laboratory_pictures.js";
import { sketch } from "../../transformer_course/widgets/laboratory_sketches.js";
import { lowestLoss } from "../../transformer_course/widgets/laboratory_view.js";

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
  // The question of the experiment without a mask asks for a loss that can be reached.
  const [told] = EXPERIMENTS.flatMap(
    ({ question }) => question.match(/a loss below (0\.\d)/) ?? [],
  ).slice(1);
  const lowest = lowestLoss(vocabulary(TASKS.reverse), PAPERS.smoothing);
  assert.ok(lowest < Number(told) && Number(told) < lowest + 0.1);
});

test("each wanted letter comes from a place of its own", () => {
  const row = [..."transformer"];
  assert.deepEqual(route(row, [...row].reverse(), true), [10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
  assert.deepEqual(route(row, row, false), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  assert.deepEqual(route([..."cab"], [..."abc"], false), [1, 2, 0]);
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
  const about = { steps: 2000, guessing: 3, row: 11 };
  for (const { asks, guesses } of EXPERIMENTS)
    for (const [value] of guesses ?? []) {
      const { y, at } = sketch(asks, value, about);
      if (asks === "half") {
        assert.equal(at, Number(value) / 2000);
        assert.ok(Math.abs(y(at) - 1.5) < 1e-9);
      } else assert.ok(Math.abs(y(1) - Number(value)) < 0.02);
    }
  const ends = [95, 50, 5].map((guess) => sketch("share", guess, about).y(1) / 3);
  assert.ok(ends.every((end, n) => Math.abs(end - [0.95, 0.5, 0.05][n]) < 0.01));
  const course = ["down", "halfway", "flat"].map((guess) => sketch("course", guess, about).y(1));
  assert.ok(course[0] < 1 && course[1] > 1 && course[1] < 2.85 && course[2] >= 2.85);
  const reach = ["first", "last", "end"].map((guess) => sketch("look", guess, about).reach?.[1]);
  assert.deepEqual(reach, [0, 10, 11]);
});
