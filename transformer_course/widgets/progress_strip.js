// @ts-check
// The reader's progress in one line: a bar for each chapter, and what is next.
import { h, live, say } from "./shared.js";
import { day, loadStore, onStore, tally } from "./store.js";

/** What the reader might do next, in words.
 * @param {{done: number, of: number}} all @param {number} due cards */
export function nextInWords({ done, of }, due) {
  const cards = due ? ` ${due} flash ${due > 1 ? "cards are" : "card is"} due today.` : "";
  return done
    ? `You have done ${done} of ${of} exercises.${cards}`
    : `${of} exercises wait in the chapters; the bars fill as you do them.`;
}

/** The paper's section, or a word where a page is none.
 * @param {{title: string, page: string}} chapter */
export const shortName = ({ title, page }) =>
  /^\d/.test(title) ? title.split(" ")[0] : page.replace(/^\d+-/, "").split("-")[0];

function render({ model, el }) {
  const cards = model.get("cards");
  const chapters = model.get("chapters").filter(({ page }) => page);
  const kind = location.pathname.endsWith(".html") ? "html" : "ipynb";
  const bars = chapters.map(({ title, page }) => {
    const [bar, part] = [h("i"), h("span", {}, shortName({ title, page }))];
    const link = h(
      "a",
      page ? { href: `${page}.${kind}`, title } : { title },
      part,
      h("b", {}, bar),
    );
    return { link, bar, title };
  });
  const next = h("p");
  const root = h(
    "div",
    { class: "tc tc-strip-of-progress", role: "group", "aria-label": "Your progress" },
    h("div", { class: "tc-chapters" }, ...bars.map(({ link }) => link)),
    next,
  );
  const update = () => {
    const { progress, problem } = loadStore();
    bars.forEach(({ link, bar, title }, n) => {
      const { done, of } = tally(chapters[n].exercises, progress.done);
      bar.style.width = `${(100 * done) / Math.max(1, of)}%`;
      link.setAttribute("aria-label", `${title}: ${done} of ${of} exercises done`);
    });
    const due = cards.filter((id) => progress.cards[id]?.due <= day()).length;
    const all = tally(
      chapters.flatMap(({ exercises }) => exercises),
      progress.done,
    );
    say(next, [nextInWords(all, due), problem].join(" ").trim());
  };
  const leave = live({ model, el }, root, [], update);
  const stop = onStore(update);
  return () => {
    stop();
    leave();
  };
}

export default { render };
