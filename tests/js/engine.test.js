// The engine that learns in the page, by itself: node --test tests/js/
// tests/widgets/test_page_engine.py compares it with the package.
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { learningRate } from "../../transformer_course/widgets/engine/adam.js";
import { Experiment, PAPERS } from "../../transformer_course/widgets/engine/experiment.js";
import { Memory } from "../../transformer_course/widgets/engine/memory.js";
import { ENGLISH, GERMAN, translation } from "../../transformer_course/widgets/engine/phrases.js";
import { makeServer } from "../../transformer_course/widgets/engine/serving.js";
import {
  LONGEST,
  TASKS,
  isNew,
  namesOf,
  vocabulary,
} from "../../transformer_course/widgets/engine/tasks.js";
import { EOS_ID } from "../../transformer_course/widgets/engine/tokens.js";
import { Learner, makeBatch } from "../../transformer_course/widgets/engine/training.js";
import {
  EXPERIMENTS,
  asLink,
  changed,
  fromLink,
} from "../../transformer_course/widgets/laboratory_experiments.js";
import {
  QUESTIONS,
  proven,
  guessesOf,
  idOf,
  inWords,
  outcome,
} from "../../transformer_course/widgets/laboratory_guesses.js";
import { normal, random } from "../../transformer_course/widgets/numbers.js";

const SMALL = {
  vocab_size: 9,
  d_model: 8,
  num_heads: 2,
  d_ff: 10,
  num_layers: 1,
  max_len: 8,
  positions: "sinusoidal",
  norm_placement: "post",
};
const idsOf = TASKS.reverse.read;
const TEACHING = { warmup: 10, rate_factor: 1, label_smoothing: 0.1 };
/** @type {import("../../transformer_course/widgets/engine/training.js").Pairs} */
const PAIRS = [
  [
    [4, 5, 6],
    [6, 5],
  ],
  [
    [7, 8],
    [8, 7, 4],
  ],
];

/** How far the gradients of a model lie from differences of its loss, at worst.
 * @param {any} engine training.js and memory.js, perhaps with a mistake in them
 * @param {object} changes of SMALL */
function worstGradient(engine, changes) {
  const memory = new engine.Memory(4, { exact: true });
  const learner = new engine.Learner({ ...SMALL, ...changes }, TEACHING, random(1), memory);
  const batch = engine.makeBatch(PAIRS);
  const { parameters } = learner.model;
  const uniform = random(2);
  for (const { data } of parameters.values())
    data.forEach((x, n) => (data[n] = x + 0.3 * normal(uniform)));
  const loss = () => {
    learner.random = random(3); // the same places dropped each time
    for (const { grad } of parameters.values()) grad.fill(0);
    return learner.gradients(batch);
  };
  loss();
  const gradients = Array.from(parameters.values(), ({ grad }) => grad.slice());
  let worst = 0;
  Array.from(parameters.values()).forEach(({ data }, at) => {
    for (let n = 0; n < data.length; n += Math.ceil(data.length / 5)) {
      const [before, by] = [data[n], 1e-5];
      data[n] = before + by;
      const up = loss();
      data[n] = before - by;
      const slope = (up - loss()) / (2 * by);
      data[n] = before;
      worst = Math.max(worst, Math.abs(slope - gradients[at][n]));
    }
  });
  return worst;
}

const ENGINE = { Memory, Learner, makeBatch };
const KINDS = [
  {},
  { positions: "learned" },
  { positions: "rotary" },
  { norm_placement: "pre" },
  { causal: false },
];

for (const changes of KINDS)
  test(`gradients are the slopes of the loss: ${JSON.stringify(changes)}`, () => {
    const worst = worstGradient(ENGINE, changes);
    assert.ok(worst < 1e-8, `off by ${worst}`);
  });

// ---- Each derivative broken in turn ----

const HERE = fileURLToPath(new URL("../../transformer_course/widgets/", import.meta.url));
const SCRATCH = mkdtempSync(join(tmpdir(), "engine-"));
after(() => rmSync(SCRATCH, { recursive: true }));

