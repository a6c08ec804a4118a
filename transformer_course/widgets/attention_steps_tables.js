// @ts-check
// The four panels of attention: operands on the left, the result on the right.
import { numberField } from "./number_field.js";
import { format } from "./numbers.js";
import { MOVES, h, take } from "./shared.js";
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
    "Softmax: exponentiate, then divide by the sum of the row, so that it sums to 1. A masked " +
      "score becomes −∞, its weight 0.",
  ],
  [
    "Aggregate",
    "× V",
    "Each output is a mixture of the values. The row of weights says how much of each goes in.",
  ],
];

/** A number's color. */
export const tint = (cell, x, largest, isWeight) => {
  cell.dataset.kind = !Number.isFinite(x) ? "off" : isWeight ? "seq" : x < 0 ? "neg" : "pos";
  cell.style.setProperty("--t", Math.abs(x) / largest);
};

/** Numbers and colors of a table.
 * @param {{controls: any[][]}} table @param {Matrix} rows @param {boolean[][]} mask */
export const fill = ({ controls }, rows, mask, isWeight = false) => {
  const largest = isWeight
    ? 1
    : Math.max(1e-9, ...rows.flat().filter(Number.isFinite).map(Math.abs));
  each(controls, (node, i, j) => {
    const x = rows[i][j];
    const cell = node.parentElement;
    node.textContent = format(x);
    if (node.dataset.name) node.setAttribute("aria-label", `${format(x)}, ${node.dataset.name}`);
    tint(cell, x, largest, isWeight);
    cell.classList.toggle("tc-masked", rows[0].length === 3 && !mask[i][j]);
  });
};

/** The tables of all steps. `chosen` is the number in question: {picked, pointed}.
 * @param {any} get of a trait @param {any} put one number or boolean
 * @param {{picked: number[], pointed: number[] | null}} chosen
 * @param {() => void} point after another choice @param {(error: string) => void} refuse */
export function makePanels(get, put, chosen, point, refuse) {
  const tokens = get("tokens");
  const grid = (title, hint, columns, control, extra = []) => {
    const controls = tokens.map((_, i) => columns.map((_, j) => control(i, j)));
    const sums = tokens.map(() => extra.map(() => h("td", { class: "tc-sum" })));
    const body = tokens.map((name, i) =>
      h(
        "tr",
        {},
        h("th", { scope: "row" }, name),
        ...controls[i].map((node) => h("td", {}, node)),
        ...sums[i],
      ),
    );
    const head = h(
      "tr",
      {},
      h("td"),
      ...[...columns, ...extra].map((name) => h("th", { scope: "col" }, name)),
    );
    const node = h(
      "div",
      { class: "tc-op" },
      h(
        "table",
        {},
        h("caption", {}, h("b", {}, title), ` ${hint}`),
        h("thead", {}, head),
        h("tbody", {}, ...body),
      ),
    );
    return { node, controls, sums };
  };
  const fixed = () => h("span");
  /** Buttons that arrow keys move between, one of them in the tab order. */
  const asking = (title, hint, columns, name, click = (i, j) => {}, extra = []) => {
    const ask = (place, keep) => () => {
      if (keep) chosen.picked = place;
      chosen.pointed = keep ? null : place;
      point();
    };
    const table = grid(
      title,
      hint,
      columns,
      (i, j) =>
        h("button", {
          type: "button",
          tabindex: i || j ? -1 : 0,
          "data-name": name(tokens[i], columns[j]),
          pointerenter: ask([i, j]),
          pointerleave: ask(null),
          focus() {
            each(table.controls, (other, a, b) => {
              other.tabIndex = a === i && b === j ? 0 : -1;
            });
            ask([i, j], true)();
          },
          click() {
            click(i, j);
            ask([i, j], true)();
          },
          keydown(event) {
            const move = MOVES[event.key];
            if (!move) return;
            take(event);
            table.controls[i + move[0]]?.[j + move[1]]?.focus();
          },
        }),
      extra,
    );
    return table;
  };
  const flip = (i, j) => {
    const may = !get("mask")[i][j];
    put("mask", i, j, may, `“${tokens[i]}” ${may ? "may" : "may not"} attend to “${tokens[j]}”.`);
  };
  const vectors = (name, title, hint) =>
    grid(
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
            point();
          },
        }).node,
    );

  const axes = "query ↓ key →";
  const pair = (what) => (row, column) => `${what}, query ${row}, key ${column}`;
  const [q, k, v] = [
    vectors("query", "Query Q", "what it looks for"),
    vectors("key", "Key K", "what it offers"),
    vectors("value", "Value V", "what it passes on"),
  ];
  const panels = [
    { left: [q, k], out: asking("Scores", axes, tokens, pair("score")), signs: ["·", "="] },
    {
      left: [grid("Scores", axes, tokens, fixed)],
      out: asking("Scaled scores", "", tokens, pair("scaled score")),
      signs: ["÷ √4 ="],
    },
    {
      left: [
        asking(
          "Scaled scores",
          "press to mask",
          tokens,
          (row, column) => `${row} may attend to ${column}`,
          flip,
        ),
      ],
      out: asking("Weights", axes, tokens, pair("weight"), undefined, ["sum"]),
      signs: ["softmax →"],
    },
    {
      left: [grid("Weights", axes, tokens, fixed), v],
      out: asking(
        "Output",
        "",
        DIMENSIONS,
        (row, column) => `output, token ${row}, dimension ${column}`,
      ),
      signs: ["×", "="],
    },
  ];
  const nodes = panels.map(({ left, out, signs }, step) =>
    h(
      "div",
      {
        class: "tc-panel",
        role: "group",
        "aria-label": `Step ${step + 1} of 4: ${STEPS[step][0]}`,
      },
      ...left.flatMap(({ node }, n) => [
        node,
        h("span", { class: "tc-sign", "aria-hidden": true }, signs[n]),
      ]),
      out.node,
    ),
  );
  return { panels, nodes, operands: [q, k, v] };
}
