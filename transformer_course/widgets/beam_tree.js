// @ts-check
// Beam search, step by step, over next-token log-probabilities that the course's translator gave.
import { treeOf } from "./beam_tree_picture.js";
import { greedy, layout, pathTo, search, text, winners } from "./beam_tree_search.js";
import { nodeInWords, stepInWords } from "./beam_tree_words.js";
import { count, format, lengthPenalty } from "./numbers.js";
import { assign, choice, h, live, press, save, say, slider, svg, take } from "./shared.js";
/** @import {Table} from "./beam_tree_search.js" */
/** @import {Context} from "./types.js" */

const END = 99; // a step past every search's end

/** @param {Context} context @returns {() => void} clean-up */
function render({ model, el }) {
  /** @type {Table[]} */
  const searches = model.get("searches");
  const get = (name) => model.get(name);
  const set = (changes) => save(model, changes);
  let picked = -1; // none yet: the winner's end
  /** Winners by sentence and beam. @type {Record<string, ReturnType<typeof winners>>} */
  const known = {};
  let now = /** @type {any} */ (null);
  const go = (step) => set({ step: step >= now.steps.length ? END : Math.max(0, step) });

  const which = choice({
    label: "Sentence",
    options: searches.map(({ source }, n) => [n, source]),
    value: 0,
    change: (n) => {
      picked = -1;
      set({ sentence: Number(n) });
    },
  });
  const beam = slider({
    label: "Beam size",
    min: 1,
    max: 5,
    value: 4,
    change: (n) => set({ beam: n }),
  });
  const alpha = slider({
    label: "Length penalty α",
    min: 0,
    max: 1,
    step: 0.05,
    value: 0.6,
    show: (x) => x.toFixed(2),
    change: (x) => set({ alpha: x }),
  });
  const steps = slider({
    label: "Step",
    min: 0,
    max: 10,
    value: 0,
    show: (x) => `${x} of ${now?.steps.length ?? 0}`,
    change: go,
  });
  const back = press("← Back", () => go(now.step - 1));
  const next = press("Next →", () => go(now.step + 1));
  const lead = h("p", { class: "tc-say", "aria-live": "polite" });
  const stop = h("p", { class: "tc-stop" });
  const why = h("div", { class: "tc-why" }, h("span"), h("code"));
  const links = svg("g");
  const pick = (event) => {
    picked = Number(event.target.closest(".tc-box").dataset.node);
    explain();
  };
  const boxes = svg("g", { click: pick, focusin: pick, keydown: (event) => keydown(event) });
  const picture = svg("svg", { role: "group" }, links, boxes);
  const view = h("div", { class: "tc-view" }, picture);
  const body = h("tbody");
  const heads = ["Found", "log p", "|Y|", "penalty", "score"].map((name) =>
    h("th", { scope: "col" }, name),
  );
  const caption = h("caption");
  const result = h(
    "div",
    { class: "tc-op" },
    h("table", {}, caption, h("thead", {}, h("tr", {}, ...heads)), body),
  );
  const verdict = h("p", { class: "tc-verdict", role: "status" });
  const byAlpha = h("p");
  const keys = [
    ["kept", "kept"],
    ["dropped", "dropped"],
    ["finished", "finished"],
  ].map(([kind, name]) => h("span", {}, h("i", { "data-fate": kind }), name));
  const lines = [
    ["tc-best", "way to the winner"],
    ["tc-greedy", "greedy's way"],
  ].map(([kind, name]) =>
    h(
      "span",
      {},
      svg(
        "svg",
        { width: 28, height: 8, "aria-hidden": true },
        svg("path", { class: kind, d: "M0 4H28" }),
      ),
      ` ${name}`,
    ),
  );
  const root = h(
    "div",
    { class: "tc tc-beam", role: "group", "aria-label": "Beam search, step by step" },
    h("div", { class: "tc-bar" }, which.node, beam.node, alpha.node),
    h("div", { class: "tc-bar" }, back, next, steps.node),
    lead,
    view,
    h("p", { class: "tc-legend" }, ...keys, ...lines, "+ joins a piece to the one before."),
    why,
    stop,
    result,
    verdict,
    byAlpha,
  );

  /** The box of a node, if it is drawn. @param {number} node */
  const boxOf = (node) => boxes.querySelector(`[data-node="${node}"]`);
  const keydown = (event) => {
    const at = now.places.get(picked);
    const near = (nodes) =>
      nodes
        .filter((node) => boxOf(node))
        .sort(
          (a, b) => Math.abs(now.places.get(a)[1] - at[1]) - Math.abs(now.places.get(b)[1] - at[1]),
        )[0];
    const column = [...now.places.keys()].filter(
      (node) => now.places.get(node)[0] === at[0] && boxOf(node),
    );
    const wanted = {
      ArrowUp: () => near(column.filter((node) => now.places.get(node)[1] < at[1])),
      ArrowDown: () => near(column.filter((node) => now.places.get(node)[1] > at[1])),
      ArrowLeft: () => (picked ? now.table.parent[picked] : undefined),
      ArrowRight: () =>
        near([...now.places.keys()].filter((node) => now.table.parent[node] === picked)),
      Home: () => 0,
    }[event.key];
    if (!wanted) return;
    take(event);
    boxOf(wanted() ?? picked)?.focus();
  };

  /** How the chosen node came to its number. */
  function explain() {
    if (!boxOf(picked)) picked = 0;
    for (const box of boxes.children) {
      const on = Number(box.dataset.node) === picked;
      box.classList.toggle("tc-pick", on);
      box.setAttribute("tabindex", on ? 0 : -1);
    }
    const said = nodeInWords(now, picked, get("alpha"));
    [...why.children].forEach((node, n) => say(node, said[n]));
  }

  function draw() {
    const held = boxes.contains(document.activeElement);
    const { width, height, edges, nodes } = treeOf(now, get("beam"));
    assign(picture, { width, height, viewBox: `0 0 ${width} ${height}` });
    links.replaceChildren(...edges);
    boxes.replaceChildren(...nodes);
    explain();
    if (held) boxOf(picked)?.focus();
    else if (Number(view.dataset.width) !== width)
      queueMicrotask(() => {
        view.scrollLeft = width;
      }); // the newest step stays in sight
    view.dataset.width = String(width);
  }

  function drawTable() {
    const { table, finished, greedyPath, greedyScore } = now;
    const cells = (name, { total, length, penalty, score }, kind, mark) =>
      h(
        "tr",
        { class: kind },
        h("th", { scope: "row" }, h("b", {}, mark), ` ${name}`),
        ...[format(total), count(length), format(penalty), format(score)].map((x) =>
          h("td", {}, x),
        ),
      );
    const rows = finished.map((each, n) =>
      cells(text(table, pathTo(table, each.node)), each, n ? "" : "tc-first", `${n + 1}`),
    );
    say(
      caption,
      finished.length
        ? "Whole sentences so far, best first: score = log p ÷ penalty"
        : "No sentence is finished yet",
    );
    body.replaceChildren(
      ...rows,
      cells(
        `${text(table, greedyPath)}${now.cut ? " … (no room for an end)" : ""}`,
        greedyScore,
        "tc-row",
        "greedy",
      ),
    );
  }

  function update() {
    const table = searches[get("sentence")] ?? searches[0];
    const all = search(table, get("beam"), get("alpha"));
    const step = Math.min(get("step"), all.length);
    const seen = all.slice(0, step);
    const finished = seen[step - 1]?.finished ?? [];
    const greedyPath = greedy(table);
    const cut = table.piece[greedyPath[greedyPath.length - 1]] !== table.end;
    const total = greedyPath.reduce((sum, node) => sum + table.log_prob[node] / 10_000, 0);
    const penalty = lengthPenalty(greedyPath.length, get("alpha"));
    now = {
      table,
      step,
      seen,
      finished,
      greedyPath,
      cut,
      steps: all,
      all: all.length,
      places: layout(seen, get("beam")),
      known: new Map(seen.flatMap(({ candidates }) => candidates.map((each) => [each.node, each]))),
      best: finished.length ? pathTo(table, finished[0].node) : [],
      greedyScore: { total, length: greedyPath.length, penalty, score: total / penalty },
    };
    if (picked < 0) picked = now.best.at(-1) ?? 0;
    which.set(get("sentence"));
    beam.set(get("beam"));
    alpha.set(get("alpha"));
    steps.input.max = all.length;
    steps.set(step);
    back.setAttribute("aria-disabled", String(step === 0));
    next.setAttribute("aria-disabled", String(step === all.length));
    picture.setAttribute(
      "aria-label",
      `Tree of the search after step ${step}; arrow keys move between its boxes`,
    );
    draw();
    drawTable();
    const ranges = () =>
      (known[`${get("sentence")} ${get("beam")}`] ??= winners(table, get("beam")));
    const said = stepInWords(now, get("beam"), ranges);
    [lead, stop, verdict, byAlpha].forEach((node, n) => say(node, said[n]));
  }

  return live({ model, el }, root, ["sentence", "beam", "alpha", "step"], update);
}

export default { render };
