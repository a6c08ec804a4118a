// What AttentionFigures draws, without a browser: node --test tests/js/
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  FAINTEST,
  hasRule,
  headlineOf,
  isRight,
  known,
  labelsOf,
  linesOf,
  moved,
  pointed,
  rowsOf,
  ruleOf,
  shareOf,
  told,
  truthOf,
  twinsOf,
} from "../../transformer_course/widgets/attention_figures_lines.js";
import {
  arcOf,
  footOf,
  levelOf,
  widthsOf,
} from "../../transformer_course/widgets/attention_figures_arcs.js";

const ONE = {
  text: "It is a b",
  words: ["It", "a", "b"],
  truth: [
    [0, 2, "stands for"],
    [0, 1, "is told by"],
  ],
  weights: [["4 6 90 50 45 5 1 0 99", "100 0 0 0 100 0 0 0 100"]],
};

test("percents become rows", () => {
  assert.deepEqual(rowsOf(ONE, 1, 1), [
    [4, 6, 90],
    [50, 45, 5],
    [1, 0, 99],
  ]);
});

test("of one word every line is drawn that can be seen, the strongest last", () => {
  const lines = linesOf(ONE, 1, [1, 2], 0);
  assert.deepEqual(
    lines.map(({ j, head, weight }) => [head, j, weight]),
    [
      [1, 1, 0.06],
      [1, 2, 0.9],
      [2, 0, 1],
    ],
  );
});

test("a faint line can still be seen", () => {
  assert.ok(FAINTEST > 0.1);
});

test("of all words at once only the strongest line of each is drawn", () => {
  const lines = linesOf(ONE, 1, [1], -1);
  assert.deepEqual(
    lines.map(({ i, j, weight }) => [i, j, weight]),
    [
      [1, 0, 0.5],
      [0, 2, 0.9],
      [2, 2, 0.99],
    ],
  );
  assert.deepEqual(linesOf(ONE, 1, [], -1), []);
});

test("a word is told with the place that each head looks at most, and whether it is true", () => {
  assert.deepEqual(told(ONE, 1, [1, 2], 0, true), [
    { head: 1, text: "Head 1: 90 % to “b”", right: true },
    { head: 2, text: "Head 2: 100 % to “It”", right: false },
  ]);
  assert.deepEqual(
    told(ONE, 1, [1], 1, true).map(({ right }) => right),
    [null],
  );
  assert.deepEqual(
    told(ONE, 1, [1], 0, false).map(({ right }) => right),
    [null],
  );
});

test("of all words it is counted how many relations a head's largest weights find", () => {
  assert.equal(pointed(ONE, 1, 1), 1);
  assert.equal(pointed(ONE, 1, 2), 0);
  assert.equal(told(ONE, 1, [1], -1, true)[0].text, "Head 1 finds 1 of 2");
  assert.match(
    known(ONE, 1, [1], -1, true),
    /^2 true pairs: green if found, dashed if missed\. Pale: no pair\.$/,
  );
});

test("of all words it is named what words a head finds, each kind once", () => {
  const truth = [
    [0, 2, "article of"],
    [1, 0, "article of"],
    [2, 0, "subject of"],
  ];
  const all = (head) => {
    const [{ text, kinds }] = told({ ...ONE, truth }, 1, [head], -1, true);
    return text + kinds;
  };
  assert.equal(all(1), "Head 1 finds 2 of 3: article");
  assert.equal(all(2), "Head 2 finds 0 of 3");
});

test("a line is right where it is a word's strongest and the grammar has the pair", () => {
  const right = linesOf(ONE, 1, [1], -1).filter((line) =>
    isRight(ONE, line, rowsOf(ONE, 1, 1)[line.i]),
  );
  assert.deepEqual(
    right.map(({ i, j }) => [i, j]),
    [[0, 2]],
  );
});

