// What the laboratory draws of a task, without a browser: node --test tests/js/
import assert from "node:assert/strict";
import { test } from "node:test";
import { PAPERS } from "../../transformer_course/widgets/engine/experiment.js";
import { TASKS, vocabulary } from "../../transformer_course/widgets/engine/tasks.js";
import { EXPERIMENTS } from "../../transformer_course/widgets/laboratory_experiments.js";
import { lowestLoss, route } from "../../transformer_course/widgets/laboratory_view.js";

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
  const told = EXPERIMENTS.map(({ question }) => question)
    .join(" ")
    .match(/as can be is (0\.\d\d)/);
  const letters = vocabulary(TASKS.reverse);
  assert.equal(told?.[1], lowestLoss(letters, PAPERS.smoothing).toFixed(2));
});

test("each wanted letter comes from a place of its own", () => {
  const row = [..."transformer"];
  assert.deepEqual(route(row, [...row].reverse(), true), [10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
  assert.deepEqual(route(row, row, false), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  assert.deepEqual(route([..."cab"], [..."abc"], false), [1, 2, 0]);
});
