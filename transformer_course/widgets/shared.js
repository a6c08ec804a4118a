// @ts-check
// What the widgets share: elements, controls, tables of numbers, a little mathematics.
// Python writes this file out above each module that imports it; names here must not be reused there.

// ---- The mathematics ----

/** @param {number[]} a @param {number[]} b */
export const dot = (a, b) => a.reduce((sum, x, d) => sum + x * b[d], 0);

/** The product of two matrices given as rows. @param {number[][]} a @param {number[][]} b */
export const matmul = (a, b) => a.map((row) => b[0].map((_, j) => row.reduce((sum, x, d) => sum + x * b[d][j], 0)));

/** @param {number[][]} rows */
export const transpose = (rows) => rows[0].map((_, j) => rows.map((row) => row[j]));

/** A row of nothing but −∞ gives NaN: there is nothing to divide by. @param {number[]} row */
export function softmax(row) {
  const top = Math.max(...row);
  const exps = row.map((x) => Math.exp(x - top));
  const total = exps.reduce((sum, x) => sum + x, 0);
  return exps.map((x) => x / total);
}

/** True = may attend. @param {number} length */
export const causalMask = (length) => Array.from({ length }, (_, i) => Array.from({ length }, (_, j) => j <= i));

/** Uniform numbers in [0, 1), the same for the same seed (mulberry32). @param {number} seed */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let x = Math.imul(state ^ (state >>> 15), 1 | state);
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x;
    return ((x ^ (x >>> 14)) >>> 0) / 4294967296;
  };
}

/** A standard normal number (Box-Muller). @param {() => number} uniform */
export const normal = (uniform) => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());

// ---- Numbers as text ----

/** Some decimals; fewer once a number is long. @param {number} x @param {number} digits */
export function fixed(x, digits) {
  if (Number.isNaN(x)) return "NaN";
  if (!Number.isFinite(x)) return x < 0 ? "−∞" : "∞";
  const text = x.toFixed(Math.abs(x) >= 1000 ? 0 : Math.abs(x) >= 100 ? Math.min(1, digits) : digits);
  return Number(text) ? text.replace("-", "−") : (0).toFixed(digits);
}

/** Two decimals. @param {number} x */
export const format = (x) => fixed(x, 2);

/** An input as it was typed. @param {number} x */
export const plain = (x) => String(Number(x.toFixed(4))).replace("-", "−");

/** A count in groups of three. @param {number} x */
export const count = (x) => Math.round(x).toLocaleString("en-US");

// ---- Elements ----

/** Attributes that are functions become event handlers. @returns {any} */
function build(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value !== undefined && value !== null) node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

/** An HTML element. @param {string} tag @returns {any} */
export const h = (tag, attributes = {}, ...children) => build(document.createElement(tag), attributes, children);

