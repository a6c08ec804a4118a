// One run of the page's laboratory, without a page: {changes, seed, simd} as JSON on standard input.
// Benchmarks read the loss of every hundred steps, the share of new rows right on the way, and the
// seconds of processor time that the steps took.
import { readFileSync } from "node:fs";
import { EXPERIMENTS } from "../transformer_course/widgets/laboratory_experiments.js";
import { Experiment, PAPERS } from "../transformer_course/widgets/engine/experiment.js";
import { Memory } from "../transformer_course/widgets/engine/memory.js";

const { number, changes, seed, simd = true } = JSON.parse(readFileSync(0, "utf8"));
const prepared = EXPERIMENTS[number];
const settings = { ...PAPERS, ...(prepared?.changes ?? changes), seed };
const experiment = new Experiment(settings, new Memory(48, { simd }));
const [losses, shares] = [[], []];
let [seconds, sum] = [0, 0];
while (!experiment.done) {
  const start = process.cpuUsage();
  sum += experiment.step() / 100;
  const { user, system } = process.cpuUsage(start);
  seconds += (user + system) / 1e6;
  const { steps } = experiment.learner.optimizer;
  if (steps % 100 === 0) {
    losses.push(Number(sum.toFixed(4)));
    sum = 0;
  }
  if (steps % 50 === 0) shares.push([steps, experiment.share(), Number(seconds.toFixed(3))]);
}
console.log(JSON.stringify({ name: prepared?.name, settings, losses, shares }));
