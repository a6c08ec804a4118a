"""A sentence as people type it, cut into the words that a treebank has (section 6.3).

Punctuation stands apart, so do the parts of "don't" (do, n't), of "dog's" and of "well-known";
brackets are -LRB- and -RRB-, double quotes `` and ''. The page's tree_words.js has the same rule.
"""

import re

APOSTROPHES = re.compile("[‘’]")
DOUBLE_QUOTES = re.compile("[“”]")
PART = re.compile(
    r"(?:[A-Za-z]\.){2,}"  # e.g., a.m.
    r"|(?:Mr|Mrs|Ms|Dr|St|al|etc|vs|Fig)\."
    r"|[0-9]+(?:[.,:][0-9]+)+"  # 1,000 and 0.5
    r"|[^\W_]+(?:'[^\W\d_]+)*"  # dog, H2O, don't
    r"|\.{3}"
    r"|[^\s\ufeff]"
)
SHORTENED = re.compile(r"(.+?)(n't|'s|'re|'ve|'ll|'d|'m)", flags=re.IGNORECASE)
BRACKETS = {"(": "-LRB-", ")": "-RRB-"}


def tree_words(text: str) -> list[str]:
    """The words of a sentence, as a treebank cuts them; none if there is nothing but space."""
    text = DOUBLE_QUOTES.sub('"', APOSTROPHES.sub("'", text))
    words: list[str] = []
    is_open = False
    for part in PART.findall(text):
        if part == '"':
            is_open = not is_open
            words.append("``" if is_open else "''")
        elif part in BRACKETS:
            words.append(BRACKETS[part])
        elif part.lower() == "cannot":
            words += [part[:3], part[3:]]
        elif short := SHORTENED.fullmatch(part):
            words += short.groups()
        else:
            words.append(part)
    return words
