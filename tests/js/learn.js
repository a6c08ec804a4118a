// Lets the engine learn without a browser. Reads {config, teaching, weights, batches, exact, simd}
// as JSON from standard input; writes the loss of every step, and the gradients of the first.
import { readFileSync } from "node:fs";
import { Memory } from "../../transformer_course/widgets/engine/memory.js";
import { Learner } from "../../transformer_course/widgets/engine/training.js";
import { random } from "../../transformer_course/widgets/numbers.js";

const asked = JSON.parse(readFileSync(0, "utf8"));
const memory = new Memory(64, { exact: asked.exact, simd: asked.simd });
const learner = new Learner(asked.config, asked.teaching, random(0), memory);
const { parameters } = learner.model;
for (const [name, numbers] of Object.entries(asked.weights))
  parameters.get(name)?.data.set(numbers);

const gradients = {};
learner.gradients(asked.batches[0]);
for (const [name, { grad }] of parameters) {
  gradients[name] = Array.from(grad);
  grad.fill(0);
}
const losses = asked.batches.map((batch) => learner.step(batch));
const weights = {};
for (const [name, { data }] of parameters) weights[name] = Array.from(data);
console.log(JSON.stringify({ losses, gradients, weights, compiled: memory.compiled }));
