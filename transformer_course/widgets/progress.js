// @ts-check
// What the reader has done, by chapter; saved to a file, brought back from one, or begun anew.
import {
  cardsInWords,
  doneInWords,
  dueChapter,
  goOn,
  hrefOf,
  named,
  partOf,
  partsOf,
  promiseOf,
  slices,
  whyNext,
} from "./progress_next.js";
import { pictureOf } from "./progress_pictures.js";
import { h, live, press, say } from "./shared.js";
import { blank, changeStore, day, loadStore, onStore, readProgress, tally } from "./store.js";

const LIMIT = 1e6; // bytes of a file to read
const LEARNED = 4; // a card in this box or above

/** Two readers' progress as one: of each exercise the better result, of each card the later date. */
export function merge(mine, other) {
  const both = { ...blank(), done: { ...mine.done }, cards: { ...mine.cards } };
  for (const [id, one] of Object.entries(other.done))
    if (!(both.done[id]?.points >= one.points)) both.done[id] = one;
  for (const [id, one] of Object.entries(other.cards))
    if (!(both.cards[id]?.due >= one.due)) both.cards[id] = one;
  return both;
}

/** The progress in a file's text, or what is wrong with it.
 * @param {string} text @returns {{progress?: any, problem: string}} */
export function readFile(text) {
  let data;
  try {
    data = JSON.parse(text);
  } catch {
    return { problem: "it is not JSON" };
  }
  const { progress, problem } = readProgress(data);
  return progress ? { progress, problem } : { problem };
}

