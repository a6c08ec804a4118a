// @ts-check
// Which chapter is next, and where it is; what is done, in words.
import { tally } from "./store.js";

/** @typedef {{title: string, page: string, exercises: {id: string, points: number}[],
 * turn: number}} Chapter turn: when it is read */

/** The chapters as one reads them first. @param {Chapter[]} chapters */
export const asRead = (chapters) => [...chapters].sort((a, b) => a.turn - b.turn);

/** What comes after the last chapter that is begun, or that one while something is left in it.
 * @param {Chapter[]} chapters @returns {Chapter | undefined} */
export function dueChapter(chapters, done) {
  const list = asRead(chapters);
  const now = list.map(({ exercises }) => tally(exercises, done));
  const open = now.map((each, n) => each.done < each.of && Boolean(list[n].page));
  const last = Math.max(
    0,
    now.findLastIndex((each) => each.done > 0),
  );
  const due = open[last] ? last : open.indexOf(true, last);
  return list[due < 0 ? open.indexOf(true) : due];
}

/** A chapter's page: of the site, or of the notebooks. @param {string} page */
export const hrefOf = (page) =>
  `${page}.${/(\.html|\/)$/.test(location.pathname) ? "html" : "ipynb"}`;

/** "3.2.1" and "Scaled dot-product attention", of a title. @param {string} title */
export const named = (title) => (/^([\d.-]+)? ?([^:]*)/.exec(title) ?? []).slice(1);

/** What to press. @param {Chapter} chapter @param {boolean} begun */
export const goOn = ({ title }, begun) =>
  `${begun ? "Go on with" : "Begin with"} ${title.split(":")[0]} →`;

/** Why a chapter is next. @param {Chapter} chapter @param {Chapter[]} chapters */
export function whyNext(chapter, chapters, done) {
  const list = asRead(chapters);
  const now = tally(chapter.exercises, done);
  const exercises = `${now.of} exercise${now.of > 1 ? "s" : ""}`;
  if (now.done) return `You have begun it: ${now.done} of ${exercises} done.`;
  const before = list[list.indexOf(chapter) - 1];
  const [section, name] = named(before?.title ?? "");
  const all = before && tally(before.exercises, done);
  if (all && all.done === all.of)
    return `You have finished ${[section, name].filter(Boolean).join(" ")}. ${exercises} to do here.`;
  return before
    ? `You have left it out so far. ${exercises} to do here.`
    : `Start here: ${exercises}.`;
}

// Where a chapter belongs, by how its title begins, and what one can do after that part.
const COURSE = [
  [/^[12] /, "Why attention", "say what a loop over words costs, and what attention does instead"],
  [/^(3\.2|4)/, "Attention", "write attention and its masks, and count the cost"],
  [/^3/, "The rest of the model", "put a Transformer together, equal to the package’s"],
  [/^5/, "Training", "train a translator, and read its loss"],
  [/^6/, "Results", "write with a model, and tell an effect from luck in a table"],
  [/^/, "Beyond the paper", "read the code of a model of today, and talk about it"],
];

/** The part that a chapter belongs to. @param {{title: string}} chapter @returns {string} */
export const partOf = ({ title }) =>
  /** @type {any} */ (COURSE.find(([start]) => /** @type {RegExp} */ (start).test(title)))[1];

/** What one can do after a part. @param {string} part @returns {string} */
export const promiseOf = (part) =>
  `… ${/** @type {any} */ (COURSE.find(([, name]) => name === part))[2]}.`;

/** The parts of these chapters, in the order of the course. @param {Chapter[]} chapters */
export function partsOf(chapters) {
  const found = chapters.map(partOf);
  return COURSE.map(([, name]) => String(name)).filter((name) => found.includes(name));
}

/** The ring's slices: of each part what is earned in its color, and the rest pale.
 * @param {{points: number, most: number}[]} parts @param {number} all */
export function slices(parts, all) {
  let at = 0;
  const stops = parts.flatMap(({ points, most }, n) => {
    const ends = [at, at + points, at + most - all / 200, (at += most)];
    const [from, to, end, next] = ends.map((x) => `${((100 * x) / all).toFixed(2)}%`);
    const hue = `var(--hue${n + 1})`;
    const pale = `color-mix(in srgb, ${hue} 26%, var(--bg))`;
    return [`${hue} ${from} ${to}`, `${pale} ${to} ${end}`, `var(--bg) ${end} ${next}`];
  });
  return stops.join(", ");
}

/** @param {{done: number, of: number, points: number, most: number}} all
 * @param {number} first exercises of the first chapter */
export function doneInWords({ done, of, points, most }, first) {
  if (!done) return `Begin with ${first} exercises. The other ${of - first} can wait.`;
  return done < of
    ? `You have done ${done} of ${of} exercises and earned ${points} of ${most} points.`
    : `All ${of} exercises are done, with ${points} of ${most} points.`;
}

/** @param {{due: number, seen: number, known: number, of: number}} cards */
export function cardsInWords({ due, seen, known, of }) {
  if (!seen) return `${of} to learn, a few each day`;
  return `${seen} of ${of} seen, ${known} known well${due ? `; ${due} to repeat today` : ""}`;
}