test("what is true is told of the words that have a truth, and who finds it", () => {
  assert.deepEqual(truthOf(ONE, 0), [
    [2, "stands for"],
    [1, "is told by"],
  ]);
  const lead = "“It” stands for “b”, as “a” tells.";
  assert.equal(known(ONE, 1, [1], 0, true), `${lead} Found by head 1 of layer 1.`);
  assert.equal(known(ONE, 1, [2], 0, true), `${lead} Found by head 1 of layer 1.`);
  const lost = { ...ONE, weights: [[ONE.weights[0][1], ONE.weights[0][1]]] };
  assert.equal(known(lost, 1, [2], 0, true), `${lead} No head of any layer finds it.`);
  const above = { ...ONE, weights: [...lost.weights, ONE.weights[0]] };
  assert.equal(known(above, 1, [2], 0, true), `${lead} Only head 1 of layer 2 finds it.`);
  const both = { ...ONE, weights: [...lost.weights, [ONE.weights[0][0], ONE.weights[0][0]]] };
  assert.match(known(both, 1, [2], 0, true), / Only the 2 heads of layer 2 find it\.$/);
  const cue = { ...ONE, truth: [[0, 1, "is told by"]] };
  assert.match(known(cue, 1, [1], 0, true), /^“a” tells what “It” means\. /);
  const grammar = { ...ONE, truth: [[0, 1, "article of"]] };
  assert.match(known(grammar, 1, [1], 0, true), /^“It” is the article of “a”\. /);
  assert.match(known(ONE, 1, [1], 1, true), /has no answer here/);
  assert.match(known(ONE, 1, [], 1, true), /no head is switched on/);
  assert.doesNotMatch(known(ONE, 1, [1], 0, false), /stands|grammar/);
});

test("the rule by position looks at the next word, and is told as a head is", () => {
  const truth = [
    [0, 1, "article of"],
    [1, 2, "subject of"],
    [2, 0, "object of"],
  ];
  const one = { ...ONE, truth };
  const rule = ruleOf(one);
  assert.deepEqual([hasRule(one), hasRule(ONE)], [true, false]);
  assert.deepEqual(rowsOf(one, 1, rule), [
    [0, 100, 0],
    [0, 0, 100],
    [0, 0, 0],
  ]);
  assert.deepEqual(
    linesOf(one, 1, [rule], -1).map(({ i, j }) => [i, j]),
    [
      [0, 1],
      [1, 2],
    ],
  );
  assert.equal(told(one, 1, [rule], -1, true)[0].text, "Rule “next word” finds 2 of 3");
  assert.equal(
    headlineOf(one, 1),
    "Of 3 pairs the rule “next word” finds 2, layer 1’s best head finds 0.",
  );
  assert.equal(told(one, 1, [rule], 0, true)[0].text, "Rule “next word”: “a”");
  assert.equal(told(one, 1, [rule], 2, true)[0].text, "Rule “next word”: none");
});

test("a line has its relation in its middle, and no label lies on another", () => {
  const pairs = [
    [0, 1, "article of"],
    [1, 2, "is one verb with"],
    [5, 9, "object of"],
  ];
  const found = (i) => i < 5;
  const middle = (n) => 40 * n;
  const labels = labelsOf(pairs, -1, found, middle, false, 200);
  assert.deepEqual(
    labels.map(({ text, x, y }) => [text, x, y]),
    [
      ["article of", 20, 100],
      ["one verb with", 60, 117],
    ],
  );
  const down = labelsOf(pairs, 0, found, (n) => 10 * n, true, 100);
  assert.deepEqual(
    down.map(({ x, y, kind }) => [x, y, kind]),
    [
      [50, 5, "tc-found"],
      [50, 22, "tc-found"],
      [50, 70, ""],
    ],
  );
});

