// @ts-check
// Bars, a curve or choices that the reader locks in; then the truth is drawn over them.
import { plain } from "./numbers.js";
import { asked, verdict } from "./prediction_choices.js";
import { farthest, numberAt, portion, ticks } from "./prediction_numbers.js";
import { MOVES, assign, h, live, press, save, say, svg, take } from "./shared.js";
import { frame, glide } from "./stage.js";
/** @import {Context} from "./types.js" */
/** @import {Scale} from "./prediction_numbers.js" */

const [WIDE, TALL] = [100, 100]; // of the curve's drawing, in percent

/** @param {Context} context @returns {() => void} clean-up */
function scaled({ model, el }) {
  const [labels, truth, curve] = ["labels", "truth", "curve"].map((name) => model.get(name));
  const unit = model.get("unit") && ` ${model.get("unit")}`;
  const scale = /** @type {Scale} */ (
    Object.fromEntries(["low", "high", "step", "log"].map((name) => [name, model.get(name)]))
  );
  const start = labels.map(() => numberAt(0.5, scale));
  const guess = () => (model.get("guess").length ? model.get("guess") : start);
  const said = (x) => plain(x) + unit;
  const put = (n, x) => {
    if (model.get("locked")) return;
    save(model, { guess: guess().map((old, m) => (m === n ? x : old)) });
  };

  const rows = labels.map((label, n) => {
    const [fill, mark, output] = [h("i"), h("u", { hidden: "" }), h("output")];
    const drag = (event) => {
      if (!event.buttons) return;
      const box = track.getBoundingClientRect();
      const across = (event.clientX - box.left) / box.width;
      put(n, numberAt(curve ? 1 - (event.clientY - box.top) / box.height : across, scale));
    };
    const key = (event) => {
      const [down, right] = MOVES[event.key] ?? [0, 0];
      const far = { PageUp: 0.1, PageDown: -0.1, Home: -2, End: 2 }[event.key] ?? 0;
      const little = scale.log ? 0.02 : scale.step / (scale.high - scale.low);
      const by = far || (right - down) * Math.max(0.01, little);
      if (!by) return;
      take(event);
      put(n, numberAt(portion(guess()[n], scale) + by, scale));
    };
    const track = h(
      "div",
      {
        class: "tc-track",
        role: "slider",
        tabindex: 0,
        "aria-label": label,
        "aria-orientation": curve ? "vertical" : "horizontal",
        "aria-valuemin": scale.low,
        "aria-valuemax": scale.high,
        pointerdown: drag,
        pointermove: drag,
        pointerenter: (event) => curve && drag(event),
        keydown: key,
      },
      fill,
      mark,
    );
    const node = h("div", { class: "tc-guess" }, h("span", {}, label), track, output);
    return { node, track, fill, mark, output };
  });
  const lines = ["tc-yours", "tc-true"].map((name) => svg("polyline", { class: name }));
  const box = { viewBox: `0 0 ${WIDE} ${TALL}`, preserveAspectRatio: "none", "aria-hidden": true };
  const over = curve ? [svg("svg", box, ...lines)] : [];
  const lock = press("Lock in", () => save(model, { guess: guess(), locked: true }));
  const told = h("p", { class: "tc-why", "aria-live": "polite" });
  const named = ticks(scale, curve ? 2 : 5).map((x, n, all) => {
    const at = `${curve ? "bottom" : "left"}: ${100 * portion(x, scale)}%`;
    const last = n < all.length - 1 ? [] : [h("b", {}, unit)];
    return { line: h("s", { style: at }), name: h("span", { style: at }, plain(x), ...last) };
  });
  const axis = (kind, key) =>
    h("div", { class: kind, "aria-hidden": "true" }, h("div", {}, ...named.map((x) => x[key])));
  const root = frame({
    name: "prediction",
    title: "Your prediction",
    told: h("p", {}, model.get("question")),
    below: [
      h(
        "div",
        { class: "tc-guesses" },
        axis("tc-scale", "name"),
        axis("tc-scale tc-gridlines", "line"),
        ...over,
        ...rows.map(({ node }) => node),
      ),
      h("div", { class: "tc-bar" }, lock),
      told,
    ],
  });
  root.classList.toggle("tc-curve", curve);

  const points = (values) =>
    values.map((t, n) => `${((n + 0.5) * WIDE) / values.length},${(1 - t) * TALL}`).join(" ");
  // The truth leaves from the guess, so that the way it goes is the error.
  const draw = glide((at) => {
    rows.forEach(({ mark }, n) => {
      mark.style[curve ? "bottom" : "left"] = `${100 * at[n]}%`;
    });
    assign(lines[1], { points: points(at) });
  }, 700);

  function update() {
    const [now, locked] = [guess(), model.get("locked")];
    const own = now.map((x) => portion(x, scale));
    rows.forEach(({ track, fill, mark, output }, n) => {
      fill.style[curve ? "height" : "width"] = `${100 * own[n]}%`;
      assign(track, {
        "aria-valuenow": now[n],
        "aria-valuetext": locked ? `${said(now[n])}, measured ${said(truth[n])}` : said(now[n]),
        "aria-disabled": locked,
      });
      say(output, locked ? `${said(now[n])} → ${said(truth[n])}` : said(now[n]));
      mark.hidden = !locked;
    });
    assign(lines[0], { points: points(own) });
    lines[1].toggleAttribute("hidden", !locked);
    draw(locked ? truth.map((x) => portion(x, scale)) : own);
    lock.setAttribute("aria-disabled", String(locked));
    const worst = farthest(now, truth, scale);
    const which = labels.length > 1 ? `Farthest off at ${labels[worst]}: ` : "";
    say(
      told,
      locked
        ? `${which}you said ${said(now[worst])}, measured is ${said(truth[worst])}.`
        : `${curve ? "Draw your curve across the picture" : "Drag, or use the arrow keys"}, then lock it in.`,
    );
  }

  return live({ model, el }, root, ["guess", "locked"], update);
}

/** One of several, for each label. @param {Context} context @returns {() => void} clean-up */
function chosen({ model, el }) {
  const [labels, truth, choices] = ["labels", "truth", "choices"].map((name) => model.get(name));
  const guess = () => (model.get("guess").length ? model.get("guess") : labels.map(() => -1));
  const rows = labels.map((label, row) =>
    asked(label, choices, (n) => save(model, { guess: guess().toSpliced(row, 1, n) })),
  );
  const lock = press("Lock in", () => guess().includes(-1) || save(model, { locked: true }));
  const told = h("p", { class: "tc-why", "aria-live": "polite" });
  const root = frame({
    name: "prediction",
    title: "Your prediction",
    told: h("p", {}, model.get("question")),
    below: [...rows.map(({ node }) => node), h("div", { class: "tc-bar" }, lock), told],
  });

  function update() {
    const [own, locked] = [guess(), model.get("locked")];
    rows.forEach(({ draw }, n) => draw(own[n], truth[n], locked));
    lock.setAttribute("aria-disabled", String(locked || own.includes(-1)));
    say(told, verdict(own, truth, choices, locked));
  }

  return live({ model, el }, root, ["guess", "locked"], update);
}

/** @param {Context} context @returns {() => void} clean-up */
const render = (context) => (context.model.get("choices").length ? chosen : scaled)(context);

export default { render };
