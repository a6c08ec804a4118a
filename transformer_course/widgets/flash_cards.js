// @ts-check
// Flash cards in Leitner's boxes: what is known comes back later and later, what is not comes back
// today.
import { sketchOf } from "./flash_cards_sketches.js";
import { animate } from "./moving.js";
import { inline } from "./prose.js";
import { h, live, press, say, take } from "./shared.js";
import { changeStore, day, loadStore, onStore } from "./store.js";

/** @typedef {{box: number, due: string, since: string}} Kept */

export const DAYS = [0, 1, 3, 7, 14, 30]; // until the cards of a box come back
const NEW_EACH_DAY = 10;
const ANSWERS = { again: "Did not know", good: "Knew it", easy: "Easy" };

/** Where a card goes.
 * @param {Kept | undefined} kept @param {"again" | "good" | "easy"} how @returns {Kept} */
export function schedule(kept, how, now = new Date()) {
  const box = how === "again" ? 0 : Math.min(5, (kept?.box ?? 0) + (how === "easy" ? 2 : 1));
  return { box, due: day(DAYS[box], now), since: kept?.since ?? day(0, now) };
}

/** @param {number} days from today */
export const inDays = (days) => ["today", "tomorrow"][days] ?? `in ${days} days`;

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

/** A card's answer: its first sentence large, or the formula that it begins with, whose letters
 * have their colors. @param {string} text */
function answer(text) {
  const [, formula, lead, rest = ""] =
    /^(?:(`[^`]+`)(?:[.:] |\.$)|(.+?\.)(?: (?=[A-Z])|$))(.*)/.exec(text) ?? ["", "", text];
  const large = formula ?? lead;
  const size = `${formula ? "tc-formula" : "tc-lead"} ${large.length > 50 ? "tc-long" : ""}`;
  const parts = [h("p", { class: size }, ...inline(large))];
  if (rest) parts.push(h("p", {}, ...inline(rest[0].toUpperCase() + rest.slice(1))));
  for (const letter of parts.flatMap((part) => [...part.querySelectorAll("mi")]))
    if (/^[QKV]$/.test(letter.textContent ?? "")) letter.dataset.role = letter.textContent;
  return parts;
}

function render({ model, el }) {
  const cards = model.get("cards");
  const ids = cards.map(({ id }) => id);
  let [shown, revealed, last] = ["", false, ""];

  const topic = h("small");
  const sketch = h("div", { class: "tc-sketch", "aria-hidden": "true" });
  const front = h("p", { class: "tc-front" });
  // Ruled lines, where the answer would be written.
  const recall = h("p", { class: "tc-recall", "aria-hidden": "true" });
  const back = h("div", { class: "tc-why" });
  const told = h("small", { role: "status" });
  const note = h("p", { role: "status" });
  const reveal = press("Show the answer", () => turn());
  const answers = Object.entries(ANSWERS).map(([how, name], n) => {
    const when = h("small");
    const button = press("", () => grade(how), { "aria-keyshortcuts": n + 1 });
    button.append(h("b", {}, name), when);
    return { how, button, when };
  });
  const asked = h("p", { class: "tc-asked", "aria-hidden": "true" }); // the front still says it
  const face = (...parts) => h("div", { class: "tc-face" }, ...parts);
  const sides = h(
    "div",
    { class: "tc-sides" },
    face(topic, front, recall),
    face(asked, sketch, back),
  );
  const begins = { click: () => shown && !revealed && turn() };
  const card = h("div", { class: "tc-card", "aria-live": "polite", ...begins }, sides);
  const gone = new Set();
  const ticks = h("div", { class: "tc-ticks", "aria-hidden": "true" });
  const plan = h("b");
  const head = h("div", { class: "tc-plan" }, plan, ticks, told);
  const foot = h("div", { class: "tc-foot" }, reveal, ...answers.map(({ button }) => button));
  const root = h(
    "div",
    {
      class: "tc tc-cards",
      role: "group",
      "aria-label": "Flash cards",
      keydown(event) {
        const chosen = revealed && answers[Number(event.key) - 1];
        if (!chosen || event.ctrlKey || event.metaKey || event.altKey) return;
        take(event);
        chosen.button.click();
      },
    },
    head,
    card,
    foot,
    note,
  );

  function turn() {
    revealed = true;
    update();
    const half = "translateZ(4rem) rotateY(90deg)";
    animate(sides, [{ transform: "none" }, { transform: half }, {}], 450);
    answers[1].button.focus();
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
    const again = how === "again";
    last = again ? "It comes once more today. " : `It comes back ${inDays(DAYS[kept.box])}. `;
    revealed = false;
    if (!again) gone.add(id);
    update();
    animate(sides, [{ transform: "translateY(0.75rem) scale(0.97)", opacity: 0.4 }, {}], 250);
    (shown ? reveal : root).focus();
  }

  function update() {
    const { progress, problem } = loadStore();
    const today = queue(ids, progress.cards, day());
    if (!revealed || !today.includes(shown)) [shown, revealed] = [today[0] ?? "", false];
    const now = cards.find(({ id }) => id === shown);
    if (problem) say(note, problem);
    say(plan, planned(today, progress.cards));
    front.replaceChildren(...inline(now?.front ?? "Done for today."));
    const dates = ids.flatMap((id) => progress.cards[id]?.due ?? []).filter((due) => due > day());
    const then = ids.some((id) => !progress.cards[id]) ? day(1) : (dates.sort()[0] ?? day(1));
    const why = now && `${now.topic} · ${whyToday(progress.cards[shown])}`;
    say(recall, now ? "Say it first, then turn the card." : "");
    say(topic, why ?? `The next ones come on ${then}.`);
    // What is on the back comes there when it is turned.
    const turned = revealed ? now : undefined;
    asked.replaceChildren(...inline(turned?.front ?? ""));
    sketch.replaceChildren(turned ? sketchOf(turned) : "");
    back.replaceChildren(...(turned ? answer(turned.back) : []));
    card.classList.toggle("tc-turned", revealed);
    [back.hidden, reveal.hidden] = [!revealed, revealed || !now];
    for (const { how, button, when } of answers) {
      button.hidden = !revealed;
      const { box } = schedule(progress.cards[shown], /** @type {any} */ (how));
      say(when, box ? inDays(DAYS[box]) : "again today");
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
    const begun = ids.filter((id) => progress.cards[id]).length;
    say(told, `${last}${begun} of ${ids.length} begun`);
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
