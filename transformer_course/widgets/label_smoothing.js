// @ts-check
// Label smoothing (section 5.4): a target that keeps a share for every word, and what it asks for.
import { chart, onPress } from "./chart.js";
import { handle } from "./handle.js";
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
  zoomOf,
} from "./label_smoothing_numbers.js";
import { count, fixed } from "./numbers.js";
import { assign, choice, h, live, press, save, say, slider, svg } from "./shared.js";
import { frame, tween } from "./stage.js";
/** @import {Context} from "./types.js" */

const [WIDE, TALL, LEFT, RIGHT, TOP] = [320, 250, 52, 12, 12];
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
  const best = press("Roll to the smallest loss", () => {
    if (!get("epsilon")) return;
    const [from, to] = [get("lead"), Math.min(LEAD.max, bestLead(state()))];
    stop();
    stop = tween(400, (t) => save(model, { lead: from + (to - from) * t }));
  });
  const moved = (lead) => {
    stop();
    save(model, { lead: leadAt(lead) });
  };

  // -- the two distributions: a bar for the model, an outline for the target --
  const lines = Array.from({ length: 9 }, () => {
    const [p, q] = [h("i", { class: "tc-p" }), h("i", { class: "tc-q" })];
    const over = h("i", { class: "tc-over" });
    const bar = h("td", { "aria-hidden": true }, h("div", {}, p, over, q));
    const name = h("th", { scope: "row" });
    const numbers = [h("td"), h("td"), h("td", { class: "tc-unseen" })];
    const node = h("tr", {}, name, bar, ...numbers);
    return { p, q, over, bar, name, numbers, node };
  });
  const heads = ["model", "target"].map((name, n) =>
    h("th", { scope: "col" }, h("i", { class: n ? "tc-q" : "tc-p" }), name),
  );
  const spread = h(
    "table",
    {},
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("th", { scope: "col", colspan: 2 }, "“The cat sat on the …”"),
        ...heads,
        h("th", { scope: "col", class: "tc-unseen" }, "gradient"),
      ),
    ),
    h("tbody", {}, ...lines.map((line) => line.node)),
  );

  const scale = h("span");
  const key = h(
    "p",
    { class: "tc-legend tc-scale" },
    h("span", {}, h("i", { class: "tc-over" }), "more than the target: pushed down"),
    scale,
  );

  // -- the loss, by the score's lead: a bowl, and the model in it --
  const plot = chart({
    label:
      "The loss by the lead of the right word’s score, with the smoothed and with the hard target",
    width: WIDE,
    height: TALL,
  });
  const at = (x) => LEAD.min + ((x - LEFT) / (WIDE - LEFT - RIGHT)) * (LEAD.max - LEAD.min);
  onPress(plot.node, (place) => moved(LEAD.min + place * (LEAD.max - LEAD.min)));
  const pull = svg("path", { class: "tc-pull" });
  const lowest = svg("g", { class: "tc-lowest" }, svg("path"), svg("circle", { r: 5 }));
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
    step: (n) => moved(get("lead") + n / 10),
  });
  const ends = [3, 2].map((hue) => svg("text", { class: `tc-hue${hue}`, "text-anchor": "end" }));
  plot.node.append(svg("g", { class: "tc-ends" }, ...ends));
  const ring = h("i", { class: "tc-least" });
  const least = h("span", {}, ring, h("span"));
  const words = h("p", { class: "tc-why", "aria-live": "polite" });
  const wordiest = explain({ epsilon: 0.1, lead: 5.5, size: 5 }, names[0]);
  const root = frame({
    name: "smoothing",
    title: "Label smoothing",
    controls: [sizes.node],
    told: words,
    inputs: [smooth.node, spread, key],
    result: [
      h("p", {}, h("span", {}, h("b", {}, "Loss "), h("small", {}, "drag the dot")), best),
      plot.node,
      h("p", { class: "tc-legend" }, least),
    ],
  });
  words.dataset.room = wordiest;

  function update() {
    const now = state();
    const { epsilon, lead, size } = now;
    smooth.set(epsilon);
    sizes.set(size);
    best.setAttribute("aria-disabled", String(!epsilon));
    const [q, p, hard] = [target(now), answer(now), { ...now, epsilon: 0 }];
    const shown = size > 8 ? 4 : size;
    spread.style.setProperty("--rows", String(Math.max(5, size > 8 ? 5 : size)));
    spread.style.setProperty("--free", String(Math.max(0, 5 - size)));
    const zoom = zoomOf(size);
    say(scale, zoom > 1 ? `One bar for all ${count(zoom)} wrong words together.` : "");
    // The wrong words share one bar, beside all their rows.
    lines[1].bar.rowSpan = size > 8 ? shown : shown - 1;
    lines.forEach((line, n) => {
      line.node.hidden = n > shown || (n === shown && size <= 8);
      line.bar.hidden = n > 1;
      const which = n ? "other" : "right";
      const gap = p[which] - q[which];
      say(line.name, n < shown ? names[n] : `${count(size - shown)} more, each`);
      [p[which], q[which], gap].forEach((x, m) => say(line.numbers[m], share(x)));
      const wide = n ? zoom : 1;
      line.q.style.width = `${100 * wide * q[which]}%`;
      line.p.style.width = `${100 * wide * p[which]}%`;
      // What the model says beyond its target is hatched: that is what is pushed back.
      line.over.style.left = `${100 * wide * q[which]}%`;
      line.over.style.width = `${100 * wide * Math.max(0, gap)}%`;
    });

    const curve = (one) => LEADS.map((x) => [x, loss({ ...one, lead: x })]);
    const [floor, place] = [floorOf(now), bestLead(now)];
    const roof = size > 1000 ? 12 : size > 8 ? 9 : 4;
    plot.draw({
      x: { ...LEAD, label: `how far the score of “${names[0]}” leads`, ticks: [0, 5, 10, 15] },
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
        { points: curve(now), hue: 3, width: 3 },
      ],
    });
    const [here, [px, py]] = [loss(now), plot.place(lead, Math.min(loss(now), roof))];
    dot.put(px, py, { ...LEAD, now: lead, text: `${fixed(lead, 1)}, loss ${fixed(here, 3)}` });
    // The curves have their names near their right ends, within the bowl where it leaves the chart.
    const inside = curve(now).filter(([x, y]) => x < 0 || y <= 0.92 * roof);
    const [last, height] = inside[inside.length - 1];
    const [ex, ey] = plot.place(last, height);
    const steep = last < LEAD.max;
    const ground = plot.place(0, 0)[1] - 7;
    say(ends[0], epsilon ? "with smoothing" : "");
    assign(ends[0], { x: steep ? ex - 14 : ex - 2, y: steep ? ey + 4 : ey - 12 });
    // Where the two all but meet, one name is enough.
    say(ends[1], epsilon && ground - ey < 14 ? "" : "without");
    assign(ends[1], { x: WIDE - RIGHT - 2, y: ground });
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
    assign(lowest.children[0], { d: `M${rx} ${TOP + 18}V${ry}` });
    assign(lowest.children[1], { cx: rx, cy: ry });
    ring.style.display = epsilon ? "" : "none";
    say(
      least.lastChild,
      epsilon
        ? `smallest: “${names[0]}” has ${share(q.right)}`
        : "No smallest loss without smoothing.",
    );
    say(words, explain(now, names[0]));
  }

  const clean = live({ model, el }, root, ["epsilon", "lead", "size"], update);
  return () => {
    stop();
    clean();
  };
}

export default { render };
