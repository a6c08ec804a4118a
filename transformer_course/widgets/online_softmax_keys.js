// @ts-check
// The keys of a softmax over tiles: a bar, a score to edit, a value.
import { plain } from "./numbers.js";
import { LIMIT } from "./online_softmax_numbers.js";
import { h, take } from "./shared.js";

/** @param {(name: string) => any} get of a trait
 * @param {(key: number, text: string) => void} edit @param {number} length
 * @returns {any[]} */
export function scoreKeys(get, edit, length) {
  return Array.from({ length }, (_, j) => {
    const show = () => {
      input.value = get("mask")[0][j] ? plain(get("scores")[0][j]) : "−∞";
      input.classList.toggle("tc-long", input.value.length > 5);
    };
    const input = h("input", {
      role: "spinbutton",
      autocomplete: "off",
      "aria-label": `score of key ${j + 1}`,
      "aria-valuemin": -LIMIT,
      "aria-valuemax": LIMIT,
      focus: () => input.select(),
      change() {
        edit(j, input.value);
        show();
      },
      keydown(event) {
        const up = { ArrowUp: 0.5, ArrowDown: -0.5 }[event.key];
        if (up) {
          take(event);
          edit(j, String(Math.max(-LIMIT, Math.min(LIMIT, get("scores")[0][j] + up))));
        }
        if (up || event.key === "Escape") show();
      },
    });
    const [bar, value] = [h("i"), h("span")];
    const column = h("div", { class: "tc-column" }, bar);
    const node = h("div", { class: "tc-key" }, column, input, value);
    return { node, column, input, value, show };
  });
}
