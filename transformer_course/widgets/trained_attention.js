// @ts-check
// What 16 heads of a trained translator look at: a square for each head, and one head in lines, a
// word at a time.
import { MOVES, choice, h, live, press, save, say, svg, take } from "./shared.js";
import { frame, stepBar } from "./stage.js";
import { movingLines } from "./three_uses_lines.js";
import {
  KINDS,
  MAINLY,
  betweenWords,
  job,
  told,
  weights,
  wholeWords,
  written,
} from "./trained_attention_words.js";
/** @import {Context} from "./types.js" */

const LINE = 24; // pixels of a word
const RARE = 4; // heads of a job that stands out

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
    const at = Math.max(
      0,
      from.findIndex((pieces) => pieces.includes(word)),
    );
    const here = word < one[sides[0]].length ? at : from.length - 1;
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
    change: (sentence) => {
      const it = data[sentence].src.findIndex((piece) => piece === "▁it" || piece === "ank");
      save(model, {
        sentence,
        ...(it >= 0 && model.get("kind") === "encoder" ? { word: it } : {}),
      });
    },
  });
  const kinds = Object.entries(KINDS).map(([kind, [, , name]]) => ({
    kind,
    button: press(name.replace("-attention", ""), () => save(model, { kind }), {
      "aria-label": name,
    }),
  }));

  // -- all heads, small; canvases in colors that suit light and dark pages --
  const choose = (n) => save(model, { layer: Math.floor(n / 4) + 1, head: (n % 4) + 1 });
  const small = Array.from({ length: 16 }, () => h("canvas", { "aria-hidden": true }));
  const heads = small.map((canvas, n) =>
    press("", () => choose(n), { keydown: arrows(() => heads, n, 4, choose) }),
  );
  const jobs = small.map(() => h("span"));
  heads.forEach((head, n) => head.append(small[n], jobs[n]));
  const names4 = [1, 2, 3, 4];
  const grid = h(
    "div",
    { class: "tc-heads", role: "group", "aria-label": "All heads; arrow keys move" },
    h("i"),
    ...names4.map((n) => h("small", {}, `head ${n}`)),
    ...names4.flatMap((n) => [h("small", {}, `layer ${n}`), ...heads.slice(4 * n - 4, 4 * n)]),
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
  const alike = h("p", { class: "tc-legend" });
  const translation = h("p", { class: "tc-legend" });
  const steps = stepBar({
    names: small.map((_, n) => `head ${n + 1}`),
    get: () => 4 * model.get("layer") + model.get("head") - 5,
    go: choose,
    every: 1200,
  });
  const about = { class: "tc-kinds", role: "group", "aria-label": "Attention" };
  const group = h("div", about, ...kinds.map(({ button }) => button));
  const root = frame({
    name: "trained",
    title: "A trained translator",
    controls: [pick.node],
    steps: steps.node,
    told: said,
    inputs: [group, grid, alike],
    result: [words],
    below: [translation],
  });

  let drawn = "";
  function update() {
    const { sentence, one, kind, layer, head, queries, keys, from, to, word } = now();
    pick.set(sentence);
    for (const { kind: name, button } of kinds)
      button.setAttribute("aria-pressed", String(name === kind));
    say(translation, `It writes: ${one.translation}`);
    const seen = (l, n) => betweenWords(weights(one, kind, l, n), from, to);
    if (drawn !== (drawn = `${sentence} ${kind}`))
      small.forEach((canvas, n) => {
        const [l, m] = [Math.floor(n / 4) + 1, (n % 4) + 1];
        const rows = seen(l, m);
        paint(canvas, rows);
        say(jobs[n], job(rows, kind)[0]);
        heads[n].setAttribute("aria-label", `Layer ${l}, head ${m}: ${jobs[n].textContent}`);
      });
    const count = (name) => jobs.filter((each) => each.textContent === name).length;
    const named = jobs.map((each) => String(each.textContent));
    const usual = named.reduce((a, b) => (count(b) >= count(a) ? b : a));
    say(
      alike,
      `Rows look at columns. Here ${MAINLY[usual]}: ${count(usual)} of ${jobs.length} heads.`,
    );
    heads.forEach((button, n) => {
      const on = n === 4 * layer + head - 5;
      jobs[n].classList.toggle("tc-rare", count(named[n]) < RARE);
      button.classList.toggle("tc-usual", named[n] === "itself" && usual === "itself");
      button.setAttribute("aria-pressed", String(on));
      button.tabIndex = on ? 0 : -1;
    });

    const rows = seen(layer, head);
    steps.show(4 * layer + head - 5);
    left.forEach((button, i) => {
      button.hidden = i >= queries.length;
      say(button, queries[i] ?? "");
      button.setAttribute("aria-pressed", String(i === word));
      button.tabIndex = i === word ? 0 : -1;
    });
    right.forEach(({ piece, percent, item }, j) => {
      item.hidden = j >= keys.length;
      const x = rows[word][j] ?? 0;
      say(piece, keys[j] ?? "");
      say(percent, x < 0.5 ? "" : `${Math.round(x)} %`);
      item.style.setProperty("--t", String(x / 100));
      item.classList.toggle("tc-little", x < 5);
    });
    const height = LINE * longest;
    lines.setAttribute("viewBox", `0 0 100 ${height}`);
    lines.style.height = `${height}px`;
    const put = (name, i, j, width) => [name, [(i + 0.5) * LINE, (j + 0.5) * LINE, width]];
    const all = rows.flatMap((row, i) => row.map((x, j) => [x, i, j]));
    links.move(
      Object.fromEntries([
        ...all
          .filter(([x, i]) => x >= 20 && i !== word)
          .map(([x, i, j]) => put(`from ${i} to ${j}`, i, j, x / 25)),
        ...all
          .filter(([x, i]) => x >= 1 && i === word)
          .map(([x, i, j]) => put(`to ${j}`, i, j, 1 + x / 7)),
      ]),
    );

    const next = kind === "encoder" ? "" : ` (next comes “${queries[word + 1] ?? "the end"}”)`;
    const [, does, numbers] = job(rows, kind);
    say(title, `Layer ${layer}, head ${head} ${does}.`);
    say(means, ` ${numbers}`);
    say(gives, `“${queries[word]}”${next} gives ${told(rows[word], keys)}.`);
  }

  const gone = live({ model, el }, root, names, update);
  return () => {
    links.stop();
    gone();
  };
}

export default { render };
