// @ts-check
// The prepared experiments: what is changed, the question before the run, and what it shows. Their
// outcomes over five seeds stand in benchmarks/results/learning.json, and a test compares.
import { PAPERS } from "./engine/experiment.js";

/** What the small form says, and before a run what to do. */
export const IN_SMALL = "22,000 random numbers learn to write rows of a to t backwards. ";

/** `asks` is the kind of its question, as in laboratory_guesses.js, `right` between which shares,
 * of 100, five seeds ended, `shows` what is said of a run that ends there too,
 * `beside` what the run has that stands in the chart for comparison, as it is recorded.
 * @typedef {{name: string, asks: string, question: string, changes: Record<string, any>,
 * right: number[], shows: string, beside?: string, guesses?: [number | string, string][]}} Prepared */

/** Where the loss of six layers may end.
 * @type {[number, string][]} */
const DEEP = [
  [3, "stuck at guessing"],
  [2, "partway"],
  [1.1, "most of the way"],
];

/** Where the loss may end, with a middle of its own. @param {number} end @param {string} words
 * @returns {[number, string][]} */
const course = (end, words) => [
  [3, "stuck at guessing"],
  [end, words],
  [0.65, "all the way"],
];

/** @type {Prepared[]} */
export const EXPERIMENTS = [
  {
    name: "The paper's model, tiny",
    asks: "share",
    question:
      "22,000 parameters that have never seen a letter. How many of 100 new rows will they reverse?",
    changes: {},
    right: [93, 100],
    shows: "The heads look where each letter belongs.",
  },
  {
    name: "No positions",
    asks: "loss",
    question: "Nothing tells it where a letter stands. How far does the loss fall?",
    changes: { positions: "none" },
    beside: "positions",
    guesses: course(1.8, "stops halfway"),
    right: [0, 4],
    shows: "To it, all orders look alike.",
  },
  {
    name: "No positions, but sorting",
    asks: "share",
    question: "Still no positions, but now it sorts. How many rows are right?",
    changes: { positions: "none", task: "sort" },
    right: [60, 100],
    shows: "To sort, a bag of letters is enough.",
  },
  {
    name: "No mask in the decoder",
    asks: "share",
    question: "While it learns, it sees the answer. How many of 100 new rows are right without it?",
    changes: { mask: false },
    right: [0, 0],
    shows: "It learned to copy its input; alone, it has none.",
  },
  {
    name: "One head",
    asks: "look",
    question: "One head of width 32, not two of 16. Where will it look to write the first letter?",
    changes: { heads: 1 },
    beside: "two heads",
    right: [93, 100],
    shows: "One head is enough here.",
  },
  {
    name: "No warm-up",
    asks: "loss",
    question: "The rate starts at its peak. How far does the loss fall?",
    changes: { warmup: 0 },
    beside: "warm-up",
    guesses: course(2.4, "falls a little"),
    right: [0, 0],
    shows: "Adam’s large first moves break it.",
  },
  {
    name: "Six layers",
    asks: "loss",
    question: "Six layers, the norm after the sum as in the paper. Where does the loss end?",
    changes: { layers: 6, steps: 600 },
    beside: "one layer",
    guesses: DEEP,
    right: [0, 0],
    shows: "The fans have closed: to it, all letters look alike.",
  },
  {
    name: "Six layers, norm before",
    asks: "loss",
    question: "Six layers, the norm before the sub-layer. Where does the loss end?",
    changes: { layers: 6, steps: 600, norm: "pre" },
    beside: "norm after",
    guesses: DEEP,
    right: [15, 65],
    shows: "It has begun to learn.",
  },
  {
    name: "A rate ten times too high",
    asks: "loss",
    question: "Ten times the usual rate. How far does the loss fall?",
    changes: { rate: 10 },
    beside: "usual rate",
    guesses: course(1.8, "stops halfway"),
    right: [0, 0],
    shows: "It only guesses letters.",
  },
  {
    name: "No label smoothing",
    asks: "loss",
    question: "With smoothing the loss ends near 0.6. Where does it end without?",
    changes: { smoothing: 0 },
    beside: "smoothing",
    guesses: [
      [1.4, "higher"],
      [0.6, "the same"],
      [0, "near zero"],
    ],
    right: [93, 100],
    shows: "With smoothing it cannot fall below 0.6: the target asks for doubt.",
  },
  {
    name: "A phrasebook",
    asks: "half",
    question:
      "60 English words and their German. How many steps until half of the new sentences are right?",
    changes: { task: "phrases", steps: 2000 },
    guesses: [
      [200, "200"],
      [850, "850"],
      [1500, "1,500"],
    ],
    right: [93, 100],
    shows:
      "Lines cross where German puts a word elsewhere. Articles look at their nouns, for the gender.",
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
