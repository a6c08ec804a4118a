// The mathematics and words of Saturation, without a browser: node --test tests/js/
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  bothWeights,
  keysInUse,
  short,
  spread,
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

test("the spread is a standard deviation", () => {
  close(spread([1, 3]), 1);
  assert.equal(spread([2, 2, 2]), 0);
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
