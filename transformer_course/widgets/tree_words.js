// @ts-check
// A sentence as people type it, cut into the words that a treebank has: the rule of splitting.py.

const PART = new RegExp(
  [
    "(?:[A-Za-z]\\.){2,}", // e.g., a.m.
    "(?:Mr|Mrs|Ms|Dr|St|al|etc|vs|Fig)\\.",
    "[0-9]+(?:[.,:][0-9]+)+", // 1,000 and 0.5
    "[\\p{L}\\p{N}]+(?:'[\\p{L}\\p{Nl}\\p{No}]+)*", // dog, H2O, don't
    "\\.{3}",
    "[^\\s\\x1c-\\x1f\\x85]",
  ].join("|"),
  "gu",
);
const SHORTENED = /^(.+?)(n't|'s|'re|'ve|'ll|'d|'m)$/iu;
/** @type {Record<string, string>} */
const BRACKETS = { "(": "-LRB-", ")": "-RRB-" };

/** The words of a sentence, as a treebank cuts them. @param {string} text @returns {string[]} */
export function treeWords(text) {
  let open = false;
  const parts = text.replace(/[‘’]/g, "'").replace(/[“”]/g, '"').match(PART) ?? [];
  return parts.flatMap((part) => {
    if (part === '"') {
      open = !open;
      return [open ? "``" : "''"];
    }
    if (part in BRACKETS) return [BRACKETS[part]];
    if (part.toLowerCase() === "cannot") return [part.slice(0, 3), part.slice(3)];
    const short = SHORTENED.exec(part);
    return short ? [short[1], short[2]] : [part];
  });
}
