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
  moved,
  truthOf,
  twinsOf,
  verdicts,
} from "./attention_figures_lines.js";
import { hue, lookedAt, miniature } from "./attention_figures_picture.js";
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
  const [main, twin] = ["tc-main", "tc-twin"].map((name) => lookedAt(name, many, everyHead));
  const small = (text) => h("small", { "aria-hidden": "true" }, text);
  const [over, under] = [small(""), small("")];
  const words = h(
    "div",
    { class: "tc-columns" },
    over,
    ...twin.nodes,
    h("div", { role: "group", "aria-label": "The word that looks; arrow keys move" }, ...left),
    ...main.nodes,
    under,
  );
  const [headline, said] = [h("b"), h("p")];
  const looks = [...everyHead, rule].map((head) => {
    const [mark, text, kinds] = [h("b", { role: "img" }), h("span"), h("span")];
    const [also, second] = [h("span"), h("b", { role: "img" })];
    kinds.className = "tc-kinds"; // read aloud: the lines name them
    const dot = h("i", { class: hue(head, rule) });
    const node = h("span", {}, dot, text, kinds, mark, also, second);
    return { mark, text, kinds, also, second, node };
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
        miniature(one, layer, n + 1, word),
      );
      button.ariaLabel = `Head ${n + 1} ${text}`.trim();
      button.setAttribute("aria-pressed", String(on.includes(n + 1)));
    });
    say(next, `Next word ${verdicts(one, layer, [rule], word, marked).text}`.trim());
    next.setAttribute("aria-pressed", String(on.includes(rule)));
    every.setAttribute("aria-pressed", String(pressed < 0));
    const pair = twinsOf(data, sentence);
    const twins = pair.length > 1;
    words.classList.toggle("tc-pair", twins);
    why.classList.toggle("tc-two", twins);
    const differs = one.words.findIndex(
      (each, n) => twins && pair.some((p) => p.words[n] !== each),
    );
    const widths = one.words.map((word) => (narrow ? 1 : roomFor(word)));
    // Where pairs are counted, every head has its bar beside the rule's.
    const counted = word < 0 && marked && hasRule(one);
    words.classList.toggle("tc-all", word < 0);
    const how = { one, layer, on, chosen, word, marked, narrow, widths, differs, counted };
    const below = main.show(pair.at(-1), how);
    const { lost, quiet } = one === pair.at(-1) ? below : twin.show(one, how);
    if (twins) twin.show(pair[0], how);
    left.forEach((button, i) => {
      button.classList.toggle("tc-quiet", i !== word && quiet("i", i));
      button.hidden = i > last;
      const names = new Set(pair.map((each) => each.words[i] ?? ""));
      say(button, [...names].join("\n"));
      button.classList.toggle("tc-differs", names.size > 1);
      button.style.flexGrow = String(widths[i] ?? 0);
      button.setAttribute("aria-pressed", String(i === word));
      button.tabIndex = i === Math.max(word, 0) ? 0 : -1;
    });
    why.classList.toggle("tc-counted", counted);
    const places = pair.map((each) => `with “${each.words[differs]}”`);
    const seen = counted ? [...everyHead, rule] : on;
    const [first, other] = pair.map((of) => told(of, layer, seen, word, marked));
    const judge = (mark, right) => {
      say(mark, { true: "✓", false: "✗" }[String(right)] ?? "");
      mark.className = right ? "tc-right" : "tc-no";
      mark.ariaLabel = right ? "right" : "wrong";
      mark.hidden = typeof right !== "boolean";
    };
    looks.forEach(({ mark, text, kinds, also, second, node }, n) => {
      const [look, next] = [first, other].map((all) => all?.find(({ head }) => head === n + 1));
      node.hidden = !look;
      node.classList.toggle("tc-on", on.includes(n + 1));
      if (counted) node.style.setProperty("--part", `${100 * partOf(one, layer, n + 1)}%`);
      say(text, look?.text ?? "");
      say(kinds, look?.kinds ?? "");
      also.hidden = !next;
      say(also, next ? `, ${places[1]}: ${next.text.replace(/.*: |Head \d /, "")}` : "");
      judge(mark, look?.right);
      judge(second, next?.right);
    });
    const start = narrow ? "" : "Where it looks ";
    say(over, twins ? start + places[0] : "The word that looks");
    say(under, twins ? start + places[1] : "Where it looks");
    say(
      headline,
      counted ? headlineOf(one, layer) : twins ? moved(pair, layer, chosen, word, marked) : "",
    );
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
