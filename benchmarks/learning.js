// One run of the page's laboratory, without a page: {number, seed, simd} as JSON on standard input,
// `changes` to the settings in place of a number. With `drawn` nothing is learned: only what the run
// would learn from is told, batch by batch, for another engine.
// Benchmarks read the loss of every hundred steps, the share of new rows right on the way, the seconds
// of processor time that the steps took, and the answer to the experiment's question.
import { readFileSync } from "node:fs";
import { EXPERIMENTS } from "../transformer_course/widgets/laboratory_experiments.js";
import { Experiment, PAPERS } from "../transformer_course/widgets/engine/experiment.js";
import { QUESTIONS } from "../transformer_course/widgets/laboratory_guesses.js";
import { Memory } from "../transformer_course/widgets/engine/memory.js";

const { number, changes, seed, simd = true, drawn } = JSON.parse(readFileSync(0, "utf8"));
const prepared = EXPERIMENTS[number];
const settings = { ...PAPERS, ...(prepared?.changes ?? changes), seed };
const experiment = new Experiment(settings, new Memory(48, { simd }));
console.log(JSON.stringify(drawn ? draw() : learn()));

/** What it would learn from. */
function draw() {
  const { task, data, newRows, learner } = experiment;
  const batches = Array.from({ length: settings.steps }, () => task.batch(data));
  return { config: learner.model.config, teaching: learner.teaching, newRows, batches };
}

/** All of a run. */
function learn() {
  const [losses, shares, all, looks] = [[], [], [], []];
  let [seconds, sum] = [0, 0];
  while (!experiment.done) {
    const start = process.cpuUsage();
    all.push(experiment.step());
    sum += all.at(-1) / 100;
    const { user, system } = process.cpuUsage(start);
    seconds += (user + system) / 1e6;
    const { steps } = experiment.learner.optimizer;
    if (steps % 100 === 0) {
      losses.push(Number(sum.toFixed(4)));
      sum = 0;
    }
    if (steps % 20 === 0) looks.push([steps, experiment.share()]); // as the page does
    if (steps % 50 === 0) shares.push([steps, experiment.share(), Number(seconds.toFixed(3))]);
  }
  const row = experiment.task.read("transformer");
  const looked = { share: experiment.share(), row, ...experiment.look(row) };
  const answer =
    prepared && QUESTIONS[prepared.asks].answer({ settings, losses: all, shares: looks, looked });
  return { name: prepared?.name, settings, losses, shares, answer };
}
