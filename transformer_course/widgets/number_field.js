// @ts-check
// A number that the reader may edit: typed, or stepped by the arrow keys.
import { plain } from "./numbers.js";
import { MOVES, h, take } from "./shared.js";

export const LIMIT = 100;

/** @param {string} text @returns {{value?: number, error?: string}} */
export function parseCell(text, limit = LIMIT) {
  const typed = text.trim().replace("−", "-").replace(",", ".");
  const shown = typed.length > 12 ? `${typed.slice(0, 12)}…` : typed;
  const error = (what) => ({
    error: `${what}. Expected a number from −${limit} to ${limit}, like 0.5; the old value stays.`,
  });
  if (!typed) return error("The cell was empty");
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(typed))
    return error(`“${shown}” is not a number`);
  if (Math.abs(Number(typed)) > limit) return error(`${shown} is too large`);
  return { value: Math.round(Number(typed) * 100) / 100 || 0 };
}

/** A box with a number in it. `put` gets a good one, `refuse` the reason against a bad one.
 * @param {{label: string, get: () => number, put: (x: number) => void, refuse: (error: string) =>
 * void, focus?: () => void, limit?: number}} how @returns {{node: HTMLInputElement, show: () => void}} */
export function numberField({ label, get, put, refuse, focus = () => {}, limit = LIMIT }) {
  const show = () => {
    node.value = plain(get());
    node.setAttribute("aria-valuenow", String(get()));
  };
  const node = h("input", {
    role: "spinbutton",
    autocomplete: "off",
    "aria-valuemin": -limit,
    "aria-valuemax": limit,
    "aria-label": label,
    focus() {
      node.select();
      focus();
    },
    change() {
      const { value, error } = parseCell(node.value, limit);
      if (value === undefined) refuse(error ?? "");
      else put(value);
      show();
    },
    keydown(event) {
      const [down] = MOVES[event.key] ?? [0];
      if (down) take(event);
      if (down && Math.abs(get() - down / 2) <= limit) put(get() - down / 2);
      if (down || event.key === "Escape") show();
    },
  });
  return { node, show };
}
