"""The README: its commands exist, its links lead somewhere, its figures were measured."""

import json
import re
import shlex
import tomllib
from pathlib import Path

import first_translator
import plan
import pytest
import readme_commands
import tables

from transformer_course.commands.cli import build_parser
from transformer_course.data import sets
from transformer_course.widgets import laboratory

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text()
MEASURED = (ROOT / "benchmarks" / "README.md").read_text()
STEPS = readme_commands.plan(README, with_data=True)
COMMANDS = [step.line for step in STEPS if step.line.startswith("transformer-course ")]


def result(name: str) -> dict:
    return json.loads((ROOT / "benchmarks" / "results" / f"{name}.json").read_text())


def one_line(text: str) -> str:
    return re.sub(r"\s*\n", " ", text)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_understood(command):
    args = build_parser().parse_args(shlex.split(command)[1:])
    assert callable(args.run_verb)


def test_there_are_commands_to_understand():
    assert len(COMMANDS) >= 10


def test_every_verb_of_make_exists():
    verbs = set(re.findall(r"`?make ([a-z]+)\b", README)) - {"lists"}
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert {"book", "test", "serve", "lab"} <= verbs <= targets


def test_every_link_to_a_file_leads_to_one():
    for text, folder in ((README, ROOT), (MEASURED, ROOT / "benchmarks"), (CONTRIBUTING, ROOT)):
        links = re.findall(r"\]\((?!https?:)([^)#]+)", text)
        assert links
        assert [link for link in links if not (folder / link).exists()] == []


def test_every_link_to_a_heading_leads_to_one():
    for file, anchor in re.findall(r"\]\(([\w/.]+\.md)#([\w-]+)\)", README):
        headings = re.findall(r"^#+ (.+)$", (ROOT / file).read_text(), re.MULTILINE)
        assert anchor in [re.sub(r"\W+", "-", heading.lower()) for heading in headings]


def test_there_are_as_many_exercises_as_it_says():
    words = ["Seventeen", "Eighteen", "Nineteen", "Twenty", "Twenty-one", "Twenty-two"]
    notebooks = list((ROOT / "exercises").glob("*.ipynb"))
    assert f"{words[len(notebooks) - 17]} notebooks of graded" in one_line(README)
    files = [path for path in (ROOT / "book" / "practice").glob("*.toml") if path.stem != "cards"]
    on_pages = sum(len(tomllib.loads(path.read_text())["exercise"]) for path in files)
    assert f"check {on_pages} exercises themselves" in README
    assert f"in {len(laboratory.EXPERIMENTS)} experiments; then press Train" in one_line(README)


def test_the_model_has_as_many_lines_as_it_says():
    said = r"about (\d+) lines, [\w ]+, in ten files of `transformer_course/model`: ([`\w, ]+)\. "
    lines, names = re.search(said, one_line(README)).groups()
    found = {name: [*ROOT.glob(f"transformer_course/model/{name}.py")] for name in names_in(names)}
    assert [len(paths) for paths in found.values()] == [1] * 10
    counted = sum(lines_of(path) for [path] in found.values())
    assert f"{counted:.2g}" == f"{int(lines):.2g}"
    later = re.search(r"is\n? *(\d+) more, in `relative` and `variants`", README)[1]
    files = [
        ROOT / "transformer_course" / "model" / f"{name}.py" for name in ("relative", "variants")
    ]
    more = sum(map(lines_of, files))
    assert f"{more:.2g}" == f"{int(later):.2g}"
    landing_page = (ROOT / "book" / "text" / "index.md").read_text()
    core = ", ".join(re.findall(r"^core \+?= \[(.*)\]$", landing_page, re.MULTILINE))
    assert set(found) == set(core.split(", "))


def lines_of(path: Path) -> int:
    """Those that hold something, as the landing page counts them."""
    return sum(bool(line.strip()) for line in path.read_text().splitlines())


def names_in(text: str) -> list[str]:
    return re.findall(r"`(\w+)`", text)


def test_no_data_set_is_larger_than_it_says():
    said = re.search(r"no data set has more than ([\d,]+) sentence pairs", one_line(README))[1]
    made = [*sets.PHRASEBOOK_COUNTS.values(), *sets.GRAMMAR_COUNTS.values()]
    described = " ".join(each.description for each in sets.DATASETS.values())
    counts = made + [int(number.replace(",", "")) for number in re.findall(r"\d+,\d{3}", described)]
    assert max(counts) == int(said.replace(",", ""))


def test_the_start_stands_before_the_comparison():
    assert README.index("make serve") < README.index("| [The Annotated Transformer]")


def test_the_map_has_every_section_and_nothing_that_is_planned():
    landing_page = (ROOT / "book" / "text" / "index.md").read_text()
    assert "lanned" not in landing_page
    chapters = {path.stem for path in (ROOT / "book" / "text").glob("0*.md")}
    assert chapters == set(re.findall(r"^- \{doc\}`[^<`]+<(0[^>]+)>`", landing_page, re.MULTILINE))


def test_the_figures_are_those_of_the_result_files():
    assert f"{first_translator.sentence()} after {first_translator.STEPS:,} steps" in one_line(
        README
    )
    assert first_translator.details() in one_line(MEASURED)
    multi30k = result("multi30k-en-de-small")
    assert f"half hour on Multi30k gives {multi30k['test'][0]['bleu']:.1f} BLEU" in README
    assert round(multi30k["minutes"]) == 30
    longer, french = result("multi30k-en-de-24000"), result("multi30k-en-fr")
    assert f"and an hour {longer['test'][0]['bleu']:.1f}; " in README
    assert 55 <= longer["minutes"] <= 60
    minutes = f"{french['minutes']:.0f} minutes"
    assert f"French gets to {french['test'][0]['bleu']:.1f} in {minutes}" in README
    size = result("carried-everyday-en-de")["bytes"] / 1e6
    assert f"{size:.1f} MB, comes with the course" in README


