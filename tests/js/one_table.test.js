// What one table of vectors gives, without a browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { random } from "../../transformer_course/widgets/numbers.js";
import {
  drawn,
  inPlay,
  scores,
  shares,
  size,
  tallied,
} from "../../transformer_course/widgets/one_table_numbers.js";

const near = (a, b) => assert.ok(Math.abs(a - b) < 1e-9, `${a} is not ${b}`);

test("a row's size is the root of its mean square, a score its dot product", () => {
  near(size([3, 4, 0, 0]), 2.5);
  assert.deepEqual(
    scores(
      [1, 2],
      [
        [3, 4],
        [-1, 0],
      ],
    ),
    [11, -1],
  );
});

test("a temperature divides the logits and never changes their order", () => {
  near(shares([Math.log(3), 0], 1)[0], 0.75);
  near(shares([2 * Math.log(3), 0], 2)[0], 0.75);
  for (const T of [0.25, 1, 4]) {
    const [a, b, c] = shares([3, 1, 2], T);
    assert.ok(a > c && c > b);
  }
});

test("words in play: all of an even choice, one of a sure one", () => {
  near(inPlay([0.25, 0.25, 0.25, 0.25]), 4);
  near(inPlay([1, 0, 0]), 1);
});

test("a word is drawn as often as its share says", () => {
  const p = [0.2, 0.5, 0.3];
  const times = [0, 0, 0];
  for (let n = 0; n < 1000; n += 1) times[drawn(p, (n + 0.5) / 1000)] += 1;
  assert.deepEqual(times, [200, 500, 300]);
  assert.equal(drawn([0.2, 0.5, 0.2999], 0.99999), 1);
});

test("what 100 draws mark are the shares that are printed, at every temperature", () => {
  const logits = Array.from({ length: 50 }, (_, n) => 9 - 2 * Math.log(n + 1) - (n ? 2 : 0));
  const ids = [0, 1, 2, 3];
  for (const T of [0.25, 0.5, 1, 2, 4]) {
    const p = shares(logits, T);
    const luck = random(7);
    const times = [0, 0, 0, 0, 0];
    for (let n = 0; n < 200; n += 1) {
      const hundred = tallied(p, ids, 100, luck);
      assert.equal(
        hundred.reduce((sum, x) => sum + x),
        100,
      );
      hundred.forEach((x, at) => (times[at] += x));
    }
    const shown = ids.map((id) => p[id]);
    const expected = [...shown, 1 - shown.reduce((sum, x) => sum + x)].map((x) => 20000 * x);
    const off = expected.reduce((sum, x, at) => sum + (times[at] - x) ** 2 / Math.max(1, x), 0);
    assert.ok(off < 18.5, `T=${T}: ${times} is not ${expected}`); // chi-square of 4: 1 in 1,000
  }
});
