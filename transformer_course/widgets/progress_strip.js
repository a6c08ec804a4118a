// @ts-check
// The reader's progress at a glance: what is next, and the parts of the course, with a bar for each
// chapter that leads to it.
import { dueChapter, goOn, hrefOf, partOf, partsOf, whyNext } from "./progress_next.js";
import { pictureOf } from "./progress_pictures.js";
import { h, live, say } from "./shared.js";
import { day, loadStore, onStore, tally } from "./store.js";

/** What the reader has done, what a bar is, and how many cards are due.
 * @param {{done: number, of: number}} all @param {number} due cards */
export function nextInWords({ done, of }, due) {
  const cards = due ? ` ${due} flash ${due > 1 ? "cards are" : "card is"} due today.` : "";
  const bars = "Each bar is a chapter and fills with its exercises";
  if (!done) return `${bars}, ${of} in all.${cards}`;
  return `You have done ${done} of ${of} exercises.${done < of ? ` ${bars}.` : ""}${cards}`;
}

function render({ model, el }) {
  const cards = model.get("cards");
  const chapters = model.get("chapters").filter(({ page }) => page);
  const next = h("p");
  const go = h("a", { class: "tc-next" });
  const hidden = { "aria-hidden": "true" };
  const [when, head, why] = [h("i"), h("b"), h("small", hidden)];
  let due = /** @type {any} */ (null);
  let rest = ""; // said below the bars while none is pointed at
  const bars = chapters.map((chapter) => {
    const bar = h("i");
    const on = () => say(next, `${box.getAttribute("aria-label")}.`);
    const off = () => say(next, rest);
    const hear = { pointerenter: on, focus: on, pointerleave: off, blur: off };
    const [number] = chapter.title.match(/^[\d.]+/) ?? [""];
    const box = h("a", { href: hrefOf(chapter.page), ...hear }, bar, h("small", hidden, number));
    return { chapter, bar, box };
  });
  const parts = partsOf(chapters).map((name, n) => {
    const own = bars.filter(({ chapter }) => partOf(chapter) === name);
    const boxes = h("div", {}, ...own.map(({ box }) => box));
    const node = h("li", { class: `tc-hue${n + 1}` }, pictureOf(name), h("span", {}, name), boxes);
    return { node, own };
  });
  const root = h(
    "div",
    { class: "tc tc-strip-of-progress", role: "group", "aria-label": "Your progress" },
    h("div", { class: "tc-top" }, h("div", {}, when, head, why), go),
    h("ol", { class: "tc-chapters" }, ...parts.map(({ node }) => node)),
    next,
  );
  const update = () => {
    const { progress, problem } = loadStore();
    due = dueChapter(chapters, progress.done) ?? null;
    for (const { node, own } of parts) {
      const counts = own.map(({ chapter, box, bar }) => {
        const { done, of } = tally(chapter.exercises, progress.done);
        bar.style.setProperty("--done", `${(100 * done) / Math.max(1, of)}%`);
        box.setAttribute("aria-label", `${chapter.title}: ${done} of ${of} exercises done`);
        box.classList.toggle("tc-due", chapter === due);
        return done === of;
      });
      node.classList.toggle("tc-all", counts.every(Boolean));
    }
    const waiting = cards.filter((id) => progress.cards[id]?.due <= day()).length;
    const all = tally(
      chapters.flatMap(({ exercises }) => exercises),
      progress.done,
    );
    go.setAttribute("href", hrefOf(due?.page ?? "practice"));
    say(go, due ? (all.done ? "Go on →" : "Begin →") : "Flash cards →");
    go.ariaLabel = due ? goOn(due, all.done > 0) : "Flash cards →";
    say(when, due ? "Next" : "The whole course");
    say(head, due ? due.title : "Every exercise is done.");
    const fresh = "Flash cards keep it fresh, a few each day.";
    say(why, due ? whyNext(due, chapters, progress.done) : fresh);
    rest = [nextInWords(all, waiting), problem].join(" ").trim();
    say(next, rest);
  };
  const leave = live({ model, el }, root, [], update);
  const stop = onStore(update);
  return () => {
    stop();
    leave();
  };
}

export default { render };
