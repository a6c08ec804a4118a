"""Word forms of the phrasebook: how its English and German words inflect.

The tables are the standard school ones. The rules for German follow the Duden grammar's chapters on
the noun, the adjective and the verb, those for English the spelling rules of a learner's grammar.
"""

NOMINATIVE, ACCUSATIVE, DATIVE, GENITIVE = CASES = range(4)
MASCULINE, FEMININE, NEUTER, PLURAL = range(4)
GENDERS = {"m": MASCULINE, "f": FEMININE, "n": NEUTER}
# The six rows of a conjugation table; "you" is always "du", row 1.
I, YOU, HE, WE, YE, THEY = range(6)  # noqa: E741

# Rows: masculine, feminine, neuter, plural. Columns: nominative, accusative, dative, genitive.
DER = (
    ("der", "den", "dem", "des"),
    ("die", "die", "der", "der"),
    ("das", "das", "dem", "des"),
    ("die", "die", "den", "der"),
)
RELATIVE = (
    ("der", "den", "dem", "dessen"),
    ("die", "die", "der", "deren"),
    ("das", "das", "dem", "dessen"),
    ("die", "die", "denen", "deren"),
)
STRONG_DETERMINER = (  # dieser, jeder, welcher, viele
    ("er", "en", "em", "es"),
    ("e", "e", "er", "er"),
    ("es", "es", "em", "es"),
    ("e", "e", "en", "er"),
)
EIN = (  # ein, kein, mein, unser: no ending where "der Mann" and "das Kind" show the gender
    ("", "en", "em", "es"),
    ("e", "e", "er", "er"),
    ("", "", "em", "es"),
    ("e", "e", "en", "er"),
)
# Adjective endings: the determiner or the adjective shows the case, seldom both.
WEAK = (  # after der, dieser, jeder, alle
    ("e", "en", "en", "en"),
    ("e", "e", "en", "en"),
    ("e", "e", "en", "en"),
    ("en", "en", "en", "en"),
)
MIXED = (  # after ein, kein, mein
    ("er", "en", "en", "en"),
    ("e", "e", "en", "en"),
    ("es", "es", "en", "en"),
    ("en", "en", "en", "en"),
)
STRONG = (  # after no determiner, zwei, viele
    ("er", "en", "em", "en"),
    ("e", "e", "er", "er"),
    ("es", "es", "em", "en"),
    ("e", "e", "en", "er"),
)

VOWELS = "aeiou"
INSEPARABLE = ("be", "emp", "ent", "er", "ge", "ver", "zer")


def german_noun(lemma: str, gender: int, plural: str, weak: bool) -> tuple[tuple[str, ...], ...]:
    """The four cases of the singular (Kind, ..., Kindes), then of the plural (... Kinder)."""
    if weak:
        singular = (lemma, plural, plural, plural)
    elif gender == FEMININE:
        singular = (lemma,) * 4
    else:
        singular = (lemma, lemma, lemma, lemma + genitive_ending(lemma))
    dative = plural if plural.endswith(("n", "s", "-")) else plural + "n"
    return singular, (plural, plural, dative, plural)


def genitive_ending(lemma: str) -> str:
    """-es after an s sound or one syllable (Hauses, Mannes), else -s (Gartens, Autos)."""
    if lemma.endswith("nis"):
        return "ses"
    if lemma.endswith("us") and lemma[-3:] != "aus":
        return "ses"
    if lemma.endswith(("s", "ß", "z", "x")):
        return "es"
    groups = "".join(c if c in "aeiouäöüy" else " " for c in lemma.lower()).split()
    short = len(groups) == 1 and lemma[-1] not in VOWELS + "k" and lemma[-2:] != "uh"
    return "es" if short else "s"


def german_present(infinitive: str, third: str | None = None) -> tuple[str, ...]:
    """The six present forms; `third` is an er-form that is not regular (schläft, liest, kann)."""
    ending = "en" if infinitive.endswith("en") else "n"
    stem = infinitive.removesuffix(ending)
    if infinitive == "sein":
        return ("bin", "bist", "ist", "sind", "seid", "sind")
    if infinitive == "haben":
        return ("habe", "hast", "hat", "haben", "habt", "haben")
    if infinitive == "werden":
        return ("werde", "wirst", "wird", "werden", "werdet", "werden")
    if third and (
        third[-1] != "t" or third[-2:] == "ßt"
    ):  # kann, mag, weiß: no ending on ich and er
        second = third + ("t" if third[-1] in "sß" else "st")
        return (third, second, third, infinitive, stem + "t", infinitive)
    linking = "e" if needs_linking_e(stem) else ""
    third = third or stem + linking + "t"
    if third == stem + linking + "t":
        second = stem + ("t" if stem[-1] in "sßzx" else linking + "st")
    else:  # the vowel changes: nimmst, liest, lädst
        second = third if third[-2] in "sß" else third[:-1] + "st"
    first = stem[:-2] + "le" if stem.endswith("el") else stem + "e"
    return (first, second, third, infinitive, stem + linking + "t", infinitive)


def needs_linking_e(stem: str) -> bool:
    """Whether -st and -t need an e before them: arbeitest, findet, öffnet, but lernt, filmt."""
    if stem[-1] in "td":
        return True
    return stem[-1] in "mn" and stem[-2] not in "aeiouäöülrhmn"


def german_past(first: str) -> tuple[str, ...]:
    """The six forms of a simple past given its ich-form: konnte, konntest; war, warst."""
    if first.endswith("e"):
        return (first, first + "st", first, first + "n", first + "t", first + "n")
    return (first, first + "st", first, first + "en", first + "t", first + "en")


def german_participle(infinitive: str, prefix: str = "") -> str:
    """The regular past participle: gekauft, gearbeitet, bestellt, repariert, aufgemacht."""
    stem = infinitive.removesuffix("n").removesuffix("e")
    start = "" if infinitive.endswith("ieren") or infinitive.startswith(INSEPARABLE) else "ge"
    return prefix + start + stem + ("et" if needs_linking_e(stem) else "t")


def english_plural(noun: str) -> str:
    """The regular plural, which is also the rule for the third person: boxes, stories, keys."""
    if noun.endswith(("s", "sh", "ch", "x", "z", "go", "do")):
        return noun + "es"
    if noun.endswith("y") and noun[-2] not in VOWELS:
        return noun[:-1] + "ies"
    return noun + "s"


def english_past(verb: str) -> str:
    """The regular past and participle: wanted, danced, cried."""
    if verb.endswith("e"):
        return verb + "d"
    if verb.endswith("y") and verb[-2] not in VOWELS:
        return verb[:-1] + "ied"
    return verb + "ed"


def english_ing(verb: str) -> str:
    """The regular -ing form: reading, dancing, seeing."""
    return (verb[:-1] if verb.endswith("e") and verb[-2] != "e" else verb) + "ing"
