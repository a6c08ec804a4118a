// @ts-check
// The two meanings of a word: a drawing, the German noun, and the sentence that it stands in.
import { meant } from "./relay_numbers.js";
import { h, svg } from "./shared.js";

const SIGNS = {
  Bank: ["a house for money", "M3 12L16 4L29 12ZM6 15V24M13 15V24M19 15V24M26 15V24M3 28H29"],
  Ufer: [
    "the edge of a river",
    "M2 10C9 4 14 4 18 9M2 17Q6 13 10 17T18 17T26 17T30 17M2 23Q6 19 10 23T18 23T26 23T30 23",
  ],
};

/** A card for each text; a press chooses it, as the buttons with the last words do.
 * @param {any[]} texts @param {(n: number) => void} choose */
export const meanings = (texts, choose) =>
  texts.map((text, n) => {
    const noun = meant(text);
    const [means, drawing] = SIGNS[noun];
    const parts = text.translation.split(noun);
    return h(
      "div",
      { class: "tc-card", click: () => choose(n) },
      svg("svg", { viewBox: "0 0 32 32", "aria-hidden": "true" }, svg("path", { d: drawing })),
      h("p", {}, h("b", { lang: "de" }, noun), h("small", {}, means)),
      h("p", { class: "tc-german", lang: "de" }, parts[0], h("b", {}, noun), parts[1]),
    );
  });
