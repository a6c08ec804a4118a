// @ts-check
// A translator in the page: a sentence in, the model's German out, and every head and layer to look
// into.
import { fixed, format } from "./numbers.js";
import { MOVES, choice, h, live, press, save, say, svg, take } from "./shared.js";
import { checked, download, startEngine } from "./translating.js";

/** @typedef {ArrayLike<number>} Cells  a matrix, row after row */
/** @typedef {{text: string, beam: number, source: string[], output: string[], translation: string,
 * unknown: string[], candidates: [string, number][][], weights: Record<string, Cells[][]>, alike:
 * Record<string, Cells[]>, turned: Record<string, Cells[]>}} Result as `trace` gives it */
/** @typedef {{look: string, layer: number, head: number, row: number}} Place */

/** What one can look at: whose row is asked, over whose columns.
 * @type {Record<string, {label: string, rows: string, columns: string}>} */
const LOOKS = {
  cross: { label: "Cross-attention: German looks at English", rows: "output", columns: "source" },
  encoder: { label: "Encoder: English looks at English", rows: "source", columns: "source" },
  decoder: { label: "Decoder: German looks back at German", rows: "output", columns: "output" },
  source: { label: "English vectors, layer by layer", rows: "source", columns: "source" },
  output: { label: "German vectors, layer by layer", rows: "output", columns: "output" },
};
const LEVELS = 6;
// Made anew with each sentence, after `live` has looked.
const BUTTON = { type: "button", "data-lm-suppress-shortcuts": "true" };

// ---- Numbers and words ----

/** An example of Python's, whose numbers are texts of whole hundredths.
 * @param {any} example @returns {Result} */
export function fromHundredths(example) {
  const part = (x) =>
    typeof x === "string"
      ? x.split(" ").map((n) => Number(n) / 100)
      : Array.isArray(x)
        ? x.map(part)
        : Object.fromEntries(Object.entries(x).map(([name, inner]) => [name, part(inner)]));
  return {
    ...example,
    ...part({ weights: example.weights, alike: example.alike, turned: example.turned }),
  };
}

/** A piece as one reads it: without the mark of a word's start. @param {string} piece */
export const word = (piece) => (piece === "▁" ? "␣" : piece.replace("▁", ""));
const quote = (piece) => `“${word(piece)}”`;

/** Whether this is about vectors rather than attention. @param {string} look */
const ofVectors = (look) => look === LOOKS[look].rows;

/** The matrix in question. @param {Result} result @param {Place} place @returns {Cells} */
export const matrixOf = ({ weights, alike }, { look, layer, head }) =>
  ofVectors(look) ? alike[look][layer] : weights[look][layer - 1][head - 1];

/** The numbers of one row, by column; of the decoder's self-attention only those of tokens that are
 * there.
 * @param {Result} result @param {Place} place @returns {number[]} */
export function rowOf(result, place) {
  const { rows, columns } = LOOKS[place.look];
  const width = result[columns].length;
  const row = Array.from(
    { length: width },
    (_, j) => matrixOf(result, place)[place.row * width + j],
  );
  return place.look === "decoder" ? row.slice(0, place.row + 1) : row;
}

/** Names of the columns: the decoder looks back at what it was given, so its row starts with the
 * start mark.
 * @param {Result} result @param {string} look */
const columnsOf = (result, look) =>
  look === "decoder" ? ["<s>", ...result.output] : result[LOOKS[look].columns];

