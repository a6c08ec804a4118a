"""What the page's translator makes of 100 everyday sentences, 50 captions and 50 negations.

    TRANSFORMER_COURSE_DATA=... python benchmarks/page_sentences.py

The page's own engine runs in Node, with a beam of 4. Sentences are spread evenly over the test
sets, which the model never saw; a negation is a sentence of negations.txt with "not", beside the
same without it. Every output is written down, to be read.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

from transformer_course import data
from transformer_course.carried import FOLDERS
from transformer_course.commands import record

HERE = Path(__file__).parent
ENGINE = HERE.parent / "tests" / "js" / "translate.js"
NO = re.compile(r"\b(nicht|nichts|nie|niemals|kein\w*|un(?:glücklich|wahr)\w*)\b", re.IGNORECASE)


def in_page(sentences: list[str]) -> list[str]:
    """What the page's engine writes, with a beam of 4."""
    task = {"folder": str(FOLDERS["everyday"]), "sentences": sentences, "beam": 4}
    run = subprocess.run(
        ["node", ENGINE], input=json.dumps(task), capture_output=True, text=True, check=True
    )
    return [one["text"] for one in json.loads(run.stdout)["found"]]


def spread(name: str, split: str, count: int) -> list[dict[str, str]]:
    """Sentences spread evenly over a test set, each once, with what the page makes of them."""
    pairs = dict(reversed(data.load_pairs(name, split)))
    sources = sorted(pairs)[:: len(pairs) // count][:count]
    return [
        {"source": source, "output": output, "reference": pairs[source]}
        for source, output in zip(sources, in_page(sources), strict=True)
    ]


def negations() -> list[dict[str, str | bool]]:
    """Both forms of each, and whether the German says no in the one and not in the other."""
    lines = (HERE / "negations.txt").read_text(encoding="utf-8").splitlines()
    yes = in_page([line.replace("[not ]", "") for line in lines])
    no = in_page([line.replace("[not ]", "not ") for line in lines])
    return [
        {
            "source": line,
            "output": without,
            "with_not": negated,
            "kept": bool(NO.search(negated)) and not NO.search(without),
        }
        for line, without, negated in zip(lines, yes, no, strict=True)
    ]


def main() -> int:
    """Write the result file, and print what there is to read."""
    found = {
        "everyday": spread("tatoeba:en-de", "test", 100),
        "captions": spread("multi30k:en-de", "test_2016_flickr", 50),
        "negations": negations(),
    }
    kept = sum(bool(one["kept"]) for one in found["negations"])
    path = record.write(
        "page-sentences",
        "what the page's translator makes of unseen sentences, and of negations",
        ["python benchmarks/page_sentences.py"],
        negations_kept=kept,
        **found,
    )
    for kind, rows in found.items():
        print(f"# {kind}")
        for row in rows:
            print(" | ".join(str(value) for value in row.values()))
    print(f"{kept} of {len(found['negations'])} negations kept\n{path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
