// @ts-check
// Flash cards in Leitner's boxes: what is known comes back later and later, what is not comes back
// today.
import { animate } from "./moving.js";
import { inline } from "./prose.js";
import { h, live, press, say, take } from "./shared.js";
import { changeStore, day, loadStore, onStore } from "./store.js";

/** @typedef {{box: number, due: string, since: string}} Kept */

export const DAYS = [0, 1, 3, 7, 14, 30]; // until the cards of a box come back
const NEW_EACH_DAY = 10;
const ASK = "Say the answer before you look.";

/** Where a card goes.
 * @param {Kept | undefined} kept @param {"again" | "good" | "easy"} how @returns {Kept} */
export function schedule(kept, how, now = new Date()) {
  const box = how === "again" ? 0 : Math.min(5, (kept?.box ?? 0) + (how === "easy" ? 2 : 1));
  return { box, due: day(DAYS[box], now), since: kept?.since ?? day(0, now) };
}

/** Where an answer lays a card, among new, today and the boxes. @param {Kept | undefined} kept */
const landsIn = (kept, how) => schedule(kept, how).box + 1;

/** Ids in the order in which they come today: due ones, new ones, then those to see once more.
 * @param {string[]} ids @param {Record<string, Kept>} kept @param {string} today */
export function queue(ids, kept, today) {
  const due = ids.filter((id) => kept[id]?.due <= today);
  const begun = ids.filter((id) => kept[id]?.since === today).length;
  const fresh = ids.filter((id) => !kept[id]).slice(0, Math.max(0, NEW_EACH_DAY - begun));
  const late = due
    .filter((id) => kept[id].box)
    .sort((a, b) => kept[a].due.localeCompare(kept[b].due));
  return [...late, ...fresh, ...due.filter((id) => !kept[id].box)];
}

/** How many cards are not begun, and how many are in each box.
 * @param {string[]} ids @param {Record<string, Kept>} kept */
export const boxes = (ids, kept) =>
  [-1, ...DAYS.keys()].map((n) => ids.filter((id) => (kept[id]?.box ?? -1) === n).length);

/** What comes today. @param {string[]} today ids @param {Record<string, Kept>} kept */
export function planned(today, kept) {
  const fresh = today.filter((id) => !kept[id]).length;
  const again = today.filter((id) => kept[id]?.box === 0).length;
  const parts = [
    [today.length - fresh - again, "to repeat"],
    [fresh, "new"],
    [again, "once more"],
  ].filter(([n]) => n);
  return `Today: ${parts.map((part) => part.join(" ")).join(", ") || "all done"}`;
}

/** Why a card comes today. @param {Kept | undefined} kept */
export function whyToday(kept) {
  if (!kept) return "new to you";
  const days = DAYS[kept.box];
  if (!days) return "once more, for it did not come";
  return `back after ${days} day${days > 1 ? "s" : ""}, before it fades`;
}

