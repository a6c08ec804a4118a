// The loop of OnlineSoftmax, without a browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  atOnce,
  bytes,
  masked,
  online,
  parseScore,
  standing,
} from "../../transformer_course/widgets/online_softmax_numbers.js";

const SCORES = [-3, -2.5, -1, 0, 1.5, 0.5, 3];
const VALUES = [4, 2, 3, -1, 1, 2, -2];
const near = (actual, expected, tolerance = 1e-12) =>
  assert.ok(Math.abs(actual - expected) <= tolerance, `${actual} is not ${expected}`);

/** @template T @param {T[]} list */
const end = (list) => list[list.length - 1];

test("whatever the tiles, the end is the softmax mixture", () => {
  const { m, l, o } = atOnce(SCORES, VALUES);
  for (let tile = 1; tile <= 8; tile += 1) {
    const states = online(SCORES, VALUES, tile);
    const last = states[states.length - 1];
    assert.equal(states.length, Math.ceil(SCORES.length / tile));
    assert.deepEqual([last.m, last.to], [m, SCORES.length]);
    near(last.l, l);
    near(last.o / last.l, o / l);
  }
});

test("after every tile it is the mixture of the keys seen so far", () => {
  for (const { to, l, o } of online(SCORES, VALUES, 2)) {
    const whole = atOnce(SCORES.slice(0, to), VALUES.slice(0, to));
    near(o / l, whole.o / whole.l);
  }
});

test("the correction is 1 while the maximum stays, and 0 before anything was seen", () => {
  assert.deepEqual(
    online([2, 1, 0, -5], [1, 1, 1, 1], 1).map(({ shrink }) => shrink),
    [0, 1, 1, 1],
  );
  near(online([0, 1], [1, 1], 1)[1].shrink, Math.exp(-1));
});

test("scores near 1000 stay finite; without taking a maximum off they do not", () => {
  const large = SCORES.map((x) => x + 1000);
  const [last, same] = [end(online(large, VALUES, 3)), end(online(SCORES, VALUES, 3))];
  near(last.o / last.l, same.o / same.l);
  const naive = atOnce(large, VALUES, false);
  assert.equal(naive.l, Infinity);
  assert.ok(Number.isNaN(naive.o / naive.l));
});

test("a masked first tile leaves nothing behind, and all masked is 0 ÷ 0", () => {
  const first = online(masked(SCORES, [false, false, true, true, true, true, true]), VALUES, 2);
  assert.deepEqual([first[0].m, first[0].l, first[0].o], [-Infinity, 0, 0]);
  const rest = end(online(SCORES.slice(2), VALUES.slice(2), 2));
  near(end(first).o / end(first).l, rest.o / rest.l);
  const { l, o } = end(
    online(
      SCORES.map(() => -Infinity),
      VALUES,
      3,
    ),
  );
  assert.ok(Number.isNaN(o / l));
});

test("without the correction the result is wrong when maxima rise, right when they fall", () => {
  const error = (scores) => {
    const [{ l, o }, whole] = [end(online(scores, VALUES, 2, true)), atOnce(scores, VALUES)];
    return Math.abs(o / l - whole.o / whole.l);
  };
  assert.ok(error(SCORES) > 0.1);
  near(error([...SCORES].sort((a, b) => b - a)), 0);
});

test("what every key counts for adds up to l", () => {
  const states = online(SCORES, VALUES, 3);
  states.forEach(({ l }, n) =>
    near(
      standing(states, n + 1).reduce((a, b) => a + b, 0),
      l,
    ),
  );
  assert.deepEqual(standing(states, 0), []);
});

test("a score is a number, or −inf for a masked key; anything else is refused", () => {
  /** @type {[string, number][]} */
  const told = [
    ["1.5", 1.5],
    ["−2", -2],
    [" 0,25 ", 0.25],
    ["2000", 2000],
    ["-0", 0],
  ];
  for (const [text, value] of told) assert.deepEqual(parseScore(text), { value });
  for (const text of ["-inf", "−∞", "-Infinity"])
    assert.deepEqual(parseScore(text), { masked: true });
  for (const text of ["", "inf", "abc", "2001", "-2000.01", "1e3", "<b>", "9".repeat(400)]) {
    assert.match(
      parseScore(text).error ?? "",
      /Expected a number from −2000 to 2000, or −inf for a masked key; the old one stays\.$/,
    );
  }
});

test("bytes of float32 numbers, in words", () => {
  assert.deepEqual(
    [bytes(4096 ** 2), bytes(12288), bytes(131072 ** 2)],
    ["64 MiB", "48 KiB", "64 GiB"],
  );
});
