// @ts-check
// A picture wider than its place says so: it fades at the edge behind which more is.

/** Mark a scrolling node's edges; call what is returned after its content changed.
 * @param {HTMLElement} node */
export function scrollEdges(node) {
  const mark = () => {
    const rest = node.scrollWidth - node.clientWidth - node.scrollLeft;
    node.classList.toggle("tc-before", node.scrollLeft > 2);
    node.classList.toggle("tc-after", rest > 2);
  };
  node.classList.add("tc-edges");
  node.addEventListener("scroll", mark);
  new ResizeObserver(mark).observe(node);
  return mark;
}
