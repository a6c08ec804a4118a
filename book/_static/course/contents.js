// @ts-check
// The page's contents: what is read is marked, however far one scrolls at once. The theme marks a
// heading when it passes the upper third of the window; a turn of the wheel can leap over that.

(() => {
  const nav = document.getElementById("pst-page-toc-nav");
  const links = Array.from(nav?.querySelectorAll("a[href^='#']") ?? []);
  const headings = links.map((link) => {
    const section = document.getElementById(
      decodeURIComponent(link.getAttribute("href") ?? "").slice(1),
    );
    return section?.querySelector(":is(h1, h2, h3, h4, h5, h6)") ?? section;
  });
  const entries = nav?.querySelectorAll(".toc-entry") ?? [];

  let asked = 0;
  function mark() {
    asked = 0;
    const { scrollHeight } = document.documentElement;
    // Near the end, what is too short to rise is marked, too; a page that fits has no end to reach.
    const rest = scrollY ? scrollHeight - innerHeight - scrollY : Infinity;
    const line = innerHeight * (1 - 0.7 * Math.min(1, Math.max(0, rest / (0.7 * innerHeight))));
    const passed = headings.filter((it) => it && it.getBoundingClientRect().top < line).length;
    const now = links[passed - 1];
    if (links.every((link) => link.classList.contains("active") === (link === now))) return;
    for (const link of links) {
      link.classList.toggle("active", link === now);
      if (link === now) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
    for (const entry of entries)
      entry.classList.toggle("active", Boolean(now && entry.contains(now)));
  }
  addEventListener("scroll", () => (asked ||= requestAnimationFrame(mark)), { passive: true });
  mark();
})();
