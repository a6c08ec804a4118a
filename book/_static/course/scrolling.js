// @ts-check
// Whatever scrolls can be scrolled with the keyboard: it takes the focus. The browser says when a
// region is laid out or changes its size, so that nothing is laid out only to be measured. So it is
// known, too, how far below a widget's bar of steps that stays in sight its words can stay.

(() => {
  const REGIONS = "pre, .cell_output > .output, .pst-scrollable-table-container";
  const page = document.getElementById("main-content");
  if (!page) return;

  const sizes = new ResizeObserver((changes) => {
    const regions = changes.map(({ target }) => /** @type {HTMLElement} */ (target));
    const scroll = regions.map(
      (it) => it.scrollWidth > it.clientWidth || it.scrollHeight > it.clientHeight,
    );
    regions.forEach((region, n) => {
      if (scroll[n]) region.tabIndex = 0;
      else region.removeAttribute("tabindex");
    });
  });
  const heights = new ResizeObserver((changes) => {
    for (const { target, borderBoxSize } of changes)
      target.parentElement?.style.setProperty("--tc-bar", `${borderBoxSize[0].blockSize}px`);
  });
  /** Each region is looked at once more, as soon as it is laid out. */
  const watch = () => {
    page.querySelectorAll(REGIONS).forEach((region) => sizes.observe(region));
    page.querySelectorAll(".tc-stepbar").forEach((bar) => heights.observe(bar));
  };

  let waiting = 0;
  new MutationObserver(() => {
    clearTimeout(waiting);
    waiting = window.setTimeout(watch, 300);
  }).observe(page, { childList: true, subtree: true });
  watch();
})();
