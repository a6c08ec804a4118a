// @ts-check
// Where a sentence is typed for a model in the page.
import { h } from "./shared.js";

/** A field that takes a sentence, and goes at Enter.
 * @param {() => void} go @param {number} rows at first */
export const sentenceField = (go, rows) =>
  h("textarea", {
    rows,
    spellcheck: "false",
    autocomplete: "off",
    enterkeyhint: "go",
    lang: "en",
    "aria-label": "English sentence",
    keydown(event) {
      event.stopPropagation();
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      go();
    },
  });
