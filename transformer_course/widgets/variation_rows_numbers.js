// @ts-check
// Table 3 as numbers: which knob is a row, how far it is from base, and who guessed right.

/** What Python knows of a verdict: the difference to base and its bound, in log perplexity or BLEU.
 * @typedef {{difference: number, bound: number, says: string, same: boolean, margin: number}}
 * Verdict */

/** A row, as transformer_course/widgets/variation_rows.py gives it.
 * @typedef {object} Row
 * @property {string} name
 * @property {string} group
 * @property {string} change
 * @property {string} ours
 * @property {string} knob
 * @property {string} setting
 * @property {Record<string, number>} sizes
 * @property {number} perplexity
 * @property {number} bleu
 * @property {Record<string, number[]>} seeds
 * @property {number} failed
 * @property {number} wanted
 * @property {Record<string, Verdict | null>} verdicts
 * @property {string} teaches */

/** @typedef {{min: number, max: number}} Range */
/** @typedef {{value: string, row: string}} Setting */

/** @type {[string, string][]} each knob with its name */
export const KNOBS = [
  ["h", "heads h"],
  ["d_k", "key width d_k"],
  ["N", "layers N"],
  ["positions", "positions"],
  ["d_model", "width d_model"],
  ["d_ff", "inner width d_ff"],
  ["size", "all at once"],
  ["dropout", "dropout"],
  ["smoothing", "label smoothing"],
];
const WORDS = { positions: "sines", size: "base" };

/** The knobs with their settings in order; base's own setting is the row "base".
 * @param {Row[]} rows @returns {{key: string, label: string, settings: Setting[]}[]} */
export function knobs(rows) {
  return KNOBS.map(([key, label]) => {
    const own = { value: WORDS[key] ?? String(rows[0].sizes[key]), row: "base" };
    const others = rows
      .filter(({ name, knob }) => knob === key && name !== "base")
      .map(({ name, setting }) => ({ value: setting, row: name }));
    const settings = [own, ...others];
    if (!(key in WORDS)) settings.sort((a, b) => Number(a.value) - Number(b.value));
    return { key, label, settings };
  });
}

export const mean = (/** @type {number[]} */ list) =>
  list.reduce((sum, x) => sum + x, 0) / list.length;

/** Perplexities are compared by their logarithm, BLEU as it is. @param {string} measure */
const level = (measure) => (measure === "bleu" ? (x) => x : Math.log);

/** How far the paper's row is from its base. @param {Row[]} rows @param {Row} row
 * @param {string} measure */
export function paperOf([base], row, measure) {
  const at = level(measure);
  return at(row[measure]) - at(base[measure]);
}

/** How far each of our seeds is from the mean of our base, and their mean; null while there is
 * nothing to compare.
 * @param {Row[]} rows @param {Row} row @param {string} measure
 * @returns {{seeds: number[], mean: number} | null} */
export function oursOf([base], row, measure) {
  const at = level(measure);
  const [own, all] = [row, base].map(({ seeds }) => seeds[measure].map((x) => at(x)));
  if (!own.length || !all.length) return null;
  const seeds = own.map((x) => x - mean(all));
  return { seeds, mean: mean(seeds) };
}

/** How far a knob moves a measure, from its best setting to its worst; base is one of them.
 * @param {Row[]} rows @param {string} key @param {string} measure
 * @param {(rows: Row[], row: Row, measure: string) => number} far */
export function swing(rows, key, measure, far) {
  const all = [0, ...rows.filter(({ knob }) => knob === key).map((row) => far(rows, row, measure))];
  return Math.max(...all) - Math.min(...all);
}

/** How much worse a difference is: percent of perplexity, or points of BLEU.
 * @param {number} x @param {string} measure */
export const loss = (x, measure) => (measure === "bleu" ? -x : 100 * Math.expm1(x));

/** How far the worst setting of the paper's is behind base. @param {Row[]} rows
 * @param {string} key @param {string} measure */
