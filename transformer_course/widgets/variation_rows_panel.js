// @ts-check
// Below the knobs: the chosen row with its question and its answer; and the whole table in numbers.
import { h, press, save, say } from "./shared.js";
import { stack } from "./stage.js";
import { following, oursOf, paperOf, stuck } from "./variation_rows_numbers.js";
import {
  GUESSES,
  NAMES,
  SIGNS,
  figure,
  graded,
  indexed,
  meanOf,
  ownAnswer,
  ownInWords,
  question,
  runs,
  signed,
  tallest,
  titleOf,
  turned,
} from "./variation_rows_words.js";
/** @import {Row} from "./variation_rows_numbers.js" */

const measures = Object.keys(NAMES);
const LEAD = /^((?:Ours (?:agrees|is opposite|hardly learned)|We cannot tell)?)(.*)$/; // said first

/** What is turned, what it does, and why; before a guess the question alone.
 * @param {{model: any, rows: Row[], here: () => Row, open: (row: Row) => boolean, guessing: () =>
 * boolean}} about */
export function rowPanel({ model, rows, here, open, guessing }) {
  const get = (name) => model.get(name);
  const [base] = rows;
  const [title, ask] = [h("b", { class: "tc-name" }), h("p")];
  const guesses = GUESSES.map(([guess, text]) =>
    press(text, () => {
      save(model, { guesses: { ...get("guesses"), [here().name]: guess } });
      next.focus();
    }),
  );
  const next = press("Next setting", () => {
    const row = following(rows, get("guesses"), get("row"));
    if (!row) return;
    save(model, { row });
    guesses[0].focus();
  });
  const verdict = h("b");
  const figures = ["paper", "ours"].map((name) => {
    const [far, exact] = [h("b"), h("span")];
    return { far, exact, node: h("p", { class: `tc-figure tc-${name}` }, name, far, exact) };
  });
  const [own, lesson] = [h("span"), h("p", { class: "tc-own" })];
  const room = h("div", {}, h("div", {}, h("p", {}, verdict, " ", own), lesson));
  const told = (row, measure) => {
    const own = ownInWords(rows, row, measure);
    if (row !== base) return [own, row.teaches];
    return guessing()
      ? ["Press a setting, and guess what it does.", ""]
      : [own, ownAnswer(rows, measure)];
  };
  const most = tallest(rows.flatMap((row) => measures.map((by) => told(row, by).join("\n"))));
  room.dataset.room = `Right: perplexity is about the same. ${most}`;
  const talk = stack([
    h("div", {}, ask, h("div", { class: "tc-bar" }, ...guesses)),
    h("div", { class: "tc-told" }, ...figures.map(({ node }) => node), room),
  ]);
  talk.node.setAttribute("aria-live", "polite");
  const node = h(
    "div",
    { class: "tc-about" },
    h("div", { class: "tc-bar" }, title, next),
    talk.node,
  );

  function draw() {
    const [row, measure, shown] = [here(), get("measure"), open(here())];
    const unseen = (text) => (shown ? text : "");
    next.setAttribute("aria-disabled", String(!following(rows, get("guesses"), row.name)));
    say(title, turned(row, base));
    ask.replaceChildren(...indexed(shown ? "" : question(rows, row)));
    const guess = guessing() && row !== base ? get("guesses")[row.name] : undefined;
    say(verdict, shown && guess ? graded(rows, row, guess) : "");
    next.toggleAttribute("hidden", !guessing());
    const mine = oursOf(rows, row, measure);
    const parts = [
      [figure(row[measure], measure), figure(base[measure], measure)],
      mine ? [meanOf(row, measure), meanOf(base, measure)] : ["–", ""],
    ];
    figures.forEach(({ far, exact }, n) => {
      const [value, beside] = parts[n];
      const sides =
        row === base ? NAMES[measure] + (n ? ", smaller model" : "") : `against base’s ${beside}`;
      say(far, unseen(value));
      say(exact, unseen(beside ? sides : runs(row).split(/[:,]/)[0]));
    });
    const [seen, taught] = told(row, measure).map(unseen);
    const [, lead, rest] = /** @type {string[]} */ (seen.match(LEAD));
    own.replaceChildren(h("b", {}, lead), rest);
    lesson.replaceChildren(...indexed(taught));
    talk.show(shown ? 1 : 0);
  }
  return { node, draw };
}

/** Every row with its figures and verdicts; a press on one leads to it.
 * @param {Row[]} rows @param {(name: string) => void} choose */
export function numbersTable(rows, choose) {
  const judges = rows.some(({ verdicts }) => measures.some((measure) => verdicts[measure]));
  const kinds = ["paper", "ours", ...(judges ? ["verdict"] : [])];
  const lines = rows.map((row, n) => {
    const go = press("", () => choose(row.name));
    go.append(...indexed(titleOf(row)));
    const cells = measures.map((measure) => {
      const made = ["tc-paper", "tc-ours"].map((name) => {
        const [value, far] = [h("span"), h("small")];
        return { value, far, node: h("td", { class: name }, value, " ", far) };
      });
      return { measure, made, says: h("td", { class: "tc-says" }) };
    });
    const tds = cells.flatMap(({ made, says }) => [
      ...made.map((each) => each.node),
      ...(judges ? [says] : []),
    ]);
    const node = h("tr", {}, h("th", { scope: "row" }, go), ...tds);
    node.classList.toggle("tc-first", n > 0 && rows[n - 1].group !== row.group);
    return { row, cells, node };
  });
  const heads = () => kinds.map((name) => h("th", { scope: "col" }, name));
  const names = Object.values(NAMES);
  const both = names.map((name) => h("th", { scope: "colgroup", colspan: kinds.length }, name));
  const first = h("th", { scope: "col" }, "the paper’s row");
  const head = [h("tr", {}, h("td"), ...both), h("tr", {}, first, ...heads(), ...heads())];
  const body = h("tbody", {}, ...lines.map(({ node }) => node));
  const table = h("table", {}, h("thead", {}, ...head), body);
  table.className = `tc-all${judges ? " tc-judged" : ""}`;
  const lone = "No row has seeds enough for a verdict. ";
  const little = `* hardly learned${judges ? ": here the verdict says little" : " in its steps"}`;
  const low = rows.some((row) => stuck(rows, row)) ? little : "";
  const blank = judges ? "✓ agrees, ✗ opposite, blank: we cannot tell. " : lone;
  const node = h("div", {}, table, h("p", { class: "tc-own" }, blank + low));

  /** @param {(row: Row) => boolean} open */
  function draw(open) {
    for (const { row, cells } of lines) {
      const shown = open(row);
      const star = stuck(rows, row) ? "*" : "";
      for (const { measure, made, says } of cells) {
        const { says: word = "" } = (shown && row.verdicts[measure]) || {};
        const values = [figure(row[measure], measure), meanOf(row, measure) + star];
        const by = [paperOf(rows, row, measure), oursOf(rows, row, measure)?.mean];
        made.forEach(({ value, far }, n) => {
          const x = by[n];
          say(value, shown ? values[n] : "?");
          say(
            far,
            !shown || judges || row.name === "base" || x === undefined ? "" : signed(x, measure),
          );
        });
        const some =
          row.name === "base" ? "" : `${row.seeds[measure].length} of ${row.wanted} seeds run`;
        const sign = SIGNS[word] ?? "";
        say(says, sign ? word : word ? "" : some);
        says.dataset.says = star ? "" : word;
        says.dataset.sign = sign && (star || sign);
      }
    }
  }
  return { node, draw };
}
