// @ts-check
// Rows that change places: dragged by mouse or finger, and gliding to where they belong.

/** Play a short animation, where motion is welcome.
 * @param {any} node @param {Keyframe[]} frames @param {number} ms */
export function animate(node, frames, ms) {
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches)
    node.animate?.(frames, { duration: ms, easing: "ease-out" });
}

/** Rearrange, and let each node glide from its old place to its new one.
 * @param {any[]} nodes @param {() => void} rearrange */
export function flip(nodes, rearrange) {
  const top = (node) => node.getBoundingClientRect().top;
  const before = nodes.map(top);
  rearrange();
  nodes.forEach((node, n) => {
    const off = before[n] - top(node);
    if (off) animate(node, [{ translate: `0 ${off}px` }, { translate: "0 0" }], 200);
  });
}

/** The place of a dragged row: it has passed a neighbor when its edge is beyond the other's middle.
 * @param {{top: number, bottom: number}[]} boxes in their order @param {number} from
 * @param {number} shift how far it is dragged, in pixels */
export function landing(boxes, from, shift) {
  const { top, bottom } = boxes[from];
  const middle = (box) => (box.top + box.bottom) / 2;
  const above = boxes.slice(0, from).filter((box) => top + shift < middle(box)).length;
  const below = boxes.slice(from + 1).filter((box) => bottom + shift > middle(box)).length;
  return from - above + below;
}

/** What a press on a row's handle does: the row follows the pointer, its neighbors make room, and
 * `drop` is told the place where it is let go. Escape puts it back.
 * @param {any} row @param {() => boolean} free @param {(place: number) => void} drop */
export const dragRow = (row, free, drop) => (event) => {
  if (event.button || !free()) return;
  const list = row.parentElement;
  const rows = [...list.children];
  const from = rows.indexOf(row);
  const boxes = rows.map((each) => each.getBoundingClientRect());
  const room = boxes[from].height + boxes[1].top - boxes[0].bottom;
  const [least, most] = [
    boxes[0].top - boxes[from].top,
    boxes[rows.length - 1].bottom - boxes[from].bottom,
  ];
  const heard = new AbortController();
  const { signal } = heard;
  const handle = event.currentTarget;
  let to = from;

  const move = ({ pageY }) => {
    const shift = Math.min(most, Math.max(least, pageY - event.pageY));
    to = landing(boxes, from, shift);
    list.classList.add("tc-dragging");
    row.classList.add("tc-dragged");
    rows.forEach((each, n) => {
      const aside = n > from && n <= to ? -room : n < from && n >= to ? room : 0;
      each.style.translate = `0 ${n === from ? shift : aside}px`;
    });
  };
  const end = (place) => {
    heard.abort();
    flip(rows, () => {
      list.classList.remove("tc-dragging");
      row.classList.remove("tc-dragged");
      for (const each of rows) each.style.translate = "";
      if (place !== from) drop(place);
    });
  };
  handle.setPointerCapture(event.pointerId);
  handle.addEventListener("pointermove", move, { signal });
  handle.addEventListener("pointerup", () => end(to), { signal });
  handle.addEventListener("lostpointercapture", () => end(from), { signal });
  handle.addEventListener("pointercancel", () => end(from), { signal });
  document.addEventListener("keydown", ({ key }) => key === "Escape" && end(from), { signal });
};
