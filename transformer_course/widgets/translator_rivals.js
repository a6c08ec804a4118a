// @ts-check
// What else the model might have written.
import { h, press } from "./shared.js";
import { bare, percent } from "./translator_words.js";

/** The likeliest pieces where a word begins, each a way to go on from.
 * @param {(begun: string[]) => void} take */
export function makeRivals(take) {
  const node = h("div", { class: "tc-rivals", role: "group", "aria-label": "Go on with" });
  const focus = () => node.querySelector("button")?.focus();
  return {
    node,
    focus,
    /** @param {{piece: string, share: number, taken: boolean, begun: string[]}[]} rivals */
    show(rivals) {
      const held = node.contains(document.activeElement);
      node.replaceChildren(
        ...rivals.map(({ piece, share, taken, begun }) => {
          const name = bare(piece);
          const button = press("", () => !taken && take(begun), {
            "aria-label": `${name}, ${percent(share)}${taken ? ", written" : ""}`,
            "aria-disabled": taken,
            lang: "de",
            style: `--t: ${share}`,
          });
          button.replaceChildren(h("b", {}, name), h("small", {}, percent(share)));
          return button;
        }),
      );
      if (held) focus();
    },
  };
}
