// Grades entries with the page's own code. In: [[exercise, entry or null for the right one], ...]; out: verdicts.
const { readFileSync } = require("node:fs");
const { load } = require("./load.js");

load("page_exercise.js").then(({ firstEntry, grade, rightEntry }) => {
  const asked = JSON.parse(readFileSync(0, "utf8"));
  const verdicts = asked.map(([exercise, entry]) => grade(exercise, entry === "right" ? rightEntry(exercise) : entry === "first" ? firstEntry(exercise) : entry));
  process.stdout.write(JSON.stringify(verdicts));
});
