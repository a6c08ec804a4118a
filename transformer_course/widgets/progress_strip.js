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

function render({ model, el }) {
  const cards = model.get("cards");
  const chapters = model.get("chapters").filter(({ page }) => page);
  const bars = chapters.map(({ title }) => {
    const bar = h("i");
    return { bar, title, box: h("b", { role: "img", title }, bar) };
  });
  const next = h("p");
  const root = h(
    "div",
    { class: "tc tc-strip-of-progress", role: "group", "aria-label": "Your progress" },
    next,
    h("div", { class: "tc-chapters" }, ...bars.map(({ box }) => box)),
  );
  const update = () => {
    const { progress, problem } = loadStore();
    bars.forEach(({ box, bar, title }, n) => {
      const { done, of } = tally(chapters[n].exercises, progress.done);
      bar.style.width = `${(100 * done) / Math.max(1, of)}%`;
      box.setAttribute("aria-label", `${title}: ${done} of ${of} exercises done`);
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
