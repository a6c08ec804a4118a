// @ts-check
// The prepared experiments: what is changed, the question before the run, and what it shows. Their
// outcomes over five seeds stand in benchmarks/results/learning.json, and a test compares.
import { PAPERS } from "./engine/experiment.js";
import { TASKS } from "./engine/tasks.js";
import { changeStore, day, loadStore } from "./store.js";

/** @typedef {{name: string, question: string, changes: Record<string, any>, shows: string}} Prepared */

/** @type {Prepared[]} */
export const EXPERIMENTS = [
  {
    name: "The paper's model, tiny",
    question:
      "One layer, two heads, 22,000 parameters. It has never seen a letter. After 1,200 steps, how many of 100 new rows will it reverse without a mistake?",
    changes: {},
    shows:
      "Nearly all. Watch the heads: the loss falls when the bright diagonal from top right to bottom left appears, for that is what reversing means.",
  },
  {
    name: "No positions",
    question: "Nothing tells it where a letter stands. How many rows can it reverse?",
    changes: { positions: "none" },
    shows:
      "Hardly any. Without positions the source is a bag of letters, and every order of the bag looks alike. The loss falls a little: it learns which letters are there.",
  },
  {
    name: "No positions, but sorting",
    question: "Again without positions. The task is now to sort the letters. How many rows?",
    changes: { positions: "none", task: "sort" },
    shows:
      "Most. A sorted row does not depend on the order of the source, so a bag of letters is all that it needs.",
  },
  {
    name: "No mask in the decoder",
    question:
      "While it learns, the decoder may see the letters that it should predict. The loss will fall faster. How many rows does it write when it is alone?",
    changes: { mask: false },
    shows:
      "None, at the lowest loss of all: it learned to copy the answer from its own input. When it writes, there is no answer to copy. This bug is why every decoder needs a leak test.",
  },
  {
    name: "One head",
    question: "One head of width 32 in place of two of width 16. How many rows?",
    changes: { heads: 1 },
    shows:
      "About as many. Each letter of the answer stands in one place, and one head can look there.",
  },
  {
    name: "No warm-up",
    question:
      "The rate starts at its peak, the same peak as before, and falls from there. The norm stands after the sum, as in the paper. How many rows?",
    changes: { warmup: 0 },
    shows:
      "None. The first steps with Adam's large moves break something that the later ones do not mend.",
  },
  {
    name: "Six layers",
    question:
      "Six layers on each side, the norm after the sum as in the paper, 600 steps. How many rows?",
    changes: { layers: 6, steps: 600 },
    shows:
      "None. So deep a stack with the norm after the sum has not begun to learn after 600 steps: its loss stays near that of guessing. Compare with the norm before the sub-layer.",
  },
  {
    name: "Six layers, norm before",
    question: "The same six layers, but each norm stands before its sub-layer. How many rows?",
    changes: { layers: 6, steps: 600, norm: "pre" },
    shows:
      "Some, a quarter to a half, and more with more steps. The residual path is free from end to end, so the gradient reaches every layer at once.",
  },
  {
    name: "A rate ten times too high",
    question: "Everything as in the paper, but ten times the rate. How many rows?",
    changes: { rate: 10 },
    shows: "None: the loss stays where guessing letters begins.",
  },
  {
    name: "No label smoothing",
    question: "Plain cross-entropy. Where does the loss end, and how many rows are right?",
    changes: { smoothing: 0 },
    shows:
      "About as many, at a loss near zero. With smoothing the loss cannot fall below about 0.6: the target itself asks for doubt. So losses of the two cannot be compared.",
  },
  {
    name: "A phrasebook",
    question:
      "60 English words and their German, which has three genders, endings, and verbs in other places. It has never seen a word. After 2,000 steps, how many of 100 new sentences will it translate without a mistake?",
    changes: { task: "phrases", steps: 2000 },
    shows:
      "Nearly all. Look at the picture: the diagonal breaks where German puts a word elsewhere, and a German article looks at its noun, for that tells its gender.",
  },
];

