// @ts-check
// What an experiment asks before its run, and what the run answers: a number, a step, a course of
// the loss, what comes first, where it looks.
import { TASKS } from "./engine/tasks.js";
import { count, fixed, plain } from "./numbers.js";
import { changeStore, day, loadStore } from "./store.js";
/** @import {Prepared} from "./laboratory_experiments.js" */

/** What is known of a run: each step's loss, the share of new rows right at some steps, and the last
 * look at the model. @typedef {{settings: any, losses: number[], shares: number[][],
 * looked: {share: number, row: number[], output: number[], weights: number[][][]}}} Trail */

/** A question: a number with an end and how far off still counts, or options to choose from.
 * `answer` reads the run; null if it cannot tell.
 * @typedef {{max?: number, step?: number, close?: number,
 * say?: (x: number) => string, options?: Record<string, string>,
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
    max: 100,
    step: 1,
    close: 10,
    say: (x) => `${x} of 100`,
    answer: ({ looked }) => Math.round(100 * looked.share),
  },
  half: {
    max: 1200,
    step: 50,
    close: 150,
    say: (x) => `step ${count(x)}`,
    answer: ({ shares }) => (shares.find(([, share]) => share >= 0.5) ?? [null])[0],
  },
  loss: {
    max: 4,
    step: 0.1,
    close: 0.3,
    say: (x) => `a loss of ${fixed(x, 1)}`,
    answer: ({ losses }) => Math.round(10 * ending(losses)) / 10,
  },
  course: {
    options: {
      down: "It falls below 1, as before",
      halfway: "It falls, and stays far above",
      flat: "It stays near guessing",
    },
    answer: ({ losses }) =>
      ending(losses) < 1 ? "down" : ending(losses) < 2.85 ? "halfway" : "flat",
  },
  first: {
    options: {
      loss: "A loss below 0.7",
      rows: "Half of the new rows right",
      neither: "Neither comes",
    },
    answer: (trail) => {
      const [low, half] = [
        stepBelow(trail.losses, 0.7),
        Number(QUESTIONS.half.answer(trail) ?? Infinity),
      ];
      return low === half ? "neither" : low < half ? "loss" : "rows";
    },
  },
  look: {
    options: {
      first: "The first letter of the row",
      last: "The last letter of the row",
      end: "The end mark",
      between: "Another letter",
    },
    answer: firstLook,
  },
};

/** Whether a guess holds. @param {Question} question @param {number | string} guess
 * @param {number | string} answer */
export const holds = ({ close }, guess, answer) =>
  close === undefined ? guess === answer : Math.abs(Number(guess) - Number(answer)) <= close + 1e-9;

/** A guess, or an answer, in words. @param {Question} question @param {number | string} value */
export const inWords = ({ say, options }, value) =>
  say ? say(Number(value)) : (options?.[value] ?? String(value));

/** What came of a run, in words.
 * @param {Trail} trail @param {number | string | null} guess
 * @param {Prepared | null} experiment null if the settings are the reader's own */
export function outcome(trail, guess, experiment) {
  const { looked, settings } = trail;
  const came = `${Math.round(100 * looked.share)} of 100 new ${TASKS[settings.task].many} are right.`;
  if (!experiment) return came;
  const question = QUESTIONS[experiment.asks];
  const answer = question.answer(trail);
  const found = answer === null || experiment.asks === "share" ? "" : inWords(question, answer);
  const measured = found && `The answer of this run: ${found}. `;
  const was =
    guess === null
      ? "You made no guess, so nothing is counted."
      : `You guessed: ${inWords(question, guess)}.`;
  return `${measured}${was} ${came} ${experiment.shows}`;
}

/** @param {string} name */
export const idOf = (name) => `laboratory/${name.toLowerCase().replace(/[^a-z]+/g, "-")}`;

/** The run decides on the guess that was locked in before it; the first guess counts.
 * @param {Prepared} experiment @param {number | string} guess @param {Trail} trail
 * @returns {string} what to say of it */
export function keep({ name, asks }, guess, trail) {
  const question = QUESTIONS[asks];
  const answer = question.answer(trail);
  if (answer === null) return " This run does not tell, so nothing is counted.";
  const right = holds(question, guess, answer);
  let first = true;
  const note = changeStore(({ done }) => {
    first = !done[idOf(name)];
    done[idOf(name)] ??= { points: right ? 1 : 0, tries: 1, when: day() };
  });
  const off = Math.abs(Number(guess) - Number(answer));
  const away =
    question.close && !right
      ? ` (${plain(Number(off.toFixed(1)))} away; within ${plain(question.close)} counts)`
      : "";
  const points = first ? (right ? ": 1 point" : `: no point${away}`) : away;
  const later = first ? "" : " Your first guess is the one that counts.";
  return ` ${right ? "Foreseen" : "Not foreseen"}${points}.${later}${note ? ` ${note}` : ""}`;
}

/** How many experiments the reader has foreseen so far; nothing before the first guess.
 * @param {Prepared[]} experiments */
export function foreseen(experiments) {
  const { done } = loadStore().progress;
  const tried = experiments.map(({ name }) => done[idOf(name)]).filter(Boolean);
  const right = tried.filter(({ points }) => points).length;
  return tried.length ? `Foreseen so far: ${right} of ${tried.length} experiments.` : "";
}
