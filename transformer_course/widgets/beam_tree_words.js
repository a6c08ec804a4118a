// @ts-check
// How a node of the tree came to its number, and what a step has done, in words.
import { pathTo, text, winners } from "./beam_tree_search.js";
import { count, fixed, format, lengthPenalty } from "./numbers.js";

/** A probability in three digits after the point, or, if it is small, in two that count: its
 * logarithm can be checked. @param {number} p */
export const chance = (p) => fixed(p, Math.max(3, 1 - Math.floor(Math.log10(p))));

/** How the chosen node came to its number: [words, sum].
 * @param {any} now @param {number} picked @param {number} alpha
 */
export function nodeInWords(now, picked, alpha) {
  const { table, known } = now;
  if (!picked)
    return [
      (now.ended
        ? `${now.brief ? "At a word: its probability" : "Press a word to see its number"}.`
        : "Beside a word: log p so far. Struck out: dropped.") +
        (now.finished.length
          ? " ■: an end, with its score."
          : " Thick: likely. Colored: leads to what is kept.") +
        " + joins the word before" +
        (now.ended ? "." : "; a letter alone begins one."),
      "",
    ];
  const path = pathTo(table, picked);
  const sum = (nodes) => nodes.reduce((total, node) => total + table.log_prob[node] / 10_000, 0);
  const [total, before] = [sum(path), sum(path.slice(0, -1))];
  const each = known.get(picked);
  const end = table.piece[picked] === table.end;
  const words = each
    ? `Place ${each.rank + 1} of its step: ${each.fate}.`
    : "The beam was not there.";
  const { length } = path;
  const score = end
    ? `; score = ${format(total)} ÷ ((5 + ${length}) ÷ 6)^${alpha.toFixed(2)} = ` +
      `${format(total / lengthPenalty(length, alpha))}`
    : "";
  return [
    words,
    `log p = ${format(before)} + log ${chance(Math.exp(table.log_prob[picked] / 10_000))} = ` +
      `${format(total)}${score}`,
  ];
}

/** The end of a beginning. @param {any} table @param {number[]} path @param {number} most */
export function lastWords(table, path, most) {
  const words = text(table, path).split(" ");
  const end = table.piece[path.at(-1) ?? 0] === table.end ? " ■" : "";
  return `${words.length > most ? "… " : ""}${words.slice(-most).join(" ")}${end}`;
}

/** What this step has done: [lead, why it stops, winners by
 * alpha, and at the end the sentences: beam, its own, its score, greedy, its own, its score].
 * @param {any} now @param {number} beam */
export function stepInWords(now, beam) {
  const { seen, step, finished, greedyPath, greedyScore, table } = now;
  const last = seen[seen.length - 1];
  if (!last)
    return [
      "Nothing is written yet. The beam size says how many beginnings are kept.",
      ...Array(8).fill(""),
    ];
  const fate = (name) => last.candidates.filter((each) => each.fate === name);
  const [ends, kept, [lost]] = [fate("finished").length, fate("kept").length, fate("dropped")];
  const tail = (path) => `“${lastWords(table, path, 3)}”`;
  const looked =
    last.length > table.limit
      ? "only the end may follow"
      : `the beam keeps ${kept} of ${last.candidates.length} continuations`;
  const lead =
    `After ${step} token${step > 1 ? "s" : ""} ${looked}${ends ? `, ${ends} finished` : ""}. ` +
    (lost ? `First dropped: ${tail(pathTo(table, lost.node))}. ` : "") +
    `Greedy is at ${tail(greedyPath.slice(0, step))}.`;
  let stopped = "";
  if (last.stop)
    stopped =
      last.stop.best === undefined
        ? "The search stops: no beginning is left."
        : `The search stops: the best beginning left has ${format(last.stop.best)}. Outputs have ` +
          `${count(table.limit + 1)} tokens at most; there it could ` +
          `score ${format(last.stop.bound)} at best; of ${count(beam)} finished the last has ` +
          `${format(last.stop.worst)}.`;
  if (!last.stop || !finished.length) return [lead, stopped, ...Array(7).fill("")];
  const winner = text(table, pathTo(table, finished[0].node));
  const other = text(table, greedyPath);
  const ranges = winners(table, beam);
  const parts = ranges.map(
    ({ from, to, sentence }) => `${from.toFixed(2)} to ${to.toFixed(2)} “${sentence}”`,
  );
  const lengths =
    ranges.length < 2 ? "Every α from 0 to 1 has this winner." : `By α: ${parts.join(" · ")}`;
  const { score } = finished[0];
  const scored = (x) => ` scores ${format(x)}`;
  const rank = score > greedyScore.score ? ", lower" : "";
  const both =
    winner === other
      ? ["Beam, greedy: ", winner, scored(score), "", "", ""]
      : ["Beam: ", winner, scored(score), "Greedy: ", other, scored(greedyScore.score) + rank];
  return ["", stopped, lengths, ...both];
}
