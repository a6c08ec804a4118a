// The numbers and words of VariationRows, without a browser: node --test tests/js/
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  following,
  knobs,
  loss,
  marks,
  oursOf,
  paperOf,
  place,
  range,
  stuck,
  tally,
  truth,
  worst,
} from "../../transformer_course/widgets/variation_rows_numbers.js";
import {
  answer,
  aside,
  graded,
  judged,
  meanOf,
  ownAnswer,
  ownInWords,
  question,
  runs,
  signed,
  tallest,
  tallied,
  titleOf,
} from "../../transformer_course/widgets/variation_rows_words.js";

const SIZES = { N: 6, d_model: 512, d_ff: 2048, h: 8, d_k: 64, dropout: 0.1, smoothing: 0.1 };
/** @returns {any} */
const row = (name, perplexity, bleu, more = {}) => ({
  name,
  group: name[0],
  change: "N = 2",
  ours: "N = 2",
  knob: "N",
  setting: "2",
  sizes: { ...SIZES, N: 2 },
  perplexity,
  bleu,
  seeds: { perplexity: [], bleu: [] },
  failed: 0,
  wanted: 3,
  verdicts: { perplexity: null, bleu: null },
  teaches: "Depth helps.",
  ...more,
});
const verdict = (more) => ({
  difference: 0.2,
  bound: 0.05,
  says: "agrees",
  same: false,
  margin: 0.02,
  ...more,
});
const base = row("base", 4.92, 25.8, {
  group: "base",
  knob: "size",
  setting: "base",
  sizes: SIZES,
  seeds: { perplexity: [8, 12.5], bleu: [29, 31] },
  wanted: 8,
});
const deep = row("C layers 4", 4.88, 25.5, { setting: "8", change: "N = 8" });
const flat = row("C layers 1", 6.11, 23.7, {
  seeds: { perplexity: [12, 12], bleu: [27, 29] },
  verdicts: { perplexity: verdict({}), bleu: null },
});
const rows = [base, deep, flat];

test("a knob has base's setting among those of its rows, in order", () => {
  const [layers] = knobs(rows).filter(({ key }) => key === "N");
  assert.deepEqual(
    layers.settings.map(({ value, row: name }) => [value, name]),
    [
      ["2", "C layers 1"],
      ["6", "base"],
      ["8", "C layers 4"],
    ],
  );
  assert.equal(knobs(rows).length, 9);
});

test("differences are logarithms of perplexities, and points of BLEU, from the means of base", () => {
  assert.ok(Math.abs(paperOf(rows, flat, "perplexity") - Math.log(6.11 / 4.92)) < 1e-12);
  assert.ok(Math.abs(paperOf(rows, flat, "bleu") + 2.1) < 1e-9);
  const ours = oursOf(rows, flat, "perplexity");
  assert.ok(ours && Math.abs(ours.mean - Math.log(1.2)) < 1e-12); // base's geometric mean is 10
  assert.deepEqual(oursOf(rows, flat, "bleu"), { seeds: [-3, -1], mean: -2 });
  assert.equal(oursOf(rows, deep, "bleu"), null);
  assert.equal(oursOf([row("base", 5, 25), flat], flat, "bleu"), null);
});

test("within one percent a perplexity is about the same", () => {
  assert.equal(truth(rows, deep), "same");
  assert.equal(truth(rows, flat), "worse");
  assert.equal(truth(rows, row("x", 4.87, 25)), "better");
});

test("right guesses are counted, of those that were made", () => {
  assert.deepEqual(tally(rows, {}), { made: 0, right: 0 });
  assert.deepEqual(tally(rows, { "C layers 4": "better", "C layers 1": "worse" }), {
    made: 2,
    right: 1,
  });
  assert.equal(tallied(rows, { "C layers 1": "worse" }), "1 of 1 right");
  assert.equal(tallied(rows, {}), "no guess yet");
});

test("the next row is the next without a guess, once around, and never base", () => {
  assert.equal(following(rows, {}, "base"), "C layers 4");
  assert.equal(following(rows, { "C layers 1": "same" }, "C layers 1"), "C layers 4");
  assert.equal(following(rows, {}, "C layers 1"), "C layers 4");
  assert.equal(following(rows, { "C layers 1": "same", "C layers 4": "same" }, "base"), undefined);
});

test("a knob's worst setting is behind base, or least ahead of it, in either measure", () => {
  const rows = [base, row("a", 4.5, 26), row("b", 6, 25), row("c", 4.7, 25.9, { knob: "h" })];
  assert.ok(Math.abs(worst(rows, "N", "perplexity") - 100 * (6 / 4.92 - 1)) < 1e-9);
  assert.ok(Math.abs(worst(rows, "N", "bleu") - 0.8) < 1e-9);
  assert.ok(worst(rows, "h", "perplexity") < 0);
});

