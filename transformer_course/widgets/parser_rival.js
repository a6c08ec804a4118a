// @ts-check
// Where a phrase with a preposition hangs, and the one other tree in which it hangs elsewhere.
import { BOS_ID, EOS_ID } from "./bpe.js";
import { partsOf, written } from "./parser_words.js";
import { logSum } from "./search.js";
/** @import {Part} from "./parser_words.js" */
/** @import {Rule} from "./search.js" */

const NO_VERB = /^(wh(o|ich|at|en|ere)|that|the|an?|in|o[fn]|with)$/i;
const LOOSE = /^(?!(and|n?or|but|not|so|yet)$)\p{L}/iu; // what joins no sentences

/** What is broken in a tree, in words: what hardly any tree of a treebank has; or nothing.
 * @param {Part[]} parts @param {string[]} words */
export function flawOf(parts, words) {
  for (const { label, from, to, below } of parts) {
    const first = words[from];
    if (label !== "LST" && words.slice(from, to).every((word) => /^[.,;:?!]+$/.test(word)))
      return `${label} holds “${first}” alone`;
    if (label === "VP" && below[0] === from && NO_VERB.test(first))
      return `VP begins with “${first}”, no verb`;
    const loose = words.find((word, n) => below.includes(n) && LOOSE.test(word));
    if (label === "S" && loose) return `S holds “${loose}” outside any phrase`;
  }
  return "";
}

/** The first phrase with a preposition that could hang below a verb or below the object before it:
 * the phrase, who has it now, both who could.
 * @param {Part[]} parts @param {string[]} words
 * @returns {{pp: Part, has: Part, vp: Part, np: Part, other: Part} | undefined} */
export function doubtOf(parts, words) {
  if (flawOf(parts, words)) return;
  for (const pp of parts) {
    const has = /** @type {any} */ (pp.parent);
    const np = has?.below[has.below.indexOf(pp) - 1];
    if (pp.label !== "PP" || np?.label !== "NP") continue;
    if (has.label === "VP") return { pp, has, vp: has, np, other: np };
    const vp = has.parent;
    if (has.label === "NP" && vp?.label === "VP" && has.below.length === 2)
      return { pp, has, vp, np, other: vp };
  }
}

/** The other tree, as places in the line of this one; nothing if there is none.
 * @param {string[]} line @param {string[]} words */
export function rivalOf(line, words) {
  const doubt = doubtOf(partsOf(line).parts, words);
  if (!doubt) return null;
  const { pp, has, np, other } = doubt;
  const all = [...line.keys()];
  if (other !== np) return all.filter((place) => place !== has.at && place !== has.end);
  const after = pp.end + 1;
  return [...all.slice(0, np.at), np.at, ...all.slice(np.at, after), np.end, ...all.slice(after)];
}

/** The logarithm of the probability of each token of a line, and of its end, behind its rule.
 * @param {any} model @param {number[]} src @param {number[]} ids of the line @param {Rule} rule */
export function chances(model, src, ids, rule) {
  const [memory, past] = [model.encode(src), model.begin()];
  let last = BOS_ID;
  return [...ids, EOS_ID].map((id) => {
    const row = rule.restrict(model.step(memory, [past], [last])[0]);
    rule = rule.after((last = id));
    return row[id] - logSum(row);
  });
}

/** @param {number} share */
export const percent = (share) =>
  `${(100 * share).toFixed(Math.abs(share - 0.5) > 0.495 ? 1 : 0)}\u00a0%`;

/** Where no phrase is in doubt: what cannot be, or else the least sure step.
 * @param {Part[]} parts @param {any} result */
function judged(parts, { words, line, least }) {
  const [at, sure] = least;
  const flaw = flawOf(parts, words);
  const next = words[line.slice(0, at).filter((token) => !"()".includes(token[0])).length];
  const before = "()".includes(line[at][0]) && next ? ` before “${written(next)}”` : "";
  return (
    (flaw && `This tree is broken: ${flaw}. `) +
    `It was least sure when it wrote “${written(line[at])}”${before}: ${percent(sure)}.`
  );
}

/** What is to be said of a tree: the doubt, and whether the sentence before, with one other word,
 * had the same. @param {Part[]} parts @param {any} result @param {any} [last] */
export function asked(parts, result, last) {
  const { words, share, wrong } = result;
  const doubt = doubtOf(parts, words);
  if (!doubt || !share) return judged(parts, result);
  const { pp, vp, np, other } = doubt;
  const phrase = ({ from, to }) => `“${words.slice(from, to).map(written).join(" ")}”`;
  const verb = vp.below.findLast((child) => Number(child) < np.from) ?? vp.from;
  const either = [`“${words[Number(verb)]}”`, phrase(np)];
  const at = Number(other === vp);
  const others = words.filter((word, n) => word !== last?.words[n]);
  const one = last?.words.length === words.length && others.length === 1;
  const again =
    one && last.share && percent(last.share) === percent(share)
      ? ` ${percent(share)} again: “${others[0]}” made no difference.`
      : "";
  return (
    `Does ${phrase(pp).replace(/ \.”$/, "”")} go with ${either.join(" or with ")}? ` +
    `The parser writes ${either[at]}: ${percent(share)} against ${percent(1 - share)}.` +
    (wrong ? ` A reader says ${either[1 - at]}.` : "") +
    again
  );
}
