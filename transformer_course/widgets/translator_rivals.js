// @ts-check
// What else the model might have written.
import { h, press } from "./shared.js";
import { bare, percent } from "./translator_words.js";
/** @import {Word} from "./translator_words.js" */

/** The likeliest pieces where a word begins, each a way to go on from.
 * @param {(word: Word, piece: string) => void} take */
export function makeRivals(take) {
  const node = h("div", { class: "tc-rivals", role: "group", "aria-label": "Go on with" });
  return {
    node,
    /** @param {{piece: string, share: number, taken: boolean}[]} rivals
     * @param {any} word that they compete with */
    show(rivals, word) {
      const held = node.contains(document.activeElement);
      node.replaceChildren(
        ...rivals.map(({ piece, share, taken }) => {
          const name = bare(piece);
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
      if (held) /** @type {HTMLElement | null} */ (node.firstChild)?.focus();
    },
  };
}
