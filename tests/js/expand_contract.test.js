// What a feed-forward network shows at each step, without a browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  cells,
  firing,
  fitting,
  relu,
} from "../../transformer_course/widgets/expand_contract_numbers.js";

const PLACE = { x: [2, -1], z: [1, -4, 3, 0], y: [5, -10], straight: [-2, 1] };

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
