// Page exercises, progress and flash cards: reading numbers, kinds of wrong, points, storage,
// boxes.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  DAYS,
  inDays,
  planned,
  queue,
  schedule,
  whyToday,
} from "../../transformer_course/widgets/flash_cards.js";
import { grade, parseNumber, worth } from "../../transformer_course/widgets/grading.js";
import { landing } from "../../transformer_course/widgets/moving.js";
import { merge, readFile } from "../../transformer_course/widgets/progress.js";
import {
  asRead,
  cardsInWords,
  doneInWords,
  dueChapter,
  goOn,
  partOf,
  partsOf,
  promiseOf,
  slices,
  whyNext,
} from "../../transformer_course/widgets/progress_next.js";
import { nextInWords } from "../../transformer_course/widgets/progress_strip.js";
import { readProgress, tally } from "../../transformer_course/widgets/store.js";

/** @type {any} */
const one = { kind: "number", answer: 2048, tolerance: 0, unit: "", misconceptions: [] };

test("numbers are read as readers write them", () => {
  const read = {
    "2,048": 2048,
    "2 048": 2048,
    "65,000,000": 65e6,
    "0,5": 0.5,
    "−3": -3,
    "1/8": 0.125,
    "25 %": 0.25,
    "1e6": 1e6,
    "4096*32 * 8": 1048576,
    "3*4/6": 2,
    ".5": 0.5,
    "-inf": -Infinity,
    "−∞": -Infinity,
    " 7 ": 7,
  };
  for (const [text, value] of Object.entries(read))
    assert.deepEqual(parseNumber(text), { value }, text);
  assert.deepEqual(parseNumber("512 MiB", "MiB"), { value: 512 });
  assert.deepEqual(parseNumber("35 %", "%"), { value: 35 });
  assert.deepEqual(parseNumber("NaN"), { value: NaN });
});

test("what is no number says what one looks like", () => {
  for (const text of ["abc", "1 2", "1e999", "--1", "0x10", "1/0", "1.2.3", "<b>1</b>", "🙂"])
    assert.match(parseNumber(text).error ?? "", /is not a number like/, text);
  assert.match(parseNumber("2**10 ** x").error ?? "", /^“2××10××x” is not/);
  assert.equal(parseNumber("  ").error, "Nothing is entered yet.");
});

test("a wrong number hears what kind of wrong it is", () => {
  const said = (entry, exercise = one) => grade(exercise, entry).message;
  assert.equal(said("2047"), "It is higher.");
  assert.equal(said("3000"), "It is lower.");
  assert.equal(said("-2048"), "The right size, with the wrong sign.");
  assert.equal(said("2048000"), "Right digits, but off by a factor of 1,000.");
  assert.equal(said("20.48"), "Right digits, but off by a factor of 100.");
  assert.equal(said("0"), "It is higher.");
  const close = {
    ...one,
    answer: 0.12,
    tolerance: 0.005,
    misconceptions: [
      { answer: 7.68, message: "times 64" },
      { answer: 8.2, message: "other" },
    ],
  };
  assert.equal(said("7.7", close), "times 64");
  assert.equal(said("8.1", close), "other");
});

test("where a whole number is asked for, another is no try, unless it is a known mistake", () => {
  const misconceptions = [{ answer: 22.6, message: "its root" }];
  const whole = { ...one, asks: "a whole number", misconceptions };
  assert.deepEqual(grade(whole, "6.5"), { state: "refused", message: "Enter a whole number." });
  assert.equal(grade(whole, "22.6").message, "its root");
  assert.equal(grade(whole, "6").state, "wrong");
  assert.equal(grade(whole, "2,048.0").state, "right");
  assert.equal(grade({ ...whole, asks: "to 1 decimal" }, "6.5").state, "wrong");
});

