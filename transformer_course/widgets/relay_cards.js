// @ts-check
// The two meanings of a word: a drawing, the German noun, and the sentence that it stands in.
import { meanOf, meant } from "./relay_numbers.js";
import { assign, h, svg } from "./shared.js";
import { glide } from "./stage.js";

const SIGNS = {
  Bank: ["a house for money", "M3 12L16 4L29 12ZM6 15V24M13 15V24M19 15V24M26 15V24M3 28H29"],
  Ufer: [
    "the edge of a river",
    "M2 10C9 4 14 4 18 9M2 17Q6 13 10 17T18 17T26 17T30 17M2 23Q6 19 10 23T18 23T26 23T30 23",
  ],
};

/** A card for each text; a press chooses it, as the buttons with the last words do. Where the mean
 * is asked for, each shows its own in place of its translation.
 * @param {any[]} texts @param {number} word @param {(n: number) => void} choose */
export const meanings = (texts, word, choose) =>
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
      h(
        "div",
        { class: "tc-mix" },
        ...meanOf(text, word).map(({ name, weight }) =>
          h("span", { style: `--part: ${weight}` }, `${name} ${weight}\u00a0%`),
        ),
      ),
    );
  });

/** A wire from the word to the meaning that it has, and a pale one to the other. */
export function wiring() {
  const nodes = ["tc-ghost", "tc-wire"].map((name) => svg("path", { class: name }));
  let column = false;
  const draw = glide(([a, b, ...ends]) =>
    nodes.forEach((each, n) => {
      const [c, d] = ends.slice(2 * n);
      const [x, y] = column ? [(c - a) / 2, 0] : [0, (d - b) / 2];
      assign(each, { d: `M${a} ${b}C${a + x} ${b + y} ${c - x} ${d - y} ${c} ${d}` });
    }),
  );
  /** @param {any} place @param {number} word @param {any} has @param {any} not */
  function show(place, word, has, not) {
    column = place.column;
    const ends = [not, has].flatMap(({ offsetLeft: x, offsetTop: y, offsetWidth, offsetHeight }) =>
      column ? [x, y + offsetHeight / 2] : [x + offsetWidth / 2, y],
    );
    draw([...place.under(place.at[word], 2), ...ends]);
  }
  return { nodes, show };
}
