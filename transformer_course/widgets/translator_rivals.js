// @ts-check
// What else the model might have written.
import { h, press } from "./shared.js";
import { bare, percent } from "./translator_words.js";
/** @import {Word} from "./translator_words.js" */

/** The likeliest pieces where a word begins, each a way to go on from.
 * @param {(word: Word, piece: string) => void} take */
export function makeRivals(take) {
  const list = h("div", { class: "tc-bars", role: "group", "aria-label": "Go on with" });
  const node = h(
    "div",
    { class: "tc-rivals", hidden: "" },
    h("small", {}, "Pieces that could begin this word; choose one to go on from it:"),
    list,
  );
  return {
    node,
    /** @param {{piece: string, share: number, taken: boolean}[]} rivals
     * @param {Word | null} word that they compete with */
    show(rivals, word) {
      node.hidden = !word || !rivals.length;
      if (!word) return;
      const held = list.contains(document.activeElement);
      list.replaceChildren(
        ...rivals.map(({ piece, share, taken }) => {
          const name = piece === "▁" ? "…" : bare(piece); // a word that is spelt out
          const button = press("", () => !taken && take(word, piece), {
            "aria-label": `${name}, ${percent(share)}${taken ? ", written" : ""}`,
            "aria-disabled": String(taken),
            lang: "de",
          });
          button.style.setProperty("--t", String(share));
          button.replaceChildren(h("b", {}, name), h("small", {}, percent(share)));
          return button;
        }),
      );
      if (held) /** @type {HTMLElement | null} */ (list.firstChild)?.focus();
    },
  };
}
