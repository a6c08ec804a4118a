// What a feed-forward network shows at each step, without a browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  cells,
  chance,
  firing,
  fitting,
  relu,
} from "../../transformer_course/widgets/expand_contract_numbers.js";
import { listed, sentence } from "../../transformer_course/widgets/expand_contract_words.js";

const PLACE = { x: [2, -1], z: [1, -4, 3, 0], y: [5, -10], straight: [-2, 1], left: [90] };

test("the ReLU keeps what is above zero, and units fire in the order of their strength", () => {
  assert.deepEqual(relu(PLACE.z), [1, 0, 3, 0]);
  assert.deepEqual(firing(PLACE.z), [2, 0]);
});

test("numbers appear step by step: in, expanded, cut at zero, contracted", () => {
  const seen = [0, 1, 2, 3].map((step) => cells(PLACE, step, true));
  assert.deepEqual(seen[0], { into: [1, -0.5], hidden: [0, 0, 0, 0], out: [0, 0] });
  assert.deepEqual(seen[1].hidden, [0.25, -1, 0.75, 0]);
  assert.deepEqual(seen[2].hidden, [0.25, 0, 0.75, 0]);
  assert.deepEqual(
    [seen[2].out, seen[3].out],
    [
      [0, 0],
      [0.5, -1],
    ],
  );
});

test("a label holds as many words as have room, and one at least", () => {
  assert.equal(fitting(["ab", "cd", "ef"], 7), "ab · cd");
  assert.equal(fitting(["a long one", "cd"], 7), "a long one");
});

test("without the ReLU negative units stay, and the output is the linear one", () => {
  assert.deepEqual(cells(PLACE, 3, false).hidden, [0.25, -1, 0.75, 0]);
  assert.deepEqual(cells(PLACE, 3, false).out, [-1, 0.5]);
});

test("a unit that is switched off is silent, and its value is missing from what comes out", () => {
  const units = { 2: { value: [50, 100] } };
  const seen = cells(PLACE, 3, true, new Set([2]), units);
  assert.deepEqual(seen.hidden, [0.25, 0, 0, 0]);
  assert.deepEqual(seen.out, [0.35, -1.3]); // (5 - 3 * 0.5) / 10, (-10 - 3 * 1) / 10
});

test("the chance that is left is told by which units are off, the strongest first", () => {
  const place = { ...PLACE, left: [90, 80, 70, 10], next: "das", sure: { next: 90 } };
  const shown = firing(place.z);
  const off = (...units) => new Set(units);
  assert.deepEqual(
    [off(), off(2), off(0), off(0, 2)].map((units) => chance(place, shown, units)),
    [90, 80, 70, 10],
  );
  const told = (units) =>
    sentence({ place, step: 0, on: true, shown, off: units, means: { das: "the" } });
  assert.equal(told(off(0, 2)), "Without units 2 and 0, das (the) falls from 90 % to 10 %.");
  assert.equal(told(off(2)), "Without unit 2, das (the) falls from 90 % to 80 %.");
});

test("a list is said as one says it", () => {
  assert.deepEqual([[1], [1, 2], [1, 2, 3]].map(listed), ["1", "1 and 2", "1, 2 and 3"]);
});
