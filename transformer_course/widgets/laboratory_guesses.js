// @ts-check
// What an experiment asks before its run, and what the run answers: a number, a step, a course of
// the loss, what comes first, where it looks.
import { TASKS } from "./engine/tasks.js";
import { count, fixed } from "./numbers.js";
import { changeStore, day, loadStore } from "./store.js";
/** @import {Prepared} from "./laboratory_experiments.js" */

/** What is known of a run: each step's loss, the share of new rows right at some steps, and the last
 * look at the model. @typedef {{settings: any, losses: number[], shares: number[][],
 * looked: {share: number, row: number[], output: number[], weights: number[][][]}}} Trail */

/** What one may guess: a number or a name, and its words.
 * @typedef {[number | string, string][]} Guesses */
/** A question. `answer` reads the run, null if it cannot tell; `say` writes a number; `guesses` are
 * what one may guess, where the experiment has none of its own.
 * @typedef {{say?: (x: number) => string, guesses?: Guesses,
 * answer: (trail: Trail) => number | string | null}} Question */

const mean = (numbers) => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
/** The mean of the last hundred losses: single ones jump. @param {number[]} losses */
const ending = (losses) => mean(losses.slice(-100));

/** The first step at which the mean of twenty losses lies below a limit.
 * @param {number[]} losses @param {number} limit */
function stepBelow(losses, limit) {
  for (let end = 20; end <= losses.length; end += 20)
    if (mean(losses.slice(end - 20, end)) < limit) return end;
  return Infinity;
}

/** Which place of the source the mean of the heads looks at most while it writes first.
 * @param {Trail} trail */
function firstLook({ looked: { row, weights } }) {
  const shares = weights[0][0].map((_, n) => mean(weights.map((lines) => lines[0][n])));
  const place = shares.indexOf(Math.max(...shares));
  if (row.length < 3) return null;
  return { [0]: "first", [row.length - 1]: "last", [row.length]: "end" }[place] ?? "between";
}

/** @type {Record<string, Question>} */
export const QUESTIONS = {
  share: {
    guesses: [
      [95, "nearly all"],
      [50, "about half"],
      [5, "hardly any"],
    ],
    answer: ({ looked }) => Math.round(100 * looked.share),
  },
  half: {
    say: (x) => `step ${count(x)}`,
    answer: ({ shares }) => (shares.find(([, share]) => share >= 0.5) ?? [null])[0],
  },
  loss: {
    say: (x) => `a loss of ${fixed(x, 1)}`,
    answer: ({ losses }) => Math.round(10 * ending(losses)) / 10,
  },
  course: {
    guesses: [
      ["flat", "stuck at guessing"],
      ["halfway", "stops halfway"],
      ["down", "falls below 1"],
    ],
    answer: ({ losses }) =>
      ending(losses) < 1 ? "down" : ending(losses) < 2.85 ? "halfway" : "flat",
  },
  first: {
    guesses: [
      ["neither", "neither comes"],
      ["rows", "half of the rows right"],
      ["loss", "loss below 0.7"],
    ],
    answer: (trail) => {
      const [low, half] = [
        stepBelow(trail.losses, 0.7),
        Number(QUESTIONS.half.answer(trail) ?? Infinity),
      ];
      return low === half ? "neither" : low < half ? "loss" : "rows";
    },
  },
  look: {
    guesses: [
      ["first", "first letter"],
      ["between", "another"],
      ["last", "last letter"],
      ["end", "end mark"],
    ],
    answer: firstLook,
  },
};

/** @param {Prepared} experiment @returns {Guesses} */
export const guessesOf = ({ asks, guesses }) => guesses ?? QUESTIONS[asks].guesses ?? [];

/** Which guess an answer proves right: of numbers the nearest. @param {Guesses} guesses
 * @param {any} answer @returns {number | string} */
export const proven = (guesses, answer) =>
  typeof answer === "string"
    ? answer
    : guesses
        .map(([value]) => Number(value))
        .reduce((best, x) => (Math.abs(x - answer) < Math.abs(best - answer) ? x : best));

/** A guess in words. @param {Prepared} experiment @param {number | string} value */
export const inWords = (experiment, value) =>
  String(guessesOf(experiment).find(([each]) => each === value)?.[1]);

/** What came of a run, in words.
 * @param {Trail} trail @param {number | string | null} guess
 * @param {Prepared | null} experiment null if the settings are the reader's own */
export function outcome(trail, guess, experiment) {
  const { looked, settings } = trail;
  const { many } = TASKS[settings.task];
  const came = `${Math.round(100 * looked.share)} of 100 new ${many} are right.`;
  if (!experiment) return came;
  const question = QUESTIONS[experiment.asks];
  const answer = question.answer(trail);
  const words = (/** @type {any} */ value) => inWords(experiment, value);
  const found =
    answer === null || experiment.asks === "share"
      ? ""
      : /** @type {any} */ (question.say ?? words)(answer);
  const measured = found && `The answer of this run: ${found}. `;
  const was =
    guess === null ? "You made no guess, so nothing is counted." : `You guessed: ${words(guess)}.`;
  return `${measured}${was} ${came} ${experiment.shows}`;
}

/** @param {string} name */
export const idOf = (name) => `laboratory/${name.toLowerCase().replace(/[^a-z]+/g, "-")}`;

/** The run decides on the guess that was locked in before it; the first guess counts.
 * @param {Prepared} experiment @param {number | string} guess @param {Trail} trail
 * @returns {string} what to say of it */
export function keep(experiment, guess, trail) {
  const answer = QUESTIONS[experiment.asks].answer(trail);
  if (answer === null) return " This run does not tell, so nothing is counted.";
  const right = guess === proven(guessesOf(experiment), answer);
  let first = true;
  const note = changeStore(({ done }) => {
    const id = idOf(experiment.name);
    first = !done[id];
    done[id] ??= { points: right ? 1 : 0, tries: 1, when: day() };
  });
  const points = first ? (right ? ": 1 point" : ": no point") : "";
  const later = first ? "" : " Your first guess is the one that counts.";
  return ` ${right ? "Foreseen" : "Not foreseen"}${points}.${later}${note ? ` ${note}` : ""}`;
}

/** How many experiments the reader has foreseen so far; nothing before the first guess.
 * @param {Prepared[]} experiments */
export function foreseen(experiments) {
  const { done } = loadStore().progress;
  const tried = experiments.map(({ name }) => done[idOf(name)]).filter(Boolean);
  const right = tried.filter(({ points }) => points).length;
  return tried.length ? `Foreseen so far: ${right} of ${tried.length}.` : "";
}
