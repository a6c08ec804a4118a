// The mathematics and the words of LearningRate, without a browser: node --test tests/js/
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  VIEWS,
  apart,
  curve,
  digits,
  explain,
  lossPoints,
  named,
  nearest,
  noamRate,
  axisTop,
  warmupBy,
  warmupOn,
} from "../../transformer_course/widgets/learning_rate_numbers.js";

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

test("the axis ends above the peak, at a round number", () => {
  for (const [peak, end] of [
    [0.000699, 0.00075],
    [0.0014, 0.0015],
    [0.0125, 0.015],
    [0.00097, 0.0015],
    [0.0002, 0.0003],
  ]) {
    close(axisTop(peak), end, 1e-9);
    assert.ok(axisTop(peak) > peak);
  }
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
  const say = (dModel, warmup, loss, paperLoss = 0.73) =>
    explain({ dModel, warmup, run: { width: dModel, warmup, loss: [5, loss] }, paperLoss });
  assert.equal(
    say(512, 1000, 0.5, 0.741),
    "Warm-up 1,000 (peak 0.00140): quick, loss 0.50. The paper’s rate: loss 0.74.",
  );
  assert.match(say(32, 100, 1.7), /: too high, loss 1\.70\./);
  assert.match(say(32, 4000, 0.73), /\): no quicker, loss/);
  // A wider model climbs to a lower rate, though its warm-up is shorter than the paper's.
  assert.match(say(1024, 3900, 1), /\(peak 0\.000500, 0\.000205 at step 1,600\): too slow/);
});

test("of a climb that goes on after the last step it says how far it gets", () => {
  const run = { width: 32, warmup: 16000, loss: [5, 1.26] };
  const said = explain({ dModel: 32, warmup: 16000, run, paperLoss: 0.73 });
  assert.match(said, /\(peak 0\.00140, 0\.000140 at step 1,600\): too slow, loss 1\.26\./);
});

test("a loss that was measured with another rate is said to be that one’s", () => {
  const run = { width: 32, warmup: 4000, loss: [5, 0.2] };
  const said = explain({ dModel: 32, warmup: 1500, run, paperLoss: 0.73 });
  assert.match(
    said,
    /\)\. Nearest run, 4,000: quick, loss 0\.20\. The paper’s rate: loss 0\.73\.$/,
  );
  // What it is called is its own: 300 steps up would be as high as 100 are.
  const high = { width: 32, warmup: 100, loss: [5, 1.7] };
  const called = explain({ dModel: 32, warmup: 200, run: high, paperLoss: 0.73 });
  assert.match(called, /Nearest run, 100: too high, loss/);
});

test("runs are named at their ends: the nearest, the paper’s, and what ends badly", () => {
  const file = "../../transformer_course/widgets/learning_rate.json";
  const { curves } = JSON.parse(readFileSync(new URL(file, import.meta.url), "utf8"));
  const names = (width, warmup) => named(curves, width, warmup).map(({ name }) => name);
  const paper = "the paper’s";
  assert.deepEqual(names(32, 1000), ["1,000 yours", paper, "100 too high", "16,000 too slow"]);
  assert.deepEqual(names(32, 120), ["100 nearest", paper, "16,000 too slow"]);
  assert.deepEqual(names(512, 4000), ["4,000 yours", paper, "16,000 too slow"]);
  assert.ok(names(1024, 400).includes("4,000 too slow"));
  for (const { width, warmup } of curves) assert.ok(names(width, warmup).length <= 4);
});

test("words that would cover each other are moved apart, upward", () => {
  assert.deepEqual(apart([100, 90, 20, 200], 17), [100, 83, 20, 200]);
  assert.deepEqual(apart([10, 10, 10], 5), [10, 5, 0]);
});

test("a curve passes through its bend", () => {
  for (const view of Object.values(VIEWS)) {
    const points = curve(view, [1234], (step) => noamRate(step, 512, 1234));
    assert.ok(points.some(([x, y]) => x === 1234 && y === noamRate(1234, 512, 1234)));
    assert.deepEqual(
      points.map(([x]) => x),
      points.map(([x]) => x).sort((a, b) => a - b),
    );
  }
  assert.equal(curve(VIEWS.start, [30000], () => 1).length, 241);
});

test("a dragged peak is a warm-up in hundreds, within what the widget takes", () => {
  assert.equal(warmupOn(4012 / 21000, VIEWS.start), 4000);
  assert.equal(warmupOn(-1, VIEWS.start), 100);
  assert.equal(warmupOn(1, VIEWS.all), 16000);
  assert.equal(warmupOn(Math.log(2000) / Math.log(160000), VIEWS.log), 2000);
  assert.deepEqual(
    [-1, 1, 10, Infinity, -Infinity].map((n) => warmupBy(1000, n)),
    [900, 1100, 2000, 16000, 100],
  );
});

test("the nearest schedule is nearest by ratios", () => {
  const curves = [64, 256, 1024].flatMap((width) =>
    [100, 1000, 16000].map((warmup) => ({ width, warmup, loss: [] })),
  );
  const found = (width, warmup) => {
    const { width: w, warmup: s } = nearest(curves, width, warmup);
    return [w, s];
  };
  assert.deepEqual(found(256, 1000), [256, 1000]);
  assert.deepEqual(found(127, 310), [64, 100]);
  assert.deepEqual(found(129, 320), [256, 1000]);
  assert.deepEqual(found(1024, 3990), [1024, 1000]);
});

test("a mean of steps stands at their middle", () => {
  assert.deepEqual(lossPoints({ width: 1, warmup: 1, loss: [4, 3] }, 40), [
    [20, 4],
    [60, 3],
  ]);
});