/** An SVG element. @param {string} tag @returns {any} */
export const svg = (tag, attributes = {}, ...children) => build(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

/** Which way each arrow key goes: [rows, columns]. @type {Record<string, number[]>} */
export const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** Keep a key from the page around the widget. @param {Event} event */
export function take(event) {
  event.preventDefault();
  event.stopPropagation();
}

/** Put text where it changed only, so that a live region does not repeat itself. @param {any} node @param {string} text */
export function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

// ---- Controls: each is {node, set(value)} ----

let labels = 0;
const fresh = () => `tc-${(labels += 1)}-${Math.random().toString(36).slice(2, 8)}`;

/** A labelled range with its value beside it. `show` writes the value in words. */
export function slider({ label, min, max, step = 1, value, show = plain, change }) {
  const id = fresh();
  const output = h("output", { for: id });
  const input = h("input", { id, type: "range", min, max, step, input: () => { draw(); change(Number(input.value)); }, keydown: (event) => event.stopPropagation() });
  const draw = () => {
    say(output, show(Number(input.value)));
    input.setAttribute("aria-valuetext", output.textContent);
  };
  const set = (to) => { input.value = to; draw(); };
  set(value);
  return { node: h("div", { class: "tc-control" }, h("label", { for: id }, label), input, output), input, set };
}

/** A labelled list to choose from; `options` are [value, text] pairs. */
export function choice({ label, options, value, change }) {
  const id = fresh();
  const input = h("select", { id, change: () => change(input.value), keydown: (event) => event.stopPropagation() }, ...options.map(([name, text]) => h("option", { value: name }, text)));
  const set = (to) => { input.value = to; };
  set(value);
  return { node: h("div", { class: "tc-control" }, h("label", { for: id }, label), input), input, set };
}

/** A labelled box to tick. */
export function check({ label, value, change }) {
  const input = h("input", { type: "checkbox", change: () => change(input.checked) });
  const set = (to) => { input.checked = to; };
  set(value);
  return { node: h("label", { class: "tc-check" }, input, label), input, set };
}

/** A button. @param {string} label @param {() => void} click */
export const press = (label, click, attributes = {}) => h("button", { type: "button", click, ...attributes }, label);

// ---- A table of numbers ----

/** Run for every cell. @param {any[][]} rows @param {(cell: any, i: number, j: number) => void} run */
export const each = (rows, run) => rows.forEach((row, i) => row.forEach((cell, j) => run(cell, i, j)));

/** A table whose cells are numbers, colored by size. With `pick` the cells are buttons that arrow keys
 * move between, one of them in the tab order; `name(i, j)` is what a screen reader calls a cell.
 * `fill(rows, {kind, largest, masked})`: kind "signed" (blue and orange) or "weight" (green, from 0 to 1).
 * @returns {{node: any, cells: any[][], fill: Function, mark: Function}} */
export function numberTable({ caption, hint = "", rows, columns, pick, name = (i, j) => `${rows[i]}, ${columns[j]}`, digits = 2 }) {
  const cells = rows.map((_, i) => columns.map((_, j) => {
    if (!pick) return h("span");
    return h("button", {
      type: "button", tabindex: i || j ? -1 : 0, pointerenter: () => pick(i, j, "point"), click: () => pick(i, j, "press"),
      focus() {
        each(cells, (other, a, b) => { other.tabIndex = a === i && b === j ? 0 : -1; });
        pick(i, j, "focus");
      },
      keydown(event) {
        const move = MOVES[event.key];
        if (!move) return;
        take(event);
        cells[i + move[0]]?.[j + move[1]]?.focus();
      },
    });
  }));
  const body = rows.map((row, i) => h("tr", {}, h("th", { scope: "row" }, row), ...cells[i].map((cell) => h("td", {}, cell))));
  const head = h("tr", {}, h("td"), ...columns.map((column) => h("th", { scope: "col" }, column)));
  const node = h("div", { class: "tc-op" }, h("table", {}, h("caption", {}, h("b", {}, caption), ` ${hint}`), h("thead", {}, head), h("tbody", {}, ...body)));
  const fill = (numbers, { kind = "signed", largest = kind === "weight" ? 1 : Math.max(1e-9, ...numbers.flat().filter(Number.isFinite).map(Math.abs)), masked = (i, j) => false } = {}) => each(cells, (cell, i, j) => {
    const x = numbers[i][j];
    say(cell, fixed(x, digits));
    if (pick) cell.setAttribute("aria-label", `${fixed(x, digits)}, ${name(i, j)}`);
    cell.parentElement.dataset.kind = !Number.isFinite(x) ? "off" : kind === "weight" ? "seq" : x < 0 ? "neg" : "pos";
    cell.parentElement.style.setProperty("--t", Math.min(1, Math.abs(x) / largest) || 0);
    cell.parentElement.classList.toggle("tc-masked", masked(i, j));
  });
  const mark = (chosen, mark = "tc-pick") => each(cells, (cell, i, j) => cell.parentElement.classList.toggle(mark, Boolean(chosen(i, j))));
  return { node, cells, fill, mark };
}

// ---- A widget's life ----

/** Draw now, and again when a trait changes; JupyterLab's keys are kept away. Returns the clean-up.
 * @param {{model: any, el: HTMLElement}} context @param {HTMLElement} root @param {string[]} names @param {() => void} update */
export function live({ model, el }, root, names, update) {
  for (const node of root.querySelectorAll("button, input, select, textarea, [tabindex]")) node.setAttribute("data-lm-suppress-shortcuts", "true");
  for (const name of names) model.on(`change:${name}`, update);
  update();
  el.append(root);
  return () => {
    for (const name of names) model.off(`change:${name}`, update);
    root.remove();
  };
}

/** Set traits and tell Python, where there is one. @param {any} model @param {Record<string, unknown>} changes */
export function save(model, changes) {
  for (const [name, value] of Object.entries(changes)) model.set(name, value);
  model.save_changes();
}