test("an order is right if every line stands below what it needs", () => {
  /** @type {any} */
  const steps = {
    kind: "order",
    answer: [0, 1, 2, 3],
    start: [3, 2, 1, 0],
    needs: [
      [1, 0],
      [3, 1],
      [3, 2],
    ],
    misconceptions: [{ before: [3, 2], message: "2 first" }],
  };
  for (const entry of [
    [0, 1, 2, 3],
    [0, 2, 1, 3],
    [2, 0, 1, 3],
  ])
    assert.deepEqual(grade(steps, entry), { state: "right" });
  assert.equal(grade(steps, [0, 1, 3, 2]).message, "2 first");
  const early = grade(steps, [2, 1, 0, 3]);
  const message = "Line 2 is too early: one below it comes first.";
  assert.deepEqual(early, { state: "wrong", message, marks: [1] });
  assert.deepEqual(grade(steps, [2, 3, 1, 0]), { state: "wrong", message, marks: [1, 2] });
  assert.deepEqual(grade(steps, [0, 3, 1, 2]).marks, [1, 1]); // first the one that is spoken of
  assert.equal(grade(steps, [3, 2, 1, 0]).state, "refused");
});

test("a wrong pair, and the one row of a grid, hear where to look", () => {
  /** @type {any} */
  const pairs = { kind: "match", answer: [0, 1, 2], misconceptions: [] };
  const said = (entry) => grade(pairs, entry).message;
  assert.equal(said([0, 2, 1]), "1 of 3 are right. Look at number 2 first.");
  assert.equal(said([0, -1, 1]), "Number 2 has no partner yet.");
  const known = { pair: [1, 2], message: "why" };
  assert.equal(
    grade({ ...pairs, misconceptions: [known] }, [0, 2, 1]).message,
    "1 of 3 are right. why",
  );
  /** @type {any} */
  const row = {
    kind: "matrix",
    answer: [[1, 2]],
    tolerance: [[0, 0]],
    rows: ["output"],
    columns: ["a", "b"],
    misconceptions: [],
  };
  assert.equal(
    grade(row, [["1", "3"]]).message,
    "1 of 2 cells are right. Look at column “b” first.",
  );
});

test("each try costs a point, but one stays", () => {
  assert.deepEqual(
    [1, 2, 3, 9].map((tries) => worth(3, tries)),
    [3, 2, 1, 1],
  );
  assert.deepEqual(
    [1, 2].map((tries) => worth(1, tries)),
    [1, 1],
  );
});

test("stored progress is taken as far as it can be read", () => {
  const good = { points: 2, tries: 1, when: "2026-01-02" };
  const card = { box: 3, due: "2026-01-09", since: "2026-01-01" };
  const { progress, problem } = readProgress({
    version: 1,
    done: { "a/b": good, "a/c": { points: "2" }, "": good, "a/d": null, "<b>": good },
    cards: { x: card, y: { box: 9 } },
    more: 1,
  });
  assert.deepEqual(progress, { version: 1, done: { "a/b": good }, cards: { x: card } });
  assert.equal(problem, "entries that cannot be read: 5");
  for (const bad of [null, 7, "x", [], {}, { version: 2 }])
    assert.match(readProgress(bad).problem, /expected version 1, got/);
  assert.deepEqual(
    readProgress(JSON.parse('{"version": 1, "done": {"__proto__": {"points": 1}}}')).progress?.done,
    {},
  );
  assert.deepEqual(readProgress({ version: 1, done: "text", cards: 3 }).progress?.cards, {});
});

test("two files become one, with the better of each", () => {
  const done = (points) => ({ points, tries: 1, when: "2026-01-02" });
  const due = (day) => ({ box: 1, due: day, since: "2026-01-01" });
  const mine = { version: 1, done: { a: done(3), b: done(1) }, cards: { x: due("2026-02-01") } };
  const other = {
    version: 1,
    done: { b: done(2), c: done(1) },
    cards: { x: due("2026-01-05"), y: due("2026-01-05") },
  };
  const both = merge(mine, other);
  assert.deepEqual(
    Object.entries(both.done).map(([id, { points }]) => [id, points]),
    [
      ["a", 3],
      ["b", 2],
      ["c", 1],
    ],
  );
  assert.deepEqual(
    Object.entries(both.cards).map(([id, { due: day }]) => [id, day]),
    [
      ["x", "2026-02-01"],
      ["y", "2026-01-05"],
    ],
  );
  assert.deepEqual(merge(both, both), both);
  assert.deepEqual(readFile(JSON.stringify(mine)).progress, mine);
  assert.equal(readFile("hello").problem, "it is not JSON");
  assert.equal(readFile('{"version": 2}').problem, "expected version 1, got 2");
  const exercises = [
    { id: "a", points: 2 },
    { id: "b", points: 3 },
    { id: "z", points: 5 },
  ];
  assert.deepEqual(tally(exercises, both.done), { done: 2, of: 3, points: 4, most: 10 });
});

