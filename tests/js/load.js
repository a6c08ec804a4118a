// A widget's module as the browser gets it: with the modules beside it that it imports written out.
const { readFileSync } = require("node:fs");
const { join } = require("node:path");

const FOLDER = join(__dirname, "../../transformer_course/widgets");
const IMPORT = /^import \{[^}]*\} from "\.\/(\w+\.js)";\n/gm;

function collect(name, texts) {
  const text = readFileSync(join(FOLDER, name), "utf8");
  for (const [, neighbor] of text.matchAll(IMPORT)) if (!texts.has(neighbor)) collect(neighbor, texts);
  texts.set(name, text.replace(IMPORT, ""));
  return texts;
}

exports.load = (name) => {
  const source = [...collect(name, new Map()).values()].join("\n");
  return import(`data:text/javascript;base64,${Buffer.from(source).toString("base64")}`);
};
