// @ts-check
// Label smoothing (section 5.4): a target that keeps a share for every word, and what it asks for.
import { chart, onPress } from "./chart.js";
import { handle } from "./handle.js";
import { bars } from "./label_smoothing_bars.js";
import {
  LEAD,
  answer,
  bestLead,
  explain,
  floorOf,
  leadAt,
  loss,
  share,
  target,
} from "./label_smoothing_numbers.js";
import { count, fixed } from "./numbers.js";
import { assign, choice, h, live, press, save, say, slider, svg } from "./shared.js";
import { frame, tween } from "./stage.js";
/** @import {Context} from "./types.js" */

const [LEFT, RIGHT] = [52, 12]; // of the chart
const LEADS = Array.from({ length: 181 }, (_, n) => LEAD.min + n / 10);

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const get = (name) => model.get(name);
  const names = get("words");
  const state = () => ({ epsilon: get("epsilon"), lead: get("lead"), size: get("size") });
  let stop = () => {};
  const smooth = slider({
    label: "Smoothing ε",
    min: 0,
    max: 0.5,
    step: 0.01,
    value: get("epsilon"),
    show: () => fixed(get("epsilon"), 2),
    change: (epsilon) => save(model, { epsilon }),
  });
  const sizes = choice({
    label: "Vocabulary",
    value: get("size"),
    options: [2, 5, 8, 1000, 37000].map((size) => [size, `${count(size)} words`]),
    change: (size) => save(model, { size: Number(size) }),
  });
  const train = press(
    "Train",
    () => {
      const [from, to] = [get("lead"), Math.min(LEAD.max, bestLead(state()))];
      stop();
      stop = tween(1500, (t) => save(model, { lead: from + (to - from) * t }));
    },
    { class: "tc-go" },
  );
  const moved = (lead) => {
    stop();
    save(model, { lead: leadAt(lead) });
  };
  const step = (n) => moved(get("lead") + n / 10);
  const narrow = el.clientWidth > 0 && el.clientWidth < 560;
  const wide = narrow ? 324 : 656;
  const spread = bars(names, wide, moved, step);

  // -- the same for those who do not see it --
  const cells = names.map(() => [h("th", { scope: "row" }), h("td"), h("td"), h("td")]);
  const heads = ["model", "target", "gradient"].map((name) => h("th", { scope: "col" }, name));
  const lines = cells.map((line) => h("tr", {}, ...line));
  const table = h(
    "table",
    { class: "tc-unseen" },
    h("thead", {}, h("tr", {}, h("td"), ...heads)),
    h("tbody", {}, ...lines),
  );

  // -- the loss, by the score's lead: a bowl, and the model in it --
  const plot = chart({
    label:
      "The loss by the lead of the right word’s score, with the smoothed and with the hard target",
    width: wide,
    height: 220,
  });
  const at = (x) => LEAD.min + ((x - LEFT) / (wide - LEFT - RIGHT)) * (LEAD.max - LEAD.min);
  onPress(plot.node, (place) => moved(LEAD.min + place * (LEAD.max - LEAD.min)));
  const pull = svg("path", { class: "tc-push" });
  const lowest = svg("circle", { r: 5, class: "tc-lowest" });
  plot.node.append(lowest, pull);
  /** An arrow downhill, the longer the larger the gradient, and no longer than `room`; `near` is a
   * little to the left. */
  const drawPull = ([x, y], slope, near, room) => {
    const way = slope > 0 ? 1 : -1;
    const long = Math.hypot(near[0] - x, near[1] - y);
    const [ux, uy] = [(way * (near[0] - x)) / long, (way * (near[1] - y)) / long];
    const reach = Math.min(20 + 34 * Math.abs(slope), room);
    const [tx, ty] = [x + ux * reach, y + uy * reach];
    const barb = (side) => `${tx - 7 * ux + side * 4 * uy} ${ty - 7 * uy - side * 4 * ux}`;
    pull.setAttribute("d", `M${x} ${y}L${tx} ${ty}M${barb(1)}L${tx} ${ty}L${barb(-1)}`);
  };
  const dot = handle(plot.node, {
    label: "Score of the right word above the others",
    move: (x) => moved(at(x)),
    step,
  });
  const sample = (kind, words) => h("span", {}, h("i", { class: `tc-${kind}` }), words);
  const [soft, hard] = [sample("soft", "loss with smoothing"), sample("hard", "loss without")];
  const least = sample("least", h("span"));
  const words = h("p", { class: "tc-why", "aria-live": "polite" });
  words.dataset.room = explain({ epsilon: 0.1, lead: 5.5, size: 5 }, names[0]);
  const key = [sample("p", "model"), sample("q", "target"), h("span", {}, "⟶ push (gradient)")];
  const root = frame({
    name: "smoothing",
    title: "Label smoothing",
    controls: [sizes.node],
    told: words,
    below: [
      h("div", { class: "tc-bar" }, train, smooth.node),
      spread.node,
      table,
      h("p", { class: "tc-legend" }, ...key),
      plot.node,
      h("p", { class: "tc-legend" }, soft, hard, least),
    ],
  });

  function update() {
    const now = state();
    const { epsilon, lead, size } = now;
    smooth.set(epsilon);
    sizes.set(size);
    const [q, p, bare] = [target(now), answer(now), { ...now, epsilon: 0 }];
    spread.draw(now);
    cells.forEach(([name, ...numbers], n) => {
      const which = n ? "other" : "right";
      lines[n].hidden = n >= size;
      say(name, names[n]);
      [p[which], q[which], p[which] - q[which]].forEach((x, m) => say(numbers[m], share(x)));
    });

    const curve = (one) => LEADS.map((x) => [x, loss({ ...one, lead: x })]);
    const [floor, place] = [floorOf(now), bestLead(now)];
    const roof = size > 1000 ? 12 : size > 8 ? 9 : 4;
    plot.draw({
      x: { ...LEAD, label: `how far the score of “${names[0]}” leads`, ticks: [0, 5, 10, 15] },
      y: { min: 0, max: roof, label: "loss" },
      lines: [
        { points: curve(bare), hue: 2, dash: "6 4" },
        { points: curve(now), hue: 3, width: 3 },
      ].slice(epsilon ? 0 : 1),
    });
    const [here, [px, py]] = [loss(now), plot.place(lead, Math.min(loss(now), roof))];
    dot.put(px, py, { ...LEAD, now: lead, text: `${fixed(lead, 1)}, loss ${fixed(here, 3)}` });
    const [rx, ry] = plot.place(Math.min(place, LEAD.max), floor);
    const room = epsilon ? Math.hypot(rx - px, ry - py) - 7 : Infinity; // before the smallest
    drawPull(
      [px, py],
      p.right - q.right,
      plot.place(lead - 0.01, loss({ ...now, lead: lead - 0.01 })),
      room,
    );
    pull.toggleAttribute("hidden", room < 12);
    lowest.toggleAttribute("hidden", !epsilon || place > LEAD.max);
    assign(lowest, { cx: rx, cy: ry });
    hard.hidden = least.hidden = !epsilon;
    say(
      soft.lastChild,
      epsilon ? "loss with smoothing" : "loss without smoothing: no smallest one",
    );
    say(least.lastChild, `smallest: “${names[0]}” has ${share(q.right)}`);
    say(words, explain(now, names[0]));
  }

  const clean = live({ model, el }, root, ["epsilon", "lead", "size"], update);
  return () => {
    stop();
    clean();
  };
}

export default { render };
