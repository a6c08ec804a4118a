// @ts-check
// Text with paragraphs, `code` or `formulas`, *words* to stress, and code indented by four spaces.
import { drawCodes } from "./formulas.js";
import { h } from "./shared.js";

export const bare = (text) => text.replaceAll("`", "");
export function inline(text) {
  const parts = text.split(/(`[^`]*`|\*[^*\s][^*]*\*)/);
  const codes = parts.filter((part, n) => n % 2 && part[0] === "`");
  const drawn = drawCodes(codes.map((code) => code.slice(1, -1)));
  return parts.map((part, n) => {
    if (n % 2 === 0) return part;
    return part[0] === "`" ? drawn.shift() : h("em", {}, part.slice(1, -1));
  });
}
export const prose = (text) =>
  text
    .split(/\n\s*\n/)
    .map((block) =>
      block.startsWith("    ")
        ? h("pre", {}, h("code", {}, block.replace(/^ {4}/gm, "")))
        : h("p", {}, ...inline(block)),
    );
