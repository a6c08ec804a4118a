// @ts-check
// Cards on the left, each joined to one on the right: press both, in any order.
import { bare, inline } from "./prose.js";
import { assign, h, press, say } from "./shared.js";

/** @param {any} exercise @param {(entry: number[]) => void} change */
export function pairs({ lefts, rights, answer }, change) {
  const texts = [lefts, rights];
  const shared = new Set(answer).size < answer.length; // two may have one partner
  /** @type {[number[], boolean, number[], string]} */
  let [now, over, wrong, picked] = [[], false, [], ""]; // picked: a side and a number
  const status = h("small", { role: "status" });
  const touches = (side, n, k) => now[k] >= 0 && (side ? now[k] : k) === n;
  const act = (side, n) => {
    if (over) return;
    const [from, other] = [...picked].map(Number);
    let next = now.map((m, k) => (!(side && shared && picked) && touches(side, n, k) ? -1 : m));
    if (picked && from !== side) {
      next = side ? next.with(other, n) : next.with(n, other);
      picked = "";
    } else picked = picked === `${side}${n}` ? "" : `${side}${n}`;
    if (String(next) === String(now)) paint();
    else change(next);
  };
  const sides = texts.map((side, s) =>
    side.map((text, n) => {
      const [badge, card] = [h("i"), press("", () => act(s, n))];
      card.append(badge, h("span", {}, ...inline(text)));
      return { badge, card };
    }),
  );
  const paint = () => {
    sides.forEach((cards, side) =>
      cards.forEach(({ badge, card }, n) => {
        const joined = [...lefts.keys()].filter((k) => touches(side, n, k));
        const names = joined.map((k) => bare(side ? `${k + 1}. ${lefts[k]}` : rights[now[k]]));
        say(badge, side ? joined.map((k) => k + 1).join() : `${n + 1}`);
        card.classList.toggle("tc-off", !side && wrong.includes(n));
        assign(card, {
          style: joined[0] >= 0 ? `--pair: var(--hue${joined[0] + 1})` : "",
          "aria-disabled": over,
          "aria-pressed": picked === `${side}${n}`,
          "aria-label":
            (side ? "" : `${n + 1}. `) +
            bare(texts[side][n]) +
            (names[0] ? `, joined to ${names.join(", ")}` : ""),
        });
      }),
    );
    const done = now.filter((m) => m >= 0).length;
    say(
      status,
      picked
        ? "One is picked: press its partner."
        : `${done} of ${lefts.length} joined.${over ? "" : " Press a joined card to part it."}`,
    );
  };
  return {
    node: h(
      "div",
      {},
      h("div", { class: "tc-pairs" }, ...sides.map((x) => h("div", {}, ...x.map((y) => y.card)))),
      status,
    ),
    draw(entry, { over: end, marks }) {
      [now, over, wrong] = [entry, end, marks];
      if (over) picked = "";
      paint();
    },
  };
}
