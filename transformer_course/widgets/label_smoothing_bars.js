// @ts-check
// A bar for each word, with what the target wants as an outline, and the push from one to the other.
import { handle } from "./handle.js";
import { LEAD, answer, leadOf, oneIn, share, target } from "./label_smoothing_numbers.js";
import { count, fixed } from "./numbers.js";
import { assign, say, svg } from "./shared.js";

const MOST = 8; // words that have a bar of their own
const [TOP, TALL] = [30, 196]; // of the bars, and of the picture

/** @param {string[]} names @param {number} width @param {(lead: number) => void} move
 * @param {(n: number) => void} step
 * @returns {{node: any, draw: (state: any) => void}} */
export function bars(names, width, move, step) {
  const narrow = width < 500;
  const [left, right] = [54, width - (narrow ? 52 : 124)];
  const at = (part) => left + (right - left) * part;
  const text = (kind, x, anchor = "end") =>
    svg("text", { class: `tc-${kind}`, x, "text-anchor": anchor });
  const lines = names.map(() => {
    const [room, p, q] = ["room", "p", "q"].map((kind) =>
      svg("rect", { class: `tc-${kind}`, x: left, rx: 3 }),
    );
    const [name, model, wanted] = [
      text("name", 0, "start"),
      text("model", right + 50),
      text("wanted", width),
    ];
    const push = svg("path", { class: "tc-push" });
    const node = svg("g", {}, room, p, q, push, name, model, ...(narrow ? [] : [wanted]));
    return { room, p, q, name, model, wanted, push, node };
  });
  const notes = [0, 1].map((n) =>
    svg("text", { class: "tc-note", x: narrow ? 0 : left, y: 128 + 18 * n }),
  );
  const heads = [
    [text("lead", 0, "start"), "“The cat sat on the …”"],
    [narrow ? text("note", width) : text("note", 206, "start"), "drag the dot"],
    [text("model", right + 50), narrow ? "" : "model"],
    [text("wanted", width), narrow ? "" : "target"],
  ].map(([node, words]) => (say(node, words), assign(node, { y: 14 }), node));
  const node = svg(
    "svg",
    { class: "tc-bars", viewBox: `0 0 ${width} ${TALL}` },
    ...heads,
    ...lines.map((line) => line.node),
    ...notes,
  );
  let size = 5;
  const dot = handle(node, {
    label: `Share of “${names[0]}”`,
    move: (x) => move(leadOf((x - left) / (right - left), size)),
    step,
  });

  function draw(state) {
    ({ size } = state);
    const [q, p] = [target(state), answer(state)];
    const many = size > MOST;
    const shown = many ? 2 : size;
    const pitch = (TALL - TOP) / Math.max(5, shown);
    const high = Math.round(0.58 * pitch);
    lines.forEach((line, n) => {
      line.node.toggleAttribute("hidden", n >= shown);
      const all = many && n ? size - 1 : 1; // the others of a large vocabulary, together
      const which = n ? "other" : "right";
      const [has, wants] = [all * p[which], all * q[which]];
      const y = TOP + n * pitch;
      assign(line.room, { y, height: high, width: at(1) - left });
      assign(line.p, { y, height: high, width: at(has) - left });
      assign(line.q, { y: y + 1, height: high - 2, width: Math.max(1, at(wants) - left) });
      for (const each of [line.name, line.model, line.wanted])
        each.setAttribute("y", String(y + high / 2 + 5));
      say(line.name, all > 1 ? "others" : names[n]);
      say(line.model, share(has));
      say(line.wanted, share(wants));
      // The arrow is as long as the gradient, on the scale of the bars.
      const [from, to, under] = [at(has), at(wants), y + high + pitch * 0.17];
      const long = Math.abs(to - from);
      const head = Math.min(6, long) * Math.sign(to - from);
      const barbs = `M${to - head} ${under - 3.5}L${to} ${under}L${to - head} ${under + 3.5}`;
      line.push.setAttribute("d", long > 2 ? `M${from} ${under}H${to}${barbs}` : "");
      if (!n) dot.put(at(has), y + high / 2, { ...LEAD, now: state.lead, text: share(has) });
    });
    const [model, wanted] = [p.other, q.other].map(oneIn);
    say(notes[0], many ? `The ${count(size - 1)} others together; each alone:` : "");
    say(notes[1], many ? `model ${model}, target ${wanted}` : "");
  }
  return { node, draw };
}
