// @ts-check
// Table 3 as knobs: what each setting does to quality, the paper's and ours, on one scale.
import { MOVES, h, live, press, save, say, svg, take } from "./shared.js";
import { frame, glide, stack } from "./stage.js";
import {
  STRIPS,
  depth,
  following,
  knobs,
  marks,
  oursOf,
  paperOf,
  range,
  stuck,
  truth,
} from "./variation_rows_numbers.js";
import { curves } from "./variation_rows_pictures.js";
import { numbersTable, rowPanel } from "./variation_rows_panel.js";
import { NAMES, answer, aside, indexed, ran, tallest, tallied } from "./variation_rows_words.js";
/** @import {Context} from "./types.js" */
/** @import {Row} from "./variation_rows_numbers.js" */

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const get = (name) => model.get(name);
  /** @type {Row[]} */
  const rows = get("rows");
  const [base] = rows;
  const measures = Object.keys(NAMES);
  const of = (name) => rows.find((row) => row.name === name) ?? base;
  const here = () => of(get("row"));
  let guessing = Object.keys(get("guesses")).length > 0;
  const open = (row) => row.name === "base" || !guessing || Boolean(get("guesses")[row.name]);

  // The board of knobs: one stop of the Tab key, arrows from setting to setting.
  const board = knobs(rows).map(({ key, label, settings }, i) => {
    const buttons = settings.map(({ value, row }, j) =>
      press("", () => save(model, { row }), {
        keydown(event) {
          const [down, right] = MOVES[event.key] ?? [0, 0];
          if (!down && !right) return;
          take(event);
          const line = board[i + down]?.buttons;
          (line?.[Math.min(j + right, line.length - 1)] ?? buttons[j]).focus();
        },
        focus: () => stops(buttons[j]),
      }),
    );
    buttons.forEach((button, n) => button.append(h("span", {}, settings[n].value)));
    const plot = curves();
    const cells = h("div", {}, plot.node, ...buttons);
    const wide = key === "positions" ? 2.6 : settings.length; // its settings are words
    const style = `--n: ${settings.length}; --wide: ${wide}`;
    const group = { role: "group", "aria-label": label, style };
    const name = h("b", {}, ...indexed(label));
    return { key, label, settings, buttons, plot, node: h("div", group, name, cells) };
  });
  const stops = (one) => {
    for (const { buttons } of board)
      for (const button of buttons) button.tabIndex = button === one ? 0 : -1;
  };
  stops(board[0].buttons[0]);
  const strips = STRIPS.map((length, n) => {
    const first = STRIPS.slice(0, n).reduce((sum, each) => sum + each, 0);
    const cards = board.slice(first, first + length).map(({ node }) => node);
    return h("div", { class: "tc-strip" }, ...cards);
  });

  // One knob large: the one that was turned last, at first the one that hurts most.
  const far = rows.reduce((most, row) => (row.perplexity > most.perplexity ? row : most));
  let large = board.findIndex(({ key }) => key === far.knob);
  const scale = svg("svg", { class: "tc-scale", "aria-hidden": true });
  const plot = curves();
  plot.node.addEventListener("click", ({ offsetX }) => {
    const { settings } = board[large];
    const { row } = settings[Math.floor((offsetX / plot.node.clientWidth) * settings.length)];
    save(model, { row });
  });
  const [name, ticks] = [h("b"), h("div", { class: "tc-ticks", "aria-hidden": true })];
  const chart = h("div", { class: "tc-large" }, name, scale, plot.node, ticks);

  const panel = rowPanel({ model, rows, here, open, guessing: () => guessing });
  const about = h("div", { class: "tc-about" }, chart, panel.node);
  const [lead, score] = [h("span"), h("span", { role: "status" })];
  const key = (kind, text) => h("span", {}, h("i", { class: kind }), text);
  const keys = [key("tc-paper", "paper"), key("tc-mean", ran(rows))];
  if (rows.some(({ verdicts }) => verdicts.perplexity)) keys.push(key("tc-reach", "± chance"));
  const legend = h("p", { class: "tc-legend" }, ...keys);
  const top = h("div", { class: "tc-lead" }, h("p", {}, lead, score));
  top.dataset.room = tallest(measures.map((measure) => answer(rows, measure)));
  const knobsView = h("div", {}, top, about, legend, h("div", { class: "tc-board" }, ...strips));

  const numbers = numbersTable(rows, (row) => save(model, { row, view: "one" }));
  const views = stack([knobsView, numbers.node]);

  const choose = measures.map((measure) => press(NAMES[measure], () => save(model, { measure })));
  const first = press("Guess first", () => {
    guessing = !guessing;
    const row = guessing && (following(rows, get("guesses"), get("row")) ?? get("row"));
    save(model, { measure: measures[0], view: "one", ...(row && { row }) }); // the first question
    update();
  });
  const whole = press("Numbers", () =>
    save(model, { view: get("view") === "all" ? "one" : "all" }),
  );
  const root = frame({
    name: "rows",
    title: "Which knob matters?",
    controls: [first, h("span", { class: "tc-of" }, ...choose), whole],
    told: views.node,
  });

  const draw = glide((heights) =>
    [...board.map((each) => each.plot), plot].forEach((each, i) => each.draw(heights[i], drawn[i])),
  );
  /** What of the curves does not glide. @type {any[]} */
  let drawn = [];

  /** Where the two curves are told by name: at the setting that sets them furthest apart. */
  function apart(list, measure, { min, max }) {
    const gaps = list.map((row) => {
      if (row === base || !open(row)) return -1;
      const ours = oursOf(rows, row, measure)?.mean ?? NaN;
      return ours >= min && ours <= max ? Math.abs(ours - paperOf(rows, row, measure)) : 0;
    });
    const most = Math.max(...gaps);
    return most < 0 ? -1 : gaps.indexOf(most);
  }

  function drawBoard() {
    const measure = get("measure");
    const span = range(rows, measure);
    const at = (x) => depth(x, span, measure);
    const rules = marks(span, measure);
    const above = { at: span[measure === "bleu" ? "max" : "min"], text: "better" };
    scale.replaceChildren(
      ...[...(rules.some(({ text }) => text.endsWith("better")) ? [] : [above]), ...rules].map(
        ({ at: x, text }) => {
          const place = { x: "100%", y: `${at(x)}%`, dy: x === above.at ? 11 : 4 };
          return svg("text", { ...place, class: text.split(" ").at(-1) }, text);
        },
      ),
    );
    const lists = [...board, board[large]].map(({ settings }) =>
      settings.map(({ row }) => of(row)),
    );
    drawn = lists.map((list, i) => ({
      base: list.indexOf(base),
      chosen: i < board.length ? -1 : list.indexOf(here()),
      named: i < board.length ? -1 : apart(list, measure, span),
      covered: list.map((row) => !open(row)),
      stuck: list.map((row) => stuck(rows, row)),
      lone: list.map((row) => row.seeds[measure].length === 1),
      far: list.map((row) => {
        const mean = oursOf(rows, row, measure)?.mean ?? 0;
        return mean < span.min || mean > span.max ? aside(mean, measure) : "";
      }),
    }));
    draw(
      lists.map((list) => {
        const each = (make) => list.map((row) => (open(row) ? make(row) : at(0)));
        const ours = (row) => oursOf(rows, row, measure);
        const ends = list.map((row) => {
          const { difference, bound } = row.verdicts[measure] ?? { difference: 0, bound: NaN };
          return [-1, 1].map((n) => at(difference + n * bound)).sort((a, b) => a - b);
        });
        return {
          zero: at(0),
          marks: rules.filter(({ at: x }) => x).map(({ at: x }) => at(x)),
          paper: each((row) => at(paperOf(rows, row, measure))),
          ours: each((row) => at(ours(row)?.mean ?? NaN)),
          seeds: list.map((row) => (ours(row)?.seeds ?? []).map(at)),
          ends,
        };
      }),
    );
  }

  function update() {
    const [row, measure, given] = [here(), get("measure"), get("guesses")];
    const all = get("view") === "all" && !guessing;
    views.show(all ? 1 : 0);
    measures.forEach((name, n) => choose[n].setAttribute("aria-pressed", String(name === measure)));
    first.setAttribute("aria-pressed", String(guessing));
    whole.setAttribute("aria-pressed", String(all));
    for (const one of [choose[1], whole]) one.style.visibility = guessing ? "hidden" : "";
    choose[0].classList.toggle("tc-sole", guessing);
    lead.replaceChildren(
      ...indexed(guessing ? "Guess what each does to perplexity: " : answer(rows, measure)),
    );
    for (const { key, settings, buttons } of board)
      settings.forEach(({ value, row: name }, n) => {
        const button = buttons[n];
        const pressed = name === row.name;
        const same = key in row.sizes ? Number(value) === row.sizes[key] : n === 0;
        const on = pressed || (same && row.knob !== key && key !== "size");
        button.setAttribute("aria-pressed", String(on));
        button.classList.toggle("tc-turn", pressed && name !== "base");
        const made = guessing && given[name];
        const right = made && made === truth(rows, of(name));
        button.dataset.guess = made ? (right ? "right" : "wrong") : "";
        const guessed = made ? `, guessed ${right ? "right" : "wrong"}` : "";
        button.setAttribute("aria-label", value + guessed);
      });
    say(score, guessing ? tallied(rows, given) : "");
    const turned = board.findIndex(({ key }) => row !== base && key === row.knob);
    if (turned >= 0) large = turned;
    board.forEach(({ node }, i) => node.classList.toggle("tc-here", i === large));
    const { key, label, settings } = board[large];
    const own = settings.find(({ row: each }) => each === "base")?.value;
    const has = row === base && key !== "size" ? h("span", {}, `: base has ${own}`) : "";
    name.replaceChildren(...indexed(label), has);
    ticks.replaceChildren(
      ...settings.map(({ value, row: each }) =>
        h("span", { class: each === row.name ? "tc-on" : "" }, value),
      ),
    );
    drawBoard();
    panel.draw();
    numbers.draw(open);
  }

  return live({ model, el }, root, ["row", "guesses", "measure", "view"], update);
}

export default { render };