test("one scale holds paper, seeds and intervals; what is far out does not stretch it", () => {
  const scale = range(rows, "perplexity");
  const inside = (x) => x > scale.min && x < scale.max;
  const bound = 0.05;
  assert.ok([0, 100 * (6.11 / 4.92 - 1), 25, loss(bound, "perplexity")].every(inside));
  for (const measure of ["perplexity", "bleu"]) {
    const alone = [row("base", 4.92, 25.8), row("C layers 1", 6.11, 23.7)];
    const far = loss(paperOf(alone, alone[1], measure), measure);
    const worst = place(far, range(alone, measure));
    assert.ok(worst > 60 && worst < 66); // behind it is room for the figures
  }
  const far = row("big", 4.9, 25, { seeds: { perplexity: [9000], bleu: [0] } });
  const most = range([...rows, far], "perplexity").max;
  assert.equal(most, scale.max);
  assert.deepEqual(
    [-9, 0.5, 9].map((x) => place(x, { min: 0, max: 1 })),
    [0, 33, 66],
  );
});

test("the axis has base and round differences on both sides", () => {
  const texts = (scale, measure) => marks(scale, measure).map(({ text }) => text);
  assert.deepEqual(texts({ min: -15, max: 35 }, "perplexity"), [
    "10 %",
    "base",
    "10 %",
    "20 %",
    "30 %",
  ]);
  assert.deepEqual(texts({ min: -0.9, max: 2.4 }, "bleu"), ["base", "1 BLEU", "2 BLEU"]);
  const places = marks({ min: -20, max: 60 }, "perplexity").map(({ at }) => at);
  assert.deepEqual(places, [0, 16.5, 33, 49.5, 66]); // as far apart as their numbers
});

test("a loss is above base's perplexity in percent, or below its BLEU in points", () => {
  assert.ok(Math.abs(loss(Math.log(1.2), "perplexity") - 20) < 1e-9);
  assert.equal(loss(-2.1, "bleu"), 2.1);
  assert.ok(loss(Math.log(0.9), "perplexity") < 0 && loss(0.5, "bleu") < 0);
});

test("a sign is told in words, by what is better in its measure", () => {
  assert.equal(aside(Math.log(5.29 / 4.92), "perplexity"), "7.5 % worse");
  assert.equal(aside(Math.log(4.33 / 4.92), "perplexity"), "12.0 % better");
  assert.equal(aside(-0.9, "bleu"), "0.9 worse");
  assert.equal(aside(1e-9, "bleu"), "the same");
});

test("a difference has its sign and its unit", () => {
  assert.equal(signed(Math.log(5.29 / 4.92), "perplexity"), "+7.5 %");
  assert.equal(signed(Math.log(4.33 / 4.92), "perplexity"), "−12.0 %");
  assert.equal(signed(-0.9, "bleu"), "−0.9");
  assert.equal(signed(1e-9, "bleu"), "±0");
});

test("before the guess nothing of the row's figures is told", () => {
  const asked = question(rows, flat);
  assert.match(asked, /^N = 2\. Is its perplexity better \(lower\) than base’s 4\.92/);
  assert.doesNotMatch(asked, /6\.11|23\.7|12/);
});

test("after it: right or not, by perplexity", () => {
  assert.equal(graded(rows, flat, "worse"), "Right: perplexity is worse.");
  assert.equal(graded(rows, deep, "worse"), "No: perplexity is about the same.");
});

test("ours is told with its seeds and its verdict", () => {
  assert.equal(
    ownInWords(rows, flat, "perplexity"),
    "Ours agrees, by more than chance (± 5.1 %). (2 of 3 seeds run)",
  );
  assert.match(ownInWords(rows, base, "bleu"), /Press a setting/);
});

test("what has not run, or failed, or has nothing beside it, is told so", () => {
  assert.equal(
    ownInWords(rows, deep, "bleu"),
    "Ours (not run yet: 0 of 3 seeds): the paper’s alone is shown.",
  );
  assert.equal(runs({ ...deep, failed: 3 }), "0 of 3 seeds run, 3 failed: loss not finite");
  assert.equal(runs({ ...flat, wanted: 2 }), "2 seeds");
  const alone = [row("base", 4.92, 25.8), flat];
  assert.match(ownInWords(alone, flat, "bleu"), /base has not run yet/);
  assert.match(ownInWords(rows, flat, "bleu"), /No verdict yet/);
  assert.equal(meanOf(deep, "bleu"), "–");
  assert.equal(meanOf(base, "perplexity"), "10.00");
  assert.equal(meanOf(base, "bleu"), "30.0");
});

