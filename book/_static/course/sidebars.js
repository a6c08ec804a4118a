// @ts-check
// On a narrow screen a sidebar opens as a dialog. When it closes, the theme moves what had the focus
// out of it, and the focus would be lost: it goes back to the button that opened it.

for (const name of ["primary", "secondary"]) {
  document.getElementById(`pst-${name}-sidebar-modal`)?.addEventListener("close", () => {
    const toggle = /** @type {HTMLElement | null} */ (document.querySelector(`.${name}-toggle`));
    requestAnimationFrame(() => toggle?.focus({ preventScroll: true }));
  });
}
