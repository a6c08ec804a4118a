// @ts-check
// The reader's progress in one line: what is next, and a bar for each chapter that leads to it.
import { dueChapter, goOn, hrefOf, named, whyNext } from "./progress_next.js";
import { h, live, say } from "./shared.js";
import { day, loadStore, onStore, tally } from "./store.js";

/** What the reader has done, in words.
 * @param {{done: number, of: number}} all @param {number} due cards */
export function nextInWords({ done, of }, due) {
  const cards = due ? ` ${due} flash ${due > 1 ? "cards are" : "card is"} due today.` : "";
  return done
    ? `You have done ${done} of ${of} exercises.${cards}`
    : `${of} exercises wait in the chapters. Each fills a piece of its chapter’s bar.`;
}

// The paper's sections; pages that belong to none come last.
const PARTS = { 3: "The model", 5: "Training", 6: "Results", more: "More" };

function render({ model, el }) {
  const cards = model.get("cards");
  const chapters = model.get("chapters").filter(({ page }) => page);
  const next = h("p");
  const go = h("a", { class: "tc-next" });
  const [head, why] = [h("b"), h("small", { "aria-hidden": "true" })];
  let due = /** @type {any} */ (null);
  /** A chapter; with none, that which is due, and why. */
  const tell = (chapter = due) => {
    const { done } = loadStore().progress;
    say(head, chapter ? `${chapter === due ? "Next: " : ""}${chapter.title}` : "All is done.");
    if (!chapter) return say(why, "Every exercise of every chapter.");
    const now = tally(chapter.exercises, done);
    const counted = `${now.done} of ${now.of} exercises done.`;
    say(why, chapter === due ? whyNext(chapter, chapters, done) : counted);
  };
  const bars = chapters.map((chapter) => {
    const bar = h("i");
    const [on, off] = [() => tell(chapter), () => tell()];
    const hear = { pointerenter: on, focus: on, pointerleave: off, blur: off };
    const box = h("a", { href: hrefOf(chapter.page), ...hear }, bar);
    const [section] = named(chapter.title);
    return { chapter, bar, box, part: section ? section[0] : "more" };
  });
  const parts = [...new Set(bars.map(({ part }) => part))].map((part) => {
    const own = bars.filter((bar) => bar.part === part).map(({ box }) => box);
    const label = [
      part === "more" ? "" : h("b", {}, part),
      PARTS[part] && h("span", {}, PARTS[part]),
    ];
    const names = h("small", {}, ...label.filter(Boolean));
    return h("li", { style: `--n: ${own.length}` }, h("div", {}, ...own), names);
  });
  const root = h(
    "div",
    { class: "tc tc-strip-of-progress", role: "group", "aria-label": "Your progress" },
    h("div", { class: "tc-top" }, h("div", {}, head, why), go),
    h("ol", { class: "tc-chapters" }, ...parts),
    next,
  );
  const update = () => {
    const { progress, problem } = loadStore();
    due = dueChapter(chapters, progress.done) ?? null;
    for (const { chapter, box, bar } of bars) {
      const { done, of } = tally(chapter.exercises, progress.done);
      bar.style.setProperty("--done", `${(100 * done) / Math.max(1, of)}%`);
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
      say(go, all.done ? "Go on →" : "Begin →");
      go.ariaLabel = goOn(due, all.done > 0);
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