function render({ model, el }) {
  const [chapters, cards] = ["chapters", "cards"].map((name) => model.get(name));
  const all = chapters.flatMap(({ exercises }) => exercises);
  const message = h("p", { class: "tc-message", role: "status" });
  const total = h("p", { class: "tc-total" });
  const [why, learned, again] = [h("small"), h("small"), h("small", { class: "tc-again" })];
  const next = h("a", { class: "tc-next" });
  // A line for each chapter, with a mark for each of its exercises; the marks once more, in small.
  const lines = chapters.map((chapter) => {
    const { title, page, exercises } = chapter;
    const [count, [section, name]] = [h("small"), named(title)];
    const words = [section ? h("b", {}, section) : "", section ? ` ${name}` : name];
    const link = page ? h("a", { href: hrefOf(page) }, ...words) : h("span", {}, ...words);
    const marks = [0, 1].map(() => exercises.map(() => h("i")));
    const [meter, small] = marks.map((list) =>
      h("span", { class: "tc-meter", "aria-hidden": "true" }, ...list),
    );
    const row = h("li", { title }, link, meter, count);
    return {
      row,
      small,
      chapter,
      draw(progress) {
        const now = tally(exercises, progress.done);
        say(count, now.done ? `${now.done} of ${now.of}` : `${now.of} to do`);
        exercises.forEach(({ id, points }, n) => {
          const share = (progress.done[id]?.points ?? 0) / points;
          for (const list of marks) {
            list[n].style.setProperty("--t", `${Math.round(25 + 75 * share)}%`);
            list[n].classList.toggle("tc-done", id in progress.done);
          }
        });
        const met = exercises.filter(({ id }) => id in progress.done);
        return tally(met, progress.done).most - now.points;
      },
    };
  });
  const group = `tc-${Math.random().toString(36).slice(2)}`; // one is open at a time, at most
  // The parts of the course: what is done of each, and its chapters; open is the one that is next.
  const parts = partsOf(chapters).map((name, n) => {
    const own = lines.filter(({ chapter }) => partOf(chapter) === name);
    const exercises = own.flatMap(({ chapter }) => chapter.exercises);
    const [count, unit] = [h("span"), h("span", { class: "tc-unit" }, " exercises")];
    const groups = h("span", { class: "tc-groups" }, ...own.map(({ small }) => small));
    const promise = h("span", { class: "tc-promise" }, promiseOf(name));
    const head = h(
      "summary",
      {},
      pictureOf(name),
      h("b", {}, name),
      promise,
      groups,
      h("small", {}, count, unit),
    );
    const list = h("ul", {}, ...own.map(({ row }) => row));
    const node = h("details", { class: `tc-hue${n + 1}`, name: group }, head, list);
    let due = false;
    const draw = (progress, to) => {
      const now = tally(exercises, progress.done);
      say(count, now.done ? `${now.done} of ${now.of}` : String(now.of));
      node.classList.toggle("tc-all", now.done === now.of);
      const here = own.some(({ chapter }) => chapter === to);
      if (here !== due) node.open = due = here;
      return now;
    };
    return { node, draw };
  });
  const boxes = [0, 1].map(() => h("i"));
  const gauge = h("span", { class: "tc-gauge", "aria-hidden": "true" }, ...boxes);
  const deckTitle = [pictureOf("Flash cards"), h("b", {}, "Flash cards")];
  const deck = h("div", { class: "tc-deck" }, ...deckTitle, gauge, learned);
  const [earned, most] = [h("b"), h("small")];
  const ring = h("div", { class: "tc-ring", "aria-hidden": "true" }, h("span", {}, earned, most));

  const update = () => {
    const { progress, problem } = loadStore();
    const lost = lines.map(({ draw }) => draw(progress));
    const costly = Math.max(...lost);
    const [section, name] = named(lines[lost.indexOf(costly)]?.chapter.title ?? "");
    const every = tally(all, progress.done);
    const to = dueChapter(chapters, progress.done);
    const because = to ? whyNext(to, chapters, progress.done) : "";
    say(why, every.done ? because : "Each answer is checked at once. Hints are free.");
    root.classList.toggle("tc-fresh", !every.done);
    say(
      again,
      costly > 0
        ? `Worth another look: ${section ? `${section} ` : ""}${name}, where second tries cost ` +
            `${costly} ${costly > 1 ? "points" : "point"}.`
        : "",
    );
    say(total, to || every.done ? doneInWords(every, to?.exercises.length ?? 0) : "");
    say(earned, String(every.points));
    say(most, `of ${every.most} points`);
    const shares = parts.map(({ draw }) => draw(progress, to));
    ring.style.setProperty("--slices", slices(shares, every.most));
    for (const { row, chapter } of lines) row.classList.toggle("tc-due", chapter === to);
    next.hidden = !to;
    if (to) {
      next.setAttribute("href", hrefOf(to.page));
      say(next, goOn(to, every.done > 0));
    }
    const seen = cards.filter((id) => progress.cards[id]).length;
    const known = cards.filter((id) => progress.cards[id]?.box >= LEARNED).length;
    [known, seen - known].forEach((n, box) => {
      boxes[box].style.width = `${(100 * n) / Math.max(1, cards.length)}%`;
    });
    const due = cards.filter((id) => progress.cards[id]?.due <= day()).length;
    say(learned, cardsInWords({ due, seen, known, of: cards.length }));
    deck.classList.toggle("tc-due", due > 0);
    if (problem) say(message, problem);
  };

  const store = () => {
    const text = `${JSON.stringify(loadStore().progress, null, 1)}\n`;
    const link = h("a", {
      href: URL.createObjectURL(new Blob([text], { type: "application/json" })),
      download: `transformer-course-${day()}.json`,
    });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    say(message, `Saved as ${link.download}.`);
  };
  const file = h("input", {
    type: "file",
    accept: ".json,application/json",
    "aria-label": "A saved progress file",
    hidden: "",
    async change() {
      const [chosen] = file.files ?? [];
      if (!chosen) return;
      const { progress, problem } =
        chosen.size > LIMIT
          ? { progress: null, problem: "it is too large" }
          : readFile(await chosen.text());
      file.value = "";
      if (!progress)
        return say(
          message,
          `${chosen.name} was not read: ${problem}. Expected a file that “Save to a file” wrote. ` +
            "Nothing has changed.",
        );
      const before = tally(all, loadStore().progress.done);
      const note = changeStore((mine) => Object.assign(mine, merge(mine, progress)));
      const after = tally(all, loadStore().progress.done);
      say(
        message,
        `Read ${chosen.name}: ${after.done - before.done} more exercises, ` +
          `${after.points - before.points} more points.${problem ? ` In it, ${problem}.` : ""} ` +
          `${note}`,
      );
    },
  });
  const keep = press("Keep", () => close());
  const sure = h(
    "span",
    { hidden: "" },
    "Delete all points and cards on this device? ",
    press("Delete", () => {
      const note = changeStore((mine) => Object.assign(mine, blank()));
      say(message, note || "All progress is deleted.");
      close();
    }),
    " ",
    keep,
  );
  const reset = press("Start anew", () => {
    [sure.hidden, reset.hidden] = [false, true];
    keep.focus();
  });
  const close = () => {
    [sure.hidden, reset.hidden] = [true, false];
    reset.focus();
  };
  const root = h(
    "div",
    { class: "tc tc-progress", role: "group", "aria-label": "Your progress" },
    h("div", { class: "tc-top" }, ring, total, h("p", { class: "tc-go-on" }, next, why), again),
    h("p", { class: "tc-title" }, "After each part you can …"),
    h("div", { class: "tc-parts" }, ...parts.map(({ node }) => node), deck),
    h(
      "div",
      { class: "tc-bar" },
      press("Save to a file", store),
      press("Read from a file", () => file.click()),
      file,
      reset,
      sure,
    ),
    message,
    h(
      "small",
      {},
      "Kept in this browser alone. A file takes it to another one; the better result stays.",
    ),
  );
  const leave = live({ model, el }, root, [], update);
  const stop = onStore(update);
  return () => {
    stop();
    leave();
  };
}

export default { render };
