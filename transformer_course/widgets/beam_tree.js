// @ts-check
// Beam search, step by step, over next-token log-probabilities that the course's translator gave.
import { greedy, layout, pathTo, search, shown, text, winners } from "./beam_tree_search.js";
import { count, fixed, format, lengthPenalty } from "./numbers.js";
import { choice, h, live, press, save, say, slider, svg, take } from "./shared.js";
/** @import {Table} from "./beam_tree_search.js" */

const END = 99; // a step past every search's end
const [WIDE, ROW, START] = [80, 38, 50]; // of a column, a row, the first box
const [BOX, TALL] = [69, 32];
const WORDS = { kept: "kept", dropped: "dropped", finished: "finished" };

/** @param {{model: any, el: HTMLElement}} context @returns {() => void} clean-up */
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
    const { table, known, step } = now;
    if (!boxOf(picked)) picked = 0;
    for (const box of boxes.children) {
      const on = Number(box.dataset.node) === picked;
      box.classList.toggle("tc-pick", on);
      box.setAttribute("tabindex", on ? 0 : -1);
    }
    const [words, sum] = why.children;
    if (!picked) {
      say(
        words,
        "The sentence starts with nothing, log-probability 0. Choose a box to see its number " +
          `come about${step ? "" : "; press Next to grow the tree"}.`,
      );
      return say(sum, "");
    }
    const each = known.get(picked);
    const before = each.total - table.log_prob[picked] / 10_000;
    const place = `place ${each.rank + 1} of its step`;
    const end = table.piece[picked] === table.end;
    const low = end && each.fate === "dropped";
    say(
      words,
      `“${text(table, pathTo(table, picked))}”${end ? ", the end" : ""}: ${place}, ` +
        WORDS[each.fate] +
        (low ? " (an end counts among the first of a step only)." : "."),
    );
    const { length } = pathTo(table, picked);
    const score =
      each.score === undefined
        ? ""
        : `; score = ${format(each.total)} ÷ ((5 + ${length}) ÷ 6)^${get("alpha").toFixed(2)} = ` +
          `${format(each.score)}`;
    say(
      sum,
      `log p = ${format(before)} + log ${fixed(Math.exp(table.log_prob[picked] / 10_000), 3)} = ` +
        `${format(each.total)}${score}`,
    );
  }

  function draw() {
    const { table, seen, places, best, greedyPath } = now;
    const [onBest, onGreedy] = [new Set(best), new Set(greedyPath)];
    const at = (node) => {
      const [column, row] = places.get(node);
      return [column ? START + (column - 1) * WIDE + 12 : 4, row * ROW + 5];
    };
    const width = START + seen.length * WIDE + 6;
    const height = 2 * get("beam") * ROW + 6;
    for (const [name, size] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` }))
      picture.setAttribute(name, size);
    const candidates = seen.flatMap((each) => each.candidates);
    const line = ({ node, parent }) => {
      const [[x1, y1], [x2, y2]] = [at(parent), at(node)];
      const from = parent ? x1 + BOX : START;
      const middle = (from + x2) / 2;
      return (
        `M${from} ${y1 + TALL / 2}C${middle} ${y1 + TALL / 2} ${middle} ${y2 + TALL / 2} ` +
        `${x2} ${y2 + TALL / 2}`
      );
    };
    /** One path for all edges of a kind: a drag draws the tree in every frame. */
    const edges = (kind, wanted) =>
      svg("path", { class: kind, d: candidates.filter(wanted).map(line).join("") });
    const box = ({ node, total, fate, score, rank }) => {
      const [x, y] = at(node);
      const name = shown(table, node);
      const wide = node ? BOX : START - 4;
      const short = name.length > 12 ? `${name.slice(0, 11)}…` : name;
      const number = node ? format(total) : "0";
      const told = [
        `${name}, ${number}, ${WORDS[fate]}, place ${rank + 1}`,
        ...(score === undefined ? [] : [`score ${format(score)}`]),
        ...(onBest.has(node) ? ["on the winner's way"] : []),
        ...(onGreedy.has(node) ? ["on greedy's way"] : []),
      ].join(", ");
      const group = svg(
        "g",
        {
          class: "tc-box",
          "data-node": node,
          "data-fate": fate,
          transform: `translate(${x} ${y})`,
          role: "button",
          tabindex: -1,
          "aria-label": node ? told : "start",
          "data-lm-suppress-shortcuts": true,
        },
        svg("rect", { width: wide, height: TALL, rx: 5 }),
        svg(
          "text",
          {
            x: wide / 2,
            y: 14,
            textLength: short.length > 8 ? wide - 6 : null,
            lengthAdjust: "spacingAndGlyphs",
          },
          short,
        ),
        svg(
          "text",
          { x: wide / 2, y: 27, class: "tc-total" },
          score === undefined ? number : `→ ${format(score)}`,
        ),
      );
      if (onBest.has(node)) group.dataset.best = "true";
      return group;
    };
    const held = boxes.contains(document.activeElement);
    links.replaceChildren(
      edges("tc-dropped", ({ fate }) => fate === "dropped"),
      edges("tc-kept", ({ fate }) => fate !== "dropped"),
      edges("tc-best", ({ node }) => onBest.has(node)),
      edges("tc-greedy", ({ node }) => onGreedy.has(node)),
    );
    boxes.replaceChildren(
      ...[{ node: 0, parent: -1, total: 0, rank: 0, fate: "kept" }, ...candidates].map(box),
    );
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

  function words() {
    const { seen, all, step, finished, greedyPath, greedyScore, table } = now;
    const last = seen[seen.length - 1];
    if (!last)
      return [
        "Step 0: nothing is written yet. At each step the beam will keep the likeliest " +
          `${get("beam") > 1 ? `${get("beam")} beginnings` : "beginning"}.`,
        "",
        "",
        "",
      ];
    const fate = (name) => last.candidates.filter((each) => each.fate === name).length;
    const full =
      last.length > table.limit
        ? " There is no room for another token: only the end may follow."
        : "";
    const lead =
      `Step ${step} of ${all}: the ${last.candidates.length} likeliest continuations ` +
      `are looked at; ${fate("finished")} finished, ${fate("kept")} kept, ${fate("dropped")} ` +
      `dropped.${full}`;
    let stopped = "";
    if (last.stop)
      stopped =
        last.stop.best === undefined
          ? "The search stops: no beginning is left."
          : `The search stops: the best beginning left has ${format(last.stop.best)}. At most ` +
            `${count(table.limit + 1)} tokens long, it could score ${format(last.stop.bound)} at ` +
            `best, and ${count(get("beam"))} ` +
            `${get("beam") > 1 ? "sentences score" : "sentence scores"} at least ` +
            `${format(last.stop.worst)}.`;
    if (!last.stop || !finished.length) return [lead, stopped, "", ""];
    const winner = text(table, pathTo(table, finished[0].node));
    const other = text(table, greedyPath);
    const numbers = ({ total, score }) => `(log p ${format(total)}, score ${format(score)})`;
    const ranges = (known[`${get("sentence")} ${get("beam")}`] ??= winners(table, get("beam")));
    const parts = ranges.map(
      ({ from, to, sentence }) => `${from.toFixed(2)} to ${to.toFixed(2)} “${sentence}”`,
    );
    const lengths =
      ranges.length < 2 ? "Every α from 0 to 1 has this winner." : `By α: ${parts.join(" · ")}`;
    return [
      lead,
      stopped,
      winner === other
        ? `Beam and greedy agree on “${winner}” ${numbers(finished[0])}.`
        : `The beam finds “${winner}” ${numbers(finished[0])}; greedy wrote “${other}” ` +
          `${numbers(greedyScore)}.`,
      lengths,
    ];
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
    back.setAttribute("aria-disabled", step === 0);
    next.setAttribute("aria-disabled", step === all.length);
    picture.setAttribute(
      "aria-label",
      `Tree of the search after step ${step}; arrow keys move between its boxes`,
    );
    draw();
    drawTable();
    const said = words();
    [lead, stop, verdict, byAlpha].forEach((node, n) => say(node, said[n]));
  }

  return live({ model, el }, root, ["sentence", "beam", "alpha", "step"], update);
}

export default { render };
