// @ts-check
// Table 3 as knobs: what each setting does to quality, the paper's and ours, on one scale.
import { MOVES, h, live, press, save, say, svg, take } from "./shared.js";
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

  const panel = rowPanel({ model, rows, here, open, guessing: () => guessing });
  const [lead, score] = [h("span"), h("span", { role: "status" })];
  const key = (kind, text) => h("span", {}, h("i", { class: kind }), text);
  const keys = [key("tc-paper", "paper"), key("tc-mean", ran(rows))];
  if (rows.some(({ seeds }) => seeds.bleu.length > 1)) keys.push(key("tc-seed", "one seed"));
  if (rows.some(({ verdicts }) => verdicts.perplexity)) keys.push(key("tc-reach", "chance"));
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

  function drawBoard() {
    const measure = get("measure");
    const span = range(rows, measure);
    const at = (x) => place(loss(x, measure), span);
    const rules = marks(span, measure);
    const put = (x, y, anchor, more = {}) => ({ x: `${x}%`, y, "text-anchor": anchor, ...more });
    scale.replaceChildren(
      svg("text", put(0, 13, "start", { class: "tc-side" }), "← better"),
      svg("text", put(at(0), 13, "start", { class: "tc-side", dx: 10 }), "worse →"),
      ...rules.map(({ at, text }) => svg("text", put(at, 32, at < 8 ? "" : "middle"), text)),
    );
    const order = [...board].sort((a, b) => a.i - b.i); // places glide to their own knob's
    const turned = here();
    const mine = turned !== base && open(turned) ? oursOf(rows, turned, measure) : null;
    const away = mine ? loss(mine.mean, measure) : 0;
    const says = (x) => aside(x, measure);
    const paperLoss = (row) => loss(paperOf(rows, row, measure), measure);
    drawn = [];
    const places = order.map(({ plot, settings }) => {
      const list = settings.map(({ row }) => of(row));
      const chosen = turned === base ? -1 : list.indexOf(turned);
      const own = chosen < 0 ? null : mine;
      const known = list.filter((row) => row !== base && open(row));
      const bad = known.sort((a, b) => paperLoss(b) - paperLoss(a))[0];
      const most = list.indexOf(chosen < 0 ? bad : turned);
      const value = most < 0 ? "" : says(paperOf(rows, list[most], measure));
      drawn.push({
        plot,
        base: list.indexOf(base),
        covered: list.map((row) => !open(row)),
        chosen,
        most,
        arrow: away > span.max ? "→" : away < span.min ? "←" : "",
        lone: own?.seeds.length === 1,
        told: [
          ...(value && open(list[most])
            ? [chosen < 0 ? [settings[most].value, `: ${value}`] : ["", value]]
            : []),
          ...(own ? [["", says(own.mean)]] : []),
        ],
      });
      const reach = (own && bound([turned], measure)) || 0;
      return {
        zero: at(0),
        marks: rules.map(({ at }) => at),
        paper: list.map((row) => at(open(row) ? paperOf(rows, row, measure) : 0)),
        ours: own ? at(own.mean) : NaN,
        seeds: (own?.seeds ?? []).map(at),
        chance: [-1, 1].map((n) => at(n * reach)).sort((a, b) => a - b),
        lift: Number(Boolean(own)),
      };
    });
    draw(places);
    keys.forEach((node, n) => {
      const shown = n ? mine : rows.some((row) => row !== base && open(row));
      node.style.visibility = shown ? "" : "hidden";
    });
  }

  function update() {
    const [row, measure, given] = [here(), get("measure"), get("guesses")];
    const says = (one) => `, ${aside(paperOf(rows, one, measure), measure)}`;
    const all = get("view") === "all" && !guessing;
    arrange();
    views.show(all ? 1 : 0);
    measures.forEach((name, n) => choose[n].setAttribute("aria-pressed", String(name === measure)));
    first.setAttribute("aria-pressed", String(guessing));
    whole.setAttribute("aria-pressed", String(all));
    for (const one of [...choose, whole]) /** @type {any} */ (one).disabled = guessing;
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
        button.classList.toggle("tc-own", name === "base");
        button.classList.toggle("tc-turn", pressed && name !== "base");
        button.classList.toggle("tc-ask", pressed && !open(row));
        const made = guessing && given[name];
        const right = made && made === truth(rows, of(name));
        button.dataset.guess = made ? (right ? "right" : "wrong") : "";
        const guessed = made ? `, guessed ${right ? "right" : "wrong"}` : "";
        const told = name === "base" || !open(of(name)) ? "" : says(of(name));
        button.setAttribute("aria-label", value + told + guessed);
      });
    say(score, guessing ? tallied(rows, given) : "");
    for (const { node, settings } of board)
      node.classList.toggle(
        "tc-here",
        row !== base && settings.some((one) => one.row === row.name),
      );
    drawBoard();
    panel.draw();
    numbers.draw(open);
  }

  return live({ model, el }, root, ["row", "guesses", "measure", "view"], update);
}

export default { render };
