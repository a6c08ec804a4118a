// @ts-check
// What happens to the sums of a softmax over tiles, in code and in words.
import { count, fixed, plain } from "./numbers.js";
import { SIDE, bytes, typed } from "./online_softmax_numbers.js";
import { h } from "./shared.js";

/** @import {Seen} from "./online_softmax_numbers.js" */

/** @typedef {{m: number, l: number, o: number}} Whole */

/** The four sums of the newest tile, as code.
 * @param {Seen} state @param {Seen | undefined} before @param {number[]} values
 * @param {boolean} forget */
export function arithmetic({ from, to, m, shrink, exps, l, o }, before, values, forget) {
  const old = before ?? { m: -Infinity, l: 0, o: 0 };
  const reference = m === -Infinity ? "0" : typed(m);
  const brief = (parts) =>
    (parts.length > 6 ? [...parts.slice(0, 5), `… ${parts.length - 5} more`] : parts).join(" + ");
  const sign = (x) => (x < 0 ? `(${plain(x)})` : plain(x));
  return [
    `m = max(${typed(old.m)}, scores ${from + 1} to ${to}) = ${typed(m)}`,
    forget
      ? "correction left out: 1"
      : `correction = exp(${typed(old.m)} − ` +
        `${m < 0 && m > -Infinity ? `(${reference})` : reference}) = ${fixed(shrink, 4)}`,
    `l = ${fixed(old.l, 3)} · ${fixed(shrink, 4)} + ${brief(exps.map((x) => fixed(x, 3)))} = ` +
      `${fixed(l, 3)}`,
    `o = ${fixed(old.o, 3)} · ${fixed(shrink, 4)} + ` +
      `${brief(exps.map((x, n) => `${fixed(x, 3)}·${sign(values[from + n])}`))} = ${fixed(o, 3)}`,
  ];
}

/** A difference of scores, without the noise of its last bits. @param {number} x */
const by = (x) => Number(x.toFixed(2));

/** What this state means: [lead, verdict, what would be right where that is wrong].
 * @param {Seen[]} states @param {Whole} whole the keys so far, at once @param {Whole} naive without a maximum
 * @param {number} at tiles seen @param {boolean} forget */
export function words(states, whole, naive, at, forget) {
  const tiles = states.length;
  const last = states[at - 1];
  if (!last) {
    const about = "No tile is seen yet. Each weight will be exp(score − m).";
    return [about, "Nothing is mixed yet.", ""];
  }
  const before = states[at - 2]?.m ?? -Infinity;
  let lead = `No new score beats ${typed(last.m)}: the earlier sums stay as they are.`;
  if (last.m === -Infinity) lead = "Every key so far is masked: there is nothing to sum.";
  else if (before === -Infinity)
    lead =
      `The largest score so far, m = ${typed(last.m)}, has weight exp(score − m) = 1.` +
      (states[at]?.m > last.m
        ? " The next tile holds a larger one: what becomes of the sums?"
        : "");
  else if (last.m > before)
    lead =
      `Score ${typed(last.m)} beats ${typed(before)} by ${plain(by(last.m - before))}: what was ` +
      (forget
        ? "summed before should shrink, but does not."
        : `summed before is multiplied by exp(−${plain(by(last.m - before))}) = ` +
          `${fixed(last.shrink, 2)}, and the tile is added.`);
  const result = last.o / last.l;
  const truth = whole.o / whole.l;
  const off = Math.abs(result - truth);
  let verdict = `Exact for the first ${last.to} keys, with no older score kept.`;
  if (forget) verdict = "Still right, without any correction.";
  if (last.m === -Infinity) verdict = "Nothing is mixed yet.";
  if (at === tiles)
    verdict = Number.isNaN(truth)
      ? "Every key is masked: 0 ÷ 0 is not a number, as in the ordinary softmax."
      : `The same as the ordinary softmax over all ${last.to} keys.`;
  if (off > 1e-9) {
    const wrong = off < 0.0005 ? "less than 0.001" : fixed(off, 3);
    return [lead, `Wrong by ${wrong}: older weights are too large.`, `right: ${fixed(truth, 3)}`];
  }
  const lost_ =
    Number.isNaN(naive.o / naive.l) && !Number.isNaN(truth)
      ? ` Without m, exp ${naive.l ? "overflows: ∞ ÷ ∞" : "underflows: 0 ÷ 0"}.`
      : "";
  return [lead, verdict + lost_, ""];
}

/** A row for each tile, those not seen yet empty; last, all at once.
 * @param {Seen[]} states @param {Whole} whole @param {number} at tiles seen */
export function tableRows(states, whole, at) {
  const cells = (name, numbers, kind = "") =>
    h(
      "tr",
      { class: kind },
      h("th", { scope: "row" }, name),
      ...numbers.map((x) => h("td", {}, x)),
    );
  const rows = states.map(({ m, shrink, l, o }, n) =>
    cells(
      `tile ${n + 1}`,
      n < at
        ? [typed(m), fixed(shrink, 3), fixed(l, 3), fixed(o, 3), fixed(o / l, 3)]
        : ["·", "·", "·", "·", "·"],
      n === at - 1 ? "tc-now" : "",
    ),
  );
  return [
    ...rows,
    cells(
      "at once",
      [typed(whole.m), "", fixed(whole.l, 3), fixed(whole.o, 3), fixed(whole.o / whole.l, 3)],
      "tc-whole",
    ),
  ];
}

/** What the scores and what a tile of them take.
 * @param {number} n tokens @param {number} all scores @param {number} few numbers of a tile */
export function memoryInWords(n, all, few) {
  return (
    `${count(n)} tokens have ${count(all)} scores a head, ${bytes(all)} in float32. One tile ` +
    `of ${SIDE} × ${SIDE} and m and l for each query are ${count(few)} numbers, ` +
    `${bytes(few)}: ${count(all / few)} times less, and growing as n, not n².`
  );
}
