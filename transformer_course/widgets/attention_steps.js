// @ts-check
// The four steps of scaled dot-product attention (equation 1), computed where the reader looks.

/** @typedef {number[][]} Matrix  one row per token */
/** @typedef {{tokens: string[], query: Matrix, key: Matrix, value: Matrix, mask: boolean[][]}} State */
/** @typedef {{get(name: string): any, set(name: string, value: any): void, save_changes(): void,
 *   on(name: string, run: () => void): void, off(name: string, run: () => void): void}} Model */

export const LIMIT = 100;

const STEPS = [
  { name: "Score", formula: "Q Kᵀ", text: "Compare every query with every key: multiply dimension by dimension and add. A large score says that the two match." },
  { name: "Scale", formula: "÷ √d", text: "Divide every score by √4 = 2, because a key has 4 dimensions. Otherwise longer vectors would give larger scores, and softmax would put nearly all the weight on one key." },
  { name: "Normalize", formula: "softmax", text: "Softmax turns each row into weights that sum to 1: exponentiate, then divide by the sum of the row. A masked score becomes −∞ first, and its weight 0." },
  { name: "Aggregate", formula: "weights · V", text: "Each output is a mixture of the values. The row of weights says how much of each goes in." },
];

// ---- The mathematics ----

/** @param {number[]} a @param {number[]} b */
export const dot = (a, b) => a.reduce((sum, x, d) => sum + x * b[d], 0);

/** @param {Matrix} query @param {Matrix} key @returns {Matrix} */
export const scores = (query, key) => query.map((q) => key.map((k) => dot(q, k)));

/** @param {Matrix} matrix @param {number} headDim @returns {Matrix} */
export const scale = (matrix, headDim) => matrix.map((row) => row.map((x) => x / Math.sqrt(headDim)));

/** True = may attend. @param {Matrix} matrix @param {boolean[][]} mask @returns {Matrix} */
export const applyMask = (matrix, mask) => matrix.map((row, i) => row.map((x, j) => (mask[i][j] ? x : -Infinity)));

/** A row of nothing but −∞ gives NaN: there is nothing to divide by. @param {number[]} row */
export function softmax(row) {
  const top = Math.max(...row);
  const exps = row.map((x) => Math.exp(x - top));
  const total = exps.reduce((sum, x) => sum + x, 0);
  return exps.map((x) => x / total);
}

/** @param {Matrix} weights @param {Matrix} value @returns {Matrix} */
export const aggregate = (weights, value) => weights.map((row) => value[0].map((_, d) => dot(row, value.map((v) => v[d]))));

/** @param {number} length */
export const causalMask = (length) => Array.from({ length }, (_, i) => Array.from({ length }, (_, j) => j <= i));

/** @param {State} state */
export function compute(state) {
  const raw = scores(state.query, state.key);
  const scaled = scale(raw, state.key[0].length);
  const masked = applyMask(scaled, state.mask);
  const weights = masked.map(softmax);
  return { scores: raw, scaled, masked, weights, output: aggregate(weights, state.value) };
}

// ---- Numbers and words ----

/** Two decimals; fewer once a number is long. @param {number} x */
export function format(x) {
  if (Number.isNaN(x)) return "NaN";
  if (!Number.isFinite(x)) return x < 0 ? "−∞" : "∞";
  const text = x.toFixed(Math.abs(x) >= 1000 ? 0 : Math.abs(x) >= 100 ? 1 : 2);
  return Number(text) === 0 ? "0.00" : text.replace("-", "−");
}

/** An input as it was typed. @param {number} x */
export const plain = (x) => String(Number(x.toFixed(4))).replace("-", "−");

