// @ts-check
// Label smoothing (section 5.4): a target that keeps a share for every word, and what it asks for.
import { chart, chartWidth, onPress } from "./chart.js";
import { count, fixed, raised } from "./numbers.js";
import { choice, h, live, press, save, say, slider } from "./shared.js";
/** @import {Context} from "./types.js" */

/** @typedef {{epsilon: number, lead: number, size: number}} State */

export const LEAD = { min: -2, max: 16 };

// ---- The mathematics ----

/** What the right word gets, and what each other word gets.
 * @param {{epsilon: number, size: number}} state */
export const target = ({ epsilon, size }) => ({
  right: 1 - epsilon + epsilon / size,
  other: epsilon / size,
});

/** The softmax of one score `lead` above all others. @param {{lead: number, size: number}} state */
export function answer({ lead, size }) {
  const low = Math.exp(-Math.abs(lead));
  const [right, other] = lead > 0 ? [1, low] : [low, 1];
  const total = right + (size - 1) * other;
  return { right: right / total, other: other / total };
}

/** Cross-entropy with the target; its gradient by a score is p − q. @param {State} state */
export function loss({ epsilon, lead, size }) {
  const [q, p] = [target({ epsilon, size }), answer({ lead, size })];
  return -q.right * Math.log(p.right) - (epsilon && (size - 1) * q.other * Math.log(p.other));
}

/** What no model can go below: the entropy of the target.
 * @param {{epsilon: number, size: number}} state */
export function floorOf({ epsilon, size }) {
  const q = target({ epsilon, size });
  return -q.right * Math.log(q.right) - (epsilon && (size - 1) * q.other * Math.log(q.other)) || 0;
}

/** The lead at which the model says exactly what the target asks for.
 * @param {{epsilon: number, size: number}} state */
export function bestLead(state) {
  const q = target(state);
  return Math.log(q.right / q.other);
}

// ---- Words ----

/** A probability or a gradient, also a very small one. @param {number} x */
export function share(x) {
  if (!x || Math.abs(x) >= 0.0005) return fixed(x, 3);
  const [number, power] = Math.abs(x).toExponential(1).split("e-");
  return `${x < 0 ? "−" : ""}${number}·10${raised(-power)}`;
}

