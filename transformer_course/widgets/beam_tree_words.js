// @ts-check
// How a node of the tree came to its number, and what a step has done, in words.
import { pathTo, text, winners } from "./beam_tree_search.js";
import { count, fixed, format } from "./numbers.js";

export const WORDS = { kept: "kept", dropped: "dropped", finished: "finished" };

/** How the chosen node came to its number: [words, sum].
 * @param {any} now @param {number} picked @param {number} alpha */
export function nodeInWords(now, picked, alpha) {
  const { table, known, step } = now;
  if (!picked) {
    const start =
      "The sentence starts with nothing, log-probability 0. Choose a box to see its number " +
      `come about${step ? "" : "; press Next to grow the tree"}.`;
    return [start, ""];
  }
  const each = known.get(picked);
  const before = each.total - table.log_prob[picked] / 10_000;
  const place = `place ${each.rank + 1} of its step`;
  const end = table.piece[picked] === table.end;
  const low = end && each.fate === "dropped";
  const words =
    `“${text(table, pathTo(table, picked))}”${end ? ", the end" : ""}: ${place}, ` +
    WORDS[each.fate] +
    (low ? " (an end counts among the first of a step only)." : ".");
  const { length } = pathTo(table, picked);
  const score =
    each.score === undefined
      ? ""
      : `; score = ${format(each.total)} ÷ ((5 + ${length}) ÷ 6)^${alpha.toFixed(2)} = ` +
        `${format(each.score)}`;
  return [
    words,
    `log p = ${format(before)} + log ${fixed(Math.exp(table.log_prob[picked] / 10_000), 3)} = ` +
      `${format(each.total)}${score}`,
  ];
}

/** What this step has done: [lead, why it stops, verdict, winners by alpha].
 * @param {any} now @param {number} beam @param {() => ReturnType<typeof winners>} winnersByAlpha */
export function stepInWords(now, beam, winnersByAlpha) {
  const { seen, all, step, finished, greedyPath, greedyScore, table } = now;
  const last = seen[seen.length - 1];
  if (!last)
    return [
      "Step 0: nothing is written yet. At each step the beam will keep the likeliest " +
        `${beam > 1 ? `${beam} beginnings` : "beginning"}.`,
      "",
      "",
      "",
    ];
  const fate = (name) => last.candidates.filter((each) => each.fate === name).length;
  const full =
    last.length > table.limit
      ? " There is no room for another token: only the end may follow."
      : "";
  const lead =
    `Step ${step} of ${all}: the ${last.candidates.length} likeliest continuations ` +
    `are looked at; ${fate("finished")} finished, ${fate("kept")} kept, ${fate("dropped")} ` +
    `dropped.${full}`;
  let stopped = "";
  if (last.stop)
    stopped =
      last.stop.best === undefined
        ? "The search stops: no beginning is left."
        : `The search stops: the best beginning left has ${format(last.stop.best)}. At most ` +
          `${count(table.limit + 1)} tokens long, it could score ${format(last.stop.bound)} at ` +
          `best, and ${count(beam)} ` +
          `${beam > 1 ? "sentences score" : "sentence scores"} at least ` +
          `${format(last.stop.worst)}.`;
  if (!last.stop || !finished.length) return [lead, stopped, "", ""];
  const winner = text(table, pathTo(table, finished[0].node));
  const other = text(table, greedyPath);
  const numbers = ({ total, score }) => `(log p ${format(total)}, score ${format(score)})`;
  const ranges = winnersByAlpha();
  const parts = ranges.map(
    ({ from, to, sentence }) => `${from.toFixed(2)} to ${to.toFixed(2)} “${sentence}”`,
  );
  const lengths =
    ranges.length < 2 ? "Every α from 0 to 1 has this winner." : `By α: ${parts.join(" · ")}`;
  return [
    lead,
    stopped,
    winner === other
      ? `Beam and greedy agree on “${winner}” ${numbers(finished[0])}.`
      : `The beam finds “${winner}” ${numbers(finished[0])}; greedy wrote “${other}” ` +
        `${numbers(greedyScore)}.`,
    lengths,
  ];
}
