// @ts-check
// Who hears the changed token: an arrow to each output that it reaches, a bar where a mask holds.
import { format } from "./numbers.js";
import { say, svg } from "./shared.js";

const [ROW, BOX, WIDE] = [34, 98, 304];
const middle = (n) => n * ROW + ROW / 2 + 22;

/** `draw` gets the weights, the mask, the rows each leak reaches, and the words.
 * @param {number} length
 * @returns {{node: any, draw: (found: any) => void}} */
export function flowPicture(length) {
  const places = Array.from({ length }, (_, n) => n);
  const box = (x, n) =>
    svg("rect", { x, y: middle(n) - 13, width: BOX, height: 26, rx: 4, class: "tc-box" });
  const text = (x, n, anchor = "start") =>
    svg("text", { x, y: middle(n) + 4, "text-anchor": anchor });
  const [keys, rows] = [
    places.map((n) => ({ box: box(1, n), name: text(9, n) })),
    places.map((n) => ({
      box: box(WIDE - BOX - 1, n),
      name: text(WIDE - BOX + 7, n),
      output: text(WIDE - 9, n, "end"),
    })),
  ];
  const lines = places.map(() =>
    places.map(() => ({ path: svg("path"), head: svg("path", { class: "tc-point" }) })),
  );
  const [start, end] = [BOX + 3, WIDE - BOX - 4];
  const center = (start + end) / 2;
  const title = (x, words) => svg("text", { x, y: 12, class: "tc-axis-name" }, words);
  const node = svg(
    "svg",
    { class: "tc-flow", viewBox: `0 0 ${WIDE} ${middle(length) - 10}`, role: "img" },
    title(1, "keys, values"),
    title(WIDE - BOX - 1, "rows, output"),
    ...lines.flat().flatMap(({ path, head }) => [path, head]),
    ...keys.flatMap((parts) => Object.values(parts)),
    ...rows.flatMap((parts) => Object.values(parts)),
  );

  function draw({ weights, may, leaks, token, names, outputs }) {
    const leaky = new Set(leaks.flat());
    for (const i of places)
      for (const j of places) {
        const { path, head } = lines[i][j];
        const [from, to] = [middle(j), middle(i)];
        const own = j === token;
        const kind = !own ? "other" : leaky.has(i) ? "leak" : may[i][j] ? "heard" : "held";
        path.setAttribute("class", `tc-${kind}`);
        const weight = Number.isFinite(weights[i][j]) ? weights[i][j] : 0;
        path.style.strokeWidth = String(
          kind === "held" ? 1.5 : kind === "leak" ? 2.5 : (own ? 10 : 3) * weight,
        );
        const half = (from + to) / 2;
        path.setAttribute(
          "d",
          kind === "held"
            ? `M${start} ${from}Q${(start + center) / 2} ${from} ${center} ${half}m0 -6v12`
            : `M${start} ${from}C${center} ${from} ${center} ${to} ${end - (kind === "leak" ? 8 : 0)} ${to}`,
        );
        head.setAttribute("d", kind === "leak" ? `M${end} ${to}l-10 -6v12z` : "");
      }
    for (const n of places) {
      say(keys[n].name, names[n]);
      say(rows[n].name, names[n]);
      say(rows[n].output, format(outputs[n]));
      keys[n].box.classList.toggle("tc-chosen", n === token);
      rows[n].box.classList.toggle("tc-leaked", leaky.has(n));
    }
    const reached = places.filter((i) => leaky.has(i)).map((i) => names[i]);
    node.setAttribute(
      "aria-label",
      `From “${names[token]}”: ` +
        (reached.length
          ? `a leak to the output of ${reached.join(", ")}.`
          : "no leak; the mask holds."),
    );
  }
  return { node, draw };
}
