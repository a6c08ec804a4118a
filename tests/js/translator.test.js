// The translator's words and its engine, without a browser: node --test tests/js/
import assert from "node:assert/strict";
import { test } from "node:test";
import { createEngine } from "../../transformer_course/widgets/translating.js";
import {
  describe,
  described,
  doubt,
  endings,
  fromHundredths,
  joined,
  leastSure,
  passed,
  refusal,
  rivalsOf,
  viewOf,
  warnings,
} from "../../transformer_course/widgets/translator_words.js";

/** @type {import("../../transformer_course/widgets/translator_words.js").Result} */
const RESULT = {
  text: "one.",
  beam: 4,
  source: ["▁o", "ne", ".", "</s>"],
  output: ["▁Ei", "ns", "</s>"],
  translation: "Eins",
  unknown: [],
  rare: [],
  strangers: [],
  sure: 0.9,
  candidates: [
    [
      ["▁Ei", 0.914],
      ["▁Zwei", 0.02],
      ["x", 0.001],
    ],
    [["ns", 1]],
    [["</s>", 1]],
  ],
  weights: {
    cross: [
      [
        [0.1, 0.6, 0.2, 0.1, 0.3, 0.4, 0.2, 0.1, 0, 0, 0, 1],
        [0.5, 0.2, 0.2, 0.1, 0.1, 0.4, 0.4, 0.1, 0, 0, 0.5, 0.5],
      ],
    ],
    encoder: [[Array(16).fill(0.25), Array(16).fill(0.25)]],
    decoder: [
      [
        [1, 0, 0, 0.3, 0.7, 0, 0.2, 0.3, 0.5],
        [1, 0, 0, 0.5, 0.5, 0, 0, 0, 1],
      ],
    ],
  },
};
const rounded = (rows) => rows.map((row) => row.map((x) => x && Math.round(x * 1000) / 1000));

test("pieces are joined to words, and punctuation stands alone", () => {
  const words = (pieces) => joined(pieces).map(({ text }) => text);
  assert.deepEqual(words(["▁plat", "y", "pus", ",", "▁", "Q", "!", "?", "</s>"]), [
    "platypus",
    ",",
    "Q",
    "!",
    "?",
    "end",
  ]);
  assert.deepEqual(words(["▁don", "'", "t", "▁ice", "-", "cream", "."]), [
    "don't",
    "ice-cream",
    ".",
  ]);
  assert.deepEqual(joined(["▁a", "b", "▁c"]), [
    { text: "ab", lead: false, from: 0, to: 2 },
    { text: "c", lead: true, from: 2, to: 3 },
  ]);
});

test("a word's weight is the sum over the pieces looked at, the mean over those that look", () => {
  const one = viewOf(RESULT, { look: "cross", layer: 1, head: 1 });
  assert.deepEqual(
    [one.top, one.bottom].map((words) => words.map(({ text }) => text)),
    [
      ["one", ".", "end"],
      ["Eins", "end"],
    ],
  );
  assert.deepEqual(rounded(one.cells), [
    [0.7, 0.2, 0.1],
    [0, 0, 1],
  ]);
  const all = viewOf(RESULT, { look: "cross", layer: 1, head: 0 });
  assert.deepEqual(rounded(all.cells), [
    [0.65, 0.25, 0.1],
    [0, 0.25, 0.75],
  ]);
});

test("looking back starts at the start mark and has no future", () => {
  const { top, cells } = viewOf(RESULT, { look: "decoder", layer: 1, head: 1 });
  assert.deepEqual(
    top.map(({ text }) => text),
    ["start", "Eins"],
  );
  assert.deepEqual(rounded(cells), [
    [0.65, 0.35],
    [0.2, 0.8],
  ]);
  const shorter = { ...RESULT, output: ["▁Ei", "▁ns", "</s>"] };
  assert.equal(viewOf(shorter, { look: "decoder", layer: 1, head: 1 }).cells[0][1], null);
});

test("the chosen word is put in words, with its numbers", () => {
  const say = (look, head, row) => {
    const place = { look, layer: 1, head };
    return describe(viewOf(RESULT, place), place, row);
  };
  assert.equal(
    say("cross", 1, 0),
    "To write “Eins”, head 1 of layer 1 looks most at “one” (0.70) and “.” (0.20).",
  );
  assert.equal(say("cross", 1, 1), "To write “end”, head 1 of layer 1 looks most at “end” (1.00).");
  assert.match(
    say("encoder", 0, 1),
    /^To read “\.”, layer 1 looks most at “one” \(0\.50\) and “\.”/,
  );
});

test("rivals are those of the piece that begins the word", () => {
  const [first, end] = joined(RESULT.output);
  assert.deepEqual(
    rivalsOf(RESULT, first).map(({ piece, taken, begun }) => [piece, taken, begun]),
    [
      ["▁Ei", true, ["▁Ei"]],
      ["▁Zwei", false, ["▁Zwei"]],
      ["x", false, ["x"]],
    ],
  );
  assert.deepEqual(rivalsOf(RESULT, end), [
    { piece: "</s>", share: 1, taken: true, begun: RESULT.output },
  ]);
});

test("the word of least probability is a word, no sign and no mark of the end", () => {
  const output = ["▁Ein", "s", "▁zwei", ".", "</s>"];
  const candidates = [0.9, 0.1, 0.7, 0.2, 0.3].map((share, n) => [[output[n], share]]);
  const result = /** @type {any} */ ({ ...RESULT, output, candidates });
  assert.equal(leastSure(result, joined(output)).text, "zwei"); // by the piece that begins it
});

