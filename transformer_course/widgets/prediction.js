// @ts-check
// Bars, a curve or choices that the reader locks in; then the truth is drawn over them.
import { asked, halves, together, verdict } from "./prediction_choices.js";
import { judged, numberAt, portion } from "./prediction_numbers.js";
import { barRow, chart, curveColumn, stroke } from "./prediction_scales.js";
import { MOVES, assign, h, live, press, save, say, take } from "./shared.js";
import { glide } from "./stage.js";
/** @import {Context} from "./types.js" */
/** @import {Scale} from "./prediction_numbers.js" */

/** What every prediction has: a question, something to guess with, and below it what is left to do
 * or what came true, and why. @param {any} model @param {any[]} body
 * @param {string} longest what may be said of a guess */
function framed(model, body, longest) {
  const title = "Your prediction";
  const lock = press("Lock in", () => {
    if (lock.getAttribute("aria-disabled") === "true") return;
    save(model, { locked: true });
    root.dispatchEvent(new CustomEvent("course:locked", { bubbles: true, composed: true }));
  });
  const [head, rest] = [h("b"), h("span")];
  const why = model.get("why") ?? "";
  const because = h("span", { class: "tc-because" });
  const root = h(
    "div",
    { class: "tc tc-prediction", role: "group", "aria-label": title },
    h("p", { class: "tc-kicker" }, title),
    h("p", { class: "tc-question" }, model.get("question")),
    ...body,
    h(
      "div",
      // Its style sets the longest answer unseen, behind all that is said: its height is kept free.
      { class: "tc-foot", "data-why": `${longest} ${why}` },
      h("p", { class: "tc-why", "aria-live": "polite" }, head, " ", rest, " ", because),
      lock,
    ),
  );
  /** @param {boolean} ready @param {{head: string, rest: string}} words */
  const tell = (ready, words) => {
    const locked = model.get("locked");
    root.classList.toggle("tc-locked", locked);
    lock.setAttribute("aria-disabled", String(locked || !ready));
    say(lock, locked ? "Locked" : "Lock in");
    say(head, words.head);
    say(rest, words.rest);
    say(because, locked ? why : "");
  };
  return { root, tell };
}

/** @param {Context} context @returns {() => void} clean-up */
function scaled({ model, el }) {
  const [truth, curve, unit] = ["truth", "curve", "unit"].map((name) => model.get(name));
  const labels = model.get("labels").map(together);
  const scale = /** @type {Scale} */ (
    Object.fromEntries(
      ["low", "high", "step", "log", "near"].map((name) => [name, model.get(name)]),
    )
  );
  const middle = numberAt(0.5, scale);
  /** null where nothing is guessed yet. @returns {(number | null)[]} */
  const guess = () => (model.get("guess").length ? model.get("guess") : labels.map(() => null));
  const put = (/** @type {[number, number][]} */ pairs, gently = false) => {
    if (model.get("locked")) return;
    const now = [...guess()];
    for (const [n, t] of pairs) if (!gently || now[n] === null) now[n] = numberAt(t, scale);
    save(model, { guess: now });
  };

  const rows = labels.map((label, n) => {
    const row = (curve ? curveColumn : barRow)(label);
    const key = (event) => {
      const [down, right] = MOVES[event.key] ?? [0, 0];
      const far = { PageUp: 0.1, PageDown: -0.1, Home: -2, End: 2 }[event.key] ?? 0;
      const little = scale.log ? 0.02 : scale.step / (scale.high - scale.low);
      const by = far || (right - down) * Math.max(0.01, little);
      if (!by && event.key !== "Enter" && event.key !== " ") return;
      take(event);
      put([[n, portion(guess()[n] ?? middle, scale) + by]]);
    };
    row.track.addEventListener("keydown", key);
    assign(row.track, {
      role: "slider",
      tabindex: 0,
      "aria-label": label,
      "aria-orientation": curve ? "vertical" : "horizontal",
      "aria-valuemin": scale.low,
      "aria-valuemax": scale.high,
    });
    return row;
  });
  const picture = chart({ rows, labels, scale, unit, curve, across: model.get("across") ?? "" });
  stroke(curve ? [picture.plot] : rows.map(({ track }) => track), curve, labels.length, put);
  // Nothing is as far off as infinity.
  const far = judged(
    labels.map(() => Infinity),
    truth,
    scale,
    unit,
  );
  const { root, tell } = framed(model, [picture.node], `${far.head} ${far.rest}`);
  root.classList.toggle("tc-curve", curve);

  // The truth leaves from the guess, so that the way it goes is the error.
  const draw = glide((at) => picture.truth(at), 700);

  function update() {
    const [own, locked] = [guess(), model.get("locked")];
    const full = own.map((x) => x ?? middle);
    const now = judged(full, truth, scale, unit);
    rows.forEach(({ track }, n) => {
      const [mine, real] = [now.said(full[n]), now.said(truth[n])];
      const text = locked ? `${mine}, measured ${real}` : own[n] === null ? "not set yet" : mine;
      assign(track, { "aria-valuenow": full[n], "aria-valuetext": text, "aria-disabled": locked });
    });
    const places = full.map((x) => portion(x, scale));
    picture.own(
      places,
      own.map((x) => x !== null),
    );
    const real = truth.map((x) => portion(x, scale));
    picture.locked(locked, { own: places, real, full, truth, hits: now.hits });
    draw(locked ? real : places);
    const left = own.filter((x) => x === null).length;
    const how = curve ? "Draw your curve across the picture." : "Drag each handle.";
    const more = left === 1 ? "One is left to set." : `${left} are left to set.`;
    const begin = { head: left < labels.length ? more : how, rest: "Arrow keys work too." };
    tell(!left, locked ? now : left ? begin : { head: "Sure?", rest: "Then lock it in." });
  }

  return live({ model, el }, root, ["guess", "locked"], update);
}

/** One of several, for each label. @param {Context} context @returns {() => void} clean-up */
function chosen({ model, el }) {
  const truth = model.get("truth");
  const [labels, choices] = ["labels", "choices"].map((name) => model.get(name).map(together));
  const guess = () => (model.get("guess").length ? model.get("guess") : labels.map(() => -1));
  const sets = (labels.length > 1 && halves(choices)) || [choices];
  const rows = labels.map((label, row) =>
    asked(label, sets, (n) => save(model, { guess: guess().toSpliced(row, 1, n) })),
  );
  const { root, tell } = framed(
    model,
    rows.map(({ node }) => node),
    Object.values(
      verdict(
        truth.map(() => -1),
        truth,
        true,
      ),
    ).join(" "),
  );
  root.classList.toggle("tc-many", labels.length > 1);

  function update() {
    const [own, locked] = [guess(), model.get("locked")];
    rows.forEach(({ draw }, n) => draw(own[n], truth[n], locked));
    tell(!own.includes(-1), verdict(own, truth, locked));
  }

  return live({ model, el }, root, ["guess", "locked"], update);
}

/** @param {Context} context @returns {() => void} clean-up */
const render = (context) => (context.model.get("choices").length ? chosen : scaled)(context);

export default { render };
