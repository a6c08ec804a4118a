// @ts-check
// The reader's progress in one line: what is next, and a bar for each chapter that leads to it.
import { dueChapter, goOn, hrefOf, named } from "./progress_next.js";
import { h, live, say } from "./shared.js";
import { day, loadStore, onStore, tally } from "./store.js";

/** What the reader has done, in words.
 * @param {{done: number, of: number}} all @param {number} due cards */
export function nextInWords({ done, of }, due) {
  const cards = due ? ` ${due} flash ${due > 1 ? "cards are" : "card is"} due today.` : "";
  return done
    ? `You have done ${done} of ${of} exercises.${cards}`
    : `${of} exercises wait in the chapters. Each fills a piece of a bar.`;
}

function render({ model, el }) {
  const cards = model.get("cards");
  const chapters = model.get("chapters").filter(({ page }) => page);
  const next = h("p");
  const go = h("a", { class: "tc-next" });
  const name = h("small", { "aria-hidden": "true" });
  let due = /** @type {any} */ (null);
  /** The name of a chapter; with none, of that which is due. */
  const tell = (chapter = due) => {
    if (!chapter) return say(name, "Every exercise is done.");
    const { done, of } = tally(chapter.exercises, loadStore().progress.done);
    say(name, `${chapter === due ? "Next: " : ""}${chapter.title} · ${done} of ${of}`);
  };
  const bars = chapters.map((chapter) => {
    const bar = h("i");
    const [section] = named(chapter.title);
    const [on, off] = [() => tell(chapter), () => tell()];
    const hear = { pointerenter: on, focus: on, pointerleave: off, blur: off };
    const box = h("a", { href: hrefOf(chapter.page), ...hear }, h("b", {}, bar), section ?? "");
    return { chapter, bar, box };
  });
  const root = h(
    "div",
    { class: "tc tc-strip-of-progress", role: "group", "aria-label": "Your progress" },
    h("div", { class: "tc-top" }, next, go),
    h("ol", { class: "tc-chapters" }, ...bars.map(({ box }) => h("li", {}, box))),
    name,
  );
  const update = () => {
    const { progress, problem } = loadStore();
    due = dueChapter(chapters, progress.done) ?? null;
    for (const { chapter, box, bar } of bars) {
      const { done, of } = tally(chapter.exercises, progress.done);
      bar.style.width = `${(100 * done) / Math.max(1, of)}%`;
      box.setAttribute("aria-label", `${chapter.title}: ${done} of ${of} exercises done`);
      box.classList.toggle("tc-due", chapter === due);
    }
    const waiting = cards.filter((id) => progress.cards[id]?.due <= day()).length;
    const all = tally(
      chapters.flatMap(({ exercises }) => exercises),
      progress.done,
    );
    go.hidden = !due;
    if (due) {
      go.setAttribute("href", hrefOf(due.page));
      say(go, goOn(due, all.done > 0));
    }
    tell();
    say(next, [nextInWords(all, waiting), problem].join(" ").trim());
  };
  const leave = live({ model, el }, root, [], update);
  const stop = onStore(update);
  return () => {
    stop();
    leave();
  };
}

export default { render };
