// @ts-check
// The search page. Pagefind finds sections; its index is asked for in parts, as the words need it.
// A site that is opened from a disk cannot be asked for parts: there Sphinx's own search finds pages.

const AT_ONCE = 10;
const OF_SPHINX = ["_static/searchtools.js", "_static/language_data.js", "searchindex.js"];

const place = /** @type {HTMLElement} */ (document.getElementById("search-results"));
const field = /** @type {HTMLInputElement} */ (
  document.querySelector(".bd-search-container input[type=search]")
);

/**
 * An element with these children.
 * @param {string} name
 * @param {Record<string, string>} attributes
 * @param {(Node | string)[]} children
 */
function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** One line for a section that was found: where it stands, and the words around. */
function line({ excerpt, meta }) {
  const link = element("a", { href: meta.place }, meta.title);
  const words = element("p", { class: "course-excerpt" });
  words.innerHTML = excerpt; // made by Pagefind from our pages, with marks and nothing else
  const where =
    meta.page === meta.title ? [] : [element("p", { class: "course-where" }, meta.page)];
  return element("li", {}, link, ...where, words);
}

/** Show what the words find. */
async function show(pagefind, words) {
  const found = words ? await pagefind.debouncedSearch(words, {}, 150) : { results: [] };
  if (!found) return; // other words came meanwhile
  const { results } = found;
  const list = element("ol", { class: "course-found" });
  const more = element("button", { type: "button", class: "course-more" }, "Show more");
  const sections = results.length === 1 ? "1 section" : `${results.length} sections`;
  const nothing = "Nothing found. Other words, or fewer, may help.";
  status.textContent = !words ? "" : results.length ? sections : nothing;

  const add = async () => {
    const next = results.slice(list.children.length, list.children.length + AT_ONCE);
    const data = await Promise.all(next.map((result) => result.data()));
    const lines = data.map(line);
    list.append(...lines);
    more.hidden = list.children.length >= results.length;
    return lines;
  };
  more.addEventListener("click", async () => (await add())[0]?.querySelector("a")?.focus());
  await add();
  if (words === field.value.trim()) place.replaceChildren(status, list, more);
}

const status = element("p", { role: "status" });
place.append(status);
field.value = new URLSearchParams(location.search).get("q") ?? "";
field.focus(); // the page has a second field, in a dialog, which the theme's own script finds first

async function start() {
  const pagefind = await import(new URL("pagefind/pagefind.js", document.baseURI).href);
  const ask = () => show(pagefind, field.value.trim());
  field.addEventListener("input", () => {
    history.replaceState(null, "", `?${new URLSearchParams({ q: field.value })}`);
    ask();
  });
  field.form?.addEventListener("submit", (event) => event.preventDefault());
  await ask();
}

if (location.protocol === "file:") {
  for (const src of OF_SPHINX) {
    document.body.append(Object.assign(document.createElement("script"), { src, async: false }));
  }
} else {
  start();
}
