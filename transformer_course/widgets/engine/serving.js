// @ts-check
// Experiments in a worker: they run in short turns, so that whatever is asked meanwhile is heard.
import { breathe } from "../worker.js";
import { Experiment } from "./experiment.js";
import { LONGEST } from "./tasks.js";

/** @typedef {{kind: string, [detail: string]: any}} Message */

const TURN = 30; // milliseconds
const LOOK_EVERY = 20; // steps between two looks at the model

/** What answers messages: start {id, settings, text}, stop, go on, text {text}, where the text is the
 * reader's row or sentence. It tells of a run: moved {step, losses, looked?}, ended {learned}, failed {message}. */
export function makeServer() {
  let current = 0;
  let id = 0; // of the run, as its start named it: each answer says whose it is
  let /** @type {Experiment | null} */ experiment = null;
  let text = "";

  const looked = () => {
    if (!experiment) return null;
    const row = experiment.task.read(text).slice(0, LONGEST);
    return { share: experiment.share(), row, ...experiment.look(row) };
  };

  const run = async (/** @type {(message: Message) => void} */ tell) => {
    current += 1;
    const mine = current;
    const running = /** @type {Experiment} */ (experiment);
    while (mine === current && !running.done) {
      const until = performance.now() + TURN;
      const losses = [];
      let seen = /** @type {any} */ (null);
      while (!seen && !running.done && performance.now() < until) {
        losses.push(running.step());
        const { steps } = running.learner.optimizer;
        if (steps % LOOK_EVERY === 0 || running.done) seen = looked();
      }
      tell({ kind: "moved", id, step: running.learner.optimizer.steps, losses, looked: seen });
      await breathe();
    }
    if (mine === current) tell({ kind: "ended", id, learned: running.learner.learned() });
  };

  return async function hear(
    /** @type {Message} */ message,
    /** @type {(message: Message) => void} */ tell,
  ) {
    try {
      if (message.kind === "stop") current += 1;
      if (message.kind === "go on") await run(tell);
      if (message.kind === "text") {
        ({ text } = message);
        if (experiment) tell({ kind: "looked", id, looked: looked() });
      }
      if (message.kind === "start") {
        ({ id, text } = message);
        experiment = new Experiment(message.settings, experiment?.learner.memory.reset());
        tell({ kind: "looked", id, looked: looked() });
        await run(tell);
      }
    } catch (error) {
      current += 1;
      tell({ kind: "failed", id, message: /** @type {Error} */ (error).message });
    }
  };
}

/** Be a worker. @param {any} scope */
export function serve(scope) {
  const hear = makeServer();
  scope.onmessage = ({ data }) => hear(data, (message) => scope.postMessage(message));
}
