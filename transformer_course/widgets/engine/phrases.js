// @ts-check
// A phrasebook: 60 English words, a little grammar that writes sentences of them, and their German.
// German has what English has not: three genders, two cases, endings, a verb in second place, a
// second verb at the end, and "kein" for "not a".

/** Nouns and their articles; those of the first line can do something. @type {[string, string][]} */
const NOUNS = [
  ...dictionary("man der Mann, woman die Frau, child das Kind, king der König, queen die Königin"),
  ...dictionary("girl das Mädchen, dog der Hund, cat die Katze, horse das Pferd, bird der Vogel"),
  ...dictionary("ball der Ball, lamp die Lampe, book das Buch, table der Tisch, flower die Blume"),
  ...dictionary("house das Haus, chair der Stuhl, picture das Bild"),
];
const DOERS = 10;
const ADJECTIVES = dictionary(
  "small klein, big groß, good gut, new neu, strange seltsam, beautiful schön",
);
const DETERMINERS = dictionary("the d, a ein, my mein");
const TIMES = dictionary("today heute, now jetzt, here hier");
const HELPERS = dictionary("can kann, should soll, will wird, has hat, does ");
/** The forms of a verb: he does, to do, done. @type {string[][]} */
const VERBS = [
  "sees see seen sieht sehen gesehen",
  "hears hear heard hört hören gehört",
  "finds find found findet finden gefunden",
  "draws draw drawn zeichnet zeichnen gezeichnet",
  "knows know known kennt kennen gekannt",
  "carries carry carried trägt tragen getragen",
  "loves love loved liebt lieben geliebt",
  "needs need needed braucht brauchen gebraucht",
].map((line) => line.split(" "));

/** @param {string} text @returns {[string, string][]} */
function dictionary(text) {
  return text.split(", ").map((each) => {
    const [english, ...german] = each.split(" ");
    return [english, german.join(" ")];
  });
}

const german = new Map([...NOUNS, ...ADJECTIVES, ...DETERMINERS, ...TIMES, ...HELPERS]);

/** Determiner, perhaps an adjective, noun, in the nominative or the accusative.
 * @param {string} determiner in German, without ending @param {string | undefined} adjective
 * @param {string} noun in English @param {boolean} object */
function nounPhrase(determiner, adjective, noun, object) {
  const [article, name] = String(german.get(noun)).split(" ");
  const masculine = article === "der";
  const [feminine, changed] = [article === "die", object && masculine];
  const definite = determiner === "d";
  const first = definite
    ? changed
      ? "den"
      : article
    : determiner + (changed ? "en" : feminine ? "e" : "");
  const strong = masculine ? "er" : feminine ? "e" : "es";
  const ending = changed ? "en" : definite ? "e" : strong;
  return [first, ...(adjective ? [german.get(adjective) + ending] : []), name];
}

/** The one translation of a sentence, or null where the grammar writes no such sentence.
 * @param {string[]} english @returns {string[] | null} */
export function translation(english) {
  const rest = english.slice();
  const next = (/** @type {[string, string][]} */ known) =>
    known.some(([word]) => word === rest[0]) ? rest.shift() : undefined;
  const phrase = (/** @type {[string, string][]} */ nouns) => ({
    determiner: next(DETERMINERS),
    adjective: next(ADJECTIVES),
    noun: next(nouns),
  });
  const time = next(TIMES);
  const asked = time ? undefined : next(HELPERS);
  const subject = phrase(NOUNS.slice(0, DOERS));
  const helper = asked ?? next(HELPERS);
  const not = rest[0] === "not" && rest.shift();
  const form = !helper ? 0 : helper === "has" ? 2 : 1;
  const verb = VERBS.find((forms) => forms[form] === rest[0]);
  rest.shift();
  const object = phrase(NOUNS);
  const mark = rest.join(" ");
  if (!subject.determiner || !subject.noun || !verb || !object.determiner || !object.noun)
    return null;
  if (mark !== (asked ? "?" : ".") || (not && !helper) || (helper === "does" && !asked && !not))
    return null;
  const none = not && object.determiner === "a";
  const determiner = none ? "kein" : String(german.get(object.determiner));
  const doing = german.get(helper ?? "") || verb[3]; // does, as a helper, has no word of its own
  const who = nounPhrase(
    String(german.get(subject.determiner)),
    subject.adjective,
    subject.noun,
    false,
  );
  return [
    ...(time ? [german.get(time), doing, ...who] : asked ? [doing, ...who] : [...who, doing]),
    ...nounPhrase(determiner, object.adjective, object.noun, true),
    ...(not && !none ? ["nicht"] : []),
    ...(form && helper !== "does" ? [verb[3 + form]] : []),
    mark,
  ].map(String);
}

/** A sentence of the grammar. @param {() => number} uniform @returns {string[]} */
export function sentence(uniform) {
  const one = (/** @type {any[]} */ list) => list[Math.floor(list.length * uniform())];
  const phrase = (nouns) => [
    one(DETERMINERS)[0],
    ...(uniform() < 0.5 ? [one(ADJECTIVES)[0]] : []),
    one(nouns)[0],
  ];
  const kind = one(["plain", "plain", "helped", "helped", "not", "asked"]);
  const plain = kind === "plain";
  const does = kind === "not" || kind === "asked" ? uniform() < 0.5 : false;
  const helper = plain ? null : does ? "does" : one(HELPERS.slice(0, -1))[0];
  const verb = one(VERBS)[!helper ? 0 : helper === "has" ? 2 : 1];
  const who = phrase(NOUNS.slice(0, DOERS));
  const end = [verb, ...phrase(NOUNS)];
  if (kind === "asked") return [helper, ...who, ...end, "?"];
  const time = uniform() < 0.25 ? [one(TIMES)[0]] : [];
  const middle = [...(helper ? [helper] : []), ...(kind === "not" ? ["not"] : [])];
  return [...time, ...who, ...middle, ...end, "."];
}

const forms = (column) => VERBS.flatMap((verb) => verb.slice(column, column + 3));

/** The English words, 60 of them. */
export const ENGLISH = [...german.keys(), "not", ...forms(0)];
/** How the German of each of them begins; "does" has none. */
export const STEMS = [...german.values(), "nicht", ...forms(3)].map((each) =>
  String(each.split(" ").at(-1)),
);

/** Every German word that the grammar can write. */
export const GERMAN = [
  ...new Set([
    ...["d", "ein", "mein", "kein"].flatMap((determiner) =>
      NOUNS.flatMap(([noun]) =>
        [true, false].flatMap((object) =>
          [undefined, ...ADJECTIVES.map(([word]) => word)].flatMap((adjective) =>
            nounPhrase(determiner, adjective, noun, object),
          ),
        ),
      ),
    ),
    ...[...TIMES, ...HELPERS.slice(0, -1)].map(([, word]) => word),
    "nicht",
    ...forms(3),
  ]),
];
