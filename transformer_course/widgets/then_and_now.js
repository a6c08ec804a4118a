// @ts-check
// One layer of the paper beside one of a later model: kept, changed, new, gone.
import { count } from "./numbers.js";
import { choice, h, live, press, save, say } from "./shared.js";
import { frame, stepBar } from "./stage.js";
import { pictureOf } from "./then_and_now_pictures.js";
import { size, tally, totals, typeset, weighed } from "./then_and_now_words.js";
/** @import {Context} from "./types.js" */
/** @import {Now, Then} from "./then_and_now_words.js" */

/** A label, with a norm in it marked. @param {string} label */
const named = (label) =>
  h("span", {}, ...label.split(/(\w+Norm)/).map((part, n) => (n % 2 ? h("b", {}, part) : part)));

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  /** @type {{name: string, stack: string, width: number, then: Then[], rows: Now[]}[]} */
  const models = model.get("models");
  const names = models[0].then.map(({ part }) => part);
  const go = (part) => save(model, { part });

  const which = choice({
    label: "Compare with",
    options: models.map(({ name }, n) => [n, name]),
    value: 0,
    change: (n) => save(model, { chosen: Number(n) }),
  });
  const steps = stepBar({
    names,
    short: names.map((_, n) => String(n + 1)),
    get: () => model.get("part"),
    go,
    every: 2600,
  });
  const rows = names.map((_, n) => {
    const [was, now] = [h("span", { class: "tc-was" }), h("span", { class: "tc-now" })];
    const row = press("", () => go(n), { class: "tc-row" });
    row.append(was, now);
    return { row, was, now };
  });
  const heads = h("div", { class: "tc-heads" }, h("b"), which.node);
  const layer = h("ol", { class: "tc-layer" }, ...rows.map(({ row }) => h("li", {}, row)));
  const bars = [0, 1].map(() => {
    const [text, pieces] = [h("b"), names.map(() => h("i"))];
    const node = h("div", {}, ...pieces);
    return { pieces, node, text };
  });
  const whole = h("small");
  const weighing = h(
    "div",
    { class: "tc-weights" },
    ...bars.map(({ node }) => node),
    ...bars.map(({ text }) => h("small", {}, text)),
    whole,
  );
  const sum = h("p", { class: "tc-tally" });

  const [title, state, why] = [h("b"), h("b", { class: "tc-state" }), h("span")];
  const headline = h("p", { class: "tc-why", "aria-live": "polite" }, title, state, why);
  const cards = [0, 1].map(() => {
    const [when, picture] = [h("small"), h("div", { class: "tc-picture" })];
    const formula = h("p", { class: "tc-formula" });
    return { when, picture, formula, node: h("div", {}, when, picture, formula) };
  });
  const [who, weights, code] = [h("small"), h("small"), h("code")];
  const told = h(
    "div",
    { class: "tc-part" },
    h("div", { class: "tc-cards" }, ...cards.map(({ node }) => node)),
    h("p", { class: "tc-source" }, weights, who, h("small", {}, code)),
  );
  const root = frame({
    name: "then",
    title: "What became of the layer?",
    steps: steps.node,
    told: headline,
    inputs: [heads, layer, weighing],
    result: [told],
    below: [sum],
  });

  function update() {
    const [chosen, part] = [model.get("chosen"), model.get("part")];
    const { name, stack, width, then, rows: now } = models[chosen];
    which.set(chosen);
    steps.show(part);
    say(heads.firstChild, `The paper’s ${stack}`);
    rows.forEach(({ row, was, now: cell }, n) => {
      const { state: became, label } = now[n];
      row.dataset.state = became;
      row.setAttribute("aria-pressed", String(n === part));
      row.setAttribute("aria-label", `${names[n]}: ${then[n].label}. ${became}: ${label}`);
      was.replaceChildren(named(then[n].label));
      cell.replaceChildren(named(label));
    });
    sum.replaceChildren(
      ...tally(now).flatMap(([became, did, what]) => [h("b", { "data-state": became }, did), what]),
      now.some(({ state: became, label }) => became === "new" && label.includes("Norm"))
        ? " The norm moved; attention’s formula did not."
        : " The formula of attention never moved.",
    );
    say(whole, `parameters by row, ${count(width)} wide`);
    const all = totals(now);
    all.forEach((total, side) => {
      say(bars[side].text, size(total));
      bars[side].pieces.forEach((piece, n) => {
        const share = (100 * now[n].weights[side]) / Math.max(...all);
        piece.style.flexBasis = `${share}%`;
        say(piece, share > 8 ? String(n + 1) : "");
        piece.classList.toggle("tc-on", n === part);
        piece.hidden = !now[n].weights[side];
      });
    });

    const [before, after] = [then[part], now[part]];
    say(title, `${before.part[0].toUpperCase()}${before.part.slice(1)}: `);
    say(state, after.state === "neither" ? "in neither" : after.state);
    say(why, `. ${after.why}`);
    for (const node of [headline, told, weighing]) node.dataset.state = after.state;
    const same = before.formula === after.formula;
    [before, after].forEach((side, n) => {
      const parts = typeset(side.formula).map(([tag, text]) => (tag ? h(tag, {}, text) : text));
      cards[n].formula.replaceChildren(...parts);
      cards[n].picture.replaceChildren(pictureOf(names[part], n || same ? after.kind : "then"));
    });
    cards[0].node.hidden = same; // once is enough
    say(cards[0].when, "2017");
    say(cards[1].when, same ? "2017 and today" : name);
    say(who, after.who);
    say(weights, weighed(after));
    say(code, after.code);
  }

  return live({ model, el }, root, ["chosen", "part"], update);
}

export default { render };
