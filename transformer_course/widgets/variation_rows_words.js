// @ts-check
// What VariationRows says: the question, the answer, and what ours adds to it.
import { fixed } from "./numbers.js";
import { h } from "./shared.js";
import {
  KNOBS,
  bound,
  loss,
  mean,
  oursOf,
  paperOf,
  slow,
  stuck,
  swing,
  tally,
  truth,
} from "./variation_rows_numbers.js";
/** @import {Row} from "./variation_rows_numbers.js" */

export const NAMES = { perplexity: "Perplexity", bleu: "BLEU" };
/** @type {[string, string][]} what may be guessed */
export const GUESSES = [
  ["better", "Better"],
  ["same", "About the same"],
  ["worse", "Worse"],
];

export const SIGNS = { agrees: "✓", opposite: "✗" };

/** A size of a difference: percent of perplexity, or points of BLEU. @param {number} x */
export const size = (x, measure) =>
  fixed(Math.abs(loss(x, measure)), 1) + (measure === "bleu" ? "" : " %");

/** A figure with as many digits as the paper gives. @param {number} x @param {string} measure */
export const figure = (x, measure) => fixed(x, measure === "bleu" ? 1 : 2);

/** The mean of a row's seeds; of perplexities the geometric one, as verdicts take their logarithm.
 * @param {Row} row @param {string} measure */
export function meanOf({ seeds }, measure) {
  const values = seeds[measure];
  if (!values.length) return "–";
  const bleu = measure === "bleu";
  return figure(bleu ? mean(values) : Math.exp(mean(values.map(Math.log))), measure);
}

/** A row in a few words. @param {Row} row */
export const titleOf = ({ group, change, knob }) =>
  knob === "size" ? group : `${group}: ${change.split(", d_k")[0].replace("label ", "")}`;

/** The same without the letter of its group in the paper. @param {Row} row */
const plainOf = (row) => titleOf(row).replace(/^\w: /, "");

/** "+7.5 %" or "−0.9" @param {number} x @param {string} measure */
export const signed = (x, measure) =>
  parseFloat(size(x, measure)) ? `${x < 0 ? "−" : "+"}${size(x, measure)}` : "±0";

/** "7.5 % worse", "0.9 better" @param {number} x @param {string} measure */
export const aside = (x, measure) =>
  parseFloat(size(x, measure))
    ? `${size(x, measure)} ${loss(x, measure) > 0 ? "worse" : "better"}`
    : "the same";

/** A text whose names have their indexes below the line. @param {string} text */
export const indexed = (text) =>
  text.split(/_(\w+)/).map((part, n) => (n % 2 ? h("sub", {}, part) : part));

/** What was turned, in words. @param {Row} row @param {Row} base */
export function turned({ knob, sizes, name }, { sizes: own }) {
  const { h, d_k, N, d_model, d_ff, dropout, smoothing } = sizes;
  const amount = (x, what) => (x ? `${what} ${x}, not ${own[knob]}` : `No ${what.toLowerCase()}`);
  if (name === "base") return "The base model";
  return {
    h: `${h} head${h === 1 ? "" : "s"} of ${d_k}, not ${own.h} of ${own.d_k}`,
    d_k: `Keys ${d_k} wide, not ${own.d_k}`,
    N: `${N} layers, not ${own.N}`,
    d_model: `Vectors ${d_model} wide, not ${own.d_model}`,
    d_ff: `Inner width ${d_ff}, not ${own.d_ff}`,
    dropout: amount(dropout, "Dropout"),
    smoothing: amount(smoothing, "Smoothing"),
    positions: "Learned positions",
    size: "The big model",
  }[knob];
}

/** The knobs by how far they move a measure; "all at once" is none.
 * @param {Row[]} rows @param {string} measure @param {typeof paperOf} far */
const movers = (rows, measure, far) =>
  KNOBS.filter(([key]) => key !== "size")
    .map(([key, label]) => ({ label, by: swing(rows, key, measure, far) }))
    .sort((a, b) => b.by - a.by);

/** What a measure depends on most in the paper. @param {Row[]} rows @param {string} measure */
export const answer = (rows, measure) =>
  `The paper’s ${measure === "bleu" ? "BLEU" : "perplexity"} depends most on ` +
  `${movers(rows, measure, paperOf)[0].label}.`;

/** And in ours, where a knob leads by more than chance. What hardly learned does not count.
 * @param {Row[]} rows @param {string} measure */
