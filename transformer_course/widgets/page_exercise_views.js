// @ts-check
// The kinds of exercises: each makes {node, draw}, and calls change(entry).
import { firstEntry } from "./grading.js";
import { dragRow, flip } from "./moving.js";
import { bare, inline } from "./prose.js";
import { MOVES, check, choice, h, press, say, take } from "./shared.js";
import { each, numberTable } from "./table.js";

/** A table of cells that arrow keys go between; one of them is in the tab order. */
function grid({ axes = "", rows, columns }, make) {
  const table = numberTable({ caption: "", hint: axes, rows, columns });
  const cells = rows.map((_, i) =>
    columns.map((_, j) => {
      const cell = make(i, j);
      cell.tabIndex = i || j ? -1 : 0;
      cell.addEventListener("focus", () =>
        each(cells, (other) => {
          other.tabIndex = other === cell ? 0 : -1;
        }),
      );
      cell.addEventListener("keydown", (event) => {
        const [down, right] = MOVES[event.key] ?? [];
        if (
          !MOVES[event.key] ||
          (right && cell.value && cell.selectionEnd !== (right < 0 ? 0 : cell.value.length))
        )
          return;
        take(event);
        cells[i + down]?.[j + right]?.focus();
      });
      table.cells[i][j].replaceWith(cell);
      return cell;
    }),
  );
  const draw = (show, marks) =>
    each(cells, (cell, i, j) =>
      show(
        cell,
        i,
        j,
        marks.some(([a, b]) => a === i && b === j),
      ),
    );
  return { node: table.node, draw };
}
const swap = (rows, i, j, value) => rows.with(i, rows[i].with(j, value));

