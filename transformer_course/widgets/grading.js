// @ts-check
// Grading what a reader enters in an exercise of the page.
import { count } from "./numbers.js";

const refused = (message) => ({ state: "refused", message });
const judge = (marks, message) =>
  marks.length ? { state: "wrong", message, marks } : { state: "right" };

// What a reader enters is right, wrong (with marks on what is wrong), or refused: that costs
// nothing.

/** Reads "2,048", "0,5", "1/8", "25 %", "1e6", "8*128", "-inf".
 * @returns {{value?: number, error?: string}} */
export function parseNumber(text, unit = "") {
  let typed = String(text)
    .trim()
    .replace(/[−–]/g, "-")
    .replace(/ *[*] */g, "×");
  if (unit && typed.endsWith(unit)) typed = typed.slice(0, -unit.length).trim();
  if (!typed) return { error: "Nothing is entered yet." };
  const sure = typed.replace("∞", "inf").toLowerCase();
  if (/^-?inf$|^nan$/.test(sure)) return { value: exact(sure) };
  typed = /^[+-]?\d{1,3}([, _]\d{3})+(\.\d+)?$/.test(typed)
    ? typed.replace(/[, _]/g, "")
    : typed.replace(",", ".");
  const value = typed.split("×").reduce((all, text) => {
    const [, top, below = 1, share] =
      /^([+-]?[\d.]+(?:e[+-]?\d+)?)(?:\s*\/\s*([\d.]+))?\s*(%)?$/i.exec(text) ?? [];
    return (all * Number(top)) / Number(below) / (share ? 100 : 1);
  }, 1);
  return Number.isFinite(value)
    ? { value }
    : { error: `“${typed.slice(0, 16)}” is not a number like 64, 0.5 or 1/8.` };
}

const exact = (x) => (typeof x === "string" ? ({ inf: Infinity, "-inf": -Infinity }[x] ?? NaN) : x);
const near = (a, b, slack) => Object.is(a, b) || Math.abs(a - b) <= slack;

/** What kind of wrong, where no known mistake leads to the number. */
function kindOfWrong(value, answer, slack) {
  if (near(-value, answer, slack)) return "The right size, with the wrong sign.";
  const off = 10 ** Math.round(Math.log10(value / answer)); // nothing is near where the answer is 0
  if (value && near(value, answer * off, slack * off))
    return `Right digits, but off by a factor of ${count(Math.max(off, 1 / off))}.`;
  return value < answer ? "It is higher." : "It is lower.";
}

/** The cells of a grid that differ from another's. */
const differ = (one, other, same) =>
  one.flatMap((row, i) => row.flatMap((x, j) => (same(x, other[i][j], i, j) ? [] : [[i, j]])));

