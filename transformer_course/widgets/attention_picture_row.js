// @ts-check
// One row of the drawing in numbers: scores to type, a mask to press.
import { fixed } from "./numbers.js";
import { h, press, say } from "./shared.js";

/** @param {{places: number[], pick: (j: number) => void, flip: (j: number) => void,
 * putScore: (j: number, x: number) => void}} how */
export function rowOf({ places, pick, putScore, flip }) {
  let scores = /** @type {number[]} */ ([]);
  const refused = h("p", { class: "tc-message", role: "status" });
  const keys = places.map((j) => {
    const field = h("input", {
      type: "number",
      role: "spinbutton",
      required: "",
      step: "any",
      min: -1000,
      max: 1000,
      keydown: (event) => event.stopPropagation(),
      change() {
        say(refused, field.validationMessage); // the browser's own words
        if (field.validity.valid) putScore(j, field.valueAsNumber);
        else field.value = scores[j].toFixed(1);
      },
    });
    const name = press("", () => pick(j));
    const may = press("", () => flip(j));
    const [scaled, weight] = [h("span"), h("span")];
    const cells = [field, scaled, may, weight].map((each) => h("td", {}, each));
    const line = h("tr", {}, h("th", { scope: "row" }, name), ...cells);
    return { field, name, may, scaled, weight, line };
  });
  const about = h("caption");
  const columns = ["key", "score", "÷ √16", "mask", "weight"].map((text) => h("th", {}, text));
  const table = h(
    "table",
    { class: "tc-numbers" },
    about,
    h("thead", {}, h("tr", {}, ...columns)),
    h("tbody", {}, ...keys.map(({ line }) => line)),
  );
  /** Row i of what was computed, with key j marked. @param {string[]} words
   * @param {boolean[]} mask of the row @param {any} r @param {number} i @param {number} j */
  const draw = (words, mask, r, i, j) => {
    scores = r.scores[i];
    say(about, `The row of “${words[i]}”`);
    keys.forEach(({ field, name, may, scaled, weight, line }, n) => {
      say(name, words[n]);
      name.setAttribute("aria-pressed", String(n === j));
      if (document.activeElement !== field) field.value = scores[n].toFixed(1);
      field.setAttribute("aria-label", `score of ${words[i]} with ${words[n]}`);
      say(scaled, fixed(r.masked[i][n], 1));
      say(may, mask[n] ? "may" : "masked");
      may.setAttribute("aria-pressed", String(!mask[n]));
      may.setAttribute("aria-label", `mask ${words[n]} for ${words[i]}`);
      say(weight, fixed(r.weights[i][n], 2));
      line.classList.toggle("tc-on", n === j);
    });
  };
  return { nodes: [table, refused], draw };
}