export const VIEWS = {
  number({ asks, unit }, change, submit) {
    const input = h("input", {
      autocomplete: "off",
      "aria-label": "Your number",
      input: () => change(input.value),
      keydown(event) {
        if (event.key === "Enter") submit(take(event));
      },
    });
    return {
      node: h("p", { class: "tc-line" }, input, unit, h("small", {}, `(${asks})`)),
      draw(entry, { over }) {
        Object.assign(input, { value: entry, readOnly: over });
      },
    };
  },
  matrix(exercise, change) {
    let now = [];
    const { node, draw } = grid(exercise, (i, j) =>
      h("input", {
        autocomplete: "off",
        placeholder: "?",
        "aria-label": `${exercise.rows[i]}, ${exercise.columns[j]}`,
        input: (event) => change(swap(now, i, j, event.target.value)),
      }),
    );
    return {
      node,
      draw: (entry, { over, marks }) =>
        draw((input, i, j, off) => {
          now = entry;
          if (input.value !== entry[i][j]) input.value = entry[i][j];
          input.readOnly = over;
          input.setAttribute("aria-invalid", off);
        }, marks),
    };
  },
  mask(exercise, change) {
    let [now, brush, painted, stuck] = [firstEntry(exercise), true, false, false];
    const paint = (i, j, value) => {
      if (!stuck && now[i][j] !== value) change(swap(now, i, j, value));
    };
    const { node, draw } = grid(exercise, (i, j) =>
      press(
        "",
        (event) => {
          // A finger or a key; the mouse has painted.
          if (!painted || !event.detail) paint(i, j, !now[i][j]);
        },
        {
          pointerdown(event) {
            painted = event.pointerType === "mouse";
            brush = !now[i][j];
            if (painted) paint(i, j, brush);
          },
          pointerenter(event) {
            if (painted && event.buttons === 1) paint(i, j, brush);
          },
          "aria-label": `${exercise.rows[i]}, ${exercise.columns[j]}`,
        },
      ),
    );
    return {
      node,
      draw: (entry, { over, marks }) =>
        draw((cell, i, j, off) => {
          [now, stuck] = [entry, over];
          say(cell, `${entry[i][j] ? "✓" : "·"}${off ? "?" : ""}`);
          cell.setAttribute("aria-pressed", entry[i][j]);
          cell.classList.toggle("tc-off", off);
        }, marks),
    };
  },
  choice({ options, answer }, change) {
    const one = answer.length === 1;
    const name = `tc-${Math.random()}`;
    const boxes = options.map((_, n) =>
      check({
        label: "",
        value: false,
        change: () =>
          change(one ? [n] : boxes.flatMap(({ input }, m) => (input.checked ? [m] : []))),
      }),
    );
    const whys = options.map(({ right, why }) =>
      h(
        "p",
        { class: "tc-answer" },
        h("b", { class: right ? "tc-yes" : "" }, right ? "✓ Holds. " : "✗ Does not hold. "),
        ...inline(why),
      ),
    );
    boxes.forEach(({ node, input }, n) => {
      if (one) Object.assign(input, { type: "radio", name });
      input.addEventListener("keydown", (event) => event.stopPropagation());
      node.append(h("span", {}, `${n + 1}. `, ...inline(options[n].text)));
    });
    return {
      node: h("div", {}, ...boxes.flatMap(({ node }, n) => [node, whys[n]])),
      draw: (entry, { over }) =>
        boxes.forEach(({ input }, n) => {
          input.checked = entry.includes(n);
          input.disabled = over;
          whys[n].hidden = !over;
        }),
    };
  },
  order({ lines }, change) {
    let [now, stuck] = [[-1], false];
    const move = (n, to) => {
      if (!stuck && to in lines) change(now.filter((other) => other !== n).toSpliced(to, 0, n));
    };
    const numbers = lines.map(() => h("span"));
    const items = lines.map((line, n) => {
      const by = (event, step) => {
        move(n, now.indexOf(n) + step);
        event.target.focus();
      };
      const arrow = (sign, word, step) =>
        press(sign, (event) => by(event, step), {
          tabindex: -1,
          "aria-label": `Move ${word}: ${bare(line)}`,
        });
      const keydown = (event) => {
        const step = MOVES[event.key]?.[0];
        if (!step) return;
        take(event);
        by(event, step);
      };
      const item = h("li");
      const drag = dragRow(
        item,
        () => !stuck,
        (place) => move(n, place),
      );
      // A finger on the words scrolls the page: it drags by the handle.
      const pointerdown = (event) => event.pointerType === "mouse" && drag(event);
      item.append(
        h("span", { class: "tc-drag", "aria-hidden": "true", pointerdown: drag }, "⋮⋮"),
        h(
          "button",
          { type: "button", class: "tc-grip", keydown, pointerdown },
          numbers[n],
          h("span", {}, ...inline(line)),
        ),
        arrow("↑", "up", -1),
        arrow("↓", "down", 1),
      );
      return item;
    });
    const list = h("ol", { class: "tc-order" }, ...items);
    return {
      node: h("div", {}, list, h("small", {}, "Drag a line, or Tab to it: ↑ and ↓ move it.")),
      draw(entry, { over, marks }) {
        if (String(now) !== String(entry))
          flip(items, () => list.append(...entry.map((n) => items[n])));
        [now, stuck] = [entry, over];
        list.classList.toggle("tc-over", over);
        entry.forEach((n, place) => {
          say(numbers[n], `${place + 1}${marks.includes(place) ? "?" : "."}`);
          items[n].classList.toggle("tc-off", marks.includes(place));
        });
      },
    };
  },
  match({ lefts, rights }, change) {
    let now = [];
    const options = [[-1, "choose…"], ...rights.map((right, m) => [m, bare(right)])];
    const lists = lefts.map((left, n) =>
      choice({ label: "", options, value: -1, change: (to) => change(now.with(n, Number(to))) }),
    );
    lists.forEach(({ node, input }, n) => {
      node.firstChild.append(...inline(lefts[n]));
      input.setAttribute("aria-label", bare(lefts[n]));
    });
    return {
      node: h("div", { class: "tc-pairs" }, ...lists.map(({ node }) => node)),
      draw: (entry, { over, marks }) =>
        lists.forEach(({ input, set }, n) => {
          now = entry;
          set(entry[n]);
          input.disabled = over;
          input.setAttribute("aria-invalid", marks.includes(n));
        }),
    };
  },
};
