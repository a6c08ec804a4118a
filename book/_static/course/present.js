// @ts-check
// Present mode: the chapter as slides, one section at a time, on the same page and with live widgets.
// Arrow keys, PageUp and PageDown, Space, Home, End and Escape; swipe on a touch screen; a link that
// ends in #slide-3 opens there.

(() => {
  const article = document.querySelector("article.bd-article > section");
  const buttons = document.querySelector(".article-header-buttons");
  if (!article || !buttons || article.querySelectorAll(":scope > section").length < 2) return;

  const SWIPE = 60; // pixels
  const root = document.documentElement;

  /** Each slide is a section of the first or second level, without the sections inside it.
   * @type {Element[]} */
  const slides = [article, ...article.querySelectorAll(":scope > section, :scope > section > section")];
  let current = -1;

  /** @param {string} kind @param {string} label @param {string} icon @param {() => void} act */
  function button(kind, label, icon, act) {
    const made = document.createElement("button");
    made.type = "button";
    made.className = kind;
    made.title = label;
    made.setAttribute("aria-label", label);
    const picture = document.createElement("i");
    picture.className = `fa-solid ${icon}`;
    picture.setAttribute("aria-hidden", "true");
    made.append(picture);
    made.addEventListener("click", act);
    return made;
  }

  const bar = document.createElement("div");
  bar.className = "course-slide-bar";
  bar.setAttribute("role", "toolbar");
  bar.setAttribute("aria-label", "Slides");
  bar.hidden = true;
  const count = document.createElement("span");
  count.setAttribute("role", "status");
  bar.append(
    button("", "Previous slide", "fa-chevron-left", () => show(current - 1)),
    count,
    button("", "Next slide", "fa-chevron-right", () => show(current + 1)),
    button("", "Leave the slides", "fa-xmark", leave),
  );
  document.querySelector("main")?.append(bar);
  const open = button("btn btn-sm course-present", "Show as slides", "fa-display", () => show(seen()));
  buttons.prepend(open);

  /** The slide that the reader is looking at. */
  function seen() {
    const above = slides.filter((slide) => slide.getBoundingClientRect().top < innerHeight / 3);
    return Math.max(0, above.length - 1);
  }

  /** @param {number} wanted */
  function show(wanted) {
    current = Math.max(0, Math.min(slides.length - 1, wanted));
    const slide = slides[current];
    root.classList.add("course-presenting");
    root.classList.toggle("course-first-slide", current === 0);
    bar.hidden = false;
    for (const section of [article, ...slides]) {
      if (!section) continue;
      const shown = section === slide;
      const around = section.contains(slide);
      section.toggleAttribute("data-course-off", !shown && !around);
      for (const child of section.children) {
        const own = !slides.includes(child);
        const title = section === article && child.tagName === "H1"; // every slide's running head
        if (own && !title) child.toggleAttribute("data-course-off", !shown);
      }
    }
    count.textContent = `${current + 1} / ${slides.length}`;
    history.replaceState(null, "", `#slide-${current + 1}`);
    scrollTo(0, 0);
  }

  function leave() {
    if (current < 0) return;
    const slide = slides[current];
    current = -1;
    root.classList.remove("course-presenting", "course-first-slide");
    bar.hidden = true;
    for (const hidden of document.querySelectorAll("[data-course-off]")) {
      hidden.removeAttribute("data-course-off");
    }
    history.replaceState(null, "", slide.id ? `#${slide.id}` : location.pathname);
    slide.scrollIntoView();
    open.focus({ preventScroll: true });
  }

  /** Keys and swipes that belong to a control stay with it.
   * @param {EventTarget | null} target */
  const taken = (target) =>
    target instanceof Element &&
    target.closest("input, select, textarea, button, summary, a, [contenteditable], [tabindex], .course-widget, pre");

  /** @type {Record<string, () => void>} */
  const keys = {
    ArrowRight: () => show(current + 1),
    PageDown: () => show(current + 1),
    " ": () => show(current + 1),
    ArrowLeft: () => show(current - 1),
    PageUp: () => show(current - 1),
    Home: () => show(0),
    End: () => show(slides.length - 1),
  };

  addEventListener("keydown", (event) => {
    if (current < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") return leave();
    const inBar = event.target instanceof Element && event.target.closest(".course-slide-bar");
    if (taken(event.target) && !(inBar && event.key !== " ")) return;
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });

  let [startX, startY, free] = [0, 0, false];
  addEventListener("touchstart", (event) => {
    startX = event.touches[0].clientX;
    startY = event.touches[0].clientY;
    free = event.touches.length === 1 && !taken(event.target);
  }, { passive: true });
  addEventListener("touchend", (event) => {
    if (current < 0 || !free) return;
    const across = event.changedTouches[0].clientX - startX;
    const down = event.changedTouches[0].clientY - startY;
    if (Math.abs(across) > SWIPE && Math.abs(across) > 2 * Math.abs(down)) {
      show(current + (across < 0 ? 1 : -1));
    }
  }, { passive: true });

  function followLink() {
    const wanted = location.hash.match(/^#slide-(\d+)$/);
    if (wanted) show(Number(wanted[1]) - 1);
  }
  addEventListener("hashchange", followLink);
  followLink();
})();