test("each verdict has its words", () => {
  const says = (more, measure = "perplexity") => judged(verdict(more), measure);
  assert.match(says({ says: "opposite" }), /^Ours is opposite, by more than chance \(±/);
  assert.match(says({ says: "cannot tell" }), /^We cannot tell: chance alone reaches ± 5\.1 %\.$/);
  assert.match(says({ same: true }), /no difference, to within 2 %/);
  assert.match(
    says({ same: true, says: "opposite" }),
    /the paper has no difference; ours differs by more than 2 %/,
  );
  assert.match(
    says({ same: true, says: "cannot tell", margin: 0.3 }, "bleu"),
    /more than 0\.3 BLEU/,
  );
});

test("a row has a short name", () => {
  assert.equal(titleOf(flat), "C: N = 2");
  assert.equal(titleOf(base), "base");
  assert.equal(titleOf({ ...flat, change: "d_model = 256, d_k = d_v = 32" }), "C: d_model = 256");
});

test("room is kept for the text with the most lines", () => {
  assert.equal(tallest(["a".repeat(80), "a\nb\nc"]), "a\nb\nc");
  assert.equal(tallest(["short", "longer"]), "longer");
});

test("a row of ours that ends far above base where the paper's does not has hardly learned", () => {
  const seeds = (...list) => ({ perplexity: list, bleu: list });
  const better = { seeds: seeds(16, 17) };
  const [far, close, worse] = [
    row("C N 8", 4.88, 25.5, better),
    row("C N 7", 4.88, 25.5, { seeds: seeds(16, 14) }),
    row("C N 2", 6.11, 23.7, better),
  ];
  const rows = [base, far, close, worse]; // base's mean is 10
  assert.deepEqual(
    rows.slice(1).map((each) => stuck(rows, each)),
    [true, false, false],
  );
  assert.equal(stuck(rows, row("C", 4.9, 25)), false);
  const two = row("C N 8", 4.88, 25.5, { seeds: seeds(16, 14, 17) });
  assert.equal(stuck([base, two], two), true);
  assert.match(
    ownInWords([base, two], two, "perplexity"),
    /^Ours hardly learned \(2 of 3 seeds\)\.$/,
  );
  assert.match(ownInWords(rows, far, "perplexity"), /^Ours hardly learned \(2 of 3 seeds run\)/);
  assert.doesNotMatch(ownInWords(rows, far, "perplexity"), /verdict/);
  const judgedSo = row("C N 8", 4.88, 25.5, {
    ...better,
    verdicts: { perplexity: verdict({ says: "opposite" }), bleu: null },
  });
  assert.match(ownInWords([base, judgedSo], judgedSo, "perplexity"), /opposite, says little\.$/);
  assert.match(
    ownInWords(rows, base, "perplexity"),
    /^In 1 of 3 rows ours is on the paper’s side of base\. Press/,
  );
});

test("the title is answered by the knob that moves a measure most, and what hardly learned is named", () => {
  const ran = (name, knob, paper, ours) =>
    row(name, paper, 25.8 + 4.92 - paper, {
      knob,
      seeds: { perplexity: [ours], bleu: [40 - ours] },
    });
  const most = [
    base,
    ran("C N 2", "N", 6.15, 11), // a quarter more than base in the paper
    ran("C d_ff 1", "d_ff", 5.0, 12),
    ran("big", "size", 9, 30), // no knob
  ];
  assert.equal(answer(most, "perplexity"), "The paper’s perplexity depends most on layers N.");
  assert.equal(answer(rows, "bleu"), "The paper’s BLEU depends most on layers N.");
  const own = (list) => ownAnswer(list, "perplexity");
  assert.equal(own(most), "Ours depends most on inner width d_ff.");
  const low = { ...ran("C N 8", "N", 4.9, 19), change: "N = 8" };
  assert.match(own([...most, low]), / d_ff\. With N\u00a0=\u00a08 it hardly learned\.$/);
  assert.equal(own([...most, ran("C N 1", "N", 6.2, 14)]), "Ours depends most on layers N.");
  assert.equal(own(rows), ""); // one has not run
  const [wide, ...others] = most;
  const unsure = { ...others[1], verdicts: { perplexity: verdict({ bound: 0.25 }), bleu: null } };
  assert.match(own([wide, others[0], unsure, others[2]]), /not tell .* reaches ±\u00a028\.4 %\.$/);
});
