// @ts-check
// The four steps of scaled dot-product attention (equation 1), computed where the reader looks.
import { LIMIT, compute, explain, feeds, parseCell } from "./attention_steps_numbers.js";
import { causalMask, format, plain } from "./numbers.js";
import { MOVES, h, live, take } from "./shared.js";
import { each } from "./table.js";

const STEPS = [
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

/** @param {{model: any, el: HTMLElement}} context @returns {() => void} clean-up */
function render({ model, el }) {
  const names = ["query", "key", "value", "mask", "step"];
  const get = (name) => model.get(name);
  const state = () =>
    /** @type {any} */ (Object.fromEntries(["tokens", ...names].map((name) => [name, get(name)])));
  const tokens = get("tokens");
  const dimensions = ["0", "1", "2", "3"];
  let picked = [2, 1]; // "sat" and "cat": one number to follow through the four steps
  let pointed = null;

  const say = h("p", { class: "tc-said", "aria-live": "polite" });
  const message = h("p", { class: "tc-message", role: "status" });
  const words = h("p");
  const sum = h("code");

  const save = (changes, note = "") => {
    for (const [name, value] of Object.entries(changes)) model.set(name, value);
    model.save_changes();
    message.textContent = note;
  };
  const put = (name, i, j, entry, note) =>
    save(
      {
        [name]: get(name).map((row, r) => row.map((old, c) => (r === i && c === j ? entry : old))),
      },
      note,
    );

  // -- tables --
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
      if (keep) picked = place;
      pointed = keep ? null : place;
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
    grid(title, hint, dimensions, (i, j) => {
      const show = () => {
        input.value = plain(get(name)[i][j]);
      };
      const input = h("input", {
        role: "spinbutton",
        autocomplete: "off",
        "aria-valuemin": -LIMIT,
        "aria-valuemax": LIMIT,
        "aria-label": `${name}, token ${tokens[i]}, dimension ${j}`,
        focus() {
          input.select();
          if (name !== "query") return; // a query has a row of results of its own
          picked = [i, picked[1]];
          point();
        },
        change() {
          const { value, error } = parseCell(input.value);
          if (error) message.textContent = error;
          else put(name, i, j, value);
          show();
        },
        keydown(event) {
          const [down] = MOVES[event.key] ?? [0];
          if (down) take(event);
          if (down && Math.abs(get(name)[i][j] - down / 2) <= LIMIT)
            put(name, i, j, get(name)[i][j] - down / 2);
          if (down || event.key === "Escape") show();
        },
      });
      return input;
    });

  // -- four panels: operands on the left, the result on the right --
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
        dimensions,
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

  // -- one row through all four steps, so that an edit shows at once what comes of it --
  const whose = h("b");
  const stations = ["scores", "scaled", "weights", "output"].map((name) => {
    const cells = (name === "output" ? dimensions : tokens).map(() => h("span"));
    return {
      name,
      cells,
      node: h("span", { class: "tc-station" }, h("small", {}, name), ...cells),
    };
  });
  const way = h(
    "div",
    { class: "tc-way", role: "group", "aria-label": "One row through all four steps" },
    whose,
    ...stations.map(({ node }) => node),
  );

  // -- stepping, the mask, reset --
  const go = (step) => {
    if (STEPS[step]) save({ step });
  };
  const keydown = (event) => {
    const to = { ArrowLeft: get("step") - 1, ArrowRight: get("step") + 1, Home: 0, End: 3 }[
      event.key
    ];
    if (to === undefined) return;
    take(event);
    go(to);
    if (strip.contains(event.target)) tabs[get("step")].focus();
  };
  const press = (click, ...label) => h("button", { type: "button", click }, ...label);
  const tabs = STEPS.map(([name, formula], step) =>
    press(() => go(step), h("b", {}, h("span", {}, `${step + 1} `), name), h("small", {}, formula)),
  );
  const strip = h("ol", { keydown }, ...tabs.map((tab) => h("li", {}, tab)));
  const back = press(() => go(get("step") - 1), "← Back");
  const next = press(() => go(get("step") + 1), "Next →");
  const causal = h("input", {
    type: "checkbox",
    change: () =>
      save(
        { mask: causal.checked ? causalMask(3) : [0, 1, 2].map(() => [true, true, true]) },
        (causal.checked
          ? "Causal mask on: no token attends to a later one."
          : "Causal mask off: every token attends to every token.") + " It acts in step 3.",
      ),
  });
  const reset = press(() => {
    save(get("start"), "All numbers and the mask are as they were at the start.");
    update();
  }, "Reset");
  const legend = [
    ["neg", "negative"],
    ["pos", "positive"],
    ["seq", "weight"],
    ["off", "masked"],
  ].map(([kind, name]) => h("span", {}, h("i", { "data-kind": kind }), name));
  const root = h(
    "div",
    { class: "tc tc-steps", role: "group", "aria-label": "Attention in four steps" },
    strip,
    say,
    h("div", { class: "tc-panels" }, ...nodes),
    way,
    message,
    h("div", { class: "tc-why", "aria-live": "polite" }, words, sum),
    h(
      "div",
      { class: "tc-bar" },
      h("span", { keydown }, back, next),
      h("span", {}, h("label", {}, causal, "Causal mask"), reset),
    ),
    h(
      "p",
      { class: "tc-legend" },
      ...legend,
      h("br"),
      "Point at a result, or Tab to it and use the arrow keys. Edit any boxed number; ↑ ↓ step " +
        "it by 0.5.",
    ),
  );

  // -- every number, from the state --
  const tint = (cell, x, largest, isWeight) => {
    cell.dataset.kind = !Number.isFinite(x) ? "off" : isWeight ? "seq" : x < 0 ? "neg" : "pos";
    cell.style.setProperty("--t", Math.abs(x) / largest);
  };
  const fill = ({ controls }, rows, isWeight = false) => {
    const largest = isWeight
      ? 1
      : Math.max(1e-9, ...rows.flat().filter(Number.isFinite).map(Math.abs));
    each(controls, (node, i, j) => {
      const x = rows[i][j];
      const cell = node.parentElement;
      node.textContent = format(x);
      if (node.dataset.name) node.setAttribute("aria-label", `${format(x)}, ${node.dataset.name}`);
      tint(cell, x, largest, isWeight);
      cell.classList.toggle("tc-masked", rows[0].length === 3 && !get("mask")[i][j]);
    });
  };

  /** The number in question: what feeds it, and how it came about. */
  function point() {
    const step = get("step");
    const { left, out } = panels[step];
    const [i, j] = pointed ?? [picked[0], Math.min(picked[1], out.controls[0].length - 1)];
    left.forEach(({ controls }, n) =>
      each(controls, (node, a, b) => {
        const [row, column] = feeds(step, i, j)[n];
        node.parentElement.classList.toggle("tc-feed", (row ?? a) === a && (column ?? b) === b);
      }),
    );
    each(out.controls, (node, a, b) =>
      node.parentElement.classList.toggle("tc-pick", a === i && b === j),
    );
    const results = compute(state());
    whose.textContent = `“${tokens[i]}” through all four steps`;
    stations.forEach(({ name, cells, node }, n) => {
      const row = results[name][i];
      const largest =
        name === "weights"
          ? 1
          : Math.max(1e-9, ...results[name].flat().filter(Number.isFinite).map(Math.abs));
      cells.forEach((cell, k) => {
        cell.textContent = format(row[k]);
        tint(cell, row[k], largest, name === "weights");
      });
      node.classList.toggle("tc-here", n === step);
    });
    [words.textContent, sum.textContent] = explain(step, i, j, state());
  }

  function update() {
    const now = state();
    const { mask, step } = now;
    const r = compute(now);
    [q, k, v].forEach((table, n) =>
      each(table.controls, (input, i, j) => {
        input.value = plain(now[names[n]][i][j]);
        input.setAttribute("aria-valuenow", now[names[n]][i][j]);
      }),
    );
    fill(panels[0].out, r.scores);
    fill(panels[1].left[0], r.scores);
    fill(panels[1].out, r.scaled);
    fill(panels[2].left[0], r.masked);
    fill(panels[2].out, r.weights, true);
    fill(panels[3].left[0], r.weights, true);
    fill(panels[3].out, r.output);
    each(panels[2].out.sums, (cell, i) => {
      cell.textContent = format(r.weights[i].reduce((a, b) => a + b));
    });
    each(panels[2].left[0].controls, (node, i, j) => node.setAttribute("aria-pressed", mask[i][j]));
    nodes.forEach((node, n) => {
      node.hidden = n !== step;
      if (n === step) tabs[n].setAttribute("aria-current", "step");
      else tabs[n].removeAttribute("aria-current");
    });
    back.setAttribute("aria-disabled", step === 0);
    next.setAttribute("aria-disabled", step === 3);
    causal.checked = String(mask) === String(causalMask(3));
    causal.indeterminate = !causal.checked && String(mask).includes("false");

    const empty = tokens
      .filter((_, i) => !mask[i].includes(true))
      .map((name) => `“${name}”`)
      .join(" and ");
    const nothing =
      empty && step > 1 ? ` Every key of ${empty} is masked: 0 ÷ 0 is not a number, NaN.` : "";
    const lead = `Step ${step + 1} of 4: ${STEPS[step][0]}. `;
    if (say.textContent !== lead + STEPS[step][2] + nothing)
      say.replaceChildren(h("b", {}, lead), STEPS[step][2], h("strong", {}, nothing));
    point();
  }

  return live({ model, el }, root, names, update);
}

export default { render };
