// The mathematics and words of Saturation, without a browser: node --test tests/js/
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  REACH,
  beyond,
  bothWeights,
  contrast,
  explain,
  keysInUse,
  nameAt,
  noted,
  short,
  times,
} from "../../transformer_course/widgets/saturation_numbers.js";

const close = (a, b, tolerance = 1e-12) =>
  assert.ok(Math.abs(a - b) <= tolerance, `${a} is not ${b}`);

test("keys in use: equal shares count whole, nothing counts for nothing", () => {
  close(keysInUse([0.25, 0.25, 0.25, 0.25]), 4);
  close(keysInUse([0, 1, 0]), 1);
  close(keysInUse([0.5, 0, 0.5]), 2);
});

test("the two modes differ by the root of the width", () => {
  const [raw, divided] = bothWeights([0, Math.log(2)], 9);
  close(raw[1] / raw[0], 8);
  close(divided[1] / divided[0], 2);
  const [one, other] = bothWeights([0.3, -1, 2], 1);
  assert.deepEqual(one, other);
});

test("the words say what one key takes, with and without the division", () => {
  assert.equal(
    explain(
      [
        [0.1, 0.9],
        [0.4, 0.6],
      ],
      64,
    ),
    "Key 2 gets 0.900 by plain scores, only 0.600 divided by √64.",
  );
  assert.match(noted([2, 3]), /Arrows: 5 plain scores beyond ±24\.$/);
  assert.match(noted([0, 1]), /Arrows: 1 plain score beyond ±24\.$/);
  assert.doesNotMatch(noted([0, 0]), /Arrows/);
  assert.match(
    explain(
      [
        [0.5, 0.5],
        [0.5, 0.5],
      ],
      1,
    ),
    /changes nothing/,
  );
});

test("a number stands by its own dot, where its own line goes away", () => {
  const place = (upper, rising, x = 150) => nameAt([x, 50], upper, rising, 316);
  assert.deepEqual(place(true, true), { x: 154, y: 41, "text-anchor": "end" });
  assert.deepEqual(place(false, true), { x: 146, y: 68, "text-anchor": "start" });
  assert.equal(place(true, false, 300)["text-anchor"], "end");
  assert.equal(place(true, true, 60)["text-anchor"], "start");
});

test("numbers are written with the digits that count", () => {
  /** @type {[number, string][]} */
  const told = [
    [31.61, "31.6"],
    [7.924, "7.92"],
    [0.314, "0.31"],
    [0.000489, "0.00049"],
    [4.2e-9, "4.2e−9"],
  ];
  for (const [x, text] of told) assert.equal(short(x), text);
  /** @type {[number, string][]} */
  const told1 = [
    [1.66, "1.7"],
    [43, "40"],
    [1234, "1,000"],
  ];
  for (const [x, text] of told1) assert.equal(times(x), text);
});

test("scores off the line are counted at each end, and the gradient is told as it is", () => {
  assert.deepEqual(beyond([-REACH - 1, -REACH, 0, REACH, 25, 90]), [1, 2]);
  const [raw, calm] = [
    { median: [1, 2, 0.1], mean: [1, 2, 6] },
    { median: [1, 1, 1], mean: [1, 1, 2] },
  ];
  assert.match(contrast(raw, calm, 0), /changes nothing/);
  assert.match(contrast(raw, calm, 1), /2 times as large: what is not divided hands back more/);
  assert.match(contrast(raw, calm, 2), /10 times smaller and the mean 3 times larger/);
});