test("cards move through the boxes and come back on their day", () => {
  const now = new Date("2026-03-01T12:00:00Z");
  let kept = schedule(undefined, "good", now);
  assert.deepEqual(kept, { box: 1, due: "2026-03-02", since: "2026-03-01" });
  kept = schedule(kept, "easy", now);
  assert.deepEqual([kept.box, kept.due], [3, "2026-03-08"]);
  for (let n = 0; n < 5; n += 1) kept = schedule(kept, "good", now);
  assert.deepEqual([kept.box, kept.due], [5, "2026-03-31"]);
  assert.deepEqual(schedule(kept, "again", now), {
    box: 0,
    due: "2026-03-01",
    since: "2026-03-01",
  });
  assert.equal(DAYS.length, 6);

  const ids = Array.from({ length: 15 }, (_, n) => `c${n}`);
  const cards = {
    c3: { box: 0, due: "2026-03-01", since: "2026-03-01" },
    c5: { box: 2, due: "2026-02-20", since: "2026-02-01" },
    c6: { box: 1, due: "2026-03-09", since: "2026-02-01" },
  };
  const today = queue(ids, cards, "2026-03-01");
  assert.equal(today[0], "c5");
  assert.equal(today.at(-1), "c3");
  // One due, ten new ones a day of which one is begun, one once more.
  assert.equal(today.length, 1 + 9 + 1);
  assert.ok(!today.includes("c6"));
  assert.equal(planned(today, cards), "Today: 1 to repeat, 9 new, 1 once more");
  assert.equal(planned([], cards), "Today: all done");
  assert.equal(whyToday(cards.c5), "back after 3 days, before it fades");
  assert.match(whyToday(cards.c3), /^once more/);
});

test("the strip of progress says what is next", () => {
  assert.match(nextInWords({ done: 0, of: 9 }, 0), /^Each bar is a chapter .* 9 in all\.$/);
  assert.equal(nextInWords({ done: 9, of: 9 }, 0), "You have done 9 of 9 exercises.");
  assert.match(
    nextInWords({ done: 2, of: 9 }, 0),
    /^You have done 2 of 9 .* Each bar is a chapter/,
  );
  assert.match(nextInWords({ done: 2, of: 9 }, 1), /1 flash card is due today\.$/);
  assert.match(nextInWords({ done: 2, of: 9 }, 4), /4 flash cards are due today\.$/);
});

test("next is what is read next: on a first reading 2 and 3.1 come after 3.3", () => {
  const names = [
    "01-introduction",
    "02-background",
    "03-1-encoder-decoder-stacks",
    "03-2-1-scaled-dot-product-attention",
    "03-3-feed-forward",
    "03-4-embeddings-and-softmax",
  ];
  const chapters = names.map((page, n) => {
    const exercises = [1, 2].map((k) => ({ id: `${page}/${k}`, points: 1 }));
    return { page, title: `${n} Name: more of it`, exercises, turn: [0, 4, 3, 1, 2, 5][n] };
  });
  assert.deepEqual(
    asRead(chapters).map(({ page }) => names.indexOf(page)),
    [0, 3, 4, 2, 1, 5],
  );
  const done = (...ids) => Object.fromEntries(ids.map((id) => [id, { points: 1 }]));
  const all = (n) => [1, 2].map((k) => `${names[n]}/${k}`);
  const due = (...ids) => dueChapter(chapters, done(...ids))?.page;
  assert.equal(due(), names[0]);
  assert.equal(due(`${names[0]}/1`), names[0]);
  assert.equal(due(...all(0)), names[3]);
  assert.equal(due(...all(4)), names[2]);
  assert.equal(due(...all(5)), names[0], "what was left out comes last");
  assert.equal(due(...names.flatMap((_, n) => all(n))), undefined);
  assert.equal(goOn(chapters[3], true), "Go on with 3 Name →");
  const why = (n, ...ids) => whyNext(chapters[n], chapters, done(...ids));
  assert.equal(why(0), "Start here: 2 exercises.");
  assert.equal(why(3, `${names[3]}/1`), "You have begun it: 1 of 2 exercises done.");
  assert.equal(why(3, ...all(0)), "You have finished 0 Name. 2 exercises to do here.");
  assert.equal(why(2, ...all(0)), "You have left it out so far. 2 exercises to do here.");
});

