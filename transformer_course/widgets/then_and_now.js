// @ts-check
// One layer of the paper beside one of a later model: kept, changed, new, gone.
import { count } from "./numbers.js";
import { choice, h, live, press, save, say } from "./shared.js";
import { frame, stepBar } from "./stage.js";
import { SIGNS, bought, size, tally, totals, typeset, weighed } from "./then_and_now_words.js";
/** @import {Context} from "./types.js" */
/** @import {Now, Then} from "./then_and_now_words.js" */

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
    const sign = h("i", { "aria-hidden": "true" });
    const row = press("", () => go(n), { class: "tc-row" });
    row.append(was, sign, now);
    return { row, was, sign, now };
  });
  const heads = h("p", { class: "tc-heads", "aria-hidden": "true" }, h("b"), h("b"));
  const layer = h("ol", { class: "tc-layer" }, ...rows.map(({ row }) => h("li", {}, row)));
  const whole = h("small");
  const bars = [0, 1].map((n) => {
    const [text, pieces] = [h("small"), names.map(() => h("i"))];
    const name = h("small", {}, ["Then", "Now"][n]);
    return {
      text,
      pieces,
      node: h("div", { class: "tc-bars" }, name, h("div", {}, ...pieces), text),
    };
  });
  const sum = h("p", { class: "tc-tally" });

  const title = h("b");
  const state = h("span", { class: "tc-state" });
  const card = (name) => {
    const [when, formula, code] = [
      h("small", {}, name),
      h("p", { class: "tc-formula" }),
      h("code"),
    ];
    return { when, formula, code, node: h("div", {}, when, code, formula) };
  };
  const cards = [card("Then"), card("Now")];
  const [lead, why, who, weights] = [h("b"), h("span"), h("small"), h("small")];
  const told = h(
    "div",
    { class: "tc-part", "aria-live": "polite" },
    h("p", { class: "tc-about" }, title, " ", state),
    h("div", { class: "tc-cards" }, ...cards.map(({ node }) => node)),
    h("p", { class: "tc-why" }, lead, why),
    h("p", { class: "tc-source" }, who, weights),
    h("div", {}, whole, ...bars.map(({ node }) => node)),
  );
  const root = frame({
    name: "then",
    title: "What became of the paper’s layer?",
    controls: [which.node],
    steps: steps.node,
    told: sum,
    inputs: [heads, layer],
    result: [told],
  });

  function update() {
    const [chosen, part] = [model.get("chosen"), model.get("part")];
    const { name, stack, width, then, rows: now } = models[chosen];
    which.set(chosen);
    steps.show(part);
    say(heads.firstChild, `The paper's ${stack}`);
    say(heads.lastChild, name);
    rows.forEach(({ row, was, sign, now: cell }, n) => {
      const { state: became, label } = now[n];
      row.dataset.state = became;
      row.setAttribute("aria-pressed", String(n === part));
      row.setAttribute("aria-label", `${names[n]}: ${then[n].label}. ${became}: ${label}`);
      say(was, then[n].label);
      say(sign, SIGNS[became]);
      say(cell, label);
    });
    sum.replaceChildren(
      ...tally(now).flatMap(([became, text]) => [
        h("span", { class: "tc-state", "data-state": became }, text),
        " ",
      ]),
    );
    say(whole, `Parameters of a layer ${count(width)} wide`);
    const all = totals(now);
    all.forEach((total, side) => {
      say(bars[side].text, size(total));
      bars[side].pieces.forEach((piece, n) => {
        piece.style.flexBasis = `${(100 * now[n].weights[side]) / Math.max(...all)}%`;
        piece.classList.toggle("tc-on", n === part);
      });
    });

    const [before, after] = [then[part], now[part]];
    say(title, before.part[0].toUpperCase() + before.part.slice(1));
    say(state, after.state === "neither" ? "in neither" : after.state);
    told.dataset.state = after.state;
    [before, after].forEach((side, n) => {
      const parts = typeset(side.formula).map(([tag, text]) => (tag ? h(tag, {}, text) : text));
      cards[n].formula.replaceChildren(...parts);
      say(cards[n].code, side.code);
    });
    const same = before.formula === after.formula;
    cards[0].node.hidden = same; // once is enough
    say(cards[1].when, same ? "Then and now" : "Now");
    say(lead, bought(after.state));
    say(why, after.why);
    say(who, after.who);
    say(weights, weighed(after));
  }

  return live({ model, el }, root, ["chosen", "part"], update);
}

export default { render };
