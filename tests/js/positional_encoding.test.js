// The sinusoids of PositionalEncoding, without a browser: node --test tests/js/
import assert from "node:assert/strict";
import { test } from "node:test";
import { roomiest } from "../../transformer_course/widgets/positional_encoding_map.js";
import {
  encode,
  entry,
  omega,
  product,
  rotated,
  sentence,
  short,
  shownPairs,
  span,
} from "../../transformer_course/widgets/positional_encoding_numbers.js";

const close = (a, b, tolerance = 1e-12) =>
  assert.ok(Math.abs(a - b) <= tolerance, `${a} is not ${b}`);

test("even dimensions are sines, odd ones cosines of the same angle", () => {
  assert.deepEqual(encode(0, 6, 10000), [0, 1, 0, 1, 0, 1]);
  close(entry(3, 0, 8, 10000), Math.sin(3));
  close(entry(3, 1, 8, 10000), Math.cos(3));
  close(entry(3, 4, 8, 10000), Math.sin(3 / 100));
  close(entry(3, 5, 8, 10000), Math.cos(3 / 100));
});

test("the dot product depends on the distance alone, and is largest at none", () => {
  const rates = Array.from({ length: 16 }, (_, i) => omega(i, 32, 10000));
  const dot = (p, q) =>
    encode(p, 32, 10000).reduce((sum, x, d) => sum + x * encode(q, 32, 10000)[d], 0);
  for (const k of [-9, 0, 4, 31]) {
    close(dot(10, 10 + k), product(k, rates), 1e-11);
    close(dot(77, 77 + k), product(k, rates), 1e-11);
  }
  assert.equal(product(0, rates), 16);
  assert.equal(product(5, rates), product(-5, rates));
});

test("a shift is a rotation of every hand, forward and back", () => {
  for (const k of [-20, 0, 1, 33])
    rotated(encode(20, 64, 10000), k, 64, 10000).forEach((x, d) =>
      close(x, encode(20 + k, 64, 10000)[d], 1e-13),
    );
});

test("all pairs have a dial, or sixteen at equal steps with the chosen one among them", () => {
  assert.deepEqual(shownPairs(4, 1), [0, 1, 2, 3]);
  assert.deepEqual(shownPairs(32, 4), [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30]);
  for (const pairs of [27, 64, 256]) {
    for (let chosen = 0; chosen < pairs; chosen += 1) {
      const shown = shownPairs(pairs, chosen);
      assert.equal(new Set(shown).size, 16);
      assert.ok(shown.includes(chosen) && shown.every((i) => i >= 0 && i < pairs));
    }
  }
});

test("wavelengths are written for reading", () => {
  assert.equal(span(2 * Math.PI), "6.3");
  assert.equal(span(35332.9), "35,333");
});

test("below a dial a long wavelength is short", () => {
  const texts = [19.87, 6283, 35332.9, 999_600, 1_117_326, 2_649_597].map(short);
  assert.deepEqual(texts, ["19.9", "6,283", "35 k", "1.0 M", "1.1 M", "2.6 M"]);
});

test("a second pair of rows as far apart stands in the table too, where one fits", () => {
  const said = (more) =>
    sentence({ view: 2, dModel: 32, base: 10000, length: 64, pos: 20, k: 5, ...more });
  assert.equal(
    said({}),
    "PE(20)·PE(25) = 11.78, and PE(50)·PE(55) = 11.78: only the distance counts.",
  );
  for (const pos of [0, 20, 40, 63])
    for (const k of [-9, 0, 9]) {
      if (pos + k < 0 || pos + k > 63) continue;
      const rows = [...said({ pos, k }).matchAll(/PE\((\d+)\)/g)].map(([, row]) => Number(row));
      assert.ok(rows.length === 4 && rows.every((row) => row < 64), String(rows));
      assert.equal(rows[3] - rows[2], k);
      assert.notEqual(rows[2], pos);
    }
});

test("the name of the axis stands where no row is marked", () => {
  assert.equal(roomiest([0, 20, 25, 64]), 44.5);
  assert.equal(roomiest([0, 60, 30, 64]), 15);
});

test("it invites to hold a position, and says of two which hands tell them apart", () => {
  const said = (more) =>
    sentence({ view: 1, dModel: 32, base: 10000, length: 64, pos: 20, k: 5, held: -1, ...more });
  assert.equal(
    said({}),
    "16 hands tell position 20 as a clock tells the time. Hold 20, then step: which hands leave " +
      "it?",
  );
  assert.match(said({ held: 20, pos: 21 }), /^At 21, 3 of 16 hands .* the faint ones do not\.$/);
});