/** @param {string} text @returns {{value: number} | {error: string}} */
export function parseCell(text) {
  const typed = text.trim().replace("−", "-").replace(",", ".");
  const want = `Expected a number from −${LIMIT} to ${LIMIT}, like 0.5; the old value stays.`;
  if (!typed) return { error: `The cell was empty. ${want}` };
  const shown = text.trim().length > 12 ? `${text.trim().slice(0, 12)}…` : text.trim();
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(typed)) return { error: `“${shown}” is not a number. ${want}` };
  if (Math.abs(Number(typed)) > LIMIT) return { error: `${shown} is too large. ${want}` };
  return { value: Math.round(Number(typed) * 100) / 100 || 0 };
}

/** "= 1.50", or "≈ 0.27" where digits were dropped. @param {number} x */
const equals = (x) => `${Math.abs(Number(x.toFixed(2)) - x) > 1e-9 ? "≈" : "="} ${format(x)}`;

/** @param {string} left @param {number} right */
const times = (left, right) => `${left}·${right < 0 ? `(${plain(right)})` : plain(right)}`;

/** How one number came about. @param {number} step @param {number} i @param {number} j @param {State} state */
export function explain(step, i, j, state) {
  const r = compute(state);
  const [from, to] = [`“${state.tokens[i]}”`, `“${state.tokens[j]}”`];
  const at = `[${i}][${j}]`;
  if (step === 0) return {
    words: `How well the query of ${from} matches the key of ${to}: multiply dimension by dimension, then add.`,
    sum: `score${at} = ${state.query[i].map((q, d) => times(plain(q), state.key[j][d])).join(" + ")} ${equals(r.scores[i][j])}`,
  };
  if (step === 1) return {
    words: `The score of ${from} with ${to}, divided by the square root of ${state.key[0].length}.`,
    sum: `scaled${at} = ${format(r.scores[i][j])} ÷ √${state.key[0].length} = ${format(r.scores[i][j])} ÷ ${plain(Math.sqrt(state.key[0].length))} ${equals(r.scaled[i][j])}`,
  };
  if (step === 2) {
    const row = r.masked[i];
    const top = Math.max(...row);
    const large = Number.isFinite(top) && row.some((x) => Number.isFinite(x) && Math.abs(x) > 10);
    const shifted = large ? row.map((x) => x - top) : row;
    const parts = (/** @type {(x: number) => string} */ show) => `${show(shifted[j])} ÷ (${shifted.map(show).join(" + ")})`;
    let words = `The share of ${to} in the row of ${from}: its exponential, divided by the sum of all exponentials in the row.`;
    if (top === -Infinity) words = `Every key of ${from} is masked, so softmax has nothing to divide by: 0 ÷ 0 is not a number.`;
    else if (row[j] === -Infinity) words = `${from} may not attend to ${to}: the score becomes −∞, its exponential 0, and so the weight.`;
    if (large) words += ` The largest score of the row, ${format(top)}, is taken off first: the weights stay the same, and nothing overflows.`;
    return { words, sum: `weight${at} = ${parts((x) => `exp(${format(x)})`)} ≈ ${parts((x) => format(Math.exp(x)))} ${equals(r.weights[i][j])}` };
  }
  return {
    words: `Dimension ${j} of the output of ${from}: dimension ${j} of every value, each times its weight, then added.`,
    sum: `output${at} ≈ ${r.weights[i].map((w, k) => times(format(w), state.value[k][j])).join(" + ")} ${equals(r.output[i][j])}`,
  };
}

/** Which [row, column] of each operand feeds result (i, j); null stands for all. @param {number} step @param {number} i @param {number} j */
export const feeds = (step, i, j) => [[[i, null], [j, null]], [[i, j]], [[i, null]], [[i, null], [null, j]]][step];

// ---- The page ----

