// @ts-check
// Folded answers. Who has locked a prediction in wants to know: the one below it opens.

addEventListener("course:locked", ({ target }) => {
  let below = /** @type {Element} */ (target).closest(".cell")?.nextElementSibling;
  while (below?.classList.contains("cell")) below = below.nextElementSibling;
  if (!below?.matches(".solution.toggle-hidden")) return;
  /** @type {HTMLElement | null} */ (below.querySelector(".toggle-button"))?.click();
});

/** The button of a fold is called what stands on it, and what it folds. */
function callFolds() {
  for (const button of document.querySelectorAll(".toggle-button")) {
    const { toggleHint } = /** @type {HTMLElement} */ (button).dataset;
    button.setAttribute(
      "aria-label",
      `${toggleHint}: ${button.parentElement?.textContent?.trim()}`,
    );
  }
}

const folds = new MutationObserver(callFolds);
folds.observe(document, { subtree: true, attributeFilter: ["data-toggle-hint"] });
addEventListener("load", callFolds);
