// @ts-check
// A translator in the page: a sentence in, the model's German out, and every head and layer to look
// into.
import { describe } from "./translator_words.js";
import { fixed, format } from "./numbers.js";
import { MOVES, choice, h, live, press, save, say, svg, take } from "./shared.js";
import { startEngine } from "./translating.js";
import { getFiles, ownCode } from "./translator_files.js";
import {
  LEVELS,
  LOOKS,
  fromHundredths,
  ofVectors,
  refusal,
  rowOf,
  shades,
  word,
} from "./translator_words.js";
/** @import {Place, Result} from "./translator_words.js" */

/** What one can look at: whose row is asked, over whose columns.
 * @type {Record<string, {label: string, rows: string, columns: string}>} */
// Made anew with each sentence, after `live` has looked.
const BUTTON = { type: "button", "data-lm-suppress-shortcuts": "true" };

// ---- The files, once for all views on a page ----

/** @param {{model: any, el: HTMLElement, experimental: any}} context
 * @returns {() => void} clean-up */
function render({ model, el, experimental }) {
  const get = (name) => model.get(name);
  const examples = get("examples").map(fromHundredths);
  const files = ["tokenizer", "weights"].map((name) => get("files")[name]);
  const size = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const megabytes = (bytes) => (bytes / 1e6).toFixed(1);
  let /** @type {Result} */ result = examples[0];
  let facts = "";
  let job = 0; // the translation that is on its way; 0 is none
  let jobs = 0;
  let pointed = null;
  let /** @type {ReturnType<typeof startEngine> | null} */ engine = null;
  let /** @type {Promise<void> | null} */ loading = null;
  let settle = { resolve: () => {}, reject: (/** @type {Error} */ error) => {} };

  // -- asking --
  const input = h("textarea", {
    rows: 2,
    spellcheck: "false",
    autocomplete: "off",
    lang: "en",
    "aria-label": "English sentence",
    keydown(event) {
      event.stopPropagation();
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      go();
    },
  });
  const button = press("Translate", () => (job ? stop() : go()), { class: "tc-go" });
  const search = choice({
    label: "Search",
    options: [
      [1, "greedy"],
      [4, "beam of 4"],
    ],
    value: get("beam"),
    change: (value) => save(model, { beam: Number(value) }),
  });
  const buttons = examples.map((example) =>
    press(example.text, () => {
      stop();
      input.value = example.text;
      facts = "";
      show(example);
    }),
  );
  const bar = h("progress", { max: size, value: 0, "aria-label": "Loading the model" });
  const loaded = h("span");
  const loadingNode = h("p", { class: "tc-loading", hidden: "" }, bar, loaded);
  const message = h("p", { class: "tc-message", role: "status" });
  const translation = h("b", { lang: "de" });
  const told = h("small");
  const answer = h("p", { class: "tc-answer", "aria-live": "polite" }, translation, told);

  // -- looking --
  const look = choice({
    label: "Look at",
    options: Object.entries(LOOKS).map(([name, { label }]) => [name, label]),
    value: get("look"),
    change: (value) =>
      save(model, {
        look: value,
        token: Math.min(get("token"), result[LOOKS[value].rows].length - 1),
      }),
  });
  const maps = h("div", { class: "tc-maps", role: "group", "aria-label": "Layers and heads" });
  const why = h("p", { class: "tc-why", "aria-live": "polite" });
  const strips = {
    source: strip("source", "English pieces", "en"),
    output: strip("output", "German pieces", "de"),
  };
  const looking = h(
    "div",
    { class: "tc-looking" },
    h("div", {}, strips.source.node, strips.output.node, why),
    maps,
  );

  const root = h(
    "div",
    {
      class: "tc tc-translator",
      role: "group",
      "aria-label": "A translator from English to German",
    },
    input,
    h("div", { class: "tc-bar" }, button, search.node),
    h(
      "div",
      { class: "tc-bar tc-examples", role: "group", "aria-label": "Examples" },
      "or try",
      ...buttons,
    ),
    h(
      "p",
      { class: "tc-legend tc-subject" },
      "The model has learned from captions of photographs alone. On any other subject its German " +
        "is fluent and wrong.",
    ),
    loadingNode,
    message,
    answer,
    h("div", { class: "tc-bar" }, look.node),
    looking,
    h(
      "p",
      { class: "tc-legend" },
      "Choose a piece, or a square for another layer or head, by pointer or by Tab and the arrow " +
        "keys. In a square each row is a piece that asks, each column one that is looked at; " +
        "stronger color is more.",
    ),
  );

  /** The pieces of one side as buttons that arrow keys move between; the start mark is given, not
   * asked. */
  function strip(side, label, lang) {
    const list = h("div", { role: "group", "aria-label": label, lang });
    let /** @type {{node: any, number: any, row: number, name: string}[]} */ chips = [];
    const fill = (pieces, first = 0) => {
      chips = pieces.map((piece, n) => {
        const number = h("small");
        const row = n - first;
        const node = h(
          row < 0 ? "span" : "button",
          {
            class: "tc-piece",
            ...(row < 0
              ? {}
              : {
                  ...BUTTON,
                  tabindex: -1,
                  pointerenter: () => point([side, row]),
                  pointerleave: () => point(null),
                  click: () => ask(side, row),
                  focus: () => {
                    if (LOOKS[get("look")].rows === side) ask(side, row);
                  },
                  keydown(event) {
                    const move = MOVES[event.key];
                    if (!move) return;
                    take(event);
                    chips.find((chip) => chip.row === row + move[0] + move[1])?.node.focus();
                  },
                }),
          },
          h("span", {}, word(piece)),
          number,
        );
        node.classList.toggle("tc-goes-on", n + 1 < pieces.length && !/^[▁<]/.test(pieces[n + 1]));
        return { node, number, row, name: word(piece) };
      });
      list.replaceChildren(...chips.map((chip) => chip.node));
    };
    /** A number for each piece: none, or null where looking is forbidden. */
    const mark = (values, signed, chosen) =>
      chips.forEach(({ node, number, row, name }, n) => {
        const x = values?.[n];
        say(number, x === undefined ? "" : x === null ? "✕" : format(x));
        node.dataset.kind =
          x === undefined ? "none" : x === null ? "off" : signed ? (x < 0 ? "neg" : "pos") : "seq";
        node.style.setProperty("--t", Math.abs(x ?? 0));
        if (row < 0) return;
        node.setAttribute(
          "aria-label",
          `${name}${x === undefined ? "" : x === null ? ", not written yet" : `, ${format(x)}`}`,
        );
        node.setAttribute("aria-pressed", row === chosen);
        node.tabIndex = row === (chosen < 0 ? 0 : chosen) ? 0 : -1;
      });
    return {
      node: h("div", { class: "tc-strip" }, h("small", { "aria-hidden": "true" }, label), list),
      fill,
      mark,
    };
  }

  /** Ask about a piece; that of the other side is asked in the way that belongs to it. */
  function ask(side, row) {
    if (job) return;
    const now = get("look");
    pointed = null;
    save(model, {
      look:
        LOOKS[now].rows === side
          ? now
          : ofVectors(now)
            ? side
            : { source: "encoder", output: "cross" }[side],
      token: row,
    });
  }
  function point(place) {
    pointed = place && place[0] === LOOKS[get("look")].rows ? place[1] : null;
    if (!job) mark();
  }
  /** @returns {Place} */
  const place = () => ({
    look: get("look"),
    head: get("head"),
    layer: Math.min(
      Math.max(get("layer"), ofVectors(get("look")) ? 0 : 1),
      result.weights.cross.length,
    ),
    row: pointed ?? Math.min(get("token"), result[LOOKS[get("look")].rows].length - 1),
  });

  /** One small map a head, one row a layer; of vectors one map a layer. */
  let marks = [];
  let drawn = "";
  function drawMaps() {
    const now = get("look");
    const grid = ofVectors(now) ? [result.alike[now]] : result.weights[now];
    const width = result[LOOKS[now].columns].length;
    const height = result[LOOKS[now].rows].length;
    drawn = now;
    marks = grid.flatMap((row, i) =>
      row.map((cells, j) => {
        const [layer, head] = ofVectors(now) ? [j, get("head")] : [i + 1, j + 1];
        const name = !ofVectors(now)
          ? `Layer ${layer}, head ${head}`
          : layer
            ? `After layer ${layer}`
            : "Before the first layer";
        const line = svg("rect", { x: 0, width, height: 1, class: "tc-line" });
        const paths = shades(cells, width).map(({ level, negative, path }) =>
          svg("path", {
            d: path,
            "fill-opacity": level / LEVELS,
            class: negative ? "tc-hue2" : ofVectors(now) ? "tc-hue1" : "tc-hue3",
          }),
        );
        const node = h(
          "button",
          {
            ...BUTTON,
            "aria-label": name,
            title: name,
            focus: () => save(model, { layer, head }),
            click: () => save(model, { layer, head }),
            keydown(event) {
              const move = MOVES[event.key];
              if (!move) return;
              take(event);
              maps.querySelectorAll("button")[(i + move[0]) * row.length + j + move[1]]?.focus();
            },
          },
          svg(
            "svg",
            {
              viewBox: `0 0 ${width} ${height}`,
              preserveAspectRatio: "none",
              "aria-hidden": "true",
            },
            ...paths,
            line,
          ),
        );
        return { node, line, layer, head };
      }),
    );
    const title = (text, name = "") => h("small", { class: name, "aria-hidden": "true" }, text);
    const across = grid[0].map((_, j) =>
      title(ofVectors(now) ? (j ? `layer ${j}` : "start") : `head ${j + 1}`),
    );
    maps.style.setProperty("--columns", String(grid[0].length));
    maps.replaceChildren(
      title(""),
      ...across,
      ...grid.flatMap((row, i) => [
        title(ofVectors(now) ? "" : `layer ${i + 1}`, "tc-side"),
        ...row.map((_, j) => marks[i * row.length + j].node),
      ]),
    );
  }

  /** The chosen row: on the pieces, in the maps, in words. */
  function mark() {
    const now = place();
    const { rows, columns } = LOOKS[now.look];
    const values = rowOf(result, now);
    const lead = columns === "output" && ofVectors(now.look) ? [undefined] : [];
    const shown =
      now.look === "decoder"
        ? Array.from({ length: result.output.length + 1 }, (_, j) => values[j] ?? null)
        : [...lead, ...values];
    for (const [side, { mark: put }] of Object.entries(strips))
      put(side === columns ? shown : undefined, ofVectors(now.look), side === rows ? now.row : -1);
    for (const { node, line, layer, head } of marks) {
      const chosen = layer === now.layer && head === now.head;
      node.setAttribute("aria-pressed", chosen);
      node.tabIndex = chosen ? 0 : -1;
      line.setAttribute("y", now.row);
    }
    say(why, describe(result, now));
  }

  /** @param {Result} next */
  function show(next) {
    result = next;
    pointed = null;
    say(
      message,
      next.unknown.length
        ? `It has never seen ${next.unknown.map((x) => `“${x}”`).join(", ")}. Each becomes ` +
            "<unk>, and the translation has to guess."
        : "",
    );
    say(translation, next.translation || "(nothing)");
    say(
      told,
      facts ||
        "Translated ahead, with a beam of 4. Press Translate, and your browser does it " +
          `itself${engine ? "" : `, after it has loaded ${megabytes(size)} MB once`}.`,
    );
    strips.source.fill(next.source);
    strips.output.fill(["<s>", ...next.output], 1);
    drawMaps();
    update();
  }

  // -- the engine --
  function hear({ kind, ...answered }) {
    if (kind === "ready") settle.resolve();
    if (kind === "failed") settle.reject(new Error(answered.message));
    if (!job) return;
    if (kind === "read") strips.source.fill(answered.source);
    if (kind === "read" || kind === "token") {
      strips.output.fill(["<s>", ...(answered.output ?? [])], 1);
      say(translation, answered.translation ?? "");
    }
    if (kind === "refused" || kind === "failed") finish(answered.message);
    if (kind === "done") {
      const { ms, tokens } = answered;
      result = answered.result;
      facts =
        `${tokens} tokens in ${fixed(ms, 0)} ms, ${fixed((tokens / ms) * 1000, 0)} a ` +
        `second, by your own browser, ${result.beam === 1 ? "greedy" : `beam of ${result.beam}`}.`;
      finish();
    }
  }

  /** Load the model once; a failure is forgotten, so that one can try again. */
  function prepare() {
    const load = async () => {
      loadingNode.hidden = false;
      say(loaded, `Loading the model, ${megabytes(size)} MB`);
      const [tokenizer, weights] = await getFiles(files, experimental.invoke, (bytes) => {
        bar.value = bytes;
        say(loaded, `Loading the model: ${megabytes(bytes)} of ${megabytes(size)} MB`);
      });
      say(loaded, "Unpacking the weights");
      const started = new Promise((resolve, reject) => {
        settle = { resolve: () => resolve(undefined), reject };
      });
      engine = startEngine(ownCode(get("_esm")), hear);
      engine.send({ kind: "load", tokenizer, weights });
      await started;
    };
    loading ??= load()
      .catch((error) => {
        loading = null;
        engine?.close();
        engine = null;
        throw error;
      })
      .finally(() => {
        loadingNode.hidden = true;
      });
    return loading;
  }

  async function go() {
    const text = input.value;
    const no = refusal(text, get("limit"));
    say(message, no);
    if (no) {
      unanswered();
      return;
    }
    const mine = (job = jobs += 1);
    say(button, "Stop");
    root.setAttribute("aria-busy", "true");
    try {
      await prepare();
      if (job === mine)
        engine?.send({ kind: "translate", text, beam: get("beam"), limit: get("limit") });
    } catch (error) {
      if (job === mine) finish(/** @type {Error} */ (error).message, "Try again");
    }
  }
  function finish(text = "", label = "Translate") {
    job = 0;
    say(button, label);
    root.removeAttribute("aria-busy");
    show(result);
    if (!text) return;
    say(message, text);
    unanswered();
  }
  /** Nothing came of this request: what is shown belongs to an earlier text, and must not look like
   * the answer. */
  function unanswered() {
    if (input.value.trim() === result.text.trim()) return;
    say(translation, "—");
    say(
      told,
      `No translation of this text. The last one, “${result.text}”, is still taken apart below.`,
    );
  }
  function stop() {
    if (!job) return;
    engine?.send({ kind: "stop" });
    finish("Stopped.");
  }

  function update() {
    look.set(get("look"));
    search.set(get("beam"));
    if (drawn !== get("look")) drawMaps();
    if (!job) mark();
  }
  input.value = result.text;
  const unlisten = live({ model, el }, root, ["look", "layer", "head", "token", "beam"], update);
  show(result);
  return () => {
    engine?.close();
    unlisten();
  };
}

export default { render };