/** @param {string} tag @param {Record<string, string>} [attributes] @param {(Node | string)[]} children @returns {any} */
function h(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

/** A table with one control in each cell. @param {string[]} rows @param {string[]} columns @param {Function} control */
function grid(title, hint, rows, columns, control, extra = "") {
  const controls = rows.map((_, i) => columns.map((_, j) => control(i, j)));
  const sums = rows.map(() => h("td", { class: "tc-sum" }));
  const heads = [...columns, ...(extra && [extra])].map((name) => h("th", { scope: "col" }, name));
  const body = rows.map((name, i) => h("tr", {}, h("th", { scope: "row" }, name),
    ...controls[i].map((node) => h("td", {}, node)), ...(extra && [sums[i]])));
  const table = h("table", {}, h("caption", {}, h("b", {}, title), ` ${hint}`),
    h("thead", {}, h("tr", {}, h("td"), ...heads)), h("tbody", {}, ...body));
  return { node: h("div", { class: "tc-op" }, table), controls, sums };
}

/** Run for every cell. @param {any[][]} rows @param {(cell: any, i: number, j: number) => void} run */
const each = (rows, run) => rows.forEach((row, i) => row.forEach((cell, j) => run(cell, i, j)));

/** A copy with one entry changed. @param {any[][]} rows */
const replaced = (rows, i, j, entry) => rows.map((row, r) => row.map((old, c) => (r === i && c === j ? entry : old)));

const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** Arrow keys move between the buttons of a grid; one of them is in the tab order. @param {HTMLElement[][]} buttons */
const roam = (buttons) => each(buttons, (button, i, j) => {
  button.tabIndex = i || j ? -1 : 0;
  button.addEventListener("focus", () => each(buttons, (other) => { other.tabIndex = other === button ? 0 : -1; }));
  button.addEventListener("keydown", (event) => {
    const move = MOVES[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    buttons[i + move[0]]?.[j + move[1]]?.focus();
  });
});

/** @param {{model: Model, el: HTMLElement}} context @returns {() => void} clean-up */
function render({ model, el }) {
  const tokens = model.get("tokens");
  const dimensions = model.get("key")[0].map((_, d) => String(d));
  let picked = [2, 1]; // "sat" and "cat": one number to follow through the four steps
  let pointed = null;

  const state = () => /** @type {any} */ (Object.fromEntries(["tokens", "query", "key", "value", "mask"].map((name) => [name, model.get(name)])));
  const save = (changes, note = "") => {
    for (const [name, value] of Object.entries(changes)) model.set(name, value);
    model.save_changes();
    message.textContent = note;
  };

  const say = h("p", { "aria-live": "polite" });
  const message = h("p", { class: "tc-message", role: "status" });
  const words = h("p");
  const sum = h("p", { class: "tc-math" });

  // -- cells --
  const edit = (name) => (i, j) => {
    const input = h("input", { role: "spinbutton", autocomplete: "off", "aria-valuemin": -LIMIT, "aria-valuemax": LIMIT,
      "aria-label": `${name}, token ${tokens[i]}, dimension ${j}` });
    const put = (x) => {
      save({ [name]: replaced(model.get(name), i, j, x) });
      show();
    };
    const show = () => { input.value = plain(model.get(name)[i][j]); };
    input.addEventListener("focus", () => input.select());
    input.addEventListener("change", () => {
      const parsed = parseCell(input.value);
      if ("value" in parsed) return put(parsed.value);
      message.textContent = parsed.error;
      show();
    });
    input.addEventListener("keydown", (event) => {
      if (event.key === "Escape") show();
      const [up] = MOVES[event.key] ?? [0];
      if (!up) return;
      event.preventDefault();
      const x = model.get(name)[i][j] - up / 2;
      if (Math.abs(x) <= LIMIT) put(x);
    });
    return input;
  };
  const fixed = () => h("span");
  const result = () => h("button", { type: "button" });
  const flip = (i, j) => {
    const button = result();
    button.addEventListener("click", () => {
      const may = !model.get("mask")[i][j];
      save({ mask: replaced(model.get("mask"), i, j, may) }, `“${tokens[i]}” ${may ? "may" : "may not"} attend to “${tokens[j]}”.`);
    });
    return button;
  };

  // -- four panels: operands on the left, the result on the right --
  const square = (title, hint, control, extra) => grid(title, hint, tokens, tokens, control, extra);
  const vectors = (title, hint, control) => grid(title, hint, tokens, dimensions, control);
  const [q, k, v] = [vectors("Query Q", "what it looks for", edit("query")), vectors("Key K", "what it offers", edit("key")), vectors("Value V", "what it passes on", edit("value"))];
  const panels = [
    { left: [q, k], out: square("Scores", "query ↓ key →", result), signs: ["·", "="] },
    { left: [square("Scores", "query ↓ key →", fixed)], out: square("Scaled scores", "", result), signs: ["÷ 2 ="] },
    { left: [square("Scaled scores", "press to mask", flip)], out: square("Weights", "query ↓ key →", result, "sum"), signs: ["softmax →"] },
    { left: [square("Weights", "query ↓ key →", fixed), v], out: vectors("Output", "", result), signs: ["×", "="] },
  ].map((panel, step) => {
    const node = h("div", { class: "tc-panel", role: "group", "aria-label": `Step ${step + 1} of 4: ${STEPS[step].name}` },
      ...panel.left.flatMap(({ node }, n) => [node, h("span", { class: "tc-sign", "aria-hidden": true }, panel.signs[n])]), panel.out.node);
    for (const { controls } of step === 2 ? [panel.out, panel.left[0]] : [panel.out]) {
      roam(controls);
      each(controls, (button, i, j) => {
        const at = (place) => () => { pointed = place; point(); };
        for (const event of ["focus", "click"]) button.addEventListener(event, () => { picked = [i, j]; at(null)(); });
        button.addEventListener("pointerenter", at([i, j]));
        button.addEventListener("pointerleave", at(null));
      });
    }
    return { ...panel, node };
  });

  // -- stepping, the mask, reset --
  const button = (name, run, ...label) => {
    const node = h("button", { type: "button", class: name }, ...label);
    node.addEventListener("click", run);
    return node;
  };
  const go = (step) => { if (STEPS[step]) save({ step }); };
  const tabs = STEPS.map(({ name, formula }, step) => button("tc-tab", () => go(step), h("b", {}, `${step + 1} ${name}`), h("small", {}, formula)));
  const strip = h("ol", {}, ...tabs.map((tab) => h("li", {}, tab)));
  const back = button("tc-move", () => go(model.get("step") - 1), "← Back");
  const next = button("tc-move", () => go(model.get("step") + 1), "Next →");
  for (const node of [strip, back, next]) node.addEventListener("keydown", (event) => {
    const to = { ArrowLeft: model.get("step") - 1, ArrowRight: model.get("step") + 1, Home: 0, End: 3 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    go(to);
    if (node === strip) tabs[model.get("step")].focus();
  });
  const causal = h("input", { type: "checkbox" });
  causal.addEventListener("change", () => save(
    { mask: causal.checked ? causalMask(tokens.length) : tokens.map(() => tokens.map(() => true)) },
    `Causal mask ${causal.checked ? "on: no token attends to a later one" : "off: every token attends to every token"}.${model.get("step") < 2 ? " It acts in step 3." : ""}`));
  const reset = button("tc-reset", () => {
    save(model.get("start"), "All numbers and the mask are as they were at the start.");
    update();
  }, "Reset");

  const legend = [["neg", "negative"], ["pos", "positive"], ["seq", "weight"], ["off", "masked"]].map(([kind, name]) => h("span", {}, h("i", { "data-kind": kind }), name));
  const root = h("div", { class: "tc-steps", role: "group", "aria-label": "Attention in four steps", "data-lm-suppress-shortcuts": true },
    strip, say, ...panels.map(({ node }) => node), message, h("div", { class: "tc-why", "aria-live": "polite" }, words, sum),
    h("div", { class: "tc-bar" }, back, next, h("label", {}, causal, " Causal mask"), reset),
    h("p", { class: "tc-legend" }, ...legend, "Point at a result, or reach it with Tab and the arrow keys. Edit any boxed number; ↑ ↓ change it by 0.5."));

  // -- every number, from the state --
  const fill = (controls, matrix, largest = Math.max(1e-9, ...matrix.flat().filter(Number.isFinite).map(Math.abs))) => each(controls, (node, i, j) => {
    const x = matrix[i][j];
    const cell = node.parentElement;
    cell.dataset.kind = !Number.isFinite(x) ? "off" : largest === 1 ? "seq" : x < 0 ? "neg" : "pos";
    cell.style.setProperty("--t", Number.isFinite(x) ? Math.abs(x) / largest : 0);
    cell.classList.toggle("tc-masked", controls[0].length === tokens.length && !model.get("mask")[i][j]);
    node.textContent = format(x);
  });

  /** The number in question: what feeds it, and how it came about. */
  function point() {
    const step = model.get("step");
    const { left, out } = panels[step];
    const [i, j] = pointed ?? [picked[0], Math.min(picked[1], out.controls[0].length - 1)];
    left.forEach(({ controls }, n) => each(controls, (node, a, b) => {
      const [row, column] = feeds(step, i, j)[n];
      node.parentElement.classList.toggle("tc-feed", (row ?? a) === a && (column ?? b) === b);
    }));
    each(out.controls, (node, a, b) => node.parentElement.classList.toggle("tc-pick", a === i && b === j));
    const why = explain(step, i, j, state());
    words.textContent = why.words;
    sum.textContent = why.sum;
  }

  function update() {
    const { mask, ...now } = state();
    const step = model.get("step");
    const r = compute({ mask, ...now });
    for (const [table, name] of [[q, "query"], [k, "key"], [v, "value"]]) each(table.controls, (input, i, j) => {
      input.value = plain(now[name][i][j]);
      input.setAttribute("aria-valuenow", now[name][i][j]);
    });
    fill(panels[0].out.controls, r.scores);
    fill(panels[1].left[0].controls, r.scores);
    fill(panels[1].out.controls, r.scaled);
    fill(panels[2].left[0].controls, r.masked);
    fill(panels[2].out.controls, r.weights, 1);
    fill(panels[3].left[0].controls, r.weights, 1);
    fill(panels[3].out.controls, r.output);
    r.weights.forEach((row, i) => { panels[2].out.sums[i].textContent = format(row.reduce((a, b) => a + b)); });
    each(panels[2].left[0].controls, (node, i, j) => {
      node.setAttribute("aria-label", `${node.textContent}, ${tokens[i]} may attend to ${tokens[j]}`);
      node.setAttribute("aria-pressed", mask[i][j]);
    });
    panels.forEach(({ node, out }, n) => {
      node.hidden = n !== step;
      each(out.controls, (cell, i, j) => cell.setAttribute("aria-label", `${cell.textContent}, ${n < 3
        ? `${["score", "scaled score", "weight"][n]}, query ${tokens[i]}, key ${tokens[j]}` : `output, token ${tokens[i]}, dimension ${j}`}`));
      if (n === step) tabs[n].setAttribute("aria-current", "step");
      else tabs[n].removeAttribute("aria-current");
    });
    back.setAttribute("aria-disabled", step === 0);
    next.setAttribute("aria-disabled", step === 3);
    causal.checked = String(mask) === String(causalMask(tokens.length));
    causal.indeterminate = !causal.checked && String(mask).includes("false");

    const empty = tokens.filter((_, i) => !mask[i].includes(true)).map((name) => `“${name}”`).join(" and ");
    const nothing = empty && step > 1 ? ` Every key of ${empty} is masked: 0 ÷ 0 is not a number, NaN.` : "";
    const lead = `Step ${step + 1} of 4: ${STEPS[step].name}. `;
    if (say.textContent !== lead + STEPS[step].text + nothing) say.replaceChildren(h("b", {}, lead), STEPS[step].text, h("strong", {}, nothing));
    point();
  }

  const names = ["query", "key", "value", "mask", "step"].map((name) => `change:${name}`);
  for (const name of names) model.on(name, update);
  update();
  el.append(root);
  return () => {
    for (const name of names) model.off(name, update);
    root.remove();
  };
}

export default { render };
