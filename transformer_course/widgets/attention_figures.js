// @ts-check
// Figures 3 to 5: words in two columns, lines as strong as the weights, a color for each head.
import { MOVES, check, choice, h, live, press, save, say, svg, take } from "./shared.js";
import { frame } from "./stage.js";
import { known, linesOf, rowsOf, told, truthOf } from "./attention_figures_lines.js";
/** @import {Context} from "./types.js" */

const ROW = 26; // pixels of a word

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const names = ["sentence", "layer", "heads", "word", "truth"];
  const data = model.get("data");
  const [numLayers, numHeads] = model.get("shape");
  const everyHead = Array.from({ length: numHeads }, (_, n) => n + 1);
  const longest = Math.max(...Object.values(data).map(({ words }) => words.length));
  const many = Array.from({ length: longest });
  let pointed = -1; // the word under the mouse, which goes before the one that was pressed

  const pick = choice({
    label: "Sentence",
    options: Object.entries(data).map(([name, { text }]) => [name, text]),
    value: "",
    change: (sentence) => save(model, { sentence, word: data[sentence].asks }),
  });
  const layers = Array.from({ length: numLayers }, (_, n) =>
    press(`Layer ${n + 1}`, () => save(model, { layer: n + 1 })),
  );
  const toggle = (head) => {
    const on = model.get("heads");
    const next = on.includes(head) ? on.filter((each) => each !== head) : [...on, head];
    save(model, { heads: next.sort((a, b) => a - b) });
  };
  const heads = everyHead.map((head) =>
    press(`Head ${head}`, () => toggle(head), { class: `tc-hue${head}` }),
  );
  const truth = check({
    label: "Mark what is true",
    value: true,
    change: (on) => save(model, { truth: on }),
  });

  const choose = (word) => save(model, { word });
  const point = (word) => {
    pointed = word;
    update();
  };
  const count = () => data[model.get("sentence")].words.length;
  const left = many.map((_, i) =>
    press("", () => choose(model.get("word") === i ? -1 : i), {
      pointerenter: (event) => event.pointerType === "mouse" && point(i),
      pointerleave: () => point(-1),
      keydown: (event) => {
        if (event.key === "Escape") {
          take(event);
          choose(-1);
        }
        const to = i + (MOVES[event.key]?.[0] ?? 0);
        if (!MOVES[event.key] || to === i || to < 0 || to >= count()) return;
        take(event);
        choose(to);
        left[to].focus();
      },
    }),
  );
  const right = many.map(() => {
    const boxes = everyHead.map((head) => h("i", { class: `tc-hue${head}` }));
    const name = h("span");
    return { name, boxes, item: h("li", {}, h("b", {}, ...boxes), name) };
  });
  const lines = svg("svg", { preserveAspectRatio: "none", "aria-hidden": "true" });
  lines.setAttribute("viewBox", `0 0 100 ${ROW * longest}`);
  const words = h(
    "div",
    { class: "tc-columns", style: `--rows: ${longest}` },
    h("div", { role: "group", "aria-label": "The word that looks; arrow keys move" }, ...left),
    lines,
    h("ol", { "aria-label": "Where it looks" }, ...right.map(({ item }) => item)),
  );
  const said = h("p", { class: "tc-why", "aria-live": "polite" });
  const translation = h("p", { lang: "de" });
  const root = frame({
    name: "figures",
    title: model.get("title"),
    controls: [pick.node],
    told: h(
      "div",
      { class: "tc-bar" },
      h("div", { role: "group", "aria-label": "Layer" }, ...layers),
      h("div", { role: "group", "aria-label": "Heads" }, ...heads),
      truth.node,
    ),
    below: [words, said, h("p", { class: "tc-legend" }, "The model’s translation: ", translation)],
  });

  function update() {
    const [sentence, layer, on, pressed, marked] = names.map((name) => model.get(name));
    const one = data[sentence];
    const last = one.words.length - 1;
    const word = Math.min(pointed >= 0 && pointed <= last ? pointed : pressed, last);
    pick.set(sentence);
    truth.set(marked);
    layers.forEach((button, n) => button.setAttribute("aria-pressed", String(n + 1 === layer)));
    heads.forEach((button, n) => button.setAttribute("aria-pressed", String(on.includes(n + 1))));
    const answers = marked && word >= 0 ? truthOf(one, word).map(([n]) => n) : [];
    const rows = everyHead.map((head) => rowsOf(one, layer, head));
    left.forEach((button, i) => {
      button.hidden = i > last;
      say(button, one.words[i] ?? "");
      button.setAttribute("aria-pressed", String(i === pressed));
      button.classList.toggle("tc-pick", i === word);
      button.tabIndex = i === Math.max(pressed, 0) ? 0 : -1;
    });
    right.forEach(({ name, boxes, item }, j) => {
      item.hidden = j > last;
      say(name, one.words[j] ?? "");
      name.classList.toggle("tc-true", answers.includes(j));
      boxes.forEach((box, n) => {
        const seen = word >= 0 && j <= last && on.includes(n + 1) ? rows[n][word][j] : 0;
        box.style.opacity = String(seen / 100);
      });
    });
    lines.replaceChildren(
      ...linesOf(one, layer, on, word).map(({ i, j, head, weight }) => {
        const shift = (head - (numHeads + 1) / 2) * 2.5;
        const [y1, y2] = [(i + 0.5) * ROW + shift, (j + 0.5) * ROW + shift];
        return svg("path", {
          class: `tc-hue${head}`,
          d: `M0 ${y1}C40 ${y1} 60 ${y2} 100 ${y2}`,
          opacity: weight,
        });
      }),
    );
    say(said, [told(one, layer, on, word), marked ? known(one, word) : ""].join(" ").trim());
    say(translation, one.translation);
  }

  return live({ model, el }, root, names, update);
}

export default { render };
