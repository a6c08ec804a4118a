// @ts-check
// One layer of the paper's decoder beside one of a later model: kept, changed, new, gone.
import { choice, h, live, press, save, say } from "./shared.js";
import { frame, stepBar } from "./stage.js";
import { SIGNS, tally, totals, weighed } from "./then_and_now_words.js";
/** @import {Context} from "./types.js" */
/** @import {Now, Then} from "./then_and_now_words.js" */

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  /** @type {Then[]} */
  const then = model.get("then");
  /** @type {{name: string, rows: Now[]}[]} */
  const models = model.get("models");
  const go = (part) => save(model, { part });

  const which = choice({
    label: "Beside the paper's",
    options: models.map(({ name }, n) => [n, name]),
    value: 0,
    change: (n) => save(model, { chosen: Number(n) }),
  });
  const steps = stepBar({
    names: then.map(({ part }) => part),
    short: then.map((_, n) => String(n + 1)),
    get: () => model.get("part"),
    go,
    every: 2600,
  });
  const rows = then.map(({ label }, n) => {
    const [now, sign] = [h("span", { class: "tc-now" }), h("i", { "aria-hidden": "true" })];
    const row = press("", () => go(n), { class: "tc-row" });
    row.append(h("span", { class: "tc-was" }, label), sign, now);
    return { row, sign, now };
  });
  const heads = h(
    "p",
    { class: "tc-heads", "aria-hidden": "true" },
    h("b", {}, "2017, the paper"),
    h("b"),
  );
  const layer = h("ol", { class: "tc-layer" }, ...rows.map(({ row }) => h("li", {}, row)));
  const sum = h("p", { class: "tc-tally" });

  const title = h("b");
  const state = h("span", { class: "tc-state" });
  const card = (name) => {
    const [formula, code] = [h("p", { class: "tc-formula" }), h("code")];
    return { formula, code, node: h("div", {}, h("b", {}, name), formula, code) };
  };
  const cards = [card("Then"), card("Now")];
  const [why, who, weights] = [h("p"), h("p"), h("p")];
  const told = h(
    "div",
    { class: "tc-why", "aria-live": "polite" },
    h("p", {}, title, " ", state),
    h("div", { class: "tc-cards" }, ...cards.map(({ node }) => node)),
    why,
    who,
    weights,
  );
  const root = frame({
    name: "then",
    title: "One layer, then and now",
    controls: [which.node],
    steps: steps.node,
    inputs: [heads, layer, sum],
    result: [told],
  });

  function update() {
    const [chosen, part] = [model.get("chosen"), model.get("part")];
    const { name, rows: now } = models[chosen];
    which.set(chosen);
    steps.show(part);
    say(heads.lastChild, name);
    rows.forEach(({ row, sign, now: cell }, n) => {
      const { state: became, label } = now[n];
      row.dataset.state = became;
      row.setAttribute("aria-pressed", String(n === part));
      row.setAttribute("aria-label", `${then[n].part}: ${then[n].label}. ${became}: ${label}`);
      say(sign, SIGNS[became]);
      say(cell, label);
    });
    say(sum, `${tally(now)}. ${totals(now)}`);

    const [before, after] = [then[part], now[part]];
    say(title, before.part[0].toUpperCase() + before.part.slice(1));
    say(state, after.state);
    state.dataset.state = after.state;
    [before, after].forEach((side, n) => {
      say(cards[n].formula, side.formula);
      say(cards[n].code, side.code);
    });
    say(why, after.why);
    say(who, `Who and when: ${after.who}.`);
    say(weights, weighed(after));
  }

  return live({ model, el }, root, ["chosen", "part"], update);
}

export default { render };
