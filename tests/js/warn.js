// Translates sentences as the page does, without a browser, and warns of them. Reads {folder, unsure,
// sentences} as JSON from standard input, writes a row [translation, warnings] for each.
import { join } from "node:path";
import { readFileSync } from "node:fs";
import { createEngine } from "../../transformer_course/widgets/translating.js";
import { warnings } from "../../transformer_course/widgets/translator_words.js";

async function main() {
  const { folder, unsure, sentences } = JSON.parse(readFileSync(0, "utf8"));
  const names = ["tokenizer.json", "averaged/model.safetensors", "words.txt"];
  const files = names.map((name) => new Uint8Array(readFileSync(join(folder, name))));
  const engine = createEngine();
  await engine({ kind: "load", files }, () => {});
  /** @type {string[][]} */
  const rows = [];
  for (const text of sentences)
    await engine({ kind: "translate", text, beam: 4, limit: 120 }, ({ kind, result }) => {
      if (kind === "done") rows.push([result.translation, warnings(result, unsure)]);
    });
  process.stdout.write(JSON.stringify(rows));
}

main();