test("chapters belong to parts of the course, in its order", () => {
  const titles = ["3.1 Stacks", "3.2.1 Scaled", "1 Introduction", "4 Why", "5.2-5.3 Rate", "Cards"];
  const parts = titles.map((title) => partOf({ title }));
  const [rest, attention] = ["The rest of the model", "Attention"];
  assert.deepEqual(parts, [
    rest,
    attention,
    "Why attention",
    attention,
    "Training",
    "Beyond the paper",
  ]);
  const chapters = titles.map((title, turn) => ({ title, page: "", exercises: [], turn }));
  assert.deepEqual(partsOf(chapters), [
    "Why attention",
    attention,
    rest,
    "Training",
    "Beyond the paper",
  ]);
  assert.match(promiseOf("Training"), /^… train .*\.$/);
  assert.equal(new Set(partsOf(chapters).map(promiseOf)).size, 5);
});

test("progress says how much there is, is done, and is left to repeat", () => {
  const all = { of: 9, most: 20 };
  const none = "Begin with 3 exercises. The other 6 can wait.";
  assert.equal(doneInWords({ done: 0, points: 0, ...all }, 3), none);
  const some = "You have done 2 of 9 exercises and earned 5 of 20 points.";
  assert.equal(doneInWords({ done: 2, points: 5, ...all }, 3), some);
  assert.match(doneInWords({ done: 9, points: 18, ...all }, 3), /^All 9 .* 18 of 20 points/);
  const cards = { seen: 4, known: 1, of: 9 };
  assert.equal(cardsInWords({ due: 2, ...cards }), "4 of 9 seen, 1 known well; 2 to repeat today");
  assert.equal(cardsInWords({ due: 0, ...cards }), "4 of 9 seen, 1 known well");
  assert.match(cardsInWords({ due: 0, ...cards, seen: 0 }), /^9 to learn/);
});

test("a dragged line lands where its edge has passed the others' middles", () => {
  const boxes = [0, 40, 80, 140].map((top, n) => ({ top, bottom: top + (n === 2 ? 50 : 30) }));
  const places = (from, shifts) => shifts.map((shift) => landing(boxes, from, shift));
  assert.deepEqual(places(0, [0, 24, 26, 74, 76, 200]), [0, 0, 1, 1, 2, 3]);
  assert.deepEqual(places(2, [0, -24, -26, -66, 24, 26]), [2, 2, 1, 0, 2, 3]);
  assert.deepEqual(places(3, [-34, -36, -400]), [3, 2, 0]);
});

test("the ring has a slice for each part, as wide as its points, and what is earned in its color", () => {
  const parts = [
    { points: 10, most: 25 },
    { points: 0, most: 75 },
  ];
  const stops = slices(parts, 100);
  for (const stop of [
    "var(--hue1) 0.00% 10.00%",
    "color-mix(in srgb, var(--hue1) 26%, var(--bg)) 10.00% 24.50%",
    "var(--bg) 24.50% 25.00%",
    "var(--hue2) 25.00% 25.00%",
    "color-mix(in srgb, var(--hue2) 26%, var(--bg)) 25.00% 99.50%",
  ])
    assert.ok(stops.includes(stop), stop);
});

test("a chosen option that does not hold is named with its reason", () => {
  const options = [true, false, true].map((right, n) => ({ right, why: `Why ${n + 1}.` }));
  const said = (answer, entry) => grade({ kind: "choice", answer, options }, entry).message;
  assert.equal(said([0, 2], [0, 1]), "1 of 3 are right. 2 does not hold. Why 2.");
  assert.equal(said([0, 2], [0]), "2 of 3 are right. ");
  const one = options.map((option, n) => ({ ...option, right: n === 0 }));
  const choice = { kind: "choice", answer: [0], options: one };
  assert.equal(grade(choice, [1]).message, "2 does not hold. Why 2.");
});