test("a word above is told with the two that look at it most", () => {
  const view = viewOf(RESULT, { look: "cross", layer: 1, head: 1 });
  assert.equal(described(view, 2), "“end” is looked at most by “end” (1.00) and “Eins” (0.10).");
  view.cells = view.cells.map((row) => row.map(() => 0));
  assert.equal(described(view, 0), "“one” is looked at by no word.");
});

test("what it never met, cannot spell or is not sure of is said, and nothing else", () => {
  assert.equal(warnings(RESULT, 0.5), "");
  const two = { ...RESULT, text: "A dog runs. It is fast." };
  assert.equal(warnings(two, 0.5), "It learned from single sentences: give it one at a time.");
  const odd = { ...RESULT, unknown: ["日"], strangers: ["platypus", "quark"], sure: 0.123 };
  const said = warnings(odd, 0.5);
  assert.match(said, /It has never seen “日”\. Each becomes <unk>/);
  assert.match(
    said,
    /It never met “platypus”, “quark” while it learned: it guesses from their pieces\./,
  );
  assert.match(said, /not sure: its pieces got 12 % on average/);
});

test("a word that it hardly met is named, and whose is doubted, but not what is short for is", () => {
  assert.match(warnings({ ...RESULT, rare: ["pill"] }, 0.5), /^It hardly met “pill” while/);
  const owners = (/** @type {string} */ text) => warnings({ ...RESULT, text }, 0.5);
  assert.equal(
    owners("Is my sister's car Peter’s?"),
    "It often mixes up who owns what: “sister's”, “Peter’s”.",
  );
  for (const text of ["It's me.", "Let’s go.", "Where's Tom's hat?", "Somebody's here.", "'s"])
    assert.equal(owners(text), "");
});

test("a German word is doubted for all its pieces", () => {
  const rare = [["ns", 0.05]];
  const result = /** @type {any} */ ({
    ...RESULT,
    candidates: [RESULT.candidates[0], rare, RESULT.candidates[2]],
  });
  assert.equal(warnings(result, 0.5), "It is not sure of “Eins”: it may be wrong, or no word.");
  assert.match(warnings({ ...result, sure: 0.4 }, 0.5), /^It is not sure: [^“]*$/); // of all of it
  const end = { ...RESULT, candidates: [...RESULT.candidates.slice(0, 2), [["</s>", 0.01]]] };
  assert.equal(warnings(/** @type {any} */ (end), 0.5), "");
});

test("a word that looks at many a little is told with one of them", () => {
  const view = viewOf(RESULT, { look: "cross", layer: 1, head: 1 });
  view.cells[0] = [0.04, 0.03, 0.02];
  const place = { look: "cross", layer: 1, head: 1 };
  assert.match(describe(view, place, 0), /looks most at “one” \(0\.04\)\.$/);
});

test("Python's hundredths become numbers, words stay words", () => {
  assert.deepEqual(
    fromHundredths({ text: "a", candidates: [["x", 0.5]], weights: { cross: [["100 4"]] } }),
    { text: "a", candidates: [["x", 0.5]], weights: { cross: [[[1, 0.04]]] } },
  );
});

test("a text is refused before anything is loaded if it is empty or far too long", () => {
  assert.equal(refusal("A dog runs.", 120), "");
  for (const text of ["", "  ", "\n\t"])
    assert.match(refusal(text, 120), /^There is nothing to translate yet/);
  assert.match(
    refusal("word ".repeat(300), 120),
    /^This text has 300 words, and the page takes 120 pieces/,
  );
  assert.match(refusal("x".repeat(9999), 120), /^This text has 9999 characters/);
});

test("an engine answers a broken file in words", async () => {
  const said = [];
  await createEngine()(
    { kind: "load", files: [new TextEncoder().encode("{oops"), new Uint8Array(9)] },
    (answer) => said.push(answer),
  );
  assert.equal(said[0].kind, "failed");
  assert.match(said[0].message, /^The model could not be used: .*JSON/);
});

test("the least sure word is told with what it looked at most and the likeliest rival", () => {
  const view = viewOf(RESULT, { look: "cross", layer: 1, head: 1 });
  const [word] = view.bottom;
  assert.equal(
    doubt(view, word, rivalsOf(RESULT, word)),
    "The model was least sure of “Eins”, looking most at “one”. Main rival: “Zwei”.",
  );
  const spelt = { piece: "▁", share: 0.1, taken: false }; // begins a word that is spelt out
  const written = { piece: "▁Eins", share: 0.4, taken: true };
  assert.match(doubt(view, word, [written, spelt]), /Main rival: “⋯”\.$/);
  const better = { piece: "▁Zwei", share: 0.5, taken: false };
  const why = " “Zwei” is likelier, but the search scored this sentence best.";
  assert.equal(passed([better, written]), why);
  assert.equal(doubt(view, word, [better, written]).endsWith(`“Eins”.${why}`), true);
  assert.deepEqual([passed([written, better]), passed([])], ["", ""]);
});

test("a word that the reader chose is told as that, and not as a doubt", () => {
  const view = viewOf(RESULT, { look: "cross", layer: 1, head: 1 });
  const rivals = [
    { piece: "▁keinen", share: 0.934, taken: false },
    { piece: "▁kein", share: 0.02, taken: true },
  ];
  assert.equal(
    doubt(view, view.bottom[0], rivals, true),
    "You chose “kein” (2 %). Likeliest here: “keinen” (93 %).",
  );
  const best = rivals.map((rival) => ({ ...rival, taken: !rival.taken }));
  assert.equal(
    doubt(view, view.bottom[0], best, true),
    "You chose “keinen” (93 %), the likeliest here.",
  );
});

test("the model's own sentence stands beside the reader's, each with its mean", () => {
  assert.equal(
    endings(RESULT, { ...RESULT, translation: "Zwei", sure: 0.412 }),
    "The model’s own: “Eins” On average 90 % a token; yours 41 %.",
  );
});
