// The rows and the words of TeacherForcing, without a browser: node --test tests/js/
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  answerAt,
  explain,
  fromWhere,
  goesIn,
  inputs,
  leaks,
  meanLoss,
  rowsOf,
  shownAs,
  spelled,
} from "../../transformer_course/widgets/teacher_forcing_rows.js";

const LESSON = JSON.parse(
  readFileSync(
    new URL("../../transformer_course/widgets/teacher_forcing.json", import.meta.url),
    "utf8",
  ),
);
const state = (changes = {}) => ({
  lesson: LESSON,
  position: 2,
  bug: "none",
  mode: "training",
  ...changes,
});

test("the input is the target shifted right by one, or the target itself", () => {
  assert.deepEqual(inputs(["a", "b", "</s>"], "none"), ["<s>", "a", "b"]);
  assert.deepEqual(inputs(["a", "b", "</s>"], "mask"), ["<s>", "a", "b"]);
  assert.deepEqual(inputs(["a", "b", "</s>"], "shift"), ["a", "b", "</s>"]);
});

test(
  "nothing leaks from correct code, and with a bug every row that has its answer among the " +
    "inputs",
  () => {
    const rows = LESSON.target.map((_, i) => i);
    assert.ok(rows.every((i) => !leaks(i, rows.length, "none")));
    assert.ok(rows.every((i) => leaks(i, rows.length, "shift")));
    assert.deepEqual(
      rows.filter((i) => !leaks(i, rows.length, "mask")),
      [rows.length - 1],
    );
    for (const bug of ["none", "shift", "mask"])
      for (const i of rows.slice(0, -1))
        assert.equal(inputs(LESSON.target, bug)[answerAt(i, bug)], LESSON.target[i]);
  },
);

test("in training each row reads the teacher's piece; alone, the model's own", () => {
  const taught = rowsOf(state());
  assert.deepEqual(
    taught.map((row) => row.reads),
    ["<s>", ...LESSON.target.slice(0, -1)],
  );
  assert.deepEqual(
    taught.map((row) => row.share),
    LESSON.models.none.right,
  );
  const alone = rowsOf(state({ mode: "generating" }));
  assert.deepEqual(
    alone.slice(1).map((row) => row.reads),
    alone.slice(0, -1).map((row) => row.says),
  );
});

test("a row tells where it has its word from", () => {
  assert.equal(fromWhere(0, "training", "none"), "start");
  assert.equal(fromWhere(3, "training", "mask"), "reference");
  assert.equal(fromWhere(0, "training", "shift"), "answer");
  assert.equal(fromWhere(0, "generating", "shift"), "start");
  assert.equal(fromWhere(3, "generating", "shift"), "own word");
});

test("the pieces of the target spell the reference", () => {
  assert.equal(spelled(LESSON.target), "Der Mann sieht seinen Hund an.");
});

test("a piece is shown without its mark, and a lone dot so that it is seen", () => {
  assert.deepEqual(["▁Der", "an", "."].map(shownAs), ["Der", "an", "“.”"]);
  assert.match(explain(state({ position: 6 })), /must say “\.”/); // not twice in marks
});

test("the loss is the mean of minus the logarithm", () => {
  assert.ok(Math.abs(meanLoss([Math.exp(-1), Math.exp(-3)]) - 2) < 1e-12);
});

test("the words hold the numbers of the row", () => {
  assert.equal(
    explain(state()),
    "Position 3 must say “sieht” (probability 0.11) but would say “schaut”. Which of the two " +
      "goes in at position 4?",
  );
  assert.equal(
    explain(state({ position: 0 })),
    "Position 1 must say “Der” (probability 0.75), and it would. Position 2 reads it from the " +
      "reference.",
  );
  assert.equal(
    explain(state({ position: 3 })),
    "Position 4 reads “sieht”, although the model would have said “schaut”: that is teacher " +
      "forcing. On its own it reads “schaut”, which it wrote.",
  );
  assert.match(explain(state({ position: 4 })), /On its own it reads “sein”, which it wrote\.$/);
  assert.match(
    explain(state({ position: 7 })),
    /One pass has asked all 8 positions: their mean loss is 0\.58\.$/,
  );
  assert.match(
    explain(state({ bug: "shift" })),
    new RegExp(
      "^Position 3 reads “sieht”, the very piece that it must say: another, small model gives it 0\\.91 " +
        "after 800 such steps, 0\\.01 without the bug\\.$",
    ),
  );
  assert.match(
    explain(state({ bug: "mask" })),
    /and sees it one place ahead: another, small model/,
  );
  assert.match(
    explain(state({ bug: "mask", position: 7 })),
    new RegExp(
      "^Position 8 must say “</s>”, which no input holds\\. After 800 such steps another model’s " +
        "mean loss is 0\\.13 \\(it copies\\); without the bug, 1\\.98\\.$",
    ),
  );
});

test("alone, the words say where the model left the reference", () => {
  const say = (position, bug = "none") => explain(state({ mode: "generating", position, bug }));
  assert.equal(say(0), "Pass 1 of 8 writes “Der”, as the reference has it.");
  assert.match(
    say(2),
    /writes “schaut” where the reference has “sieht”: from here on it reads its own choice\.$/,
  );
  assert.match(say(4), /since pass 3 it goes on from words of its own/);
  assert.match(
    say(5, "shift"),
    /it learned to repeat what it reads, and its low training loss, 0\.12, gave no sign\.$/,
  );
  assert.match(
    say(5, "mask"),
    /it learned to copy from one place ahead, and its low training loss/,
  );
});

test("of a model that trained with a bug, all that it writes is told", () => {
  for (const bug of ["shift", "mask"]) {
    const told = goesIn(LESSON, "generating", bug);
    for (const [piece] of LESSON.models[bug].written)
      assert.ok(told.includes(`“${piece.replace("▁", "")}”`), told);
  }
});
