// @ts-check
// What an experiment asks before its run, and what the run answers: a share, a step, where the loss
// ends, where it looks. Of numbers the nearest guess is right, which is the sketch nearest to the run.
import { PAPERS } from "./engine/experiment.js";
import { TASKS } from "./engine/tasks.js";
import { meanOf } from "./laboratory_heads.js";
import { count, fixed } from "./numbers.js";
import { changeStore, day, loadStore } from "./store.js";
/** @import {Prepared} from "./laboratory_experiments.js" */

/** What is known of a run: each step's loss, the share of new rows right at some steps, and the last
 * look at the model. @typedef {{settings: any, losses: number[], shares: number[][],
 * looked: {share: number, row: number[], output: number[], weights: number[][][]}}} Trail */

/** What one may guess: a number or a name, and its words.
 * @typedef {[number | string, string][]} Guesses */
/** A question. `answer` reads the run, null if it cannot tell; `say` tells of it; `guesses` are
 * what one may guess, where the experiment has none of its own.
 * @typedef {{say: (answer: any, trail: Trail) => string, guesses?: Guesses,
 * answer: (trail: Trail) => number | string | null}} Question */

/** @param {number[]} numbers */
export const mean = (numbers) => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
/** The mean of the last hundred losses: single ones jump. @param {number[]} losses */
const ending = (losses) => mean(losses.slice(-100));

const endOfLoss = (_, { losses }) => `the loss ends at ${fixed(ending(losses), 1)}, and `;

/** What a place of a row is called. @param {number} place @param {number} length */
export const placeOf = (place, length) =>
  ({ [0]: "first", [length - 1]: "last", [length]: "end" })[place] ?? "between";

/** Which place of the source the mean of the heads looks at most while it writes first.
 * @param {Trail} trail */
function firstLook({ looked: { row, weights } }) {
  const [shares] = meanOf(weights);
  return row.length < 3 ? null : placeOf(shares.indexOf(Math.max(...shares)), row.length);
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
    say: endOfLoss,
  },
  half: {
    answer: ({ shares }) => (shares.find(([, share]) => share >= 0.5) ?? [null])[0],
    say: (x) => (x === null ? "" : `half are right after ${count(x)} steps, and in the end `),
  },
  loss: { answer: ({ losses }) => Math.round(10 * ending(losses)) / 10, say: endOfLoss },
  look: {
    guesses: [
      ["first", "the first letter"],
      ["between", "another letter"],
      ["last", "the last letter"],
      ["end", "the end mark"],
    ],
    answer: firstLook,
    say: (x) => (x === null ? "" : `it looks most at ${inWords({ asks: "look" }, x)}, and `),
  },
};

/** @param {Pick<Prepared, "asks" | "guesses">} experiment @returns {Guesses} */
export const guessesOf = ({ asks, guesses }) => guesses ?? QUESTIONS[asks].guesses ?? [];

/** Which guess an answer proves right: of numbers the nearest. @param {Guesses} guesses
 * @param {any} answer @returns {number | string} */
export const proven = (guesses, answer) =>
  typeof answer === "string"
    ? answer
    : guesses
        .map(([value]) => Number(value))
        .reduce((best, x) => (Math.abs(x - answer) < Math.abs(best - answer) ? x : best));

/** A guess in words. @param {Pick<Prepared, "asks" | "guesses">} experiment @param {number | string} value */
export const inWords = (experiment, value) =>
  String(guessesOf(experiment).find(([each]) => each === value)?.[1]);

/** What came of a run, beside what was guessed; and why, where it is as it was with five seeds.
 * @param {Trail} trail @param {number | string | null} guess
 * @param {Prepared | null} experiment null if the settings are the reader's own
 * @param {boolean} small whether nothing is guessed */
export function outcome(trail, guess, experiment, small = false) {
  const { looked, settings } = trail;
  const share = Math.round(100 * looked.share);
  const came = `${share} of 100 new ${TASKS[settings.task].many} are right.`;
  if (!experiment) return came;
  const { asks, changes, right, shows } = experiment;
  const { answer, say } = QUESTIONS[asks];
  const told = say(answer(trail), trail) + came;
  const was =
    guess === null
      ? "You made no guess, so nothing is counted"
      : `You guessed “${inWords(experiment, guess)}”`;
  const usual = settings.steps >= (changes.steps ?? PAPERS.steps);
  const why = usual && right[0] <= share && share <= right[1] ? ` ${shows}` : "";
  return small ? came + why.replace(" ", "\n") : `${was}: ${told}${why}`;
}

/** @param {string} name */
export const idOf = (name) => `laboratory/${name.toLowerCase().replace(/[^a-z]+/g, "-")}`;

/** The run decides on the guess that was locked in before it; the first guess counts.
 * @param {Prepared} experiment @param {number | string} guess @param {Trail} trail
 * @returns {string} what to say of it */
export function keep(experiment, guess, trail) {
  const answer = QUESTIONS[experiment.asks].answer(trail);
  if (answer === null) return " This run does not tell.";
  const right = guess === proven(guessesOf(experiment), answer);
  let first = true;
  const note = changeStore(({ done }) => {
    const id = idOf(experiment.name);
    first = !done[id];
    done[id] ??= { points: right ? 1 : 0, tries: 1, when: day() };
  });
  const counts = first ? "" : " Your first guess counts.";
  return ` You ${right ? "foresaw it" : "guessed otherwise"}.${counts}${note && ` ${note}`}`;
}

/** How many experiments the reader has foreseen so far; nothing before the first guess.
 * @param {Prepared[]} experiments */
export function foreseen(experiments) {
  const { done } = loadStore().progress;
  const tried = experiments.map(({ name }) => done[idOf(name)]).filter(Boolean);
  const right = tried.filter(({ points }) => points).length;
  return tried.length ? `Foreseen so far: ${right} of ${tried.length}.` : "";
}