/** What the state means. @param {State} state @param {string} word the right one */
export function explain(state, word) {
  const [q, p] = [target(state), answer(state)];
  const gap = p.right - q.right;
  const asks =
    `The model gives “${word}” ${share(p.right)}, ` + `the target asks for ${share(q.right)}.`;
  if (!state.epsilon)
    return `${asks} No finite score gets there, so training pushes “${word}” up for ever.`;
  const floor = floorOf(state);
  const pays =
    `The best model pays ${fixed(floor, 2)}: a perplexity of ` +
    `${fixed(Math.exp(floor), 2)} where the hard target allows 1. “${word}” is its first choice ` +
    "all the same.";
  if (Math.abs(gap) < 5e-4 * (1 - q.right))
    return `${asks} The gradient is zero, the loss is at its floor. ${pays}`;
  return (
    `${asks} The gradient on its score is ${share(gap)}: training pushes “${word}” ` +
    `${gap > 0 ? "down and the others up, although it is right" : "up and the others down"}. ` +
    `${pays}`
  );
}

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const get = (name) => model.get(name);
  const names = get("words");
  const state = () => ({ epsilon: get("epsilon"), lead: get("lead"), size: get("size") });
  const smooth = slider({
    label: "Smoothing ε",
    min: 0,
    max: 0.5,
    step: 0.01,
    value: get("epsilon"),
    show: () => fixed(get("epsilon"), 2),
    change: (epsilon) => save(model, { epsilon }),
  });
  const sure = slider({
    label: "Confidence",
    ...LEAD,
    step: 0.1,
    value: get("lead"),
    show: () => share(answer(state()).right),
    change: (lead) => save(model, { lead }),
  });
  const sizes = choice({
    label: "Vocabulary",
    value: get("size"),
    options: [2, 5, 8, 1000, 37000].map((size) => [size, `${count(size)} words`]),
    change: (size) => save(model, { size: Number(size) }),
  });
  const best = press("To the smallest loss", () => {
    if (get("epsilon")) save(model, { lead: Math.min(LEAD.max, bestLead(state())) });
  });

  // -- the two distributions --
  const bars = (hue) => h("i", { class: `tc-hue${hue}` });
  const lines = Array.from({ length: 9 }, () => {
    const [q, p] = [bars(3), bars(1)];
    const [name, ...numbers] = [h("th", { scope: "row" }), h("td"), h("td"), h("td")];
    return {
      q,
      p,
      name,
      numbers,
      node: h("tr", {}, name, h("td", { class: "tc-pair", "aria-hidden": true }, q, p), ...numbers),
    };
  });
  const heads = ["target q", "model p", "gradient p − q"].map((name, n) =>
    h("th", { scope: "col" }, ...(n < 2 ? [bars(3 - 2 * n), " "] : []), name),
  );
  const spread = h(
    "table",
    { class: "tc-spread" },
    h("caption", {}, "“The cat sat on the …”"),
    h("thead", {}, h("tr", {}, h("td"), h("td"), ...heads)),
    h("tbody", {}, ...lines.map((line) => line.node)),
  );

  // -- the loss, by the score's lead --
  const wide = chartWidth(el);
  const plot = chart({
    label:
      "The loss by the lead of the right word’s score, with the smoothed and with the hard target",
    width: wide,
    height: wide < 500 ? 240 : 260,
  });
  onPress(plot.node, (place) =>
    save(model, { lead: Math.round((LEAD.min + place * (LEAD.max - LEAD.min)) * 10) / 10 }),
  );
  const keys = h(
    "p",
    { class: "tc-legend" },
    h("span", {}, bars(3), "smoothed target"),
    h("span", {}, bars(2), "hard target, dashed"),
    h("span", {}, "dotted: the floor"),
  );

  // -- what follows, in numbers --
  const results = [
    "loss now",
    "smallest loss: the entropy of the target",
    "reached at a confidence of",
    "perplexity there: e to that loss",
    "of the right word alone: 1 ÷ confidence",
  ].map((name) => {
    const cells = [h("td"), h("td")];
    return { cells, node: h("tr", {}, h("th", { scope: "row" }, name), ...cells) };
  });
  const soft = h("th", { scope: "col" });
  const numbers = h(
    "table",
    {},
    h("thead", {}, h("tr", {}, h("td"), h("th", { scope: "col" }, "hard target"), soft)),
    h("tbody", {}, ...results.map((row) => row.node)),
  );
  const words = h("p", { class: "tc-why", "aria-live": "polite" });
  const root = h(
    "div",
    { class: "tc tc-smoothing", role: "group", "aria-label": "Label smoothing" },
    h("div", { class: "tc-bar" }, smooth.node, sure.node, sizes.node, best),
    spread,
    words,
    plot.node,
    keys,
    numbers,
  );

  function update() {
    const now = state();
    const { epsilon, lead, size } = now;
    smooth.set(epsilon);
    sure.set(lead);
    sizes.set(size);
    best.setAttribute("aria-disabled", String(!epsilon));
    const [q, p, hard] = [target(now), answer(now), { ...now, epsilon: 0 }];
    const shown = size > 8 ? 4 : size;
    lines.forEach((line, n) => {
      line.node.hidden = n > shown || (n === shown && size <= 8);
      const which = n ? "other" : "right";
      say(line.name, n < shown ? names[n] : `each of ${count(size - shown)} more`);
      [q[which], p[which], p[which] - q[which]].forEach((x, m) => say(line.numbers[m], share(x)));
      line.q.style.width = `${100 * q[which]}%`;
      line.p.style.width = `${100 * p[which]}%`;
    });
    const leads = Array.from({ length: 181 }, (_, n) => LEAD.min + n / 10);
    const curve = (one) => leads.map((at) => [at, loss({ ...one, lead: at })]);
    const [floor, place] = [floorOf(now), bestLead(now)];
    const roof = size > 8 ? 6 : 3;
    plot.draw({
      x: { ...LEAD, label: "score of the right word above the others" },
      y: { min: 0, max: roof, label: "loss" },
      lines: [
        {
          points: [
            [LEAD.min, floor],
            [LEAD.max, floor],
          ],
          hue: 3,
          dash: "1 4",
          width: 1.5,
        },
        { points: curve(hard), hue: 2, dash: "6 4" },
        { points: curve(now), hue: 3, width: 2.5 },
      ],
      marks: [
        ...(epsilon && place <= LEAD.max ? [{ x: place, y: floor, hue: 3, text: "smallest" }] : []),
        ...(loss(now) <= roof
          ? [{ x: lead, y: loss(now), hue: 1, text: Math.abs(lead - place) > 2.5 ? "now" : "" }]
          : []),
      ],
    });
    say(soft, `ε = ${fixed(epsilon, 2)}`);
    [
      [loss(hard), loss(now)],
      [0, floor],
      [1, q.right],
      [1, Math.exp(floor)],
      [1, 1 / q.right],
    ].forEach((pair, n) => pair.forEach((x, m) => say(results[n].cells[m], fixed(x, 3))));
    say(words, explain(now, names[0]));
  }

  return live({ model, el }, root, ["epsilon", "lead", "size"], update);
}

export default { render };