export function ownAnswer(rows, measure) {
  if (rows.some((row) => !oursOf(rows, row, measure))) return "";
  const [first, second] = movers(rows, measure, (_, row) =>
    stuck(rows, row) ? 0 : /** @type {any} */ (oursOf(rows, row, measure)).mean,
  );
  const reach = bound(rows, measure) || 0;
  if (first.by - second.by <= reach)
    return `It does not tell on what it depends most: chance alone reaches ± ${size(reach, measure)}.`;
  const low = rows.filter((row) => row.knob !== "size" && stuck(rows, row)).map(plainOf);
  const none = low.length
    ? ` With ${low.join(", ").replaceAll(" ", "\u00a0")} it hardly learned.`
    : "";
  return `Ours depends most on ${first.label}.${none}`;
}

/** Of how many rows there is a run of ours. @param {Row[]} rows */
export function ran(rows) {
  const done = rows.filter(({ seeds }) => seeds.perplexity.length);
  if (!done.length) return "ours, smaller: not run yet";
  const lone = done.every(({ seeds }) => seeds.perplexity.length === 1);
  const some = done.length < rows.length ? `: ${done.length} of ${rows.length} rows` : "";
  return `ours, smaller${some}${lone ? ", one seed each" : ""}`;
}

/** Before the guess. @param {Row[]} rows @param {Row} row */
export const question = ([base], row) =>
  `${row.change}. Is its perplexity better (lower) than base’s ` +
  `${figure(base.perplexity, "perplexity")}, about the same (within 1 %), or worse?`;

/** How many of a row's runs there are. @param {Row} row */
export function runs({ seeds, failed, wanted }) {
  const done = seeds.perplexity.length;
  const lost = failed ? `, ${failed} failed: loss not finite` : "";
  if (!done && !failed) return `not run yet: 0 of ${wanted} seeds`;
  return `${done < wanted ? `${done} of ${wanted} seeds run` : `${done} seeds`}${lost}`;
}

/** What a verdict means. @param {NonNullable<Row["verdicts"]["bleu"]> | null} verdict
 * @param {string} measure */
export function judged(verdict, measure) {
  if (!verdict) return "No verdict yet: it takes two seeds of this row and of base.";
  const { says, same, margin, bound } = verdict;
  const reach = `± ${size(bound, measure)}`;
  const near = measure === "bleu" ? `${margin} BLEU` : `${Math.round(100 * margin)} %`;
  if (says === "agrees")
    return same
      ? `Ours agrees: no difference, to within ${near}.`
      : `Ours agrees, by more than chance (${reach}).`;
  if (says === "opposite")
    return same
      ? `Ours is opposite: the paper has no difference; ours differs by more than ${near}.`
      : `Ours is opposite, by more than chance (${reach}).`;
  return same
    ? `We cannot tell: the difference may be more than ${near}.`
    : `We cannot tell: chance alone reaches ${reach}.`;
}

/** What our runs of a row are, and whether they agree. @param {Row[]} rows @param {Row} row
 * @param {string} measure */
export function ownInWords(rows, row, measure) {
  if (row.name === "base") {
    const both = rows.slice(1).filter((each) => oursOf(rows, each, measure));
    const alike = both.filter(
      (each) => paperOf(rows, each, measure) * (oursOf(rows, each, measure)?.mean ?? 0) > 0,
    );
    const sides = `In ${alike.length} of ${both.length} rows ours is on the paper’s side of base. `;
    return `${both.length ? sides : ""}Press a setting to see ours beside it.`;
  }
  const lead = `Ours (${runs(row)})`;
  if (!row.seeds.perplexity.length) return `${lead}: the paper’s alone is shown.`;
  if (!oursOf(rows, row, measure))
    return `${lead}: base has not run yet, so there is nothing to compare with.`;
  const verdict = row.verdicts[measure];
  const low = slow(rows, row);
  const many = row.seeds.perplexity.length;
  if (stuck(rows, row))
    return (
      `Ours hardly learned (${low < many ? `${low} of ${many} seeds` : runs(row)})` +
      (verdict ? `: the verdict, ${verdict.says}, says little.` : ".")
    );
  return `${judged(verdict, measure)} (${runs(row)})`;
}

/** After the guess: right or not, by the paper's perplexity. @param {Row[]} rows @param {Row} row
 * @param {string} guess */
export function graded(rows, row, guess) {
  const is = truth(rows, row);
  const named = is === "same" ? "about the same" : is;
  return `${guess === is ? "Right" : "No"}: perplexity is ${named}.`;
}

/** "7 of 9 right" @param {Row[]} rows @param {Record<string, string>} guesses */
export function tallied(rows, guesses) {
  const { made, right } = tally(rows, guesses);
  return made ? `${right} of ${made} right` : "no guess yet";
}

/** Of texts, the one that takes most lines in a narrow column, to keep room for.
 * @param {string[]} texts */
export function tallest(texts) {
  const lines = (text) =>
    text.split("\n").reduce((sum, each) => sum + Math.ceil(each.length / 42), 0) +
    text.length / 1e4;
  return texts.reduce((best, text) => (lines(text) > lines(best) ? text : best));
}
