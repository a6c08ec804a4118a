// @ts-check
// Causal and padding masks before the softmax, and what goes wrong elsewhere (section 3.2.3).
import {
  SIZE,
  TOKENS,
  compute,
  fault,
  leakage,
  tokens,
  verdict,
} from "./masked_softmax_numbers.js";
import { fixed, format, normal, random } from "./numbers.js";
import { flowPicture } from "./masked_softmax_flow.js";
import { numberField } from "./number_field.js";
import { assign, check, choice, h, live, press, save, say, slider } from "./shared.js";
import { frame } from "./stage.js";
import { each, numberTable } from "./table.js";
/** @import {State} from "./masked_softmax_numbers.js" */
/** @import {Context} from "./types.js" */

const CHANGES = ["new key", "new value", "both"];

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  const names = ["scores", "causal", "pads", "side", "place", "fill", "half", "token", "change"];
  const now = () =>
    /** @type {State} */ (Object.fromEntries(names.map((name) => [name, model.get(name)])));
  const select = (name, label, options) =>
    choice({ label, options, value: "", change: (value) => save(model, { [name]: value }) });
  let seed = 0;

  const causal = check({
    label: "Causal mask",
    value: false,
    change: (on) => save(model, { causal: on }),
  });
  const pads = slider({
    label: "Padding",
    min: 0,
    max: 4,
    value: 0,
    change: (to) => save(model, { pads: to }),
  });
  const side = select("side", "at the", [
    ["end", "end"],
    ["start", "start"],
  ]);
  const places = [
    ["before", "before softmax"],
    ["after", "after softmax"],
    ["renormalized", "after, then divided by the sum"],
  ].map(([to, label]) => ({ to, button: press(label, () => save(model, { place: to })) }));
  const fill = select("fill", "Masked scores become", [
    ["-inf", "−∞"],
    ["-1e9", "−1e9"],
    ["0", "0"],
  ]);
  const half = choice({
    label: "Stored in",
    options: [
      ["", "float32"],
      ["half", "float16"],
    ],
    value: "",
    change: (value) => save(model, { half: value === "half" }),
  });
  const change = slider({
    label: "A new key changes its scores by",
    min: -5,
    max: 5,
    step: 0.5,
    value: 0,
    show: (x) => fixed(x, 1),
    change: (to) => save(model, { change: to }),
  });
  const redraw = press("New scores", () => {
    seed += 1;
    const draw = random(seed);
    save(model, { scores: SIZE.map(() => SIZE.map(() => Math.round(15 * normal(draw)) / 10)) });
  });

  const square = (caption, hint, columns = TOKENS) =>
    numberTable({ caption, hint, rows: TOKENS, columns });
  const [scores, inside, shares] = [
    square("Scores", "edit any"),
    square("Masked scores", ""),
    square("Weights", "hatched: masked", SIZE.map(String)),
  ];
  const rows = square("Output", "of values 1 to 5", ["sum", "output", ...CHANGES]);
  const column = (name) => {
    const [head, cells] = [h("small"), SIZE.map(() => h("span"))];
    return { head, cells, node: h("div", { class: `tc-column tc-${name}` }, head, ...cells) };
  };
  const [sums, outputs] = ["sums", "outputs"].map(column);
  for (const table of [inside, shares]) {
    table.node.classList.add("tc-heat");
    const label = table.node.querySelector("b").textContent;
    assign(table.node, { tabindex: 0, role: "group", "aria-label": label });
  }
  const refused = h("p", { class: "tc-message", role: "status" });
  const fields = SIZE.map((i) =>
    SIZE.map((j) =>
      numberField({
        label: `score of query ${i + 1} with key ${j + 1}`,
        get: () => now().scores[i][j],
        put(x) {
          say(refused, "");
          const changed = (row) => row.map((old, c) => (c === j ? x : old));
          save(model, { scores: now().scores.map((row, r) => (r === i ? changed(row) : row)) });
        },
        refuse: (error) => say(refused, error),
      }),
    ),
  );
  each(scores.cells, (cell, i, j) => cell.replaceWith(fields[i][j].node));
  const flow = flowPicture(SIZE.length, (j) => save(model, { token: j }));
  const said = h("p", { class: "tc-why", "aria-live": "polite" });
  const leak = h("p", { class: "tc-why tc-leakage", "aria-live": "polite" });
  const root = frame({
    name: "masked-softmax",
    title: "Mask and softmax",
    told: h(
      "div",
      {},
      h(
        "div",
        { class: "tc-bar tc-where", role: "group", "aria-label": "Mask" },
        h("span", {}, "Mask"),
        ...places.map(({ button }) => button),
      ),
      h(
        "p",
        { class: "tc-ask" },
        "Press a token to change it. Only rows that may see it should move.",
      ),
      h("div", { class: "tc-follow" }, flow.keys, flow.node, shares.node, sums.node, outputs.node),
      leak,
    ),
    below: [
      h(
        "details",
        {},
        h("summary", {}, "Scores, padding, fill"),
        h("div", { class: "tc-bar" }, causal.node, pads.node, side.node, fill.node, half.node),
        h("div", { class: "tc-bar" }, change.node, redraw),
        h("div", { class: "tc-two-tables" }, scores.node, inside.node, rows.node),
        refused,
        said,
      ),
    ],
  });

  function update() {
    const state = now();
    const found = compute(state);
    const words = tokens(state);
    const called = words.map((name, j) => `${j + 1} ${name}`);
    for (const { node } of [scores, inside, shares, rows]) {
      const named = node === shares.node ? words : called;
      node.querySelectorAll("tbody th").forEach((head, i) => say(head, named[i]));
      if (node !== rows.node)
        node.querySelectorAll("thead th").forEach((head, j) => say(head, named[j]));
    }
    say(sums.head, "add up to 1?");
    say(outputs.head, `output when “${words[state.token]}” changes`);
    causal.set(state.causal);
    pads.set(state.pads);
    side.set(state.side);
    for (const { to, button } of places)
      button.setAttribute("aria-pressed", String(to === state.place));
    fill.set(state.fill);
    const fills = state.place === "before";
    fill.node.hidden = !fills;
    half.node.hidden = !fills || state.fill !== "-1e9";
    half.set(state.half ? "half" : "");
    change.set(state.change);

    const off = (i, j) => !found.may[i][j];
    each(fields, ({ node, show }, i, j) => {
      show();
      const [cell, x] = [node.parentElement, state.scores[i][j]];
      cell?.classList.toggle("tc-masked", off(i, j));
      if (cell) cell.dataset.kind = x < 0 ? "neg" : "pos";
      cell?.style.setProperty("--t", String(Math.min(1, Math.abs(x) / 3)));
    });
    inside.fill(found.masked, {
      masked: off,
      largest: Math.max(...state.scores.flat().map(Math.abs)),
    });
    for (const cell of inside.cells.flat())
      if (cell.textContent === "−1000000000") say(cell, "−1e9");
    shares.fill(found.weights, { kind: "weight", masked: off });
    rows.fill(found.rows, { largest: 20 });
    const leaky = new Set(found.leaks.flat());
    // A name is red where something leaks; that a row falls short of 1 its sum shows.
    shares.node.querySelectorAll("tbody th").forEach((head, i) => {
      const wrong = fault(found.weights[i], found.may[i]);
      const bad = leaky.has(i) || (wrong && !wrong.startsWith("it sums"));
      head.classList.toggle("tc-leaky", Boolean(bad));
    });
    found.rows.forEach(([sum, before, , , after], i) => {
      const [bar, shown] = [sums.cells[i], outputs.cells[i]];
      const kind = leaky.has(i) ? "leak" : found.may[i][state.token] ? "heard" : "held";
      bar.replaceChildren(h("i"), h("b", {}, format(sum)));
      bar.style.setProperty("--sum", String(Math.min(1, sum) || 0));
      bar.classList.toggle("tc-short", !(Math.abs(sum - 1) <= 0.005));
      shown.dataset.row = kind;
      say(shown, format(before) + (kind === "held" ? "" : ` → ${format(after)}`));
    });
    const old = found.rows.map((row) => row[1]);
    rows.mark(
      (i, j) =>
        (j > 1 && (found.leaks[j - 2] ?? [...leaky]).includes(i)) ||
        (!j && !(Math.abs(found.rows[i][0] - 1) <= 0.005)),
      "tc-wrong",
    );
    rows.mark((i, j) => j > 1 && found.rows[i][j] === old[i], "tc-same");
    shares.mark((i) => fault(found.weights[i], found.may[i]), "tc-wrong");
    const [first, second] = [verdict(state), leakage(state)];
    said.classList.toggle("tc-bad", first.startsWith("Wrong"));
    leak.classList.toggle("tc-bad", second.startsWith("Leak"));
    say(said, first);
    say(leak, second);
    flow.draw({ ...found, token: state.token, words, names: called });
  }

  return live({ model, el }, root, names, update);
}

export default { render };