/** What the chosen row says, in words. @param {Result} result @param {Place} place */
export function describe(result, place) {
  const { look, layer, head, row } = place;
  const piece = result[LOOKS[look].rows][row];
  const names = columnsOf(result, look);
  const values = rowOf(result, place);
  const order = values
    .map((_, j) => j)
    .filter((j) => !ofVectors(look) || j !== row)
    .sort((a, b) => values[b] - values[a]);
  const told = order.slice(0, 2).map((j) => `${quote(names[j])} (${format(values[j])})`);
  const likely = (result.candidates[row] ?? [])
    .filter(([, share]) => share >= 0.005)
    .map(([name, share]) => `${quote(name)} ${fixed(share * 100, 0)} %`);
  const step = LOOKS[look].rows === "output" ? ` Likeliest here: ${likely.join(", ")}.` : "";
  if (ofVectors(look)) {
    const whose =
      look === "output"
        ? `the vector that becomes ${quote(piece)}`
        : `the vector of ${quote(piece)}`;
    const near = told.length ? ` points most the way of ${told.join(", then ")}` : " stands alone";
    const turn = layer
      ? ` Layer ${layer} kept ${format(result.turned[look][layer - 1][row])} of its own direction.`
      : " It holds no more than a token and a position.";
    return `${layer ? `After layer ${layer}` : "Before the first layer"}, ${whose}${near}.${turn}`;
  }
  const [verb, who] =
    look === "encoder"
      ? ["read", "the encoder looks"]
      : ["write", look === "cross" ? "the decoder looks" : "the decoder looks back"];
  return (
    `Layer ${layer}, head ${head}. To ${verb} ${quote(piece)}, ${who} most at ` +
    `${told.join(", then at ")}.${step}`
  );
}

/** Why a text cannot be translated, before anything is loaded; empty if it can.
 * @param {string} text @param {number} limit */
export function refusal(text, limit) {
  const words = text.trim().split(/\s+/).length;
  if (!text.trim()) return "There is nothing to translate yet: type an English sentence.";
  if (words <= limit && text.length <= 20 * limit) return "";
  const size = words > limit ? `${words} words` : `${text.length} characters`;
  return (
    `This text has ${size}, and the page takes ${limit} pieces of words at most. The model ` +
    "has learned from single sentences: give it one at a time."
  );
}

/** Squares of a matrix as SVG paths, one for each shade; what would be too faint to see is left
 * out.
 * @param {Cells} cells @param {number} width
 * @returns {{level: number, negative: boolean, path: string}[]} */
export function shades(cells, width) {
  /** @type {Map<number, string[]>} */
  const found = new Map();
  for (let n = 0; n < cells.length; n += 1) {
    const level =
      Math.sign(cells[n]) * Math.min(LEVELS, Math.round(Math.abs(cells[n]) * LEVELS + 0.2));
    if (level)
      found.set(level, [
        ...(found.get(level) ?? []),
        `M${n % width} ${Math.floor(n / width)}h1v1h-1z`,
      ]);
  }
  return [...found].map(([level, squares]) => ({
    level: Math.abs(level),
    negative: level < 0,
    path: squares.join(""),
  }));
}

// ---- The files, once for all views on a page ----

/** @type {Promise<Uint8Array[]> | null} */
let kept = null;

/** The tokenizer and the weights: from the site, or in Jupyter from Python. */
function getFiles(files, invoke, progress) {
  // Sphinx writes it into every page of the site.
  const root = document.documentElement.dataset.content_root;
  const fromSite = async () => {
    const found = [];
    let before = 0;
    for (const file of files) {
      const start = before;
      found.push(
        await download(
          new URL(`${root}_static/course/model/${file.name}`, document.baseURI).href,
          file,
          (bytes) => progress(start + bytes),
        ),
      );
      before += file.bytes;
    }
    return found;
  };
  const fromPython = async () => {
    const answer = await invoke("read", {}, { signal: AbortSignal.timeout(60000) }).catch(() => {
      throw new Error("Python did not answer: run this cell, then try again.");
    });
    return answer[1].map((view, n) =>
      checked(new Uint8Array(view.buffer, view.byteOffset, view.byteLength), files[n]),
    );
  };
  kept ??= (root === undefined ? fromPython : fromSite)().catch((error) => {
    kept = null;
    throw error;
  });
  return kept;
}

/** The widget's own code, for the worker: the site keeps it in one table for all widgets of a page.
 * @param {any} code */
function ownCode(code) {
  if (typeof code === "string") return code;
  const saved = document.querySelector('script[type="application/vnd.jupyter.widget-state+json"]');
  return JSON.parse(saved?.textContent ?? "{}").sources?.[code?.source] ?? "";
}

// ---- The page ----

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