function render({ model, el }) {
  const cards = model.get("cards");
  const ids = cards.map(({ id }) => id);
  let [shown, revealed, last] = ["", false, ""];

  const topic = h("small");
  const front = h("p", { class: "tc-front" });
  const back = h("div", { class: "tc-why" });
  const left = h("p", { role: "status" });
  const note = h("p", { role: "status" });
  const reveal = press("Show the answer", () => turn());
  const grades = [
    ["Again", "again", 1],
    ["Good", "good", 2],
    ["Easy", "easy", 3],
  ].map(([label, how, key]) =>
    press("", () => grade(how), { "data-how": how, "aria-keyshortcuts": key, "data-label": label }),
  );
  const bar = h("div", { class: "tc-bar" }, reveal, ...grades);
  const hint = h("small", { class: "tc-hint" });
  const card = h("div", { class: "tc-card", "aria-live": "polite" }, topic, front, back, hint);
  const gone = new Set();
  const ticks = h("div", { class: "tc-ticks", "aria-hidden": "true" });
  const plan = h("p", { class: "tc-plan" });
  const places = ["new", "today", ...DAYS.slice(1).map((n) => `${n} day${n > 1 ? "s" : ""}`)];
  const deck = places.map((name) => {
    const [tag, count] = [h("em", { "aria-hidden": "true" }), h("b")];
    return { node: h("li", {}, tag, count, h("small", {}, name)), tag, count };
  });
  const root = h(
    "div",
    {
      class: "tc tc-cards",
      role: "group",
      "aria-label": "Flash cards",
      keydown(event) {
        const chosen = revealed && grades[Number(event.key) - 1];
        if (!chosen || event.ctrlKey || event.metaKey || event.altKey) return;
        take(event);
        chosen.click();
      },
    },
    plan,
    ticks,
    card,
    bar,
    left,
    note,
    h("p", { class: "tc-longer" }, "Each time you know a card, it stays away longer"),
    h("ul", { "aria-label": "Cards by how soon they come back" }, ...deck.map(({ node }) => node)),
  );

  function turn() {
    revealed = true;
    update();
    animate(card, [{ transform: "perspective(40rem) rotateY(80deg)" }, { transform: "none" }], 250);
    grades[1].focus();
  }
  function grade(how) {
    const id = shown;
    let kept = { box: 0, due: "" };
    say(
      note,
      changeStore((progress) => {
        kept = progress.cards[id] = schedule(progress.cards[id], how);
      }),
    );
    const days = DAYS[kept.box];
    last =
      how === "again"
        ? "It comes once more today. "
        : `It comes back in ${days} day${days > 1 ? "s" : ""}. `;
    revealed = false;
    if (how !== "again") gone.add(id);
    update();
    animate(card, [{ transform: "translateY(0.5rem)", opacity: 0.4 }, { transform: "none" }], 200);
    (shown ? reveal : root).focus();
  }

  function update() {
    const { progress, problem } = loadStore();
    const today = queue(ids, progress.cards, day());
    if (!revealed || !today.includes(shown)) [shown, revealed] = [today[0] ?? "", false];
    const now = cards.find(({ id }) => id === shown);
    if (problem) say(note, problem);
    say(topic, now ? `${now.topic} · ${whyToday(progress.cards[shown])}` : "");
    say(plan, planned(today, progress.cards));
    front.replaceChildren(...inline(now?.front ?? "Done for today."));
    back.replaceChildren(...(revealed ? inline(now.back) : []));
    [back.hidden, reveal.hidden] = [!revealed, revealed || !now];
    for (const button of grades) {
      button.hidden = !revealed;
      const place = landsIn(progress.cards[shown], button.dataset.how);
      say(button, `${button.dataset.label} · ${places[place]}`);
    }
    const over = ids.filter(
      (id) => gone.has(id) || (progress.cards[id]?.since === day() && progress.cards[id].box),
    ).length;
    const tick = (n) => {
      const due = (progress.cards[today[n - over]]?.box ?? 0) > 0;
      return h("i", { class: n < over ? "tc-over" : due ? "tc-due" : "" });
    };
    ticks.replaceChildren(...Array.from({ length: over + today.length }, (_, n) => tick(n)));
    card.classList.toggle("tc-last", today.length < 2);
    say(hint, revealed ? "How did it go? The keys 1, 2 and 3 answer too." : ASK);
    hint.hidden = !now;
    const goes = now
      ? grades.map(({ dataset: { how } }) => landsIn(progress.cards[shown], how))
      : [];
    boxes(ids, progress.cards).forEach((n, place) => {
      const { node, tag, count } = deck[place];
      const here = now && place === (progress.cards[shown]?.box ?? -1) + 1;
      node.classList.toggle("tc-here", here);
      say(count, n ? String(n) : "");
      const lands = grades.filter((_, g) => goes[g] === place).map(({ dataset }) => dataset.label);
      node.classList.toggle("tc-lands", lands.length > 0);
      say(tag, lands.join(", ").toLowerCase() || (here ? "this card" : ""));
    });
    const dates = Object.entries(progress.cards)
      .filter(([id]) => ids.includes(id))
      .map(([, { due }]) => due)
      .filter((due) => due > day())
      .sort();
    const later = today.length
      ? ""
      : " The next ones come on " +
        `${ids.some((id) => !progress.cards[id]) ? day(1) : (dates[0] ?? day(1))}.`;
    say(
      left,
      `${last}${today.length} left today, ` +
        `${Object.keys(progress.cards).filter((id) => ids.includes(id)).length} of ${ids.length} ` +
        `begun.${later}`,
    );
  }
  root.tabIndex = -1;
  const leave = live({ model, el }, root, [], update);
  const stop = onStore(update);
  return () => {
    stop();
    leave();
  };
}

export default { render };