export const worst = (rows, key, measure) =>
  Math.max(
    ...rows
      .filter(({ knob, name }) => knob === key && name !== "base")
      .map((row) => loss(paperOf(rows, row, measure), measure)),
  );

export const SAME = 0.01; // a perplexity within one percent is about the same

/** What the paper's perplexity does. @param {Row[]} rows @param {Row} row */
export function truth([base], row) {
  const ratio = row.perplexity / base.perplexity;
  return Math.abs(ratio - 1) <= SAME ? "same" : ratio < 1 ? "better" : "worse";
}

/** How many runs of ours hardly learned: they end half as high again as our base, where the paper's
 * row is no worse than its base. Such a run tells how hard a start is, not what the knob does.
 * @param {Row[]} rows @param {Row} row */
export function slow(rows, row) {
  const ours = truth(rows, row) === "worse" ? null : oursOf(rows, row, "perplexity");
  return ours?.seeds.filter((x) => x > Math.log(1.5)).length ?? 0;
}

/** Whether most runs of a row hardly learned. @param {Row[]} rows @param {Row} row */
export const stuck = (rows, row) => 2 * slow(rows, row) > row.seeds.perplexity.length;

/** @param {Row[]} rows @param {Record<string, string>} guesses */
export function tally(rows, guesses) {
  const made = rows.filter(({ name }) => guesses[name]);
  const right = made.filter((row) => guesses[row.name] === truth(rows, row));
  return { made: made.length, right: right.length };
}

/** The next row that has no guess, in the table's order, from the start again after its end.
 * @param {Row[]} rows @param {Record<string, string>} guesses @param {string} now */
export function following(rows, guesses, now) {
  const at = rows.findIndex(({ name }) => name === now);
  const order = [...rows.slice(at + 1), ...rows.slice(1, at + 1)];
  return order.find(({ name }) => name !== "base" && !guesses[name])?.name;
}

/** How far chance reaches from base, in the row where it reaches furthest.
 * @param {Row[]} rows @param {string} measure */
export const bound = (rows, measure) =>
  Math.max(0, ...rows.map(({ verdicts }) => verdicts[measure]?.bound ?? 0)) || NaN;

/** How much of a strip is the scale's, in percent; the rest has its figures, one below the other. */
const WIDE = 66;

/** One scale for all rows, ours and the paper's. What lies twice as far from base as any row of
 * the paper does not stretch it: it is drawn at the edge.
 * @param {Row[]} rows @param {string} measure @returns {Range} */
export function range(rows, measure) {
  const paper = rows.map((row) => paperOf(rows, row, measure));
  const most = 2 * Math.max(...paper.map(Math.abs));
  const reach = bound(rows, measure) || 0;
  const ours = rows.flatMap((row) => oursOf(rows, row, measure)?.seeds ?? []);
  const near = ours.filter((x) => Math.abs(x) < most);
  const all = [...paper, ...near, -reach, reach].map((x) => loss(x, measure));
  const [best, last] = [Math.min(...all), Math.max(...all)];
  const room = 0.06 * (last - best || 1);
  return { min: best - room, max: last + room };
}

/** Where a loss stands in a strip, in percent; beyond the ends of the scale at the end.
 * @param {number} x @param {Range} scale */
export const place = (x, { min, max }) => WIDE * Math.max(0, Math.min(1, (x - min) / (max - min)));

/** Round losses for the axis, and where they stand.
 * @param {Range} scale @param {string} measure @returns {{at: number, text: string}[]} */
export function marks(scale, measure) {
  const { min, max } = scale;
  const step = [0.5, 1, 2, 5, 10, 20, 50, 100].find((size) => (max - min) / size <= 5.1) ?? 200;
  const found = [];
  for (let x = step * Math.ceil(min / step); x <= max; x += step) {
    const text = `${Math.abs(x)} ${measure === "bleu" ? "BLEU" : "%"}`;
    found.push({ at: place(x, scale), text: x ? text : "base" });
  }
  return found;
}
