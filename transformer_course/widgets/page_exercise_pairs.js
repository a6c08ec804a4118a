// @ts-check
// Cards on the left, each joined to one on the right: press both, in any order.
import { bare, inline } from "./prose.js";
import { assign, h, press, say, svg } from "./shared.js";

/** @param {any} exercise @param {(entry: number[]) => void} change */
export function pairs({ lefts, rights, answer }, change) {
  const texts = [lefts, rights];
  const shared = new Set(answer).size < answer.length; // two may have one partner
  /** @type {[number[], boolean, number[], string]} */
  let [now, over, wrong, picked] = [[], false, [], ""]; // picked: a side and a number
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
      const card = press("", () => act(s, n));
      const words = h("span", {}, ...inline(text));
      card.append(...(s ? [h("i"), words] : [words, h("i")]));
      return card;
    }),
  );
  const links = svg("svg", { "aria-hidden": "true" });
  const hue = (k) => `--pair: var(--hue${k + 1})`;
  const middle = ({ offsetTop, offsetHeight }) => offsetTop + offsetHeight / 2;
  const paint = () => {
    const line = (m, k) =>
      svg("line", {
        class: wrong.includes(k) ? "tc-off" : "",
        style: hue(k),
        x2: "100%",
        y1: middle(sides[0][k]),
        y2: middle(sides[1][m]),
      });
    links.replaceChildren(...now.flatMap((m, k) => (m < 0 ? [] : line(m, k))));
    sides.forEach((cards, side) =>
      cards.forEach((card, n) => {
        const joined = [...lefts.keys()].filter((k) => touches(side, n, k));
        const names = joined.map((k) => bare(side ? `${k + 1}. ${lefts[k]}` : rights[now[k]]));
        say(card.querySelector("i"), side ? joined.map((k) => k + 1).join() : `${n + 1}`);
        card.classList.toggle("tc-off", !side && wrong.includes(n));
        assign(card, {
          style: joined[0] >= 0 ? hue(joined[0]) : "",
          "aria-disabled": over,
          "aria-pressed": picked === `${side}${n}`,
          "aria-label":
            (side ? "" : `${n + 1}. `) +
            bare(texts[side][n]) +
            (names[0] ? `, joined to ${names.join(", ")}` : ""),
        });
      }),
    );
  };
  const [left, right] = sides.map((cards) => h("div", {}, ...cards));
  const board = h("div", { class: "tc-pairs" }, left, links, right);
  new ResizeObserver(paint).observe(board);
  return {
    node: board,
    draw(entry, { over: end, marks }) {
      [now, over, wrong] = [entry, end, marks];
      if (over) picked = "";
      paint();
    },
  };
}
