// @ts-check
// The questions of a prediction by choice: one of several for each, and a mark when it is locked.
import { check, h } from "./shared.js";

let groups = 0;

/** One question. `choose(n)` is called with the number of what was chosen.
 * @param {string} label @param {string[]} choices @param {(n: number) => void} choose */
export function asked(label, choices, choose) {
  const name = `tc-guess-${(groups += 1)}-${Math.random().toString(36).slice(2, 8)}`;
  const marks = choices.map(() => h("b"));
  const boxes = choices.map((text, n) => {
    const box = check({ label: h("span", {}, text), value: false, change: () => choose(n) });
    Object.assign(box.input, { type: "radio", name });
    box.input.addEventListener("keydown", (event) => event.stopPropagation());
    box.node.append(marks[n]);
    return box;
  });
  return {
    node: h(
      "fieldset",
      { class: "tc-asked" },
      h("legend", {}, label),
      ...boxes.map(({ node }) => node),
    ),
    /** @param {number} own @param {number} truth @param {boolean} locked */
    draw(own, truth, locked) {
      boxes.forEach(({ node, input }, n) => {
        input.checked = n === own;
        input.disabled = locked;
        const [right, yours] = [locked && n === truth, locked && n === own];
        node.classList.toggle("tc-right", right);
        node.classList.toggle("tc-yours", yours);
        marks[n].textContent = right ? (yours ? "✓ you" : "✓ true") : yours ? "✗ you" : "";
      });
    },
  };
}

/** What is said of a guess: before the lock, what is left to do; then, what came true.
 * @param {number[]} own -1 where nothing is chosen @param {number[]} truth
 * @param {string[]} choices @param {boolean} locked @returns {{head: string, rest: string}} */
export function verdict(own, truth, choices, locked) {
  const many = own.length > 1;
  if (!locked)
    return own.includes(-1)
      ? { head: many ? "Choose one in each row." : "Choose one.", rest: "Then lock it in." }
      : { head: "Sure?", rest: "Then lock it in." };
  const right = own.filter((n, row) => n === truth[row]).length;
  if (many) return { head: `${right} of ${own.length}`, rest: "came out as you said." };
  return right
    ? { head: "As you said:", rest: `${choices[truth[0]]}.` }
    : {
        head: "It came out otherwise:",
        rest: `you said ${choices[own[0]]}, measured is ${choices[truth[0]]}.`,
      };
}
