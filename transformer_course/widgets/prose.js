// @ts-check
// Text with paragraphs, `code`, *words* to stress, and code indented by four spaces.
import { h } from "./shared.js";

export const bare = (text) => text.replaceAll("`", "");
export const inline = (text) =>
  text
    .split(/(`[^`]*`|\*[^*\s][^*]*\*)/)
    .map((part, n) => (n % 2 ? h(part[0] === "`" ? "code" : "em", {}, part.slice(1, -1)) : part));
export const prose = (text) =>
  text
    .split(/\n\s*\n/)
    .map((block) =>
      block.startsWith("    ")
        ? h("pre", {}, h("code", {}, block.replace(/^ {4}/gm, "")))
        : h("p", {}, ...inline(block)),
    );
