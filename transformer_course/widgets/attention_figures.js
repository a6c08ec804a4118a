// @ts-check
// Figures 3 to 5: words in two rows, lines as strong as the weights, a color for each head.
import { MOVES, check, h, live, press, save, say, svg, take } from "./shared.js";
import { frame } from "./stage.js";
import {
  FAINTEST,
  firstLooks,
  isRight,
  known,
  linesOf,
  roomFor,
  rowsOf,
  told,
  truthOf,
  verdicts,
} from "./attention_figures_lines.js";
/** @import {Context} from "./types.js" */

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const names = ["sentence", "layer", "heads", "word", "truth"];
  const data = model.get("data");
  const [numLayers, numHeads] = model.get("shape");
  const everyHead = Array.from({ length: numHeads }, (_, n) => n + 1);
  const many = Array.from({
    length: Math.max(...Object.values(data).map(({ words }) => words.length)),
  });
  let pointed = -1; // the word under the mouse, which goes before the one that was pressed

  const picks = Object.entries(data).map(([name, { text, asks }]) =>
    press(name, () => save(model, { sentence: name, word: asks }), { title: text }),
  );
  const layers = Array.from({ length: numLayers }, (_, n) =>
    press(String(n + 1), () => save(model, { layer: n + 1 }), { "aria-label": `Layer ${n + 1}` }),
  );
  const toggle = (head) => {
    const on = model.get("heads");
    const next = on.includes(head) ? on.filter((each) => each !== head) : [...on, head];
    save(model, { heads: next.sort((a, b) => a - b) });
  };
  const heads = everyHead.map((head) => press("", () => toggle(head), { class: `tc-hue${head}` }));
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
    const [name, share, who] = [h("span"), h("output"), h("small", { role: "img" })];
    return { name, share, who, item: h("li", {}, share, name, who) };
  });
  const layered = ["ghosts", "truths", "drawn"].map((name) => svg("g", { class: `tc-${name}` }));
  const [ghosts, truths, drawn] = layered;
  const lines = svg("svg", { preserveAspectRatio: "none", "aria-hidden": "true" }, ...layered);
  const below = h("small", { "aria-hidden": "true" });
  const words = h(
    "div",
    { class: "tc-columns" },
    h("small", { "aria-hidden": "true" }, "The word that looks"),
    h("div", { role: "group", "aria-label": "The word that looks; arrow keys move" }, ...left),
    lines,
    h("ol", { "aria-label": "Where it looks" }, ...right.map(({ item }) => item)),
    below,
  );
  const said = h("p");
  const looks = everyHead.map((head) => {
    const [mark, text] = [h("b", { role: "img" }), h("span")];
    return { mark, text, node: h("span", {}, h("i", { class: `tc-hue${head}` }), text, mark) };
  });
  const list = h("div", { class: "tc-looks" }, ...looks.map(({ node }) => node));
  const why = h("div", { class: "tc-why", "aria-live": "polite" }, said, list);
  const [lead, german] = [h("span"), h("span", { lang: "de" })];
  const translation = h("p", { class: "tc-german" }, lead, " ", german);
  const every = press("All words", () =>
    choose(model.get("word") < 0 ? Math.max(0, data[model.get("sentence")].asks) : -1),
  );
  const group = (name, list) => h("div", { role: "group", "aria-label": name }, ...list);
  const root = frame({
    name: "figures",
    title: model.get("title"),
    controls: [group("Sentence", picks)],
    told: why,
    below: [
      words,
      h(
        "div",
        { class: "tc-bar" },
        group("Layer", [h("small", {}, "Layer"), ...layers]),
        group("Heads", [h("small", {}, "Heads"), ...heads]),
        every,
      ),
      h("div", { class: "tc-foot" }, translation, truth.node),
    ],
  });

  function update() {
    const [sentence, layer, on, pressed, marked] = names.map((name) => model.get(name));
    const one = data[sentence];
    const last = one.words.length - 1;
    const word = Math.min(pointed >= 0 && pointed <= last ? pointed : pressed, last);
    picks.forEach((button) =>
      button.setAttribute("aria-pressed", String(button.textContent === sentence)),
    );
    truth.set(marked);
    layers.forEach((button, n) => button.setAttribute("aria-pressed", String(n + 1 === layer)));
    heads.forEach((button, n) => {
      const { text, good } = verdicts(one, layer, [n + 1], word, marked);
      button.replaceChildren(
        h("i", {}, String(n + 1)),
        h("b", { class: good ? "tc-right" : "" }, text),
      );
      button.ariaLabel = `Head ${n + 1} ${text}`.trim();
      button.setAttribute("aria-pressed", String(on.includes(n + 1)));
    });
    every.setAttribute("aria-pressed", String(pressed < 0));
    const answers = marked && word >= 0 ? truthOf(one, word).map(([n]) => n) : [];
    const rows = everyHead.map((head) => rowsOf(one, layer, head));
    const seen = linesOf(one, layer, on, word).filter((line) =>
      word < 0 ? marked && isRight(one, line, rows[line.head - 1][line.i]) : line.weight >= 0.1,
    );
    const quiet = (end, n) => (word >= 0 || marked) && !seen.some((line) => line[end] === n);
    left.forEach((button, i) => {
      button.classList.toggle("tc-quiet", i !== word && quiet("i", i));
      button.hidden = i > last;
      say(button, one.words[i] ?? "");
      button.setAttribute("aria-pressed", String(i === pressed));
      button.classList.toggle("tc-pick", i === word);
      button.tabIndex = i === Math.max(pressed, 0) ? 0 : -1;
    });
    const found = (i, j) => on.some((head) => isRight(one, { i, j, weight: 1 }, rows[head - 1][i]));
    const firsts = firstLooks(one, layer, word);
    const lost = answers.length > 0 && !answers.some((j) => found(word, j));
    right.forEach(({ name, share, who, item }, j) => {
      const here = everyHead.filter((head) => firsts[head - 1] === j);
      who.hidden = !here.length;
      who.ariaLabel = `looked at most by head ${here.join(", ")}`;
      who.replaceChildren(
        ...here.map((head) =>
          h("b", { class: `tc-hue${head}${on.includes(head) ? " tc-on" : ""}` }, String(head)),
        ),
      );
      item.hidden = j > last;
      say(name, one.words[j] ?? "");
      name.classList.toggle("tc-true", answers.includes(j));
      name.classList.toggle("tc-quiet", !answers.includes(j) && quiet("j", j));
      name.classList.toggle("tc-found", answers.includes(j) && found(word, j));
      const shares = rows.map((all, n) =>
        word >= 0 && j <= last && on.includes(n + 1) ? all[word][j] : 0,
      );
      const most = Math.max(...shares);
      const missed = lost && answers.includes(j);
      share.replaceChildren(
        ...(most >= 10 ? [String(most), h("i", {}, " %")] : missed ? ["missed"] : []),
      );
      share.className = most >= 10 ? `tc-hue${shares.indexOf(most) + 1}` : "tc-missed";
    });
    const widths = one.words.map(roomFor);
    const middle = (n) => widths.slice(0, n).reduce((sum, wide) => sum + wide, widths[n] / 2);
    [left, right.map(({ item }) => item)].forEach((row) =>
      row.forEach((node, n) => (node.style.flexGrow = widths[n] ?? 0)),
    );
    lines.setAttribute("viewBox", `0 0 ${middle(last) + widths[last] / 2} 100`);
    const curve = (i, j, shift = 0) => {
      const [x1, x2] = [middle(i) + shift, middle(j) + shift];
      return `M${x1} 0C${x1} 45 ${x2} 55 ${x2} 100`;
    };
    const apart = (head) => (head - (numHeads + 1) / 2) * 0.85;
    ghosts.replaceChildren(
      ...everyHead
        .filter((head) => word >= 0 && !on.includes(head))
        .map((head) =>
          svg("path", { class: `tc-hue${head}`, d: curve(word, firsts[head - 1], apart(head)) }),
        ),
    );
    drawn.replaceChildren(
      ...linesOf(one, layer, on, word).flatMap((line) => {
        const { i, j, head, weight } = line;
        const hit = marked && isRight(one, line, rows[head - 1][i]);
        if (word < 0 && marked && i === j) return []; // a word that looks at itself joins no pair
        return svg("path", {
          class: `tc-hue${head}${hit ? " tc-hit" : ""}`,
          d: curve(i, j, apart(head)),
          "stroke-opacity": Math.max(FAINTEST, weight),
        });
      }),
    );
    const pairs = marked ? one.truth.filter(([asks]) => word < 0 || asks === word) : [];
    truths.replaceChildren(
      ...pairs.map(([i, j]) =>
        svg("path", { class: found(i, j) ? "tc-found" : "", d: curve(i, j) }),
      ),
    );
    words.classList.toggle("tc-all", word < 0);
    say(below, `Where it looks${word < 0 ? "" : ", and which head looks there most"}`);
    lines.classList.toggle("tc-every", word < 0 && marked);
    const all = told(one, layer, on, word, marked);
    looks.forEach(({ mark, text, node }, n) => {
      const look = all.find(({ head }) => head === n + 1);
      node.hidden = !look;
      say(text, look?.text ?? "");
      say(mark, { true: "✓", false: "✗" }[String(look?.right)] ?? "");
      mark.className = look?.right ? "tc-right" : "tc-no";
      mark.ariaLabel = look?.right ? "right" : "wrong";
      mark.hidden = look?.right === undefined;
    });
    say(said, known(one, layer, on, word, marked));
    translation.classList.toggle("tc-yet", lost);
    say(lead, lost ? "And yet the German is right:" : "It writes:");
    say(german, one.translation);
  }

  return live({ model, el }, root, names, update);
}

export default { render };
