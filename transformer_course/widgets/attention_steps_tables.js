// @ts-check
// The tables of attention: what is given on the left, what comes of it on the right, all in sight.
import { numberField } from "./number_field.js";
import { format } from "./numbers.js";
import { MOVES, h, take } from "./shared.js";
import { still } from "./stage.js";
import { each } from "./table.js";
/** @import {Matrix} from "./types.js" */

export const DIMENSIONS = ["0", "1", "2", "3"];

export const STEPS = [
  [
    "Score",
    "Q Kᵀ",
    "Compare every query with every key: multiply dimension by dimension and add. A large score " +
      "says that the two match.",
  ],
  [
    "Scale",
    "÷ √d",
    "Divide by √4 = 2, for keys of 4 dimensions. Without it, longer vectors would push nearly " +
      "all the weight onto one key.",
  ],
  [
    "Normalize",
    "softmax",
    "Exponentiate, then divide by the sum of the row, so that it sums to 1. Press a scaled score " +
      "to mask it: it becomes −∞, its weight 0.",
  ],
  [
    "Aggregate",
    "× V",
    "Each output is a mixture of the values. The row of weights says how much of each goes in.",
  ],
];

/** Numbers and colors of a table; where a number is new it flashes, later tables later.
 * @param {{controls: any[][]}} table @param {Matrix} rows @param {boolean[][]} mask
 * @param {number} late steps behind the first one */
export const fill = ({ controls }, rows, mask, late, isWeight = false) => {
  const largest = isWeight
    ? 1
    : Math.max(1e-9, ...rows.flat().filter(Number.isFinite).map(Math.abs));
  each(controls, (node, i, j) => {
    const x = rows[i][j];
    const cell = node.parentElement;
    const old = node.textContent;
    node.textContent = format(x);
    if (node.dataset.name) node.setAttribute("aria-label", `${format(x)}, ${node.dataset.name}`);
    cell.dataset.kind = !Number.isFinite(x) ? "off" : isWeight ? "seq" : x < 0 ? "neg" : "pos";
    cell.style.setProperty("--t", Math.abs(x) / largest);
    cell.classList.toggle("tc-masked", rows[0].length === 3 && !mask[i][j]);
    if (old && old !== node.textContent && !still())
      cell.animate([{ opacity: 0.15 }, { opacity: 1 }], {
        duration: 400,
        delay: 150 * late,
        fill: "backwards",
      });
  });
};

/** The tables. `chosen` is the number in question: a step, a row and a column.
 * @param {any} get of a trait @param {any} put one number or boolean
 * @param {{picked: number[], pointed: number[] | null}} chosen
 * @param {(step: number) => void} point after another choice
 * @param {(error: string) => void} refuse */
export function makeTables(get, put, chosen, point, refuse) {
  const tokens = get("tokens");
  const grid = (kind, title, hint, columns, control) => {
    const controls = tokens.map((_, i) => columns.map((_, j) => control(i, j)));
    const body = tokens.map((name, i) =>
      h("tr", {}, h("th", { scope: "row" }, name), ...controls[i].map((node) => h("td", {}, node))),
    );
    const names = columns.map((name) => h("th", { scope: "col" }, name));
    const said = h("span", {}, hint);
    const node = h(
      "div",
      { class: `tc-op tc-of-${kind}` },
      h(
        "table",
        {},
        h("caption", {}, h("b", {}, title), " ", said),
        h("thead", {}, h("tr", {}, h("td"), ...names)),
        h("tbody", {}, ...body),
      ),
    );
    return { node, controls, said };
  };
  /** Buttons that arrow keys move between, one of them in the tab order. */
  const asking = (step, kind, title, hint, columns, name, press = (i, j) => false) => {
    const table = grid(kind, title, hint, columns, (i, j) => {
      const choose = () => {
        [chosen.picked, chosen.pointed] = [[i, j], null];
        point(step);
      };
      const hover = (place) => () => {
        chosen.pointed = place;
        point(get("step"));
      };
      return h("button", {
        type: "button",
        tabindex: i || j ? -1 : 0,
        "data-name": name(tokens[i], columns[j]),
        pointerenter: hover([step, i, j]),
        pointerleave: hover(null),
        focus() {
          each(table.controls, (other, a, b) => {
            other.tabIndex = a === i && b === j ? 0 : -1;
          });
        },
        click() {
          if (!press(i, j)) choose();
        },
        keydown(event) {
          const move = MOVES[event.key];
          if (!move) return;
          take(event);
          const [a, b] = [i + move[0], j + move[1]];
          const to = table.controls[a]?.[b];
          if (!to) return;
          to.focus();
          chosen.pointed = null;
          if (get("step") === step || kind !== "scaled") {
            chosen.picked = [a, b];
            point(step);
          }
        },
      });
    });
    return table;
  };
  const vectors = (kind, name, title, hint) =>
    grid(
      kind,
      title,
      hint,
      DIMENSIONS,
      (i, j) =>
        numberField({
          label: `${name}, token ${tokens[i]}, dimension ${j}`,
          get: () => get(name)[i][j],
          put: (x) => put(name, i, j, x),
          refuse,
          focus() {
            if (name !== "query") return; // a query has a row of results of its own
            chosen.picked = [i, chosen.picked[1]];
            point(get("step"));
          },
        }).node,
    );
  /** In the step of the softmax a scaled score is masked by a press. */
  const flip = (i, j) => {
    if (get("step") !== 2) return false;
    const may = !get("mask")[i][j];
    put("mask", i, j, may, `“${tokens[i]}” ${may ? "may" : "may not"} attend to “${tokens[j]}”.`);
    return true;
  };
  const pair = (what) => (row, column) => `${what}, query ${row}, key ${column}`;
  const place = (row, column) => `output, token ${row}, dimension ${column}`;
  return {
    query: vectors("q", "query", "Query Q", "what it looks for"),
    key: vectors("k", "key", "Key K", "what it offers"),
    value: vectors("v", "value", "Value V", "what it passes on"),
    scores: asking(0, "scores", "Scores", "Q Kᵀ", tokens, pair("score")),
    scaled: asking(1, "scaled", "Scaled scores", "÷ √4", tokens, pair("scaled score"), flip),
    weights: asking(2, "weights", "Weights", "softmax", tokens, pair("weight")),
    output: asking(3, "output", "Output", "weights × V", DIMENSIONS, place),
  };
}