/** Whether the settings are others than the experiment's; seed and steps do not count.
 * @param {object} settings @param {Prepared} experiment */
export function changed(settings, { changes }) {
  const own = { ...PAPERS, ...changes };
  return Object.keys(PAPERS).some(
    (name) => !["seed", "steps"].includes(name) && settings[name] !== own[name],
  );
}

/** What came of a run, in words.
 * @param {any} run @param {number | null} guess
 * @param {Prepared | null} experiment null if the settings are the reader's own */
export function outcome({ looked, settings }, guess, experiment) {
  const right = Math.round(100 * looked.share);
  const was = guess === null ? "" : ` You guessed ${guess}.`;
  const why = experiment ? ` ${experiment.shows}` : "";
  return `${right} of 100 new ${TASKS[settings.task].many} are right.${was}${why}`;
}

// ---- The guess, as an exercise that the run decides ----

const CLOSE = 10; // a guess is right if it is off by no more, of 100

/** @param {Prepared} experiment */
const idOf = ({ name }) => `laboratory/${name.toLowerCase().replace(/[^a-z]+/g, "-")}`;

/** The run decides on the guess that was locked in before it; the first guess counts.
 * @param {Prepared} experiment @param {number} guess of 100 @param {number} share
 * @returns {string} what to say of it */
export function keep(experiment, guess, share) {
  const off = Math.abs(guess - Math.round(100 * share));
  const right = off <= CLOSE;
  let first = true;
  const note = changeStore(({ done }) => {
    first = !done[idOf(experiment)];
    done[idOf(experiment)] ??= { points: right ? 1 : 0, tries: 1, when: day() };
  });
  const verdict = right
    ? ` Foreseen, to within ${CLOSE}${first ? ": 1 point" : ""}.`
    : ` Your guess was off by ${off}${first ? ": no point" : ""}.`;
  return `${verdict}${first ? "" : " Your first guess is the one that counts."}${note ? ` ${note}` : ""}`;
}

/** How many experiments the reader has foreseen so far. */
export function foreseen() {
  const { done } = loadStore().progress;
  const tried = EXPERIMENTS.map((each) => done[idOf(each)]).filter(Boolean);
  const right = tried.filter(({ points }) => points).length;
  return `Foreseen so far: ${right} of ${tried.length} experiments.`;
}

// ---- Settings as the end of an address ----

/** What each setting may be: one of some values, or a number between two.
 * @type {Record<string, any[] | {min: number, max: number}>} */
export const ALLOWED = {
  task: ["reverse", "copy", "sort", "phrases"],
  positions: ["sinusoidal", "learned", "rotary", "none"],
  norm: ["post", "pre"],
  heads: [1, 2, 4],
  layers: { min: 1, max: 6 },
  mask: [true, false],
  rate: { min: 0.5, max: 10 },
  warmup: { min: 0, max: 300 },
  smoothing: { min: 0, max: 0.3 },
  steps: { min: 200, max: 3000 },
  seed: { min: 0, max: 9 },
};
const MARK = "#laboratory?";

/** What differs from the paper's settings. @param {object} settings */
export function asLink(settings) {
  const names = Object.keys(ALLOWED).filter((name) => settings[name] !== PAPERS[name]);
  return MARK + new URLSearchParams(names.map((name) => [name, String(settings[name])]));
}

/** The settings that an address asks for, or null if it asks for none. What cannot be is left out.
 * @param {string} hash @returns {Record<string, any> | null} */
export function fromLink(hash) {
  if (!hash.startsWith(MARK)) return null;
  const found = { ...PAPERS };
  for (const [name, text] of new URLSearchParams(hash.slice(MARK.length))) {
    const allowed = ALLOWED[name];
    if (Array.isArray(allowed)) {
      const value = allowed.find((each) => String(each) === text);
      if (value !== undefined) found[name] = value;
    } else if (allowed && text !== "" && Number(text) >= allowed.min && Number(text) <= allowed.max)
      found[name] = Number(text);
  }
  return found;
}