/** A copy of the engine with one text in place of another. */
async function broken(number, file, from, to) {
  const folder = join(SCRATCH, String(number));
  cpSync(join(HERE, "engine"), join(folder, "engine"), { recursive: true });
  cpSync(join(HERE, "numbers.js"), join(folder, "numbers.js"));
  cpSync(join(HERE, "worker.js"), join(folder, "worker.js"));
  writeFileSync(join(folder, "package.json"), '{"type": "module"}');
  const path = join(folder, "engine", file);
  const text = readFileSync(path, "utf8");
  assert.equal(text.split(from).length, 2, `${file} has not one "${from}"`);
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
  const load = (name) => import(pathToFileURL(join(folder, "engine", name)).href);
  return { ...(await load("training.js")), ...(await load("memory.js")) };
}

/** @type {[string, string, string, object?][]} */
const MISTAKES = [
  ["operations.js", "weight.at, inner, x.gradAt", "weight.at, inner, y.gradAt"],
  ["operations.js", "y.gradAt, 1, width, x.at", "y.gradAt, width, 1, x.at"],
  ["operations.js", "bias.gradAt, 0, 1, rows", "bias.gradAt, 0, 1, rows - 1"],
  ["operations.js", "+= scale * y.grad", "+= y.grad"],
  ["operations.js", "+= scale * y.grad", "= scale * y.grad"],
  ["operations.js", "byX[n] += bySum[n];", ""],
  ["operations.js", "byY[n] += bySum[n];", ""],
  ["operations.js", "from[n] > 0 ? byY[n] : 0", "byY[n]"],
  ["operations.js", "byGain[d] += by * normal", "byGain[d] += by * from"],
  ["operations.js", "byShift[d] += by;", "byShift[d] = by;"],
  ["operations.js", " - mean - slope", " - slope"],
  ["operations.js", " - slope * normal[at + d]", ""],
  ["operations.js", "* gain[d] - mean", "- mean"],
  ["operations.js", "+= scale * (byY", "+= (byY"],
  ["operations.js", "this.steps.length - 1; n >= 0", "this.steps.length - 1; n > 0"],
  ["attention.js", "product(at, 1, keys, by, width, v", "product(at, keys, 1, by, width, v"],
  ["attention.js", "p[grad + j] - mean) * scale", "p[grad + j] - mean)"],
  ["attention.js", "(p[grad + j] - mean)", "p[grad + j]"],
  ["attention.js", "k.at + kFrom, width, q.gradAt", "q.at + kFrom, width, q.gradAt"],
  ["attention.js", "byWeight, 1, keys, q.at", "byWeight, keys, 1, q.at"],
  ["attention.js", "p.fill(0, byWeight, byWeight + queries * keys);", ""],
  ["attention.js", "turn(y.grad, x.grad, -1)", "turn(y.grad, x.grad, 1)", { positions: "rotary" }],
  ["operations.js", "sum += by * gain[d];", "sum += by;"],
  ["operations.js", "along += by * gain[d] *", "along += by *"],
  ["attention.js", "product(by, width, 1, turned", "product(at, keys, 1, turned"],
  ["attention.js", "transposed(v.at + kFrom", "transposed(k.at + kFrom"],
  ["attention.js", "mean += p[row + j] * p[grad + j]", "mean += p[grad + j]"],
  ["attention.js", "= p[row + j] * (p[grad + j]", "= (p[grad + j]"],
  ["loss.js", "grad[from + j] = power;", "grad[from + j] = 1;"],
  ["loss.js", "/ total - even) / count", "/ total) / count"],
  ["loss.js", "/ total - even) / count", "/ total - even)"],
  ["loss.js", "-= (1 - smoothing) / count", "-= 1 / count"],
];

MISTAKES.forEach(([file, from, to, changes], number) =>
  test(`this mistake is seen: ${file}, "${to}" for "${from}"`, async () => {
    const worst = worstGradient(await broken(number, file, from, to), changes ?? {});
    assert.ok(!(worst < 1e-4), `off by ${worst} only`);
  }),
);

