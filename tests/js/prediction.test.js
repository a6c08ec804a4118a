// The scale of a prediction, without a browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { halves, together, verdict } from "../../transformer_course/widgets/prediction_choices.js";
import {
  breaks,
  judged,
  nameSpots,
  numberAt,
  portion,
  ticks,
} from "../../transformer_course/widgets/prediction_numbers.js";

const PLAIN = { low: 0, high: 100, step: 5, log: false };
const LOG = { low: 1, high: 10000, step: 1, log: true };

test("a place of the scale and its number are each other's inverse", () => {
  for (const t of [0, 0.25, 0.5, 1]) assert.equal(portion(numberAt(t, PLAIN), PLAIN), t);
  assert.equal(numberAt(0.5, LOG), 100);
  assert.equal(portion(1000, LOG).toFixed(6), "0.750000");
});

test("numbers are rounded to their step and stay on the scale", () => {
  assert.equal(numberAt(0.52, PLAIN), 50);
  assert.equal(numberAt(-3, PLAIN), 0);
  assert.equal(numberAt(1.5, LOG), 10000);
});

test("of a choice it is said what is left to do, and then what came true", () => {
  /** @type {(own: number[], truth: number[], locked: boolean) => string} */
  const said = (own, truth, locked) => Object.values(verdict(own, truth, locked)).join(" ");
  assert.equal(said([-1], [1], false), "Choose one. Then lock it in.");
  assert.match(said([0, -1], [1, 1], false), /in each row/);
  assert.match(said([0], [1], false), /Then lock it in\.$/);
  assert.equal(said([0], [1], true).trim(), "It came out otherwise.");
  assert.equal(said([1], [1], true).trim(), "As you said.");
  assert.equal(said([0, 1], [1, 1], true), "1 of 2 came out as you said.");
});

test("a guess within a tenth of the scale is close, and of one the truth is told", () => {
  const many = judged([10, 50, 30], [20, 61, 30], PLAIN, "%");
  assert.deepEqual(many.hits, [true, false, true]);
  assert.equal(many.head, "2 of 3 close");
  assert.equal(many.rest, "(within 10 % of the scale).");
  const one = judged([10], [20], { ...PLAIN, near: 0.05 }, "%");
  assert.equal(`${one.head} ${one.rest}`, "Not close: measured is 20 %.");
  assert.equal(judged([10], [20], LOG, "").head, "Close:");
  assert.equal(judged([10], [100], LOG, "").head, "Not close:");
});

test("on a scale of ratios close is a factor, of 2 at most, and is said as one", () => {
  const words = (/** @type {object} */ more) => judged([2, 1], [4, 4.9], { ...LOG, ...more }, "");
  assert.deepEqual(words({}).hits, [true, false]);
  assert.match(words({}).rest, /^\(within a factor of 2\)/);
  assert.match(words({ high: 100 }).rest, /^\(within a factor of 1\.6\)/);
  assert.deepEqual(words({ high: 100 }).hits, [false, false]);
});

test("a name of a curve lies across no line and over no edge", () => {
  const places = Array.from({ length: 12 }, (_, n) => n);
  const truth = places.map((n) => 0.8 ** n);
  for (const own of [places.map((n) => 0.9 - n / 24), places.map(() => 0.05), truth]) {
    const spots = nameSpots([own, truth]);
    for (const { n, low, high } of spots) {
      assert.ok(low >= 0 && high <= 1);
      for (const line of [own, truth])
        assert.ok(line.slice(n - 2, n + 3).every((t) => t < low || t > high));
    }
    const [a, b] = spots;
    assert.ok(Math.abs(a.n - b.n) > 4 || a.low >= b.high || b.low >= a.high);
  }
});

test("a difference in a label stays on one line", () => {
  assert.equal(together("d - 1, a-b"), "d\u00a0−\u00a01, a-b");
});

test("the scale is named at round numbers that lie on it", () => {
  assert.deepEqual(ticks(PLAIN, 5), [0, 20, 40, 60, 80, 100]);
  assert.deepEqual(ticks(PLAIN, 2), [0, 50, 100]);
  assert.deepEqual(ticks({ ...PLAIN, low: -30, high: 5 }, 5), [-30, -20, -10, 0]);
  assert.deepEqual(ticks(LOG, 5), [1, 10, 100, 1000, 10000]);
  assert.deepEqual(ticks({ ...LOG, low: 0.01, high: 100 }, 2), [0.01, 1, 100]);
  assert.deepEqual(ticks({ ...PLAIN, low: 0, high: 0.3 }, 3), [0, 0.1, 0.2, 0.3]);
});

test("an axis is cut where its numbers go on in wider steps, and no even one is", () => {
  assert.deepEqual(breaks(["0", "1", "2", "5", "9"]), [3, 4]);
  assert.deepEqual(breaks(["9", "5", "4"]), [1]);
  for (const even of ["1 2 3 4", "1 10 100", "2 4 8 16", "0.1 0.2 0.3", "a b c", "7"])
    assert.deepEqual(breaks(even.split(" ")), [], even);
});

test("four choices that are two questions in one are taken apart, and no others", () => {
  const four = ["one, x", "one, y", "two, x", "two, y"];
  assert.deepEqual(halves(four), [
    ["one", "two"],
    ["x", "y"],
  ]);
  assert.equal(halves([...four].reverse())?.[0][0], "two");
  assert.equal(halves(["one, x", "two, y", "two, x", "one, y"]), null);
  assert.equal(halves(["smaller", "equal", "larger"]), null);
});
