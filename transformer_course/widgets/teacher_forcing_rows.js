// @ts-check
// What the rows of the decoder hold and may see, and the words for it.
import { fixed } from "./numbers.js";

/** @typedef {[string, number]} Said  a piece and its probability */
/** @typedef {{right: number[], first: Said[], written: Said[]}} Model */
/** @typedef {{english: string, source: string[], target: string[], steps: number, control:
 * number[], models: Record<string, Model>}} Lesson */
/** @typedef {{lesson: Lesson, position: number, bug: string, mode: string}} State */
/** @typedef {{reads: string, says: string, share: number, wanted: string, first: string, forced:
 * boolean}} Row */

export const CODES = { none: "correct code", shift: "forgot the shift", mask: "forgot the mask" };
export const SIDES = {
  training: { title: "In training", verb: "must say", beside: "would say" },
  generating: { title: "On its own", verb: "writes", beside: "reference" },
};

/** The decoder's input in training: shifted right, unless that was forgotten.
 * @param {string[]} target @param {string} bug */
export const inputs = (target, bug) => (bug === "shift" ? target : ["<s>", ...target.slice(0, -1)]);

/** Whether row i may see input j. @param {number} i @param {number} j @param {string} bug */
export const mayRead = (i, j, bug) => bug === "mask" || j <= i;

/** Which input holds what row i must say; one too far if none does.
 * @param {number} i @param {string} bug */
export const answerAt = (i, bug) => (bug === "shift" ? i : i + 1);

/** Whether row i can see its own answer.
 * @param {number} i @param {number} length @param {string} bug */
export const leaks = (i, length, bug) =>
  answerAt(i, bug) < length && mayRead(i, answerAt(i, bug), bug);

/** The mean of −ln p. @param {number[]} shares */
export const meanLoss = (shares) => shares.reduce((sum, p) => sum - Math.log(p), 0) / shares.length;

/** All rows of a mode, those not written yet included. @param {State} state @returns {Row[]} */
export function rowsOf({ lesson, bug, mode }) {
  const { right, first, written } = lesson.models[bug];
  const { target } = lesson;
  if (mode === "training")
    return inputs(target, bug).map((reads, i) => ({
      reads,
      says: target[i],
      share: right[i],
      wanted: target[i],
      first: first[i][0],
      forced: true,
    }));
  return written.map(([says, share], i) => ({
    reads: i ? written[i - 1][0] : "<s>",
    says,
    share,
    wanted: target[i] ?? "",
    first: says,
    forced: false,
  }));
}

/** Where the piece that row i reads comes from. @param {number} i @param {string} mode
 * @param {string} bug */
export function fromWhere(i, mode, bug) {
  if (mode === "training" && bug === "shift") return "answer";
  if (i === 0) return "start";
  return mode === "training" ? "reference" : "own word";
}

/** A piece without the mark of a word's start; a lone dot would look like dirt.
 * @param {string} piece */
export const shownAs = (piece) => (piece === "." ? "“.”" : piece.replaceAll("▁", ""));

/** The sentence that pieces spell; its last is the end mark. @param {string[]} pieces */
export const spelled = (pieces) => pieces.slice(0, -1).join("").replaceAll("▁", " ").trim();

/** A piece in quotation marks. @param {string} piece */
const quote = (piece) => `“${piece.replaceAll("▁", "")}”`;

/** Which word goes in; of a model trained with a bug, what it writes.
 * @param {Lesson} lesson @param {string} mode @param {string} bug */
export function goesIn(lesson, mode, bug) {
  if (mode === "training")
    return bug === "shift" ? "reads what it must say" : "reads the reference";
  if (bug === "none") return "reads its own words";
  const pieces = new Set(lesson.models[bug].written.map(([piece]) => quote(piece)));
  return `writes only ${[...pieces].join(" and ")}`;
}

/** What the state means, in a sentence. @param {State} state */
export function explain(state) {
  const { lesson, bug, mode } = state;
  const rows = rowsOf(state);
  const i = Math.min(state.position, rows.length - 1);
  const { reads, says, share, first, wanted } = rows[i];
  const { right } = lesson.models[bug];
  const p = fixed(share, 2);
  const loss = fixed(meanLoss(right), 2);
  if (mode === "generating") {
    const writes = `Pass ${i + 1} of ${rows.length} writes ${quote(says)}`;
    const learned = { shift: "repeat what it reads", mask: "copy from one place ahead" }[bug];
    if (learned)
      return `${writes}: it learned to ${learned}, and its low training loss, ${loss}, gave no sign.`;
    const own = rows.slice(0, i).findIndex((row) => row.says !== row.wanted);
    if (own >= 0)
      return `${writes}: since pass ${own + 1} it goes on from words of its own, not the teacher’s.`;
    return says === wanted
      ? `${writes}, as the reference has it.`
      : `${writes} where the reference has ${quote(wanted)}: from here on it reads its own choice.`;
  }
  if (bug === "none") {
    const must = `Position ${i + 1} must say ${quote(says)} (probability ${p})`;
    if (i === rows.length - 1)
      return `${must}. One pass has asked all ${rows.length} positions: their mean loss is ${loss}.`;
    const before = rows[i - 1];
    if (before && before.first !== before.says)
      return (
        `Position ${i + 1} reads ${quote(reads)}, although the model would have said ` +
        `${quote(before.first)}: that is teacher forcing. On its own it reads ` +
        `${quote(lesson.models.none.written[i - 1][0])}, which it wrote.`
      );
    return first === says
      ? `${must}, and it would. Position ${i + 2} reads it from the reference.`
      : `${must} but would say ${quote(first)}. Which of the two goes in at position ${i + 2}?`;
  }
  const leak = !leaks(i, rows.length, bug)
    ? `must say ${quote(says)}, which no input holds`
    : bug === "shift"
      ? `reads ${quote(reads)}, the very piece that it must say`
      : `must say ${quote(says)}, and sees it one place ahead`;
  const [many, control] = [lesson.steps, lesson.control];
  return i === rows.length - 1
    ? `Position ${i + 1} ${leak}. After ${many} such steps another model’s mean loss is ${loss} ` +
        `(it copies); without the bug, ${fixed(meanLoss(control), 2)}.`
    : `Position ${i + 1} ${leak}: another, small model gives it ${p} after ${many} such steps, ` +
        `${fixed(control[i], 2)} without the bug.`;
}
