// @ts-check
// A writer writes word by word, with lines back to what was read; where there is one, a writer that
// had one vector for all stands against it.
import { lines, opening, score, told } from "./looking_back_words.js";
import { choice, h, live, press, save, say, svg } from "./shared.js";
import { frame, stepBar } from "./stage.js";
/** @import {Context} from "./types.js" */

const [FROM, TO] = [-31, 31]; // pixels from the middle of the one vector to its ends

/** A curve from one place to another, down the page or across it.
 * @param {number[]} a @param {number[]} b @param {boolean} down */
const curve = ([x, y], [to, low], down) =>
  down
    ? `M${x} ${y}C${x} ${(y + low) / 2} ${to} ${(y + low) / 2} ${to} ${low}`
    : `M${x} ${y}C${(x + to) / 2} ${y} ${(x + to) / 2} ${low} ${to} ${low}`;

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const writings = model.get("writings");
  const both = writings.some(({ without }) => without.length);
  const most = Math.max(...writings.flatMap(({ read, wrote }) => [read.length, wrote.length]));
  const longest = Math.max(...writings.map(({ wrote }) => wrote.length));
  const one = () => writings[model.get("which")];
  const last = () => one().wrote.length - 1;
  const get = () => {
    const step = Math.min(model.get("step"), last());
    return step === last() ? longest - 1 : step;
  };
  const go = (to) => {
    const back = to === longest - 2 && get() === longest - 1;
    save(model, { step: back ? last() - 1 : Math.min(to, last()) });
  };

  const pick = choice({
    label: "It reads",
    options: writings.map(({ read }, n) => [n, read.join(both ? "" : " ")]),
    value: 0,
    change: (n) => save(model, { which: Number(n), step: opening(writings[n]) }),
  });
  const names = Array.from({ length: longest }, (_, n) => `word ${n + 1}`);
  const bar = stepBar({ names, get, go, every: 900 });
  const place = bar.node.querySelector(".tc-place");

  const list = (make) => Array.from({ length: most }, (_, n) => make(n));
  const word = () => h("span");
  const read = list(() => h("li"));
  const wrote = list((n) => press("", () => save(model, { step: n })));
  const other = list(() => h("span", {}, word()));
  for (const button of wrote) button.replaceChildren(word());
  const row = (role, label, nodes) =>
    h("div", { class: "tc-row", role, "aria-label": label }, ...nodes);
  const rows = [
    h("ol", { class: "tc-row", "aria-label": "What was read" }, ...read),
    row("group", "What is written", wrote),
  ];
  const title = (text) => h("small", {}, text);
  const picture = svg("svg", { "aria-hidden": "true" });
  const vector = row("img", "", other);
  const figure = h(
    "div",
    { class: `tc-figure ${both ? "tc-letters" : ""}` },
    picture,
    ...(both
      ? [title("from one vector"), vector, title("read"), rows[0], title("looking back"), rows[1]]
      : rows),
  );
  const words = h("p");
  const sum = h("p", { class: "tc-sum" });
  const root = frame({
    name: "looking",
    title: both ? "Two writers copy a word" : "A writer that looks back",
    told: h("div", { class: "tc-why", "aria-live": "polite" }, sum, words),
    controls: writings.length > 1 ? [pick.node] : [],
    steps: bar.node,
    below: [figure],
  });

  /** A word in its place: what is not yet written keeps its room. */
  function put(node, text, later, wrong) {
    node.hidden = !text;
    say(node.firstChild, text ?? "");
    node.classList.toggle("tc-later", later);
    node.classList.toggle("tc-off", wrong);
  }

  /** The lines, from where the words stand now. */
  function draw() {
    const around = figure.getBoundingClientRect();
    const text = one();
    const step = Math.min(model.get("step"), last());
    const [from, to] = [read[0], wrote[0]].map((node) => node.getBoundingClientRect());
    const down = to.top > from.bottom;
    /** The middle of a word's side: -1 above or before it, 1 below or behind it. */
    const side = (node, end) => {
      const { left, top, width, height } = node.getBoundingClientRect();
      const [x, y] = [left - around.left + width / 2, top - around.top + height / 2];
      return down ? [x, y + (end * height) / 2] : [x + (end * width) / 2, y];
    };
    const line = (at, n, weight, about) =>
      svg("path", {
        d: curve(side(wrote[n], -1), side(read[at], 1), down),
        pathLength: 1,
        "stroke-width": 1 + weight / 10,
        ...about,
      });
    const strong = (weight) => ({ opacity: 0.35 + weight / 150 });
    const ended = !both && step === last(); // each word with its own line, none with a fan
    const past = wrote.slice(0, step + Number(ended)).flatMap((_, n) =>
      lines(text, n)
        .slice(0, both ? 3 : 1)
        .map((each) => ({ n, ...each })),
    );
    const parts = past.map(({ at, n, weight }) =>
      line(at, n, weight, ended ? strong(weight) : { class: "tc-past" }),
    );
    if (!ended)
      for (const { at, weight } of lines(text, step))
        parts.push(line(at, step, weight, strong(weight)));
    if (text.without.length) parts.push(...funnel(text, step, side));
    picture.replaceChildren(...parts);
  }

  /** All that was read goes into one vector, and every letter comes out of it. */
  function funnel({ read: letters, without }, step, side) {
    const [first, end] = [side(read[0], -1), side(read[letters.length - 1], -1)];
    const [x, y] = [(first[0] + end[0]) / 2, (first[1] + side(other[0], 1)[1]) / 2];
    const into = (n, many) => x + FROM + ((TO - FROM) * (n + 0.5)) / many;
    const lead = (about, a, b) => svg("path", { ...about, d: curve(a, b, true) });
    return [
      ...letters.map((_, n) =>
        lead({ class: "tc-in" }, side(read[n], -1), [into(n, letters.length), y + 6]),
      ),
      ...without
        .slice(0, step + 1)
        .map((_, n) =>
          lead(
            { class: n < step ? "tc-in" : "tc-out" },
            [into(n, letters.length), y - 6],
            side(other[n], 1),
          ),
        ),
      svg("path", { class: "tc-vector", d: `M${x + FROM} ${y}H${x + TO}` }),
      svg("text", { x: x + TO + 8, y: y + 4 }, "one vector"),
    ];
  }

  function update() {
    const text = one();
    const step = Math.min(model.get("step"), last());
    pick.set(model.get("which"));
    bar.show(get());
    say(place, `${step + 1} of ${text.wrote.length}`);
    read.forEach((item, n) => {
      item.hidden = n >= text.read.length;
      say(item, text.read[n] ?? "");
      item.style.setProperty("--t", String((text.weights[step][n] ?? 0) / 100));
    });
    const wrong = (written, n) => Boolean(text.without.length) && written[n] !== text.read[n];
    wrote.forEach((button, n) => {
      const later = n > step;
      const off = !later && wrong(text.wrote, n);
      put(button, text.wrote[n], later, off);
      button.ariaLabel = later ? "not yet" : `${text.wrote[n]}${off ? ", wrong" : ""}`;
      button.ariaPressed = String(n === step);
    });
    other.forEach((node, n) => {
      const later = n > step;
      put(node, text.without[n], later, !later && wrong(text.without, n));
    });
    vector.ariaLabel = `From one vector: ${text.without.slice(0, step + 1).join(" ")}`;
    say(sum, score(text, step));
    say(words, told(text, step));
    draw();
  }

  const watch = new ResizeObserver(draw);
  watch.observe(figure);
  const leave = live({ model, el }, root, ["which", "step"], update);
  return () => {
    watch.disconnect();
    leave();
  };
}

export default { render };
