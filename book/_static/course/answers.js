// @ts-check
// Who has locked a prediction in wants to know: the folded answer below it opens.

addEventListener("course:locked", ({ target }) => {
  let below = /** @type {Element} */ (target).closest(".cell")?.nextElementSibling;
  while (below?.classList.contains("cell")) below = below.nextElementSibling;
  if (!below?.matches(".solution.toggle-hidden")) return;
  /** @type {HTMLElement | null} */ (below.querySelector(".toggle-button"))?.click();
});
