// @ts-check
// What the widgets share: elements, controls, a widget's life. Python writes this file out above
// each module that imports it; names here must not be reused there.
import { plain } from "./numbers.js";
/** @import {Context, Control} from "./types.js" */

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

/** An HTML element.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag @param {any} attributes @param {(Node | string)[]} children
 * @returns {HTMLElementTagNameMap[Tag]} */
export const h = (tag, attributes = {}, ...children) =>
  build(document.createElement(tag), attributes, children);

/** An SVG element. @param {string} tag @returns {any} */
export const svg = (tag, attributes = {}, ...children) =>
  build(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

/** Which way each arrow key goes: [rows, columns]. @type {Record<string, number[]>} */
export const MOVES = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

/** Keep a key from the page around the widget. @param {Event} event */
export function take(event) {
  event.preventDefault();
  event.stopPropagation();
}

/** @param {Element} node @param {Record<string, unknown>} attributes */
export function assign(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
}

/** Put text where it changed only, so that a live region does not repeat itself.
 * @param {any} node @param {string} text */
export function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

// ---- Controls: each is {node, set(value)} ----

let labels = 0;
const fresh = () => `tc-${(labels += 1)}-${Math.random().toString(36).slice(2, 8)}`;

/** A labelled range with its value beside it. `show` writes the value in words.
 * @param {any} options @returns {Control} */
export function slider({ label, min, max, step = 1, value, show = plain, change }) {
  const id = fresh();
  const shown = h("data");
  const input = h("input", {
    id,
    type: "range",
    min,
    max,
    step,
    input: () => {
      draw();
      change(Number(input.value));
    },
    keydown: (event) => event.stopPropagation(),
  });
  const draw = () => {
    say(shown, show(Number(input.value)));
    input.setAttribute("aria-valuetext", shown.textContent);
  };
  const set = (to) => {
    input.value = to;
    draw();
  };
  set(value);
  return {
    node: h("div", { class: "tc-control" }, h("label", { for: id }, label), input, shown),
    input,
    set,
  };
}

/** A labelled list to choose from; `options` are [value, text] pairs.
 * @param {any} options @returns {Control} */
export function choice({ label, options, value, change }) {
  const id = fresh();
  const input = h(
    "select",
    { id, change: () => change(input.value), keydown: (event) => event.stopPropagation() },
    ...options.map(([name, text]) => h("option", { value: name }, text)),
  );
  const set = (to) => {
    input.value = to;
  };
  set(value);
  return {
    node: h("div", { class: "tc-control" }, h("label", { for: id }, label), input),
    input,
    set,
  };
}

/** A labelled box to tick.
 * @param {any} options @returns {Control} */
export function check({ label, value, change }) {
  const input = h("input", { type: "checkbox", change: () => change(input.checked) });
  const set = (to) => {
    input.checked = to;
  };
  set(value);
  return { node: h("label", { class: "tc-check" }, input, label), input, set };
}

/** A button, whose keys JupyterLab leaves alone.
 * @param {string} label @param {(event: any) => void} click */
export const press = (label, click, attributes = {}) =>
  h(
    "button",
    { type: "button", "data-lm-suppress-shortcuts": "true", click, ...attributes },
    label,
  );

// ---- A widget's life ----

/** Draw now, and again when a trait changes; JupyterLab's keys are kept away. Returns the clean-up.
 * @param {Pick<Context, "model" | "el">} context @param {HTMLElement} root @param {string[]} names
 * @param {() => void} update */
export function live({ model, el }, root, names, update) {
  for (const node of root.querySelectorAll("button, input, select, textarea, [tabindex]"))
    node.setAttribute("data-lm-suppress-shortcuts", "true");
  for (const name of names) model.on(`change:${name}`, update);
  update();
  el.append(root);
  return () => {
    for (const name of names) model.off(`change:${name}`, update);
    root.remove();
  };
}

/** Set traits and tell Python, where there is one.
 * @param {any} model @param {Record<string, unknown>} changes */
export function save(model, changes) {
  for (const [name, value] of Object.entries(changes)) model.set(name, value);
  model.save_changes();
}
