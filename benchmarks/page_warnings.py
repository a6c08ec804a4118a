"""Of which unseen everyday sentences the page's translator warns, and how good those are.

    TRANSFORMER_COURSE_DATA=... python benchmarks/page_warnings.py
    python benchmarks/page_warnings.py --count 2    # a trial: printed, and not kept

The page's own engine and words run in Node, with a beam of 4, on Tatoeba's validation sentences;
thresholds were chosen on its test sentences. A translation's chrF is that with the best of its
references: under LOW it is counted as bad, from HIGH up as good. chrF takes one wrong word in five
for half good, so that a person has to read what is warned of: page-warnings-read.json. Of the 100
sentences that a person has read whole (page_sentences.py) it counts those with a fault that are
warned of.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import sacrebleu
from train_speed import positive

from transformer_course import data
from transformer_course.commands import record
from transformer_course.widgets.translator import FOLDER, UNSURE

HERE = Path(__file__).parent
RESULTS, WARN = HERE / "results", HERE.parent / "tests" / "js" / "warn.js"
LOW, HIGH = 45, 60
KINDS = {  # by what the page says
    "unsure of the sentence": "It is not sure: ",
    "never met": "It never met ",
    "hardly met": "It hardly met ",
    "unsure of a word": "It is not sure of ",
    "possessive": "It often mixes up ",
}


def warned(sentences: Sequence[str]) -> list[list[str]]:
    """What the page's engine writes of each sentence, and what the page says of that."""
    task = json.dumps({"folder": str(FOLDER), "unsure": UNSURE, "sentences": list(sentences)})
    run = subprocess.run(["node", WARN], input=task, capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


def counted(rows: Sequence[dict]) -> dict[str, int]:
    """How many, and how many of them are bad and good by chrF."""
    scores = [row["chrf"] for row in rows]
    bad, good = sum(x < LOW for x in scores), sum(x >= HIGH for x in scores)
    return {"sentences": len(rows), "bad": bad, "good": good}


def of_the_read() -> dict[str, int]:
    """Of the everyday sentences that were read: how many are wrong, warned of, and both."""
    names = ("page-sentences", "page-sentences-read")
    files = [json.loads((RESULTS / f"{name}.json").read_text("utf-8")) for name in names]
    sources, faulty = ([one["source"] for one in file["everyday"]] for file in files)
    pairs = zip(sources, warned(sources), strict=True)
    wrong, told = {*faulty}, {source for source, (_, warning) in pairs if warning}
    both = len(wrong & told)
    return {"sentences": len(sources), "wrong": len(wrong), "warned": len(told), "both": both}


def main(argv: Sequence[str] | None = None) -> int:
    """Write the result file, and print its counts."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--count", type=positive, help="of sentences, for a trial that is not kept")
    count = parser.parse_args(argv).count
    references: dict[str, list[str]] = {}
    for source, target in data.load_pairs("tatoeba:en-de", "valid"):
        references.setdefault(source, []).append(target)
    sources = sorted(references)[:count]
    score = sacrebleu.CHRF().sentence_score
    rows = []
    for source, (output, warning) in zip(sources, warned(sources), strict=True):
        best = max(score(output, [one]).score for one in references[source])
        one = {"source": source, "output": output, "reference": references[source][0]}
        rows.append({**one, "chrf": round(best, 1), "warning": warning})
    told = [row for row in rows if row["warning"]]
    kinds = {
        kind: [row for row in told if start in row["warning"]] for kind, start in KINDS.items()
    }
    groups = {"all": rows, "warned": told, **kinds}
    counts = {name: counted(group) for name, group in groups.items()} | {"read": of_the_read()}
    print("\n".join(f"{kind}: {found}" for kind, found in counts.items()))
    if count:
        print("A trial: nothing is written.")
        return 0
    what = f"of what the page warns; bad: chrF under {LOW}, good: {HIGH} or more"
    commands = ["python benchmarks/page_warnings.py"]
    print(record.write("page-warnings", what, commands, counts=counts, warned=told))
    return 0


if __name__ == "__main__":
    sys.exit(record.exits(main))