test("each line that computes a gradient is broken by one of these mistakes", () => {
  const lines = ["operations.js", "attention.js"].flatMap((file) => {
    const text = readFileSync(join(HERE, "engine", file), "utf8");
    const ways = text.split("steps.push(").slice(1);
    const back = ways
      .flatMap((way) => way.slice(0, way.indexOf("return ")).split("\n"))
      .map((line) => line.replace(/for \([^)]*\)/, ""));
    return back.filter((line) => /(\+=|= p\[|product\(|turn\(|fill\()/.test(line));
  });
  const loss = readFileSync(join(HERE, "engine", "loss.js"), "utf8").split("\n");
  const all = [...lines, ...loss.filter((line) => /^ .*grad\[.*=/.test(line))];
  assert.ok(all.length >= 20, `${all.length} lines`);
  const texts = MISTAKES.map(([, from]) => from);
  for (const line of all)
    assert.ok(
      texts.some((from) => line.includes(from)),
      `no mistake in: ${line.trim()}`,
    );
});

// ---- The rest ----

test("the compiled product and the plain one are equal, of whatever size", () => {
  const uniform = random(5);
  for (const [rows, inner, columns] of [
    [1, 1, 1],
    [4, 3, 8],
    [7, 5, 13],
    [9, 16, 20],
    [3, 9, 4],
  ])
    for (const turned of [false, true]) {
      const [fast, slow] = [new Memory(1), new Memory(1, { simd: false })];
      const sizes = [rows * inner, inner * columns, rows * columns];
      const places = sizes.map((size) => fast.take(size));
      sizes.forEach((size) => slow.take(size));
      assert.ok(fast.compiled && !slow.compiled);
      for (let n = 0; n < fast.used; n += 1) fast.numbers[n] = slow.numbers[n] = normal(uniform);
      const [a, b, c] = places;
      const steps = turned ? [1, rows] : [inner, 1];
      for (const { product } of [fast, slow])
        product(a, steps[0], steps[1], b, columns, c, columns, rows, inner, columns);
      for (let n = 0; n < fast.used; n += 1)
        assert.ok(Math.abs(fast.numbers[n] - slow.numbers[n]) < 1e-5);
    }
});

test("a run lowers the loss, writes what it counts as right, and repeats itself", () => {
  /** @returns {import("../../transformer_course/widgets/engine/training.js").Pairs} */
  const pairs = (count, uniform) =>
    Array.from({ length: count }, () => {
      const row = Array.from({ length: 3 }, () => 4 + Math.floor(5 * uniform()));
      return [row, row.slice().reverse()];
    });
  const run = () => {
    const uniform = random(7);
    const teaching = { ...TEACHING, warmup: 50, last_step: 250 };
    const sizes = { ...SMALL, d_model: 16, d_ff: 32 };
    const learner = new Learner(sizes, teaching, random(8), new Memory(8));
    const losses = [];
    for (let n = 0; n < 250; n += 1) losses.push(learner.step(makeBatch(pairs(40, uniform))));
    return { learner, losses };
  };
  const { learner, losses } = run();
  assert.ok(losses[249] < 0.5 * losses[0], `from ${losses[0]} to ${losses[249]}`);
  assert.deepEqual(run().losses, losses);
  const unseen = pairs(30, random(9));
  const exact = learner.exact(unseen);
  const written = unseen.map(([src, tgt]) => String(learner.write(src, 6)) === String(tgt));
  assert.deepEqual(written, exact);
  assert.ok(exact.some(Boolean) && learner.memory.used < 100_000);
});

test("a loss that is no number ends the run, changes nothing, and says what to do", () => {
  const learner = new Learner(SMALL, TEACHING, random(1), new Memory(1));
  const { data } = learner.model.embedding;
  learner.step(makeBatch(PAIRS));
  const before = learner.optimizer.states.map(({ tensor }) => tensor.data.slice());
  const gain = learner.model.decoderLayers[0].norms[2].weight.data;
  gain[0] = before[0][0] = Infinity;
  const kept = data.slice();
  assert.throws(() => learner.step(makeBatch(PAIRS)), /step 2 is not a number.*lower rate/);
  assert.deepEqual(data, kept);
});

test("a model that does not fit says what to do", () => {
  const large = { ...SMALL, vocab_size: 100_000 };
  assert.throws(() => new Learner(large, TEACHING, random(1), new Memory(1)), /fewer tokens/);
});

test("the weights that a pass used can be looked at", () => {
  const learner = new Learner(SMALL, TEACHING, random(1), new Memory(1));
  /** @type {number[]} */
  let seen = [];
  learner.model.decoderLayers[0].crossAttn.keep = (weights) => (seen = Array.from(weights));
  learner.exact(PAIRS);
  assert.equal(seen.length, 2 * 2 * 4 * 4); // sentences, heads, queries, keys
  for (let n = 0; n < seen.length; n += 4)
    assert.ok(Math.abs(seen.slice(n, n + 4).reduce((sum, x) => sum + x, 0) - 1) < 1e-6);
  assert.deepEqual(seen.slice(35, 36), [0]); // the second source is a token shorter
});

// ---- The laboratory ----

test("no row that is counted is ever learned from", () => {
  const experiment = new Experiment({ ...PAPERS, steps: 20 }, new Memory(16));
  assert.ok(experiment.newRows.every(([src]) => isNew(src)));
  const { learner } = experiment;
  const seen = new Set();
  const step = learner.step.bind(learner);
  learner.step = (batch) => {
    for (const row of batch.src) seen.add(row.filter((id) => id > 3));
    return step(batch);
  };
  while (!experiment.done) experiment.step();
  assert.ok(seen.size > 300);
  for (const row of seen) assert.ok(!isNew(row) && row.length >= 5 && row.length <= 12);
});

test("letters become ids and letters again; other signs are left out", () => {
  assert.equal(namesOf(TASKS.reverse, idsOf("Transformer!")).join(""), "transformer");
  assert.deepEqual(idsOf("zZ 42 ü"), []);
});

// ---- The phrasebook ----

test("the phrasebook has 60 English words", () => {
  assert.equal(new Set(ENGLISH).size, 60);
  assert.equal(ENGLISH.length, 60);
  assert.equal(vocabulary(TASKS.phrases), 4 + 2 + 60 + GERMAN.length);
});

test("its German is German: gender, case, verb second, the second verb at the end, kein", () => {
  for (const [english, german] of Object.entries({
    "the man sees a ball .": "der Mann sieht einen Ball .",
    "a good woman knows the small man .": "eine gute Frau kennt den kleinen Mann .",
    "my small girl finds my beautiful lamp .": "mein kleines Mädchen findet meine schöne Lampe .",
    "a big dog carries a new book .": "ein großer Hund trägt ein neues Buch .",
    "today the king can see the queen .": "heute kann der König die Königin sehen .",
    "now my cat has found a bird .": "jetzt hat meine Katze einen Vogel gefunden .",
    "the child does not love the table .": "das Kind liebt den Tisch nicht .",
    "the child does not love a table .": "das Kind liebt keinen Tisch .",
    "the horse should not need a strange flower .":
      "das Pferd soll keine seltsame Blume brauchen .",
    "the horse has not heard my dog .": "das Pferd hat meinen Hund nicht gehört .",
    "does the woman draw the house ?": "zeichnet die Frau das Haus ?",
    "will a girl see my chair ?": "wird ein Mädchen meinen Stuhl sehen ?",
  }))
    assert.equal(translation(english.split(" "))?.join(" "), german);
});

test("what is no sentence of its grammar has no translation", () => {
  for (const english of [
    "",
    "the man",
    "the ball sees a man .",
    "the man see a ball .",
    "the man sees not a ball .",
    "the man sees a ball ?",
    "today does the man see a ball ?",
    "the man does see a ball .",
    "man the sees a ball .",
    "the man sees a ball . .",
  ])
    assert.equal(translation(english.split(" ")), null, english);
});

test("each sentence that it writes has a translation in its words, and none is learned from twice", () => {
  const { draw, batch, answer, read } = TASKS.phrases;
  const uniform = random(3);
  const seen = new Set();
  for (let n = 0; n < 2000; n += 1) {
    const [src, tgt] = draw(uniform, n % 2 === 0);
    assert.equal(isNew(src), n % 2 === 0);
    assert.deepEqual(answer(src), tgt);
    assert.ok(src.length <= LONGEST && tgt.length <= LONGEST);
    assert.ok(!namesOf(TASKS.phrases, [...src, ...tgt]).includes("·"));
    assert.deepEqual(read(namesOf(TASKS.phrases, src).join(" ")), src);
    seen.add(String(src));
  }
  assert.ok(seen.size > 1990);
  assert.ok(batch(uniform).every(([src]) => !isNew(src)));
});

test("every experiment begins with settings that can be built", () => {
  for (const { changes, name, asks, question, right, shows } of EXPERIMENTS) {
    const experiment = new Experiment({ ...PAPERS, ...changes, steps: 2 }, new Memory(48));
    assert.ok(experiment.step() > 1, name);
    assert.match(question, /\?$/);
    assert.ok(shows.length > 20 && QUESTIONS[asks]);
    assert.ok(!changed({ ...PAPERS, ...changes }, { name, asks, question, changes, right, shows }));
  }
  assert.ok(changed({ ...PAPERS, heads: 4 }, EXPERIMENTS[0]));
});

const trail = (changes) => ({
  settings: PAPERS,
  losses: Array(1200).fill(3),
  shares: [[20, 0]],
  looked: { share: 0, row: [4, 5, 6], output: [], weights: [[[0.1, 0.2, 0.6, 0.1]]] },
  ...changes,
});

test("a run answers each kind of question, and of numbers the nearest guess holds", () => {
  const { share, half, loss, look } = QUESTIONS;
  const { looked } = trail({});
  assert.equal(share.answer(trail({ looked: { ...looked, share: 0.974 } })), 97);
  assert.deepEqual(
    [97, 74, 71, 20, 0].map((answer) => proven(guessesOf(EXPERIMENTS[0]), answer)),
    [95, 95, 50, 5, 5],
  );
  assert.equal(half.answer(trail({})), null);
  assert.equal(
    half.answer(
      trail({
        shares: [
          [20, 0.4],
          [40, 0.5],
          [60, 0.9],
        ],
      }),
    ),
    40,
  );
  assert.equal(
    loss.answer(trail({ losses: [...Array(900).fill(9), ...Array(100).fill(0.62)] })),
    0.6,
  );
  const deep = EXPERIMENTS.filter(({ changes }) => changes.layers === 6);
  assert.equal(deep.length, 2);
  for (const each of deep)
    assert.deepEqual(
      [3.4, 2.6, 2.4, 1.6, 1.5, 0.6].map((answer) => proven(guessesOf(each), answer)),
      [3, 3, 2, 2, 1.1, 1.1],
    );
  const cold = EXPERIMENTS.filter(({ name }) => name === "No warm-up")[0];
  const said = [0.6, 2.2, 2.6, 3].map((end) => inWords(cold, proven(guessesOf(cold), end)));
  assert.deepEqual(said, ["all the way", "falls a little", "falls a little", "stuck at guessing"]);
  const where = [0, 1, 2, 3].map((most) => {
    const weights = [[[0, 1, 2, 3].map((place) => (place === most ? 0.7 : 0.1))]];
    return look.answer(trail({ looked: { ...looked, weights } }));
  });
  assert.deepEqual(where, ["first", "between", "last", "end"]);
  assert.equal(look.answer(trail({ looked: { ...looked, row: [4] } })), null);
  const onHead = EXPERIMENTS.find(({ asks }) => asks === "look");
  assert.equal(inWords(/** @type {any} */ (onHead), "last"), "the last letter");
  assert.match(half.say(1200, trail({})), /after 1,200 steps/);
  assert.equal(idOf("The paper's model, tiny"), "laboratory/the-paper-s-model-tiny");
});

test("what came of a run is told beside the guess, and why only where it came as with five seeds", () => {
  const [first, , , unmasked] = EXPERIMENTS;
  const ended = (/** @type {number} */ share, /** @type {any} */ settings = {}) =>
    trail({ settings: { ...PAPERS, ...settings }, looked: { ...trail({}).looked, share } });
  const why = first.shows;
  assert.equal(
    outcome(ended(0.97), 50, first),
    `You guessed “about half”: the loss ends at 3.0, and 97 of 100 new rows are right. ${why}`,
  );
  assert.ok(!outcome(ended(0.6), 50, first).includes(why)); // not as with five seeds
  assert.ok(!outcome(ended(0.97, { steps: 200 }), 50, first).includes(why)); // a shorter run
  assert.match(outcome(ended(0), null, unmasked), /^You made no guess, so nothing is counted: the/);
  assert.ok(outcome(ended(0), 5, unmasked).endsWith(unmasked.shows));
  assert.equal(outcome(ended(0.5), 5, null), "50 of 100 new rows are right.");
  const [onHead] = EXPERIMENTS.filter(({ asks }) => asks === "look");
  assert.match(
    outcome(ended(0.97), "end", onHead),
    /“the end mark”: it looks most at the last letter, and 97/,
  );
  const book = EXPERIMENTS[10];
  assert.match(outcome(ended(0), 200, book), /“200”: 0 of 100/); // half were never right
});

test("what an experiment may answer by name is among its guesses, each once and in few words", () => {
  for (const experiment of EXPERIMENTS) {
    const guesses = guessesOf(experiment);
    assert.ok(guesses.length >= 3, experiment.name);
    for (const of of [0, 1])
      assert.equal(new Set(guesses.map((each) => each[of])).size, guesses.length);
    for (const [value, text] of guesses) {
      assert.ok(text.length <= 22, text);
      assert.equal(proven(guesses, value), value);
    }
  }
});

test("the peak of the rate is the same without a warm-up", () => {
  const rates = [100, 0].map((warmup) => {
    const { learner } = new Experiment({ ...PAPERS, warmup }, new Memory(16));
    const at = Array.from({ length: 1200 }, (_, n) => learningRate(n + 1, 32, learner.teaching));
    return Math.max(...at);
  });
  assert.ok(Math.abs(rates[0] - rates[1]) < 0.01 * rates[0], `${rates}`);
});

test("the server tells of a run, hears a row meanwhile, stops, and starts anew", async () => {
  const hear = makeServer();
  /** @type {any[]} */
  const told = [];
  let wanted = (/** @type {any} */ message) => false;
  const until = (condition) =>
    new Promise((resolve) => (wanted = (m) => condition(m) && resolve(m)));
  const tell = (message) => {
    told.push(message);
    wanted(message);
  };
  const [text, row] = ["abcde", idsOf("abcde")];
  const ended = until(({ kind }) => kind === "ended");
  hear({ kind: "start", settings: { ...PAPERS, steps: 40 }, text }, tell);
  await ended;
  const moved = told.filter(({ kind }) => kind === "moved");
  assert.equal(moved.flatMap(({ losses }) => losses).length, 40);
  const { looked } = moved[moved.length - 1];
  const { shapes, numbers } = told[told.length - 1].learned;
  assert.deepEqual(shapes[0], ["embedding.weight", 24, 32]);
  assert.equal(
    shapes.reduce((sum, [, rows, width]) => sum + rows * width, 0),
    numbers.length,
  );
  assert.deepEqual(looked.wanted, row.slice().reverse());
  assert.equal(looked.weights.length, 2);
  assert.equal(looked.weights[0].length, looked.output.length + 1);
  assert.equal(looked.weights[0][0].length, row.length + 1);
  assert.ok(looked.share >= 0 && looked.share <= 1);
  // The token that it holds for the likeliest is the first that it writes, or the end mark.
  assert.equal(looked.belief.length, 24);
  assert.ok(Math.abs(looked.belief.reduce((sum, share) => sum + share) - 1) < 1e-9);
  const likeliest = looked.belief.indexOf(Math.max(...looked.belief));
  assert.equal(likeliest, looked.output[0] ?? EOS_ID);

  const again = until(({ kind }) => kind === "moved");
  const run = hear({ kind: "start", settings: { ...PAPERS, seed: 1 }, text }, tell);
  await again;
  await hear({ kind: "text", text: "ab" }, tell);
  assert.deepEqual(told[told.length - 1].looked.wanted, idsOf("ba"));
  await hear({ kind: "stop" }, tell);
  const length = told.length;
  await run;
  assert.ok(told.length <= length + 1 && !told.slice(length).some(({ kind }) => kind === "ended"));

  // What was stopped can go on.
  const { step } = told.findLast(({ kind }) => kind === "moved");
  hear({ kind: "stop" }, tell);
  hear({ kind: "go on" }, tell);
  await until(({ kind }) => kind === "moved");
  assert.ok(told[told.length - 1].step > step);
  hear({ kind: "stop" }, tell);

  await hear({ kind: "start", settings: { ...PAPERS, layers: 400 }, text }, tell);
  assert.match(told[told.length - 1].message, /does not fit into its memory/);
});

test("settings go into an address and come back; what cannot be is left out", () => {
  const settings = { ...PAPERS, positions: "none", mask: false, rate: 2.5, heads: 4 };
  assert.equal(asLink(settings), "#laboratory?positions=none&heads=4&mask=false&rate=2.5");
  assert.deepEqual(fromLink(asLink(settings)), settings);
  assert.deepEqual(fromLink(asLink(PAPERS)), PAPERS);
  assert.equal(fromLink("#how-it-works"), null);
  const wrong = "#laboratory?positions=left&heads=3&layers=99&rate=&steps=x&constructor=1&%ff=1";
  assert.deepEqual(fromLink(wrong), PAPERS);
});
