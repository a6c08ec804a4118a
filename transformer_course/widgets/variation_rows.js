// @ts-check
// Table 3, one knob at a time: a guess first, then the paper's figures and ours on one scale.
import { MOVES, h, live, press, save, say, take } from "./shared.js";
import { frame, stack } from "./stage.js";
import {
  following,
  knobs,
  marks,
  oursOf,
  paperOf,
  range,
  truth,
} from "./variation_rows_numbers.js";
import { lane, modelPicture } from "./variation_rows_pictures.js";
import {
  AXIS,
  GUESSES,
  NAMES,
  SIGNS,
  answer,
  figure,
  lineInWords,
  meanOf,
  question,
  tallest,
  tallied,
  titleOf,
} from "./variation_rows_words.js";
/** @import {Context} from "./types.js" */
/** @import {Row} from "./variation_rows_numbers.js" */
/** @import {Shape} from "./variation_rows_pictures.js" */

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const get = (name) => model.get(name);
  /** @type {Row[]} */
  const rows = get("rows");
  const [base] = rows;
  const here = () => rows.find(({ name }) => name === get("row")) ?? base;
  const open = (row) => row.name === "base" || Boolean(get("guesses")[row.name]);

  // The board of knobs: one stop of the Tab key, arrows from setting to setting.
  const board = knobs(rows).map(({ key, label, settings }, i) => {
    const buttons = settings.map(({ value, row }, j) =>
      press(value, () => save(model, { row }), {
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
    const node = h("div", { role: "group", "aria-label": label }, h("span", {}, label), ...buttons);
    return { key, settings, buttons, node };
  });
  const stops = (one) => {
    for (const { buttons } of board)
      for (const button of buttons) button.tabIndex = button === one ? 0 : -1;
  };
  stops(board[0].buttons[0]);

  const picture = modelPicture();
  const asked = h("p");
  asked.dataset.room = tallest(rows.map((row) => question(rows, row)));
  const guesses = GUESSES.map(([guess, text]) =>
    press(text, () => {
      save(model, { guesses: { ...get("guesses"), [here().name]: guess } });
      next.focus();
    }),
  );
  const next = press("Next row", () => {
    const row = following(rows, get("guesses"), get("row"));
    if (!row) return;
    save(model, { row });
    guesses[0].focus();
  });
  const verdict = h("b");
  const told = [h("p"), h("p"), h("p")];
  const answers = h("div", {}, h("div", {}, ...told));
  answers.dataset.room = tallest(
    rows.flatMap((row) =>
      Object.keys(NAMES).map((measure) => answer(rows, row, "same", measure).slice(1).join("\n")),
    ),
  );
  const talk = stack([
    h("div", {}, asked, h("div", { class: "tc-bar" }, ...guesses)),
    h("div", { class: "tc-told" }, h("div", { class: "tc-bar" }, verdict, next), answers),
  ]);
  talk.node.setAttribute("aria-live", "polite");

  /** What a scale is of, with the choice between the two measures. */
  const axisBar = () => {
    const words = h("span");
    const buttons = Object.entries(NAMES).map(([measure, name]) =>
      press(name, () => save(model, { measure })),
    );
    const show = (measure) => {
      say(words, AXIS[measure]);
      Object.keys(NAMES).forEach((name, n) =>
        buttons[n].setAttribute("aria-pressed", String(name === measure)),
      );
    };
    return { node: h("div", { class: "tc-bar tc-of" }, ...buttons, words), show };
  };
  const axisBars = [axisBar(), axisBar()];
  const axes = [lane(), lane()];
  /** @param {any} name @param {{node: any}} one @param {any[]} says */
  const line = (name, one, ...says) => h("div", { class: "tc-line" }, name, one.node, ...says);
  const foot = (axis) => h("div", { class: "tc-line tc-foot" }, h("span"), axis.node);
  const [paperName, oursName] = [h("span"), h("span")];
  const [paperLane, oursLane] = [lane(), lane()];
  oursLane.node.classList.add("tc-ours");
  const one = h(
    "div",
    {},
    h(
      "div",
      { class: "tc-body" },
      h("div", { class: "tc-board" }, ...board.map(({ node }) => node)),
      h("div", {}, picture.node, talk.node),
    ),
    axisBars[0].node,
    line(paperName, paperLane),
    line(oursName, oursLane),
    foot(axes[0]),
  );

  // The whole table.
  const lines = rows.map((row, n) => {
    const drawn = lane();
    const says = h("span", { class: "tc-says" });
    const go = press(titleOf(row), () => save(model, { row: row.name, view: "one" }));
    const node = line(go, drawn, says);
    node.classList.toggle("tc-first", n > 0 && rows[n - 1].group !== row.group);
    return { row, drawn, says, go, node };
  });
  const key = (kind, text) => h("span", {}, h("i", { class: kind }), text);
  const all = h(
    "div",
    { class: "tc-all" },
    axisBars[1].node,
    ...lines.map(({ node }) => node),
    foot(axes[1]),
  );
  const views = stack([one, all]);
  const legend = h(
    "p",
    { class: "tc-legend" },
    key("tc-paper", "paper"),
    key("tc-mean", "ours, interval"),
    key("tc-seed", "seed"),
    key("tc-band", "base's seeds"),
  );

  const score = h("small", { role: "status" });
  const whole = press("", () => save(model, { view: get("view") === "all" ? "one" : "all" }));
  const root = frame({
    name: "rows",
    title: "Rows of Table 3",
    controls: [score, whole],
    told: views.node,
    below: [legend],
  });

  /** Our seeds, their mean, the interval of the verdict, and base's seeds behind them.
   * @param {Row} row @param {number} y @param {number} small @returns {Shape[]} */
  function shapes(row, y, small = 0) {
    const measure = get("measure");
    const found = oursOf(rows, row, measure);
    const own = oursOf(rows, base, measure)?.seeds;
    const band = own ? [{ kind: "band", at: [Math.min(...own), Math.max(...own)], y: 0 }] : [];
    if (!found) return band;
    const verdict = row.verdicts[measure];
    const ends = verdict ? [-1, 1].map((n) => found.mean + n * verdict.bound) : [];
    return [
      ...band,
      ...(verdict ? [{ kind: "bar", at: ends, y, r: small ? 6 : 10 }] : []),
      ...found.seeds.map((x) => ({
        kind: "seed",
        at: [x],
        y: y - (small ? 0 : 11),
        r: small || 4,
      })),
      { kind: "mean", at: [found.mean], y, r: small ? 3 : 4 },
    ];
  }

  function drawOne(scale, ticks) {
    const [row, measure, shown] = [here(), get("measure"), open(here())];
    const at = [paperOf(rows, row, measure)];
    paperLane.draw(scale, ticks, shown ? [{ kind: "paper", at, y: 14, r: 6 }] : []);
    oursLane.draw(scale, ticks, shown ? shapes(row, 30) : []);
    say(paperName, `Paper ${shown ? figure(row[measure], measure) : "?"}`);
    say(oursName, `Ours ${shown ? meanOf(row, measure) : "?"}`);
    const texts = shown ? answer(rows, row, get("guesses")[row.name], measure) : [];
    [verdict, ...told].forEach((node, n) => say(node, texts[n] ?? ""));
    say(asked, shown ? "" : question(rows, row));
    talk.show(shown ? 1 : 0);
  }

  function drawAll(scale, ticks) {
    const measure = get("measure");
    for (const { row, drawn, says, go } of lines) {
      const paper = { kind: "paper", at: [paperOf(rows, row, measure)], y: 7, r: 4.5 };
      drawn.draw(scale, ticks, [...shapes(row, 16, 2.5), paper]);
      const verdict = row.verdicts[measure]?.says ?? "";
      say(says, verdict || `${row.seeds[measure].length} of ${row.wanted} seeds`);
      says.dataset.says = verdict;
      says.dataset.sign = SIGNS[verdict] ?? "";
      go.setAttribute("aria-label", lineInWords(rows, row, measure));
    }
  }

  function update() {
    const [row, measure, given] = [here(), get("measure"), get("guesses")];
    const all = get("view") === "all";
    const scale = range(rows, measure);
    const ticks = marks(scale, measure);
    views.show(all ? 1 : 0);
    for (const axis of axes) axis.draw(scale, ticks, [], true);
    for (const bar of axisBars) bar.show(measure);
    for (const { key, settings, buttons } of board)
      settings.forEach(({ value, row: name }, n) => {
        const button = buttons[n];
        const turned = name === row.name;
        const same = key in row.sizes ? Number(value) === row.sizes[key] : n === 0;
        const on = turned || (same && row.knob !== key && key !== "size");
        button.setAttribute("aria-pressed", String(on));
        button.classList.toggle("tc-turn", turned && name !== "base");
        const made = given[name];
        const right = made && made === truth(rows, rows.find((each) => each.name === name) ?? base);
        button.dataset.guess = made ? (right ? "right" : "wrong") : "";
        const guessed = made ? `, guessed ${right ? "right" : "wrong"}` : "";
        button.setAttribute("aria-label", value + guessed);
      });
    picture.draw(row, base);
    next.setAttribute("aria-disabled", String(!following(rows, given, row.name)));
    say(score, tallied(rows, given));
    say(whole, all ? "One row" : "All rows");
    drawOne(scale, ticks);
    if (all) drawAll(scale, ticks);
  }

  return live({ model, el }, root, ["row", "guesses", "measure", "view"], update);
}

export default { render };
