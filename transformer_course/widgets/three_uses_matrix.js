// @ts-check
// The matrix of ThreeUses: who asks, who is asked, how much each gives, and what a mask hides.
import { h, svg } from "./shared.js";
import { LANGUAGES, MARKS, USES, hides } from "./three_uses_words.js";
/** @import {Data} from "./three_uses_words.js" */

const [CELL, SIDE, TOP] = [18, 60, 56]; // a square, the names beside and above

/** A pair that a mask hides: a stroke for each mask. */
const crossed = (kind, x, y) => {
  const strokes = { later: "M5 5l8 8", padding: "M5 13l8 -8", both: "M5 5l8 8M5 13l8 -8" };
  return svg("path", { transform: `translate(${x} ${y})`, d: strokes[kind] });
};

/** The weights, a square each, with the words that ask on the left and those asked above. Padding
 * asks too, in empty rows that nobody reads. A press on a row picks its word.
 * @param {Data} data @param {string} use @param {number[][]} weights @param {number} word
 * @param {(word: number) => void} pick */
export function matrix(data, use, weights, word, pick) {
  const { query, key } = USES[use];
  const [asks, answers] = [data.pieces[query], data.pieces[key]];
  const hidden = hides(data, use);
  const size = 1 + CELL * Math.max(data.pieces.src.length, data.pieces.tgt.length);
  const beside = (y, kind, words) =>
    svg("text", { x: -5, y, "text-anchor": "end", class: kind }, words);
  const square = (i, j, about) =>
    svg("rect", { x: j * CELL + 1, y: i * CELL + 1, width: CELL - 2, height: CELL - 2, ...about });
  const cell = (i, j) => {
    if (i >= weights.length) return square(i, j, { class: "tc-idle" });
    if (hidden[i][j]) return crossed(hidden[i][j], j * CELL, i * CELL);
    return square(i, j, { class: "tc-yes", style: `--t: ${weights[i][j]}` });
  };
  const asking = (i) => (i === word ? "tc-asks tc-now" : i < weights.length ? "tc-asks" : "");
  const looked = weights[word].indexOf(Math.max(...weights[word]));
  return svg(
    "svg",
    {
      class: "tc-grid",
      role: "img",
      "aria-label": `weights: ${LANGUAGES[query]} asks, ${LANGUAGES[key]} is asked`,
      viewBox: `${-SIDE} ${-TOP} ${SIDE + size} ${TOP + size}`,
      click(event) {
        const box = event.currentTarget.getBoundingClientRect();
        const down = ((event.clientY - box.top) / box.height) * (TOP + size) - TOP;
        pick(Math.max(0, Math.min(weights.length - 1, Math.floor(down / CELL))));
      },
    },
    beside(-20, "tc-asks tc-now", LANGUAGES[query]),
    beside(-6, "tc-asks tc-now", "asks ↓"),
    ...asks.flatMap((piece, i) => [
      beside((i + 0.5) * CELL + 4, asking(i), piece),
      ...answers.map((_, j) => cell(i, j)),
    ]),
    ...answers.map((piece, j) => {
      const transform = `translate(${(j + 0.5) * CELL + 4} -6) rotate(-90)`;
      return svg("text", { transform, class: j === looked ? "tc-keys tc-now" : "tc-keys" }, piece);
    }),
    svg("rect", {
      class: "tc-row",
      x: 0,
      y: word * CELL,
      width: answers.length * CELL,
      height: CELL,
    }),
  );
}

/** The marks of a matrix, each with its words.
 * @param {Data} data @param {string} use */
export function legend(data, use) {
  const mark = (picture, words) =>
    h(
      "span",
      {},
      svg("svg", { viewBox: `0 0 ${CELL} ${CELL}`, "aria-hidden": "true" }, picture),
      words,
    );
  const kinds = [...new Set(hides(data, use).flat())].filter(Boolean);
  const idle = svg("rect", { x: 3, y: 3, width: 12, height: 12, class: "tc-idle" });
  return h(
    "p",
    { class: "tc-marks" },
    ...kinds.map((kind) => mark(crossed(kind, 0, 0), MARKS[kind])),
    mark(idle, "padding asks: answer unread"),
  );
}
