// @ts-check
// Figures 3 to 5: words in two rows, lines as strong as the weights, a color for each head.
import { MOVES, check, h, live, press, save, say, take } from "./shared.js";
import { frame } from "./stage.js";
import {
  hasRule,
  headlineOf,
  isRight,
  known,
  linesOf,
  partOf,
  roomFor,
  rowsOf,
  told,
  truthOf,
  verdicts,
} from "./attention_figures_lines.js";
import { hue, linesPicture } from "./attention_figures_picture.js";
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
  const rule = numHeads + 1;
  let [byRule, narrow] = [false, false];

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
  const count = () => data[model.get("sentence")].words.length;
  const left = many.map((_, i) =>
    press("", () => choose(model.get("word") === i ? -1 : i), {
      keydown: (event) => {
        if (event.key === "Escape") {
          take(event);
          choose(-1);
        }
        const [down, right] = MOVES[event.key] ?? [0, 0];
        const to = i + down + right;
        if (to === i || to < 0 || to >= count()) return;
        take(event);
        choose(to);
        left[to].focus();
      },
    }),
  );
  const right = many.map(() => {
    const [name, share] = [h("span"), h("output")];
    return { name, share, item: h("li", {}, share, name) };
  });
  const picture = linesPicture(everyHead);
  const { lines, tags } = picture;
  const words = h(
    "div",
    { class: "tc-columns" },
    h("small", { "aria-hidden": "true" }, "The word that looks"),
    h("div", { role: "group", "aria-label": "The word that looks; arrow keys move" }, ...left),
    lines,
    tags,
    h("ol", { "aria-label": "Where it looks" }, ...right.map(({ item }) => item)),
    h("small", { "aria-hidden": "true" }, "Where it looks"),
  );
  const [headline, said] = [h("b"), h("p")];
  const looks = [...everyHead, rule].map((head) => {
    const [mark, text, kinds] = [h("b", { role: "img" }), h("span"), h("span")];
    kinds.className = "tc-kinds"; // read aloud: the lines name them
    const dot = h("i", { class: hue(head, rule) });
    return { mark, text, kinds, node: h("span", {}, dot, text, kinds, mark) };
  });
  const list = h("div", { class: "tc-looks" }, ...looks.map(({ node }) => node));
  const why = h(
    "div",
    { class: "tc-why", "aria-live": "polite" },
    h("div", {}, headline, said),
    list,
  );
  const [lead, german] = [h("span"), h("span", { lang: "de" })];
  const translation = h("p", { class: "tc-german" }, lead, " ", german);
  const flip = () => {
    byRule = !byRule;
    update();
  };
  const next = press("", flip, { class: "tc-rule", title: "Rule: always the next word" });
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
        next,
        every,
      ),
      h("div", { class: "tc-foot" }, translation, truth.node),
    ],
  });

  function update() {
    const [sentence, layer, chosen, pressed, marked] = names.map((name) => model.get(name));
    const one = data[sentence];
    next.hidden = !hasRule(one);
    why.classList.toggle("tc-ruled", hasRule(one));
    const on = byRule && hasRule(one) ? [...chosen, rule] : chosen;
    const last = one.words.length - 1;
    const word = Math.min(pressed, last);
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
    say(next, `Next word ${verdicts(one, layer, [rule], word, marked).text}`.trim());
    next.setAttribute("aria-pressed", String(on.includes(rule)));
    every.setAttribute("aria-pressed", String(pressed < 0));
    const answers = marked && word >= 0 ? truthOf(one, word).map(([n]) => n) : [];
    const rows = [...everyHead, rule].map((head) => rowsOf(one, layer, head));
    const seen = linesOf(one, layer, on, word).filter((line) =>
      word < 0 ? marked && isRight(one, line, rows[line.head - 1][line.i]) : line.weight >= 0.1,
    );
    const quiet = (end, n) => (word >= 0 || marked) && !seen.some((line) => line[end] === n);
    left.forEach((button, i) => {
      button.classList.toggle("tc-quiet", i !== word && quiet("i", i));
      button.hidden = i > last;
      say(button, one.words[i] ?? "");
      button.setAttribute("aria-pressed", String(i === word));
      button.tabIndex = i === Math.max(word, 0) ? 0 : -1;
    });
    const looksAt = (head, i, j) => isRight(one, { i, j, weight: 1 }, rows[head - 1][i]);
    const found = (i, j) => on.some((head) => looksAt(head, i, j));
    const lost =
      answers.length > 0 && !answers.some((j) => chosen.some((n) => looksAt(n, word, j)));
    right.forEach(({ name, share, item }, j) => {
      item.hidden = j > last;
      say(name, one.words[j] ?? "");
      name.classList.toggle("tc-true", answers.includes(j));
      name.classList.toggle("tc-quiet", !answers.includes(j) && quiet("j", j));
      name.classList.toggle("tc-found", answers.includes(j) && found(word, j));
      const shares = rows.map((all, n) =>
        word >= 0 && j <= last && chosen.includes(n + 1) ? all[word][j] : 0,
      );
      const most = Math.max(...shares);
      const missed = lost && answers.includes(j);
      const told = most >= 10 ? [String(most), h("i", {}, " %")] : missed ? ["missed"] : [];
      share.replaceChildren(...told);
      share.className = most >= 10 ? `tc-hue${shares.indexOf(most) + 1}` : "tc-missed";
    });
    const widths = one.words.map((word) => (narrow ? 1 : roomFor(word)));
    const middle = (n) =>
      widths.slice(0, n).reduce((sum, wide) => sum + wide, (widths[n] ?? 0) / 2);
    [left, right.map(({ item }) => item)].forEach((row) =>
      row.forEach((node, n) => (node.style.flexGrow = widths[n] ?? 0)),
    );
    words.classList.toggle("tc-all", word < 0);
    lines.classList.toggle("tc-every", word < 0 && marked);
    picture.draw(one, { layer, on, word, marked, narrow, middle, found, rows });
    // Where pairs are counted, every head has its bar beside the rule's.
    const counted = word < 0 && marked && hasRule(one);
    why.classList.toggle("tc-counted", counted);
    lines.classList.toggle("tc-pairs", counted);
    const all = told(one, layer, counted ? [...everyHead, rule] : on, word, marked);
    looks.forEach(({ mark, text, kinds, node }, n) => {
      const look = all.find(({ head }) => head === n + 1);
      node.hidden = !look;
      node.classList.toggle("tc-on", on.includes(n + 1));
      if (counted) node.style.setProperty("--part", `${100 * partOf(one, layer, n + 1)}%`);
      say(text, look?.text ?? "");
      say(kinds, look?.kinds ?? "");
      say(mark, { true: "✓", false: "✗" }[String(look?.right)] ?? "");
      mark.className = look?.right ? "tc-right" : "tc-no";
      mark.ariaLabel = look?.right ? "right" : "wrong";
      mark.hidden = typeof look?.right !== "boolean";
    });
    say(headline, counted ? headlineOf(one, layer) : "");
    say(said, known(one, layer, chosen, word, marked));
    translation.classList.toggle("tc-yet", lost);
    say(lead, lost ? "And yet the German is right:" : "It writes:");
    say(german, one.translation);
  }

  // Where it is narrow, words stand below each other, and lines run from left to right.
  const watch = new ResizeObserver(() => {
    narrow = getComputedStyle(words).getPropertyValue("--tall") === "1";
    update();
  });
  watch.observe(words);
  const stop = live({ model, el }, root, names, update);
  return () => {
    watch.disconnect();
    stop();
  };
}

export default { render };
