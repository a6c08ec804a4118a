// The mathematics and the words of LearningRate, without a browser: node --test tests/js/
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  PAPER,
  STEPS,
  about,
  curve,
  digits,
  ending,
  explain,
  heightAt,
  last,
  lossPoints,
  lowest,
  noamRate,
  part,
  roomFor,
  stepsIn,
  verdict,
  warmupAt,
  warmupBy,
} from "../../transformer_course/widgets/learning_rate_numbers.js";

const file = "../../transformer_course/widgets/learning_rate.json";
const { curves, steps, every } = JSON.parse(readFileSync(new URL(file, import.meta.url), "utf8"));
const find = (width, warmup) => curves.find((run) => run.width === width && run.warmup === warmup);
const paper = find(PAPER.width, PAPER.warmup);
const WARMUPS = [100, 400, 1000, 4000, 16000];

const close = (actual, expected, tolerance = 1e-12) =>
  assert.ok(Math.abs(actual / expected - 1) <= tolerance, `${actual} is not ${expected}`);

test("the rate climbs in a straight line to its peak, then falls with the root of the step", () => {
  close(noamRate(4000, 512, 4000), (512 * 4000) ** -0.5);
  close(noamRate(2000, 512, 4000), noamRate(4000, 512, 4000) / 2);
  close(noamRate(16000, 512, 4000), noamRate(4000, 512, 4000) / 2);
  close(noamRate(1, 512, 4000), noamRate(4000, 512, 4000) / 4000);
});

test("after both peaks the warm-up has no say, and a wider model has a lower rate", () => {
  close(noamRate(5000, 512, 100), noamRate(5000, 512, 5000));
  close(noamRate(5000, 128, 100), 2 * noamRate(5000, 512, 100));
});

test("rates have three digits that count", () => {
  /** @type {[number, string][]} */
  const told = [
    [0.000698771, "0.000699"],
    [0.00139754, "0.00140"],
    [0.0441942, "0.0442"],
    [1, "1.00"],
    [1.544e-8, "1.54·10⁻⁸"],
    [9.9999e-6, "1.00·10⁻⁵"],
  ];
  for (const [x, text] of told) assert.equal(digits(x), text);
});

test("the words say how high the rate climbs, and what the small model makes of it", () => {
  const say = (width, warmup) => explain(find(width, warmup), paper, steps, lowest(curves));
  assert.equal(
    say(512, 1000),
    "Quicker than the paper’s: a peak of 0.00140 at step 1,000, a loss of 0.10 at the end, " +
      "1.9 times the best at any width.",
  );
  assert.match(say(32, 100), /^Too high: a peak of 0\.0177 at step 100, a loss of 1\.70 /);
  assert.match(
    say(512, 4000),
    /^The paper’s: at step 1,600 the climb is at 0\.000280 and the loss/,
  );
  // A climb that goes on after the last step: how far it gets.
  assert.equal(
    say(32, 16000),
    "Too slow: at step 1,600 the climb is at 0.000140 and the loss at 1.26, 23 times the best " +
      "at any width.",
  );
  assert.equal(
    say(1024, 100),
    "The best at any width: a peak of 0.00313 at step 100, a loss of 0.05 at the end.",
  );
  // A wider model climbs to a lower rate, though its warm-up is as long as the paper's.
  assert.match(say(1024, 4000), /^Too slow: /);
  const like = { width: 64, warmup: 400, loss: [5, 1.1 * last(paper)] };
  assert.equal(verdict(like, paper, steps), "No quicker");
});

test("only one recorded rate is too high, and the words of its width do not deny it", () => {
  const high = curves.filter((run) => verdict(run, paper, steps) === "Too high");
  assert.deepEqual(
    high.map(({ width, warmup }) => [width, warmup]),
    [[32, 100]],
  );
  const said = (width) =>
    about(
      curves.filter((run) => run.width === width),
      paper,
      steps,
      32,
    );
  assert.equal(said(32), "The model that learns stays 32 wide. ");
  assert.match(said(64), / At this width no recorded rate is too high\.$/);
});

test("ends have their names in their order, those that would meet moved up", () => {
  assert.deepEqual(roomFor([100, 50, 20], 200), [100, 50, 20]);
  assert.deepEqual(roomFor([100, 95, 60], 200), [100, 82, 60]);
  assert.deepEqual(roomFor([95, 100, 98], 97), [61, 97, 79]);
});

test("the words at an end say whose it is, and with room how many steps its rate climbs", () => {
  const low = find(32, 400);
  const say = (width, warmup, room, run = find(32, 1000)) =>
    ending(find(width, warmup), { run, paper, low }, room);
  assert.deepEqual(
    [0, 1, 2].map((room) => say(32, 16000, room)),
    ["16k", "16,000 up", "16,000 steps up"],
  );
  assert.deepEqual(
    [1, 2].map((room) => say(32, 1000, room)),
    ["yours", "1,000 steps up, yours"],
  );
  assert.deepEqual(
    [1, 2].map((room) => say(512, 4000, room)),
    ["paper", "the paper’s"],
  );
  assert.equal(say(512, 4000, 2, find(512, 100)), "4,000 steps up, the paper’s");
  assert.equal(say(32, 400, 2), "400 steps up, best");
  assert.equal(say(32, 400, 2, low), "400 steps up, yours");
  assert.deepEqual(
    [400, 1000].map((steps) => stepsIn(steps, 0)),
    ["400", "1k"],
  );
});

test("a curve is straight on both sides of its bend, as both axes are in powers of ten", () => {
  for (const run of curves) {
    const [start, bend, end] = curve(run).map(([step, rate]) => [Math.log(step), Math.log(rate)]);
    close((bend[1] - start[1]) / (bend[0] - start[0]), 1, 1e-9);
    close((end[1] - bend[1]) / (end[0] - bend[0]), -0.5, 1e-9);
  }
});

test("a dragged peak goes to the nearest recorded warm-up, by ratios; a key to the next", () => {
  const at = (step) => warmupAt(WARMUPS, part(step, STEPS));
  assert.deepEqual([20, 190, 210, 2100, 4000, 9000].map(at), [100, 100, 400, 4000, 4000, 16000]);
  assert.equal(warmupAt(WARMUPS, -1), 100);
  assert.equal(warmupAt(WARMUPS, 2), 16000);
  assert.deepEqual(
    [-1, 1, 10, Infinity, -Infinity].map((n) => warmupBy(WARMUPS, 1000, n)),
    [400, 4000, 16000, 16000, 100],
  );
});

test("a mean of steps stands at their middle, and a line has a height between its points", () => {
  const points = lossPoints({ width: 1, warmup: 1, loss: [4, 3] }, 40);
  assert.deepEqual(points, [
    [20, 4],
    [60, 3],
  ]);
  assert.deepEqual(
    [20, 40, 60].map((step) => heightAt(points, step)),
    [4, 3.5, 3],
  );
  assert.ok([10, 61].every((step) => Number.isNaN(heightAt(points, step))));
  assert.ok(curves.every((run) => lossPoints(run, every).length * every === steps));
});