const GRADERS = {
  number({ answer, asks, tolerance, unit, misconceptions }, entry) {
    const { value = NaN, error } = parseNumber(entry, unit);
    if (error) return refused(error);
    // As near to a mistake, in proportion, as one may be to the answer; or half its last decimal.
    const reach = answer && tolerance / Math.abs(answer);
    const half = 10 ** -(/[.,](\d+)$/.exec(entry)?.[1].length ?? 9) / 1.99;
    const off = (one) => Math.abs(value - one.answer);
    const known = misconceptions
      .toSorted((a, b) => off(a) - off(b))
      .find((one) => off(one) <= Math.max(tolerance, half, reach * Math.abs(one.answer)));
    if (asks === "a whole number" && value % 1 && !known) return refused("Enter a whole number.");
    return judge(
      near(value, answer, tolerance) ? [] : [0],
      known?.message ?? kindOfWrong(value, answer, tolerance),
    );
  },
  matrix({ answer, tolerance, misconceptions, rows, columns }, entry) {
    const read = entry.map((row) => row.map((text) => parseNumber(text)));
    const [bad] = differ(read, read, (cell) => !cell.error);
    if (bad)
      return refused(
        `Row “${rows[bad[0]]}”, column “${columns[bad[1]]}”: ${read[bad[0]][bad[1]].error}`,
      );
    const off = (other) =>
      differ(read, other, ({ value }, x, i, j) => near(value, exact(x), tolerance[i][j]));
    const marks = off(answer);
    const known = misconceptions.find((one) => !off(one.answer).length);
    const total = rows.length * columns.length;
    return judge(
      marks,
      known?.message ??
        `${total - marks.length} of ${total} cells are right. Look at ` +
          (rows[1]
            ? `row “${rows[marks[0]?.[0]]}” first.`
            : `column “${columns[marks[0]?.[1]]}” first.`),
    );
  },
  mask({ answer, misconceptions, rows }, entry) {
    if (!entry.flat().includes(true)) return refused("Nothing is painted yet.");
    const marks = differ(entry, answer, (a, b) => a === b);
    const known = misconceptions.find((one) => String(one.answer) === String(entry));
    const open = marks.filter(([i, j]) => entry[i][j]).length;
    return judge(
      marks,
      known?.message ??
        `Cells too many: ${open}, too few: ${marks.length - open}. Look at row ` +
          `“${rows[marks[0]?.[0]]}” first.`,
    );
  },
  // In brackets: its bare name would bring the list of that name from shared.js along.
  choice({ answer, options }, entry) {
    if (!entry.length) return refused("Choose first.");
    const marks = options.flatMap(({ right }, n) => (right === entry.includes(n) ? [] : [n]));
    const off = marks.find((n) => entry.includes(n));
    return judge(
      marks,
      (answer.length > 1
        ? `${options.length - marks.length} of ${options.length} are right. `
        : "") + (off >= 0 ? `${off + 1} does not hold. ${options[off].why}` : ""),
    );
  },
  order({ answer, needs, start, misconceptions }, entry) {
    if (String(entry) === String(start)) return refused("This is the order you were given.");
    const early = ([line, needed]) => entry.indexOf(line) < entry.indexOf(needed);
    const pairs = needs ?? answer.slice(1).map((line) => [line, line - 1]);
    const marks = answer.filter((place) =>
      pairs.some((pair) => pair[0] === entry[place] && early(pair)),
    );
    const known = misconceptions.find(({ before }) => early(before));
    return judge(
      known ? [entry.indexOf(known.before[0]), ...marks] : marks, // first the one that is spoken of
      known?.message ?? `Line ${marks[0] + 1} is too early: one below it comes first.`,
    );
  },
  match({ answer, misconceptions }, entry) {
    const empty = entry.indexOf(-1);
    if (empty >= 0) return refused(`Number ${empty + 1} has no partner yet.`);
    const marks = answer.flatMap((to, n) => (entry[n] === to ? [] : [n]));
    const known = misconceptions.find(({ pair: [left, to] }) => entry[left] === to);
    return judge(
      known ? [known.pair[0], ...marks] : marks, // first the one that is spoken of
      `${answer.length - marks.length} of ${answer.length} are right. ` +
        (known?.message ?? `Look at number ${marks[0] + 1} first.`),
    );
  },
};

export const grade = (exercise, entry) => GRADERS[exercise.kind](exercise, entry);

/** Full points on the first try, one fewer for each later one, at least one. */
export const worth = (points, tries) => Math.max(1, points - tries + 1);

/** The entry that nobody has touched. */
export function firstEntry({ kind, rows, columns, lefts, start }) {
  const grid = (cell) => rows.map(() => columns.map(() => cell));
  return {
    number: () => "",
    matrix: () => grid(""),
    mask: () => grid(false),
    order: () => start,
    match: () => lefts.map(() => -1),
    choice: () => [],
  }[kind]();
}

/** The entry that is right. */
export const rightEntry = ({ kind, answer, shown, texts, unit }) =>
  kind === "number" ? shown.slice(0, unit ? -unit.length - 1 : undefined) : (texts ?? answer);
