// @ts-check
// The kinds of exercises: each makes {node, draw}, and calls change(entry).
import { firstEntry, parseNumber } from "./grading.js";
import { dragRow, flip } from "./moving.js";
import { pairs } from "./page_exercise_pairs.js";
import { bare, inline } from "./prose.js";
import { MOVES, check, h, press, say, take } from "./shared.js";

/** A table of cells that arrow keys go between; one of them is in the tab order. */
function grid({ axes = "", rows, columns }, make) {
  const cells = rows.map((row, i) =>
    columns.map((column, j) => {
      const cell = make(i, j);
      cell.ariaLabel = `${row}, ${column}`;
      cell.tabIndex = i || j ? -1 : 0;
      cell.addEventListener("focus", () => {
        for (const other of cells.flat()) other.tabIndex = other === cell ? 0 : -1;
      });
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
      return cell;
    }),
  );
  const heads = columns.map((column) => h("th", { scope: "col" }, column));
  const lines = cells.map((line, i) =>
    h("tr", {}, h("th", { scope: "row" }, rows[i]), ...line.map((cell) => h("td", {}, cell))),
  );
  const table = h("table", {}, h("tr", {}, h("td"), ...heads), ...lines);
  if (axes) table.prepend(h("caption", {}, axes));
  const draw = (show, marks) =>
    cells.forEach((line, i) => {
      const off = (j) => marks.some((mark) => mark[0] === i && mark[1] === j);
      lines[i].classList.toggle("tc-row", off());
      line.forEach((cell, j) => show(cell, i, j, off(j)));
    });
  return { node: h("div", { class: "tc-op" }, table), draw };
}
const swap = (rows, i, j, value) => rows.with(i, rows[i].with(j, value));

/** A line of numbers: up to two tries on each side of the answer, which is somewhere at its name.
 * @param {any} exercise @param {string[]} tried @param {string} name "?" until it is known */
export function line({ answer, unit }, tried, name) {
  const at = (text) => (text === name ? answer : parseNumber(text, unit).value);
  const all = [name, ...tried].sort((a, b) => at(a) - at(b));
  const here = all.indexOf(name);
  return all
    .slice(Math.max(0, here - 2), here + 3)
    .map((text) => (text === name ? h("b", {}, h("i", {}, text)) : h("span", {}, text)));
}

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
    // What holds, and why, stands in the card itself when it is over.
    const whys = options.map(({ right, why }) => [
      h("b", { role: "img", "aria-label": right ? "Holds." : "Does not hold." }, "✗✓"[+right]),
      h("small", {}, ...inline(why)),
    ]);
    boxes.forEach(({ node, input }, n) => {
      if (one) Object.assign(input, { type: "radio", name });
      input.addEventListener("keydown", (event) => event.stopPropagation());
      const [mark, why] = whys[n];
      node.append(mark, h("span", {}, `${n + 1}. `, ...inline(options[n].text), why));
    });
    return {
      node: h("div", {}, ...boxes.map(({ node }) => node)),
      draw: (entry, { over, marks }) =>
        boxes.forEach(({ node, input }, n) => {
          const off = entry.includes(n) && (one ? marks[0] >= 0 : marks.includes(n));
          node.classList.toggle("tc-off", off);
          input.checked = entry.includes(n);
          input.hidden = over;
          for (const part of whys[n]) part.hidden = !over;
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
      node: list,
      draw(entry, { over, marks }) {
        if (String(now) !== String(entry))
          flip(items, () => list.append(...entry.map((n) => items[n])));
        [now, stuck] = [entry, over];
        entry.forEach((n, place) => {
          say(numbers[n], `${place + 1}${marks.includes(place) ? "↓" : "."}`);
          items[n].classList.toggle("tc-off", marks.includes(place));
        });
      },
    };
  },
  match: pairs,
};
