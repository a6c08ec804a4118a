// The mathematics and the words of LabelSmoothing, without a browser: node --test tests/js/
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  LEAD,
  answer,
  bestLead,
  explain,
  floorOf,
  leadAt,
  leadOf,
  loss,
  oneIn,
  share,
  target,
} from "../../transformer_course/widgets/label_smoothing_numbers.js";
import { softmax } from "../../transformer_course/widgets/numbers.js";

const close = (actual, expected, tolerance = 1e-12) =>
  assert.ok(Math.abs(actual - expected) <= tolerance, `${actual} is not ${expected}`);

test("the share is spread over all words, the right one included", () => {
  const { right, other } = target({ epsilon: 0.1, size: 5 });
  close(right, 0.92);
  close(other, 0.02);
  close(right + 4 * other, 1);
});

test("the model's answer is the softmax of its scores", () => {
  for (const lead of [-2, 0, 5.5, 16]) {
    const [right, ...others] = softmax([lead, 0, 0, 0, 0]);
    close(answer({ lead, size: 5 }).right, right);
    close(answer({ lead, size: 5 }).other, others[0]);
  }
});

test("the loss is the cross-entropy, and without smoothing that of the right word alone", () => {
  const { right, other } = answer({ lead: 3, size: 4 });
  close(
    loss({ epsilon: 0.2, lead: 3, size: 4 }),
    -0.85 * Math.log(right) - 3 * 0.05 * Math.log(other),
  );
  close(loss({ epsilon: 0, lead: 3, size: 4 }), -Math.log(right));
});

test("no loss is below the floor, and the best lead attains it", () => {
  for (const size of [2, 5, 1000]) {
    for (const epsilon of [0.01, 0.1, 0.5]) {
      const floor = floorOf({ epsilon, size });
      close(loss({ epsilon, size, lead: bestLead({ epsilon, size }) }), floor);
      for (let lead = LEAD.min; lead <= LEAD.max; lead += 0.5)
        assert.ok(loss({ epsilon, size, lead }) >= floor - 1e-12);
    }
  }
  assert.equal(floorOf({ epsilon: 0, size: 5 }), 0);
  assert.equal(bestLead({ epsilon: 0, size: 5 }), Infinity);
});

test("the gradient by the lead is the model's share less the target's", () => {
  const state = { epsilon: 0.1, lead: 1.3, size: 5 };
  const slope =
    (loss({ ...state, lead: 1.3 + 1e-5 }) - loss({ ...state, lead: 1.3 - 1e-5 })) / 2e-5;
  close(slope, answer(state).right - target(state).right, 1e-8);
});

test("shares keep three decimals, and small ones are told as such", () => {
  /** @type {[number, string][]} */
  const told = [
    [0.92, "0.920"],
    [-0.016, "−0.016"],
    [0, "0.000"],
    [1e-17, "0.000"],
    [2.7e-6, "<0.001"],
    [-4.2e-5, "−<0.001"],
    [0.0005, "0.001"],
  ];
  for (const [x, text] of told) assert.equal(share(x), text);
  assert.deepEqual([0.1 / 37000, 1 / 44871, 0.5, 0].map(oneIn), [
    "1 in 370,000",
    "1 in 45,000",
    "1 in 2",
    "none",
  ]);
});

test("the lead at which the right word has a share is the way back from the answer", () => {
  for (const size of [2, 5, 37000])
    for (const lead of [-2, 0, 5.5, 12])
      close(leadOf(answer({ lead, size }).right, size), lead, 1e-9);
  assert.ok([-1, 0, 1, 2].every((share) => Number.isFinite(leadOf(share, 5))));
});

test("the words say which way training pushes", () => {
  const say = (epsilon, lead, size = 5) => explain({ epsilon, lead, size }, "mat");
  assert.equal(
    say(0.1, 5.5),
    "The model gives “mat” 0.984, the smoothed target only 0.920. Training pushes “mat” back " +
      "down, although it is right.",
  );
  assert.match(say(0.1, 1), /Training pushes “mat” up\.$/);
  assert.equal(
    say(0.1, bestLead({ epsilon: 0.1, size: 5 })),
    "The model gives “mat” 0.920, as the target does: the smallest loss there is, 0.39. " +
      "Training leaves it there.",
  );
  assert.match(say(0, 16), /, the target 1\.000\. No score gets there/);
});

test("a dragged dot stands on tenths, and stays in the chart", () => {
  assert.deepEqual([1.2345, -7, 99, Infinity].map(leadAt), [1.2, -2, 16, 16]);
});
