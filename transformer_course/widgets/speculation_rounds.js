// @ts-check
// Speculative decoding over what was recorded: who wrote which token, in which call.

/** @typedef {{source: string, pieces: string[], written: number[], drafts: number[][]}} Text */
/** @typedef {{at: number, guess: number[], right: number, own: number | null}} Round */

/** The calls of the target: where each begins, what was guessed, how much of it was right, and the
 * target's own token after that (none where a guess was the end).
 * @param {Text} text @param {number} most guesses a call @returns {Round[]} */
export function rounds({ written, drafts }, most) {
  const found = /** @type {Round[]} */ ([]);
  for (let at = 0; at < written.length;) {
    const guess = drafts[at].slice(0, most);
    let right = 0;
    while (right < guess.length && guess[right] === written[at + right]) right += 1;
    found.push({ at, guess, right, own: written[at + right] ?? null });
    at += right + 1;
  }
  return found;
}

/** A piece as a reader knows it: "+" joins letters to the word before. @param {string} piece */
export const shown = (piece) => {
  if (piece === "</s>") return "■ end";
  return piece.startsWith("▁") ? piece.slice(1) : /^\p{P}+$/u.test(piece) ? piece : `+${piece}`;
};

/** What each guess follows, so that the table gave it: the last token, then the guess before.
 * @param {Text} text @param {Round} round */
export const follows = ({ pieces, written }, { at, guess }) =>
  [at ? written[at - 1] : -1, ...guess].map((n) => (n < 0 ? "(start)" : shown(pieces[n])));

/** A text as one line. @param {Text} text @param {number} length pieces */
export const line = ({ pieces, written }, length) =>
  written
    .slice(0, length)
    .map((n) => pieces[n])
    .filter((piece) => piece !== "</s>")
    .join("")
    .replaceAll("▁", " ")
    .trim();

/** What happens in one call, in words. After the end the table has no guess: so some calls check
 * fewer than they may. @param {Text} text @param {Round} round @param {number} [most] guesses a call */
export function roundInWords({ pieces, written }, { guess, right, own }, most = 0) {
  const name = (n) => `“${shown(pieces[n])}”`;
  if (!guess.length)
    return `Nothing is guessed. The translator writes ${name(/** @type {number} */ (own))}.`;
  const [many, two] = [guess.length > 1, guess.length === 2];
  const all = two ? "both" : `all ${guess.length}`;
  const ends = guess.length < most && pieces[guess[guess.length - 1]] === "</s>";
  const few = `${guess.length} guess${many ? "es" : ""}, not ${most}: ${many ? "the last" : "it"} is “■ end”`;
  const start = `One call checks ${ends ? few : many ? `${all} guesses` : "the guess"}. `;
  if (own === null)
    return `${start}${many ? "They are" : "It is"} what it would have written: the sentence is done.`;
  const each = two ? "Both are" : many ? "All are" : "It is";
  if (right === guess.length)
    return `${start}${each} right, and the call gives one more: ${name(own)}.`;
  const kept = right
    ? `${right} of them ${right > 1 ? "are" : "is"} kept.`
    : `${two ? "Neither" : "None"} of them is kept.`;
  const instead = `Instead of ${name(guess[right])} the translator writes ${name(own)}.`;
  return `${start}${many ? kept : "It is not kept."} ${instead}`;
}

/** How many tokens a call brings. @param {Round} round */
export const brings = ({ right, own }) => right + (own === null ? 0 : 1);