def test_the_first_translator_is_trained_by_the_command_that_was_measured():
    recipe = {**first_translator.CHANGES, "steps": first_translator.STEPS}
    for capability in first_translator.found():
        assert result(f"{first_translator.PREFIX}-{capability.lower()}")["recipe"] == recipe
    wanted = {name: str(value) for name, value in first_translator.CHANGES.items()}
    wanted["last_step"] = str(first_translator.STEPS)
    command = MEASURED[MEASURED.index("torchrun --nproc-per-node 2") :].split("```")[0]
    said = dict(setting.split("=") for setting in re.findall(r"--set (\S+)", command))
    assert said == wanted
    assert f"--steps {wanted['last_step']} " in command


def test_every_seed_of_the_first_translator_gets_98_percent():
    runs = first_translator.found()
    assert runs
    for each in runs.values():
        assert {run["seed"] for run in each} <= set(first_translator.SEEDS)
        assert min(run["exact_match"] for run in each) >= 0.98


def test_what_is_said_of_a_recorded_step_is_in_its_result_file():
    base, big = (
        {row["variant"]: row["milliseconds"]["median"] for row in size["rows"]}
        for size in tables.load("gpu-recorded")["sizes"]
    )
    recorded, theirs = "bf16, loss in chunks, recorded", "torch.nn.Transformer, bf16"
    times = [
        f"{size[name] / size[recorded]:.2f}"
        for size in (base, big)
        for name in (theirs, "Hugging Face Marian, bf16")
    ]
    plain = [f"{size[theirs] / size['bf16']:.2f}" for size in (base, big)]
    said = "a step of base takes {} times as long in `torch.nn.Transformer`, of big {} times."
    assert said.format(*plain) in one_line(README)
    saved = [f"{1 - size[recorded] / size['bf16, loss in chunks']:.0%}" for size in (base, big)]
    text = " ".join(MEASURED.split())
    assert "takes {} times as long in `torch.nn.Transformer` and {} times in".format(*times) in text
    assert "big {} and {} times".format(*times[2:]) in text
    less = [share.replace("%", " %") for share in saved]
    assert "saves {} of a step of base and {} of big".format(*less) in text


def test_the_tables_of_speed_are_drawn_from_the_result_files():
    for table in "\n\n".join(
        [tables.training(), tables.decoding(), tables.gpu(), tables.profile()]
    ).split("\n\n"):
        assert table in MEASURED


def test_the_sentence_on_speed_is_drawn_from_the_result_files():
    assert tables.sentence() in one_line(README)


def test_what_the_start_takes_was_measured():
    start = result("first-start")
    [make_book] = [each["seconds"] for each in start["typed"] if each["line"] == "make book"]
    weights = start["megabytes"]
    minutes, seconds = divmod(round(make_book), 60)
    download = f"{weights['downloaded'] / 1000:.1f} GB to download"
    disk = f"{(weights['environment'] + weights['site']) / 1000:.1f} GB of disk"
    row = f"| `make book`, the first time | {minutes} min {seconds} s | {download}, {disk} |"
    assert row in README
    assert start["hardware"]["cores"] == 2
    assert {each["code"] for each in start["typed"]} == {0}


def test_how_long_make_test_takes_is_said_once():
    (said,) = re.findall(r"\| `make test` \| about ([^|]+) \|", README)
    assert re.fullmatch(r"(\d+ minutes|half an hour|an hour)", said)
    assert len(re.findall(rf"\b{said}\b", README + CONTRIBUTING + MEASURED)) == 1


def test_the_plain_commands_are_those_of_the_makefile():
    makefile = (ROOT / "Makefile").read_text().replace("$(BIN)/", "")
    makefile = makefile.replace(" --quiet", "").replace(" -q ", " ")
    plain = [step.line for step in STEPS if step.heading == "Without make"]
    for line in (
        "python -m pip install -r requirements.txt",
        "python -m pip install --no-deps -e .",
        "jupyter-book build . --all -W -n --keep-going",
        "jupyter lab --LabApp.default_url=/lab/tree/book/index.ipynb",
    ):
        assert line in plain
        assert line in makefile


def test_the_commands_for_windows_are_the_plain_ones():
    blocks = {(where, kind): block for where, kind, block in readme_commands.blocks(README)}
    plain = readme_commands.lines(blocks["Without make", "sh"])
    plain.remove(readme_commands.ACTIVATE)
    plain[0] = plain[0].replace("python3", "py -3.11")
    windows = readme_commands.lines(blocks["Without make", "powershell"])
    assert [line.replace(".venv\\Scripts\\", "") for line in windows] == plain


def test_the_plan_for_full_size_is_what_its_arithmetic_gives():
    assert plan.tables().strip() in (ROOT / "benchmarks" / "SCALING.md").read_text()


def test_all_tests_can_run_in_one_process():
    """Two files of one name cannot: `python -m pytest` would end before the first test."""
    names = [path.stem for path in (ROOT / "tests").rglob("test_*.py")]
    assert len(names) > 100
    assert sorted(names) == sorted(set(names))
