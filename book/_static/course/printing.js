// @ts-check
// On paper nothing is folded: an answer beneath its question would be read with it. So a page is
// printed with its answers at the end, and afterwards each is back in its place. A folded list of
// cited works is unfolded.

(() => {
  /** @type {[Element, Comment][]} */
  let moved = [];
  /** @type {HTMLDetailsElement[]} */
  let unfolded = [];
  const box = document.createElement("div");
  box.className = "course-answers";
  const title = document.createElement("p");
  title.textContent = "Answers";
  box.append(title);

  addEventListener("beforeprint", () => {
    const article = document.querySelector("article.bd-article");
    unfolded = [...document.querySelectorAll("details")].filter(
      (each) => !each.open && each.querySelector(".citation-list"),
    );
    for (const each of unfolded) each.open = true;
    const answers = article ? [...article.querySelectorAll(".solution.dropdown")] : [];
    if (!article || moved.length || !answers.length) return;
    moved = answers.map((answer) => {
      const place = document.createComment("answer");
      answer.replaceWith(place);
      return [answer, place];
    });
    box.append(...answers);
    article.append(box);
  });

  addEventListener("afterprint", () => {
    for (const each of unfolded) each.open = false;
    for (const [answer, place] of moved) place.replaceWith(answer);
    moved = [];
    box.remove();
  });
})();
