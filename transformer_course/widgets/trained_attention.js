// @ts-check
// What 16 heads of a trained translator look at: a square for each kind of head, and one head in
// lines, a word at a time.
import { MOVES, assign, choice, h, live, press, save, say, svg, take } from "./shared.js";
import { frame, stepBar } from "./stage.js";
import { movingLines } from "./three_uses_lines.js";
import {
  KINDS,
  ORDER,
  betweenWords,
  job,
  told,
  weights,
  wholeWords,
  written,
} from "./trained_attention_words.js";
/** @import {Context} from "./types.js" */

const LINE = 24; // pixels of a word

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const names = ["sentence", "kind", "layer", "head", "word"];
  const data = model.get("data");
  const now = () => {
    const [sentence, kind, layer, head, word] = names.map((name) => model.get(name));
    const one = data[sentence];
    const sides = KINDS[kind].slice(0, 2);
    const [from, to] = sides.map((side) => wholeWords(one[side]));
    const [queries, keys] = [from, to].map((words, n) =>
      words.map((at) => written(one[sides[n]], at)),
    );
    // The trait counts pieces.
    const at = from.findIndex((pieces) => pieces.includes(word));
    const here = at < 0 ? from.length - 1 : at;
    return { sentence, one, kind, layer, head, queries, keys, from, to, word: here };
  };
  const longest = Math.max(
    ...Object.values(data).flatMap(({ src, tgt }) =>
      [src, tgt].map((side) => wholeWords(side).length),
    ),
  );
  const many = Array.from({ length: longest });

  /** Arrow keys move among nodes in columns. */
  const arrows = (list, at, columns, go) => (event) => {
    const move = MOVES[event.key];
    if (!move) return;
    take(event);
    const to = at + columns * move[0] + move[1];
    if (columns > 1 && move[1] && Math.floor(to / columns) !== Math.floor(at / columns)) return;
    if (!list()[to] || list()[to].hidden) return;
    list()[to].focus();
    go(to);
  };

  const pick = choice({
    label: "Sentence",
    options: Object.entries(data).map(([name, { text }]) => [name, text]),
    value: "",
    change: (sentence) => save(model, { sentence }),
  });
  const kinds = Object.entries(KINDS).map(([kind, [, , name]]) => {
    const label = { "aria-label": name };
    return press(name.replace("-attention", ""), () => save(model, { kind }), label);
  });

  // -- the kinds of heads, each a square in colors that suit light and dark pages, and all heads --
  const choose = (n) => save(model, { layer: Math.floor(n / 4) + 1, head: (n % 4) + 1 });
  const cards = ORDER.map((name) => {
    const [canvas, count] = [h("canvas", { "aria-hidden": true }), h("span")];
    const pick = () => choose(found.findIndex(({ job }) => job[0] === name));
    const button = press("", pick);
    button.append(h("div", {}, canvas), h("p", {}, h("span", {}, name), " ", count));
    return { name, canvas, count, button };
  });
  const note = "Rows look at columns. Shaded: all of the chosen kind.";
  const cardsBox = { class: "tc-cards", role: "group", "aria-label": "Kinds of heads" };
  const jobs = h("div", cardsBox, ...cards.map(({ button }) => button), h("small", {}, note));
  const heads = Array.from({ length: 16 }, (_, n) => {
    const button = press("", () => choose(n), { keydown: arrows(() => heads, n, 4, choose) });
    button.append(h("i", {}, "head "), String((n % 4) + 1));
    return button;
  });
  const grid = h(
    "div",
    { class: "tc-heads", role: "group", "aria-label": "All heads; arrow keys move" },
    ...heads.flatMap((head, n) => (n % 4 ? [head] : [h("small", {}, `layer ${n / 4 + 1}`), head])),
  );
  const paint = (canvas, rows) => {
    [canvas.width, canvas.height] = [rows[0].length, rows.length];
    const context = canvas.getContext("2d");
    const image = context.createImageData(rows[0].length, rows.length);
    const pixels = new DataView(image.data.buffer);
    rows.flat().forEach((x, n) => pixels.setUint32(4 * n, 0x12917f00 + Math.round(2.55 * x)));
    context.putImageData(image, 0, 0);
  };

  // -- one head: words in two columns, lines between them --
  const plainly = (word = "") => (word === "." ? "“.”" : word); // a lone dot looks like dirt
  const look = (word) => {
    const [piece] = now().from[word] ?? [];
    if (piece !== undefined) save(model, { word: piece });
  };
  const left = many.map((_, i) =>
    press("", () => look(i), {
      pointerenter: (event) => {
        if (event.pointerType === "mouse") look(i);
      },
      keydown: arrows(() => left, i, 1, look),
    }),
  );
  const right = many.map(() => {
    const [piece, percent] = [h("span"), h("b")];
    return { piece, percent, item: h("li", {}, piece, percent) };
  });
  const list = h("ol", {}, ...right.map(({ item }) => item));
  const lines = svg("svg", { class: "tc-lines", preserveAspectRatio: "none", "aria-hidden": true });
  const links = movingLines(lines);
  const titles = ["looks from", "to"].map((name) => h("small", {}, name));
  const words = h(
    "div",
    { class: "tc-words" },
    titles[0],
    h("i"),
    titles[1],
    h("div", { role: "group", "aria-label": "The word that looks; arrow keys move" }, ...left),
    lines,
    list,
  );
  const [title, means, gives] = [h("b"), h("span"), h("p")];
  const said = h(
    "div",
    { class: "tc-why", "aria-live": "polite" },
    h("p", {}, title, means),
    gives,
  );
  const translation = h("p", { class: "tc-legend" });
  /** A bar to step through a sentence of some length. */
  const bar = (length) => {
    const names = many.slice(0, length).map((_, n) => `word ${n + 1}`);
    return { length, ...stepBar({ names, get: () => now().word, go: look, every: 900 }) };
  };
  let steps = bar(longest);
  const about = { class: "tc-kinds", role: "group", "aria-label": "Attention" };
  const group = h("div", about, ...kinds);
  const root = frame({
    name: "trained",
    title: "A trained translator",
    controls: [pick.node],
    steps: steps.node,
    told: said,
    inputs: [group, jobs, grid],
    result: [words],
    below: [translation],
  });

  let drawn = "";
  let found = /** @type {{rows: number[][], job: string[]}[]} */ ([]);
  function update() {
    const { sentence, one, kind, layer, head, queries, keys, from, to, word } = now();
    pick.set(sentence);
    Object.keys(KINDS).forEach((name, n) => assign(kinds[n], { "aria-pressed": name === kind }));
    say(translation, `It writes: ${one.translation}`);
    if (drawn !== (drawn = `${sentence} ${kind}`))
      found = heads.map((_, n) => {
        const pieces = weights(one, kind, Math.floor(n / 4) + 1, (n % 4) + 1);
        const rows = betweenWords(pieces, from, to);
        return { rows, job: job(rows, kind) };
      });
    const chosen = 4 * layer + head - 5;
    const { rows, job: does } = found[chosen];
    for (const { name, canvas, count, button } of cards) {
      const alike = found.filter((each) => each.job[0] === name);
      const on = name === does[0];
      button.hidden = !alike.length;
      assign(button, { "aria-pressed": on });
      button.classList.toggle("tc-several", alike.length > 1);
      say(count, `× ${alike.length}`);
      if (alike.length) paint(canvas, on ? rows : alike[0].rows);
    }
    const there = cards.filter(({ button }) => !button.hidden).length;
    jobs.classList.toggle("tc-many", there > 4);
    jobs.style.setProperty("--kinds", String(there));
    jobs.style.setProperty("--at", String(word / queries.length));
    jobs.style.setProperty("--of", String(queries.length));
    heads.forEach((button, n) => {
      const { job } = found[n];
      const name = `Layer ${Math.floor(n / 4) + 1}, head ${(n % 4) + 1}: ${job[0]}`;
      assign(button, { "aria-label": name, "aria-pressed": n === chosen });
      button.classList.toggle("tc-alike", job[0] === does[0]);
      button.tabIndex = n === chosen ? 0 : -1;
    });

    if (steps.length !== queries.length) {
      const { node } = steps;
      steps = bar(queries.length);
      node.replaceWith(steps.node);
    }
    steps.show(word);
    left.forEach((button, i) => {
      button.hidden = i >= queries.length;
      say(button, plainly(queries[i]));
      assign(button, { "aria-pressed": i === word });
      button.tabIndex = i === word ? 0 : -1;
    });
    right.forEach(({ piece, percent, item }, j) => {
      item.hidden = j >= keys.length;
      const x = rows[word][j] ?? 0;
      say(piece, plainly(keys[j]));
      say(percent, x < 0.5 ? "" : `${Math.round(x)} %`);
      item.style.setProperty("--t", String(x / 100));
      item.classList.toggle("tc-little", x < 5);
    });
    const height = LINE * longest;
    lines.setAttribute("viewBox", `0 0 100 ${height}`);
    lines.style.height = `${height}px`;
    const put = (name, i, j, width) => [
      name,
      [(i + 0.5) * LINE, (j + 0.5) * LINE, width, i < word ? 1 : 0],
    ];
    const all = rows.flatMap((row, i) => row.map((x, j) => [x, i, j]));
    // A chosen line goes by how far it looks, so that what is one back stays so on its way.
    const far = (j) => (kind === "cross" ? j : j - word);
    links.move(
      Object.fromEntries([
        ...all
          .filter(([x, i]) => x >= 20 && i !== word)
          .map(([x, i, j]) => put(`from ${i} to ${j}`, i, j, x / 25)),
        ...all
          .filter(([x, i]) => x >= 1 && i === word)
          .map(([x, i, j]) => put(`to ${far(j)}`, i, j, 1 + x / 7)),
      ]),
    );

    const next = kind === "encoder" ? "" : ` (next comes “${queries[word + 1] ?? "the end"}”)`;
    say(title, `Layer ${layer}, head ${head} ${does[1]}.`);
    say(means, ` ${does[2]}`);
    const where = kind === "cross" ? -1 : word;
    say(gives, `“${queries[word]}”${next} gives ${told(rows[word], keys, where)}.`);
  }

  const gone = live({ model, el }, root, names, update);
  return () => {
    links.stop();
    gone();
  };
}

export default { render };
