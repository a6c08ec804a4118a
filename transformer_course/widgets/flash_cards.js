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
const ANSWERS = { again: "Did not know", good: "Knew it", easy: "Easy" };
const AHEAD = "Each time you know a card, it stays away longer.";
const GRADE = "How did it go? That sets when it comes back.";
const ASK = "Say the answer before you look.";

/** Where a card goes.
 * @param {Kept | undefined} kept @param {"again" | "good" | "easy"} how @returns {Kept} */
export function schedule(kept, how, now = new Date()) {
  const box = how === "again" ? 0 : Math.min(5, (kept?.box ?? 0) + (how === "easy" ? 2 : 1));
  return { box, due: day(DAYS[box], now), since: kept?.since ?? day(0, now) };
}

const HORIZON = 60; // days that are drawn

/** On which days from now a card comes back, up to the horizon, if it is known each time after this
 * answer. @param {Kept | undefined} kept @param {"again" | "good" | "easy"} how */
export function comesBack(kept, how) {
  let { box } = schedule(kept, how);
  const days = [DAYS[box]];
  while (days[days.length - 1] + DAYS[Math.min(5, box + 1)] <= HORIZON) {
    box = Math.min(5, box + 1);
    days.push(days[days.length - 1] + DAYS[box]);
  }
  return days;
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

/** The days on which a card comes back, as hops along a line. Its places are by the root of the days:
 * near ones have room, and hops still grow. */
function makePath() {
  const node = h("div", { class: "tc-path", role: "img" });
  const at = (days) => 100 * Math.sqrt(days / HORIZON);
  return {
    node,
    /** @param {number[]} days */
    draw(days) {
      const hops = days.filter(Boolean).map((to, n, ahead) => {
        const from = at(n ? ahead[n - 1] : 0);
        return h("i", { style: `left: ${from}%; width: ${at(to) - from}%` });
      });
      const stops = days.map((to) => h("b", { style: `left: ${at(to)}%` }, String(to)));
      node.replaceChildren(...hops, ...stops);
      node.ariaLabel = `Comes back ${days.map(inDays).join(", ")}`;
    },
  };
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
  // Each answer is a button, and beside it the days on which the card then comes back.
  const answers = Object.entries(ANSWERS).map(([how, name], n) => {
    const when = h("small");
    const path = makePath();
    const keys = { "aria-keyshortcuts": n + 1 };
    const button = press("", () => grade(how), keys);
    button.append(h("b", {}, name), when);
    const node = h("div", { class: "tc-lane" }, button, path.node);
    /** @param {Kept | undefined} kept */
    const draw = (kept) => {
      const days = comesBack(kept, /** @type {any} */ (how));
      say(when, days[0] ? inDays(days[0]) : "again today");
      path.draw(days);
    };
    return { button, node, draw };
  });
  const ahead = makePath();
  const axis = h(
    "small",
    { class: "tc-axis" },
    h("span", {}, "now"),
    h("span", {}, "days from now"),
  );
  const lead = h("p", { class: "tc-lead" });
  const hint = h("small", { class: "tc-hint" });
  const card = h("div", { class: "tc-card", "aria-live": "polite" }, topic, front, back, hint);
  const gone = new Set();
  const ticks = h("div", { class: "tc-ticks", "aria-hidden": "true" });
  const plan = h("p", { class: "tc-plan" });
  const rows = answers.map(({ node }) => node);
  const lanes = h("div", { class: "tc-lanes" }, reveal, lead, ahead.node, ...rows, axis);
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
    plan,
    ticks,
    card,
    lanes,
    left,
    note,
  );

  function turn() {
    revealed = true;
    update();
    animate(card, [{ transform: "perspective(40rem) rotateY(80deg)" }, { transform: "none" }], 250);
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
    const kept = progress.cards[shown];
    lanes.hidden = !now;
    say(lead, revealed ? GRADE : AHEAD);
    lanes.classList.toggle("tc-asked", revealed);
    ahead.node.hidden = revealed;
    ahead.draw(comesBack(kept, "good"));
    for (const { node, draw } of answers) {
      node.hidden = !revealed;
      draw(kept);
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
    say(hint, revealed ? "The keys 1, 2 and 3 answer too." : ASK);
    hint.hidden = !now;
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
