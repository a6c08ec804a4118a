// @ts-check
// What the reader has done, by chapter; saved to a file, brought back from one, or begun anew.
import { h, live, press, say } from "./shared.js";
import { blank, changeStore, day, loadStore, onStore, readProgress, tally } from "./store.js";

const LIMIT = 1e6; // bytes of a file to read
const LEARNED = 4; // a card in this box or above

/** Two readers' progress as one: of each exercise the better result, of each card the later
 * date. */
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
  const { chapters, cards } = { chapters: model.get("chapters"), cards: model.get("cards") };
  const all = chapters.flatMap(({ exercises }) => exercises);
  const message = h("p", { class: "tc-message", role: "status" });
  const total = h("p", { class: "tc-total" });
  const learned = h("p");
  const kind = location.pathname.endsWith(".html") ? "html" : "ipynb";
  const rows = [...chapters, { title: "All", page: "", exercises: all }].map(
    ({ title, page, exercises }) => {
      const [done, points] = [h("td"), h("td")];
      const name = page ? h("a", { href: `${page}.${kind}` }, title) : h("span", {}, title);
      const parts = page ? exercises.map(() => h("i")) : [h("i", { class: "tc-whole" })];
      const meter = h("span", { class: "tc-meter", "aria-hidden": true }, ...parts);
      const row = h("tr", {}, h("th", { scope: "row" }, h("div", {}, name, meter)), done, points);
      return {
        row,
        draw(progress) {
          const now = tally(exercises, progress.done);
          say(done, `${now.done} of ${now.of}`);
          say(points, `${now.points} of ${now.most}`);
          const part = (n) => (page ? Number(n < now.done) : now.done / Math.max(1, now.of));
          parts.forEach((each, n) => each.style.setProperty("--t", `${100 * part(n)}%`));
          row.classList.toggle("tc-all", now.done === now.of);
          return now;
        },
      };
    },
  );

  const update = () => {
    const { progress, problem } = loadStore();
    const now = rows.map(({ draw }) => draw(progress)).at(-1);
    say(
      total,
      now?.done
        ? `You have done ${now.done} of ${now.of} exercises and earned ${now.points} of ` +
            `${now.most} points.`
        : `${now?.of} exercises and ${now?.most} points wait for you. Nothing is done yet: each ` +
            "one that you solve, in any chapter, fills a part of a bar.",
    );
    const known = cards.filter((id) => progress.cards[id]?.box >= LEARNED).length;
    say(
      learned,
      `Flash cards: ${cards.filter((id) => progress.cards[id]).length} of ${cards.length} seen, ` +
        `${known} known well.`,
    );
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
      say(
        message,
        changeStore((mine) => Object.assign(mine, blank())) || "All progress is deleted.",
      );
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
  const head = ["", "exercises", "points"].map((name) =>
    name ? h("th", { scope: "col" }, name) : h("td"),
  );
  const root = h(
    "div",
    { class: "tc tc-progress", role: "group", "aria-label": "Your progress" },
    total,
    h(
      "div",
      { class: "tc-op" },
      h(
        "table",
        {},
        h("thead", {}, h("tr", {}, ...head)),
        h("tbody", {}, ...rows.map(({ row }) => row)),
      ),
    ),
    learned,
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
      "It is kept in this browser alone. To take it to another one, save it to a file and read " +
        "that file there; the better result of each exercise stays.",
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
