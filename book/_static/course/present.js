// @ts-check
// Present mode: the chapter as slides on the same page, with live widgets. A section is one slide,
// set a little smaller where that makes it fit the window, or several. Arrow keys, PageUp and
// PageDown, Space, Home, End and Escape; swipe on a touch screen; a link that ends in #slide-3 opens
// the third section, one that ends in #slide-3.2 its second slide.

(() => {
  const article = document.querySelector("article.bd-article > section");
  const buttons = document.querySelector(".article-header-buttons");
  if (!article || !buttons || article.querySelectorAll(":scope > section").length < 2) return;

  const SWIPE = 60; // pixels
  const ROOM = 0.82; // of the window's height
  const SIZES = [1, 0.94, 0.88, 0.82, 0.76, 0.7]; // of a slide's letters and pictures
  const SMALLEST = 15; // pixels that its letters have at least
  const root = document.documentElement;

  /** Each slide is a section of the first or second level, without the sections inside it.
   * @type {Element[]} */
  const slides = [
    article,
    ...article.querySelectorAll(":scope > section, :scope > section > section"),
  ];
  let current = -1;
  let part = 0;
  /** The present section's own blocks, in groups that fit the window. @type {Element[][]} */
  let parts = [];

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
    button("", "Previous slide", "fa-chevron-left", () => step(-1)),
    count,
    button("", "Next slide", "fa-chevron-right", () => step(1)),
    button("", "Leave the slides", "fa-xmark", leave),
  );
  document.querySelector("main")?.append(bar);
  const open = button("btn btn-sm course-present", "Show as slides", "fa-display", () =>
    show(seen()),
  );
  buttons.prepend(open);

  /** The slide that the reader is looking at. */
  function seen() {
    const above = slides.filter((slide) => slide.getBoundingClientRect().top < innerHeight / 3);
    return Math.max(0, above.length - 1);
  }

  /** A section's children; a question and its answer, which are one card, may stand on two slides.
   * @param {Element} section */
  const children = (section) =>
    [...section.children].flatMap((child) =>
      child.classList.contains("course-question") ? [...child.children] : [child],
    );

  /** What a section holds besides other sections and the chapter's title.
   * @param {Element} section */
  const blocks = (section) =>
    children(section).filter(
      (child) =>
        !slides.includes(child) &&
        !(section === article && child.tagName === "H1") &&
        child.getClientRects().length,
    );

  /** Cut a section that is in sight into slides: as many blocks on each as the window holds. A
   * heading never stands alone, and a block taller than the window has a slide to itself.
   * @param {Element} section */
  function cut(section) {
    const room = innerHeight * ROOM;
    /** @type {Element[][]} */
    const groups = [[]];
    let top = 0;
    for (const block of blocks(section)) {
      const { top: from, bottom } = block.getBoundingClientRect();
      const group = groups[groups.length - 1];
      const begun = group.some((each) => !/^(H\d|SPAN)$/.test(each.tagName));
      if (begun && bottom - top > room) {
        groups.push([block]);
        top = from;
      } else {
        if (!group.length) top = from;
        group.push(block);
      }
    }
    return groups;
  }

  /** Cut a section, set a little smaller where that brings all of it into the window.
   * @param {Element} section */
  function fitted(section) {
    for (const size of SIZES) {
      root.style.setProperty("--course-fit", String(size));
      if (parseFloat(getComputedStyle(section).fontSize) < SMALLEST) break;
      const places = blocks(section).map((block) => block.getBoundingClientRect());
      const height = Math.max(...places.map(({ bottom }) => bottom)) - (places[0]?.top ?? 0);
      if (height <= innerHeight * ROOM) return cut(section);
      if (height > 2 * innerHeight * ROOM) break; // so much needs several slides
    }
    root.style.removeProperty("--course-fit");
    return cut(section);
  }

  /** @param {number} wanted @param {number} wantedPart */
  function show(wanted, wantedPart = 0) {
    current = Math.max(0, Math.min(slides.length - 1, wanted));
    const slide = slides[current];
    root.classList.add("course-presenting");
    root.classList.toggle("course-first-slide", current === 0);
    bar.hidden = false;
    for (const section of slides) {
      const shown = section === slide;
      section.toggleAttribute("data-course-off", !shown && !section.contains(slide));
      for (const child of children(section)) {
        const title = section === article && child.tagName === "H1"; // every slide's running head
        if (!slides.includes(child) && !title) child.toggleAttribute("data-course-off", !shown);
      }
    }
    parts = fitted(slide);
    part = Math.max(0, Math.min(parts.length - 1, wantedPart));
    parts.forEach((group, n) => {
      for (const block of group) block.toggleAttribute("data-course-off", n !== part);
    });
    const of = parts.length > 1 ? ` (${part + 1} of ${parts.length})` : "";
    count.textContent = `${current + 1} / ${slides.length}${of}`;
    history.replaceState(null, "", `#slide-${current + 1}${part ? `.${part + 1}` : ""}`);
    scrollTo(0, 0);
  }

  /** One slide on or back. @param {number} by */
  function step(by) {
    if (parts[part + by]) show(current, part + by);
    else if (slides[current + by]) show(current + by, by < 0 ? Infinity : 0);
  }

  function leave() {
    if (current < 0) return;
    const slide = slides[current];
    current = -1;
    root.classList.remove("course-presenting", "course-first-slide");
    root.style.removeProperty("--course-fit");
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
    target.closest(
      "input, select, textarea, button, summary, a, [contenteditable], [tabindex], " +
        ".course-widget, pre",
    );

  /** @type {Record<string, () => void>} */
  const keys = {
    ArrowRight: () => step(1),
    PageDown: () => step(1),
    " ": () => step(1),
    ArrowLeft: () => step(-1),
    PageUp: () => step(-1),
    Home: () => show(0),
    End: () => show(slides.length - 1, Infinity),
  };

  addEventListener("keydown", (event) => {
    if (current < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") return leave();
    const { target } = event;
    if (!(target instanceof Element)) return;
    // A presenter's remote sends Page Up and Page Down: they turn from a live figure, too.
    const field = event.defaultPrevented || target.closest("input, select, textarea");
    const turns = event.key.startsWith("Page") && !field;
    const inBar = target.closest(".course-slide-bar") && event.key !== " ";
    if (taken(target) && !turns && !inBar) return;
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });

  let [startX, startY, free] = [0, 0, false];
  addEventListener(
    "touchstart",
    (event) => {
      startX = event.touches[0].clientX;
      startY = event.touches[0].clientY;
      free = event.touches.length === 1 && !taken(event.target);
    },
    { passive: true },
  );
  addEventListener(
    "touchend",
    (event) => {
      if (current < 0 || !free) return;
      const across = event.changedTouches[0].clientX - startX;
      const down = event.changedTouches[0].clientY - startY;
      if (Math.abs(across) > SWIPE && Math.abs(across) > 2 * Math.abs(down)) {
        step(across < 0 ? 1 : -1);
      }
    },
    { passive: true },
  );

  function followLink() {
    const wanted = location.hash.match(/^#slide-(\d+)(?:\.(\d+))?$/);
    if (wanted) show(Number(wanted[1]) - 1, Number(wanted[2] ?? 1) - 1);
  }
  addEventListener("hashchange", followLink);
  const again = () => {
    if (current >= 0) show(current, part);
  };
  addEventListener("resize", again);
  new MutationObserver(again).observe(root, { attributeFilter: ["data-course-widgets"] });
  if (document.readyState === "complete") followLink();
  else addEventListener("load", followLink); // heights are known once the pictures are there
})();
