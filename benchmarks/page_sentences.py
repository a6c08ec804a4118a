"""What the page's translator makes of 100 everyday sentences, 50 captions and 50 negations.

    TRANSFORMER_COURSE_DATA=... python benchmarks/page_sentences.py

    python benchmarks/page_sentences.py --count 2    # a trial: printed, and not kept

The page's own engine runs in Node, with a beam of 4. Sentences are spread evenly over the test
sets, which the model never saw; a negation is a sentence of negations.txt with "not", beside the
same without it. Every output is written down, to be read.
"""

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Sequence
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


def negations(count: int | None) -> list[dict[str, str | bool]]:
    """Both forms of each, and whether the German says no in the one and not in the other."""
    lines = (HERE / "negations.txt").read_text(encoding="utf-8").splitlines()[:count]
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


def main(argv: Sequence[str] | None = None) -> int:
    """Write the result file, and print what there is to read."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--count", type=int, help="of each kind, for a trial that is not kept")
    count = parser.parse_args(argv).count
    if count is not None and not 1 <= count <= 50:
        parser.error(f"--count: expected 1 to 50, got {count}")
    found = {
        "everyday": spread("tatoeba:en-de", "test", count or 100),
        "captions": spread("multi30k:en-de", "test_2016_flickr", count or 50),
        "negations": negations(count),
    }
    kept = sum(bool(one["kept"]) for one in found["negations"])
    path = count or record.write(
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
    print(f"{kept} of {len(found['negations'])} negations kept")
    print("A trial: nothing is written." if count else path)
    return 0


if __name__ == "__main__":
    sys.exit(record.exits(main))
