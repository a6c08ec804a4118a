// @ts-check
// Table 3 as knobs: what each setting does to quality, the paper's and ours, on one scale.
import { MOVES, check, h, live, press, save, say, svg, take } from "./shared.js";
import { frame, glide, stack } from "./stage.js";
import {
  bound,
  following,
  knobs,
  loss,
  marks,
  oursOf,
  paperOf,
  place,
  range,
  truth,
  worst,
} from "./variation_rows_numbers.js";
import { strip } from "./variation_rows_pictures.js";
import { numbersTable, rowPanel } from "./variation_rows_panel.js";
import {
  NAMES,
  answer,
  aside,
  indexed,
  ran,
  size,
  tallest,
  tallied,
} from "./variation_rows_words.js";
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
  let opened = 0; // at first, until the reader presses: the paper’s answer alone
  let guessing = Object.keys(get("guesses")).length > 0;
  const open = (row) => row.name === "base" || !guessing || Boolean(get("guesses")[row.name]);

  // The board of knobs: one stop of the Tab key, arrows from setting to setting.
  const board = knobs(rows).map(({ key, label, settings }, i) => {
    const buttons = settings.map(({ value, row }, j) => {
      const button = press("", () => save(model, { row }), {
        keydown(event) {
          const [down, right] = MOVES[event.key] ?? [0, 0];
          if (!down && !right) return;
          take(event);
          const line = board[board.indexOf(one) + down]?.buttons;
          (line?.[Math.min(j + right, line.length - 1)] ?? buttons[j]).focus();
        },
        focus: () => stops(buttons[j]),
      });
      button.append(h("span", {}, value));
      return button;
    });
    const plot = strip();
    const name = h("b", {}, ...indexed(label));
    const list = h("div", { class: "tc-of" }, ...buttons);
    const node = h("div", { role: "group", "aria-label": label }, name, plot.node, list);
    const one = { i, key, settings, buttons, plot, node };
    return one;
  });
  const stops = (one) => {
    for (const { buttons } of board)
      for (const button of buttons) button.tabIndex = button === one ? 0 : -1;
  };
  const scale = svg("svg", { class: "tc-scale", "aria-hidden": true });
  const strips = h("div", { class: "tc-board" }, scale);
  let arranged = "";
  /** What hurts most first, as the strips tell; before a guess in an order that tells nothing. */
  const arrange = () => {
    const by = guessing ? "" : get("measure");
    const hurts = ({ i, key }) => (by ? worst(rows, key, by) : -i);
    board.sort((a, b) => hurts(b) - hurts(a));
    if (arranged === String(board.map(({ i }) => i))) return;
    arranged = String(board.map(({ i }) => i));
    strips.append(...board.map(({ node }) => node));
    stops(board[0].buttons[0]);
  };

  const far = rows.reduce((most, row) => (row.perplexity > most.perplexity ? row : most));
  const panel = rowPanel({ model, rows, here, open, guessing: () => guessing });
  const [lead, score] = [h("span"), h("span", { role: "status" })];
  const key = (kind, text) => h("span", {}, h("i", { class: kind }), text);
  const reaches = h("span", { class: "tc-much" });
  const keys = [key("tc-paper", "paper"), key("tc-mean", ran(rows))];
  // On a phone there's no room for both.
  const every = check({
    label: "ours in every row",
    value: innerWidth > 640,
    change: () => drawBoard(),
  });
  if (rows.some(({ seeds }) => seeds.bleu.length > 1)) keys.push(key("tc-seed", "one seed"));
  if (rows.some(({ verdicts }) => verdicts.perplexity))
    keys.push(key("tc-reach", h("span", {}, "chance", reaches)));
  if (rows.some((row) => oursOf(rows, row, measures[0]))) keys.push(every.node);
  const legend = h("p", { class: "tc-legend" }, ...keys);
  const top = h("div", { class: "tc-why" }, h("p", {}, lead, score));
  top.dataset.room = tallest(measures.map((measure) => answer(rows, measure)));
  const knobsView = h("div", {}, top, strips, legend, panel.node);

  const numbers = numbersTable(rows, (row) => save(model, { row, view: "one" }));
  const views = stack([knobsView, numbers.node]);

  const choose = measures.map((measure) => press(NAMES[measure], () => save(model, { measure })));
  const pair = h("span", { class: "tc-two" }, ...choose);
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
    controls: [first, pair, whole],
    told: views.node,
  });

  /** What of the strips does not glide. @type {any[]} */
  let drawn = [];
  const draw = glide((places) => drawn.forEach(({ plot, ...own }, i) => plot.draw(places[i], own)));

  /** @param {Row[]} list */
  const told = (list) => list.some((one) => one !== base && open(one));
  /** How far chance reaches for what is pressed. @param {Row[]} list its knob's */
  const reachOf = (list) => bound(here() === base ? list : [here()], get("measure"));

  function drawBoard() {
    const measure = get("measure");
    const span = range(rows, measure);
    const at = (x) => place(loss(x, measure), span);
    const rules = marks(span, measure);
    const ways = [
      ["← better", -10, "end"],
      ["worse →", 10, "start"],
    ];
    const put = (x, y, anchor, more = {}) => ({ x: `${x}%`, y, "text-anchor": anchor, ...more });
    scale.replaceChildren(
      ...ways.map(([way, dx, anchor]) =>
        svg("text", put(at(0), 13, anchor, { dx, class: "tc-side" }), way),
      ),
      ...rules.map(({ at, text }) =>
        svg("text", put(at, 32, at > 92 ? "end" : at < 8 ? "" : "middle"), text),
      ),
    );
    const order = [...board].sort((a, b) => a.i - b.i); // places glide to their own knob's
    const lists = order.map(({ settings }) => settings.map(({ row }) => of(row)));
    const chosen = order.map(({ node }) => node.classList.contains("tc-here"));
    const shows = (i) => chosen[i] || /** @type {any} */ (every.input).checked;
    drawn = lists.map((list, i) => ({
      plot: order[i].plot,
      values: order[i].settings.map(({ value }) => value),
      base: list.indexOf(base),
      chosen: list.indexOf(here()),
      named: chosen[i],
      covered: list.map((row) => !open(row)),
      by: {
        paper: list.map((row) => aside(paperOf(rows, row, measure), measure)),
        mean: list.map((row) => aside(oursOf(rows, row, measure)?.mean ?? 0, measure)),
      },
      lone: list.map((row) => row.seeds[measure].length === 1),
      far: list.map((row) => {
        const mean = (shows(i) && oursOf(rows, row, measure)?.mean) || 0;
        return at(mean) % 100 ? "" : aside(mean, measure);
      }),
    }));
    draw(
      lists.map((list, i) => {
        const each = (make) => list.map((row) => (open(row) ? make(row) : at(0)));
        const ours = (row) => (shows(i) ? oursOf(rows, row, measure) : null);
        const reach = chosen[i] && told(list) ? reachOf(list) : NaN;
        return {
          zero: at(0),
          marks: rules.map(({ at }) => at),
          paper: each((row) => at(paperOf(rows, row, measure))),
          ours: list.map((row) => (open(row) || !shows(i) ? at(ours(row)?.mean ?? NaN) : at(0))),
          seeds: list.map((row) => (ours(row)?.seeds ?? []).map(at)),
          chance: [-1, 1].map((n) => at(n * reach)).sort((a, b) => a - b),
        };
      }),
    );
  }

  function update() {
    const [row, measure, given] = [here(), get("measure"), get("guesses")];
    const all = get("view") === "all" && !guessing;
    opened += 1;
    arrange();
    views.show(all ? 1 : 0);
    measures.forEach((name, n) => choose[n].setAttribute("aria-pressed", String(name === measure)));
    first.setAttribute("aria-pressed", String(guessing));
    whole.setAttribute("aria-pressed", String(all));
    for (const one of [...choose, whole]) /** @type {any} */ (one).disabled = guessing;
    lead.replaceChildren(
      ...indexed(
        guessing ? "Guess what each does to perplexity: " : answer(rows, measure, opened < 2),
      ),
    );
    for (const { key, settings, buttons } of board)
      settings.forEach(({ value, row: name }, n) => {
        const button = buttons[n];
        const pressed = name === row.name;
        const same = key in row.sizes ? Number(value) === row.sizes[key] : n === 0;
        const on = pressed || (same && row.knob !== key && key !== "size");
        button.setAttribute("aria-pressed", String(on));
        button.classList.toggle("tc-own", name === "base");
        button.classList.toggle("tc-turn", pressed && name !== "base");
        button.classList.toggle("tc-ask", pressed && !open(row));
        const made = guessing && given[name];
        const right = made && made === truth(rows, of(name));
        button.dataset.guess = made ? (right ? "right" : "wrong") : "";
        const guessed = made ? `, guessed ${right ? "right" : "wrong"}` : "";
        button.setAttribute("aria-label", value + guessed);
      });
    say(score, guessing ? tallied(rows, given) : "");
    const turned = row === base ? far.knob : row.knob;
    for (const { node, key } of board) node.classList.toggle("tc-here", key === turned);
    const mine = rows.filter(({ knob }) => knob === turned);
    const reach = reachOf(mine);
    legend.style.visibility = told(mine) ? "" : "hidden";
    say(reaches, reach ? ` ± ${size(reach, measure)}` : "");
    drawBoard();
    panel.draw();
    numbers.draw(open);
  }

  return live({ model, el }, root, ["row", "guesses", "measure", "view"], update);
}

export default { render };