test("an arc stands above all that are within it, from its word to the one it hangs on", () => {
  /** @type {[number, number, string][]} */
  const truth = [
    [0, 3, "subject of"],
    [1, 3, "auxiliary of"],
    [2, 3, "negation of"],
    [5, 3, "object of"],
  ];
  assert.deepEqual(
    truth.map(([i, j]) => levelOf(truth, i, j)),
    [3, 2, 1, 1],
  );
  const how = { narrow: false, place: (n) => 40 * n, deep: 154 };
  const [high, low] = [arcOf({ truth }, 0, 3, how), arcOf({ truth }, 2, 3, how)];
  assert.ok(high.label.y < low.label.y - 20);
  const start = ({ d }) => Number(d.match(/^M(\S+)/)[1]);
  const end = ({ d }) => Number(d.match(/L([^L ]+) \S+$/)[1]);
  assert.ok(Math.abs(start(high)) < 12 && Math.abs(end(high) - 120) < 12);
  assert.ok(end(low) < end(high)); // arcs into one word end beside each other
  assert.ok(end(arcOf({ truth }, 5, 3, how)) > end(high)); // one from behind comes from there
  const down = arcOf({ truth }, 0, 3, { ...how, narrow: true });
  assert.deepEqual(down.label, { x: 0, y: 0 });
});

test("two neighbors are as far apart as the label of their arc is wide", () => {
  const one = { words: ["a", "b", "c"], truth: [[0, 1, "negation of"]] };
  const wide = (text) => 10 * text.length;
  assert.deepEqual(widthsOf(one, "x", 8, wide), [89, 89, 18]);
  const far = { words: ["a", "bcd"], truth: [[1, 3, "negation of"]] };
  assert.deepEqual(widthsOf(far, "x", 24, wide), [40, 54]); // the shortest has enough to be pressed
});

test("arcs stand side by side at a word, those to the nearest words outside", () => {
  const truth = [
    [0, 2, "a"],
    [1, 2, "b"],
    [2, 4, "c"],
    [3, 2, "d"],
  ];
  const at = (n, other) => footOf({ truth }, n, other, 10);
  assert.deepEqual(
    [1, 0, 4, 3].map((other) => at(2, other)),
    [-15, -5, 5, 15],
  );
  assert.deepEqual([at(0, 2), at(4, 2)], [0, 0]); // alone it stands in the middle
  assert.equal(at(0, 4), 0); // and what is not true, too
});

test("of each head it is told how much of its weight the true partner gets, and whether most", () => {
  assert.deepEqual(shareOf(ONE, 1, 1, 0, true), { to: "b", share: 90, right: true });
  assert.deepEqual(shareOf(ONE, 1, 2, 0, true), { to: "b", share: 0, right: false });
  assert.deepEqual(shareOf(ONE, 1, 1, -1, true), { to: "b", share: 90, right: true });
  assert.equal(shareOf(ONE, 1, 1, 1, true), null); // nothing is known of this word
  assert.equal(shareOf(ONE, 1, 1, 0, false), null);
});

test("two sentences that differ in one word are twins, and it is told whether a line moves", () => {
  const data = {
    first: ONE,
    second: {
      ...ONE,
      words: ["It", "a", "c"],
      truth: [[0, 1, "stands for"]],
      weights: [["4 90 6 50 45 5 1 0 99", "100 0 0 0 100 0 0 0 100"]],
    },
    other: { ...ONE, words: ["It", "b", "d"] },
  };
  const pair = twinsOf(data, "second");
  assert.deepEqual(pair, [data.first, data.second]);
  assert.deepEqual(twinsOf(data, "other"), [data.other]);
  const lead = "The answer moves from “b” to “a”; ";
  assert.equal(moved(pair, 1, [1], 0, true), `${lead}head 1 moves from “b” to “a”.`);
  assert.equal(moved(pair, 1, [2], 0, true), `${lead}head 2 stays at “It”.`);
  assert.equal(moved(pair, 1, [1, 2], 0, false), "Of 2 heads 1 moves.");
  assert.equal(moved(pair, 1, [1], 2, true), "Head 1 stays at “b” and “c”.");
  assert.equal(moved(pair, 1, [], 0, true), "");
});
