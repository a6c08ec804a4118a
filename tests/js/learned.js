// A run of the laboratory without a browser: what the page hands to Python when it has ended. Reads
// settings as JSON from standard input.
import { readFileSync } from "node:fs";
import { Experiment, PAPERS } from "../../transformer_course/widgets/engine/experiment.js";

const experiment = new Experiment({ ...PAPERS, ...JSON.parse(readFileSync(0, "utf8")) });
while (!experiment.done) experiment.step();
const { shapes, numbers } = experiment.learner.learned();
const weights = Buffer.from(numbers.buffer).toString("base64");
console.log(
  JSON.stringify({ shapes, weights, share: experiment.share(), rows: experiment.newRows }),
);
