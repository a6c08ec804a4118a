// @ts-check
// The questions of a prediction by choice: one of several for each, and a mark when it is locked.
import { check, h } from "./shared.js";

let named = 0;

/** A difference stays on one line, with its minus. @param {string} text */
export const together = (text) => text.replaceAll(" - ", "\u00a0−\u00a0");

/** Four choices that are two questions in one, "a, c", "a, d", "b, c" and "b, d", taken apart; null
 * where they are not. @param {string[]} choices @returns {string[][] | null} */
export function halves(choices) {
  const parts = choices.map((text) => text.split(", "));
  const [first, second] = [0, 1].map((n) => [...new Set(parts.map((part) => part[n]))]);
  const whole = first.flatMap((one) => second.map((other) => `${one}, ${other}`));
  return choices.length === 4 && String(whole) === String(choices) ? [first, second] : null;
}

/** One question. `choose(n)` is called with the number of what was chosen.
 * @param {string} label @param {string[][]} sets the choices, or two halves of each
 * @param {(n: number) => void} choose */
export function asked(label, sets, choose) {
  const picked = sets.map(() => -1);
  const part = (n, set) => (n < 0 || sets.length === 1 ? n : set ? n % 2 : Math.floor(n / 2));
  const groups = sets.map((choices, set) => {
    const name = `tc-guess-${(named += 1)}-${Math.random().toString(36).slice(2, 8)}`;
    return choices.map((text, n) => {
      const pick = () => {
        picked[set] = n;
        if (!picked.includes(-1)) choose(picked.reduce((all, each) => 2 * all + each, 0));
      };
      const [box, mark] = [
        check({ label: h("span", {}, text), value: false, change: pick }),
        h("b"),
      ];
      Object.assign(box.input, { type: "radio", name });
      box.input.addEventListener("keydown", (event) => event.stopPropagation());
      box.node.append(mark);
      return { ...box, mark };
    });
  });
  const nodes = groups.map((boxes) => boxes.map(({ node }) => node));
  return {
    node: h(
      "fieldset",
      { class: "tc-asked" },
      h("legend", {}, label),
      ...(sets.length > 1 ? nodes.map((pair) => h("div", {}, ...pair)) : nodes[0]),
    ),
    /** @param {number} own @param {number} truth @param {boolean} locked */
    draw(own, truth, locked) {
      groups.forEach((boxes, set) => {
        if (own >= 0) picked[set] = part(own, set);
        boxes.forEach(({ node, input, mark }, n) => {
          input.checked = n === picked[set];
          input.disabled = locked;
          const [right, yours] = [locked && n === part(truth, set), locked && input.checked];
          node.classList.toggle("tc-right", right);
          node.classList.toggle("tc-yours", yours);
          const whose = yours ? "your guess" : "measured";
          mark.textContent = right ? `✓ ${whose}` : yours ? `✗ ${whose}` : "";
        });
      });
    },
  };
}

/** What is said of a guess: before the lock, what is left to do; then, what came true.
 * @param {number[]} own -1 where nothing is chosen @param {number[]} truth
 * @param {boolean} locked @returns {{head: string, rest: string}} */
export function verdict(own, truth, locked) {
  const many = own.length > 1;
  if (!locked)
    return own.includes(-1)
      ? { head: many ? "Choose in each row." : "Choose one.", rest: "Then lock it in." }
      : { head: "Sure?", rest: "Then lock it in." };
  const right = own.filter((n, row) => n === truth[row]).length;
  if (many) return { head: `${right} of ${own.length}`, rest: "came out as you said." };
  return { head: right ? "As you said." : "It came out otherwise.", rest: "" };
}
