"""Laboratory: its settings are the engine's, and its texts say what five seeds came to."""

import json
import re
import subprocess
from pathlib import Path
from statistics import median

import learning
import pytest
import traitlets
from not_run import NEEDS_NODE

from transformer_course.commands import record
from transformer_course.data import make_batch
from transformer_course.model import Transformer
from transformer_course.training import TrainingConfig, train
from transformer_course.widgets import Laboratory, Progress
from transformer_course.widgets.laboratory import DEFAULTS, EXPERIMENTS, question_ids
from transformer_course.widgets.sources import HERE

RESULT = json.loads((record.RESULTS / "learning.json").read_text(encoding="utf-8"))
SCRIPT = Path(__file__).parents[1] / "js" / "learned.js"
TEXT = (HERE / "laboratory_experiments.js").read_text(encoding="utf-8")


def said():
    """Name and, of 100, the fewest and most right rows of each experiment, as the page has them."""
    names = re.findall(r'name: "([^"]+)"', TEXT)
    right = re.findall(r"right: \[(\d+), (\d+)\]", TEXT)
    return [(name, int(low), int(high)) for name, (low, high) in zip(names, right, strict=True)]


def test_the_results_are_those_of_todays_experiments():
    assert [each["name"] for each in RESULT["experiments"]] == [name for name, *_ in said()]
    assert [name for name, *_ in said()] == EXPERIMENTS
    assert Laboratory(experiment=len(said()) - 1).experiment == 10
    first = RESULT["experiments"][0]["settings"]
    assert {name: first[name] for name in DEFAULTS} == DEFAULTS


@pytest.mark.parametrize(("name", "low", "high"), said())
def test_what_an_experiment_shows_is_said_where_five_seeds_ended(name, low, high):
    [found] = [each for each in RESULT["experiments"] if each["name"] == name]
    assert len(found["share"]) == 5
    assert high - low <= 50
    assert all(low <= 100 * share <= high for share in found["share"])


# What five seeds answered to each experiment's question; numbers lie between two, so that the same
# guess, the nearest, holds with each of them.
ANSWERS = {
    "The paper's model, tiny": (93, 100),
    "No positions": (1.7, 1.8),
    "No positions, but sorting": (80, 100),
    "No mask in the decoder": (0, 0),
    "One head": {"last"},
    "No warm-up": (2.2, 2.7),
    "Six layers": (2.7, 3.2),
    "Six layers, norm before": (0.9, 1.3),
    "A rate ten times too high": (2.9, 3.1),
    "No label smoothing": (0, 0.2),
    "A phrasebook": (150, 600),
}


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_question_has_one_answer_with_all_seeds(name):
    [found] = [each for each in RESULT["experiments"] if each["name"] == name]
    answers, wanted = found["answers"], ANSWERS[name]
    assert len(answers) == 5
    if isinstance(wanted, set):
        assert set(answers) == wanted
    else:
        assert wanted[0] <= min(answers) <= max(answers) <= wanted[1]


# The sketches of each question about a number, as the page has them: the nearest one holds.
SKETCHES = {
    "The paper's model, tiny": [5, 50, 95],
    "No positions": [0.65, 1.8, 3],
    "No positions, but sorting": [5, 50, 95],
    "No mask in the decoder": [5, 50, 95],
    "No warm-up": [0.65, 2.4, 3],
    "Six layers": [1.1, 2, 3],
    "Six layers, norm before": [1.1, 2, 3],
    "A rate ten times too high": [0.65, 1.8, 3],
    "No label smoothing": [0, 0.6, 1.4],
    "A phrasebook": [200, 850, 1500],
}


@pytest.mark.parametrize("name", SKETCHES)
def test_one_sketch_is_the_nearest_with_every_seed_and_not_by_a_hair(name):
    [found] = [each for each in RESULT["experiments"] if each["name"] == name]
    holds = set()
    for answer in found["answers"]:
        nearest, other = sorted(SKETCHES[name], key=lambda guess: abs(guess - answer))[:2]
        assert abs(nearest - answer) < 0.8 * abs(other - answer)
        holds.add(nearest)
    assert len(holds) == 1


@NEEDS_NODE
def test_the_sketches_are_those_of_the_page():
    code = (
        f"import {{ EXPERIMENTS }} from '{HERE}/laboratory_experiments.js';"
        f"import {{ guessesOf }} from '{HERE}/laboratory_guesses.js';"
        "console.log(JSON.stringify(EXPERIMENTS.map((e) => [e.name, guessesOf(e)])))"
    )
    run = subprocess.run(
        ["node", "--input-type=module", "-e", code], capture_output=True, text=True, check=True
    )
    found = {name: [value for value, _ in guesses] for name, guesses in json.loads(run.stdout)}
    numbers = {name: sorted(of) for name, of in found.items() if not isinstance(of[0], str)}
    assert numbers == SKETCHES
    for name, answers in ANSWERS.items():
        if isinstance(answers, set):
            assert answers < set(found[name])


def test_the_questions_are_of_many_kinds_and_count_in_the_practice_tally():
    asked = re.findall(r'asks: "([a-z]+)"', TEXT)
    assert len(asked) == len(EXPERIMENTS)
    assert set(asked) == {"share", "half", "loss", "look"}
    [chapter] = [each for each in Progress().chapters if each["page"] == "laboratory"]
    assert [one["id"] for one in chapter["exercises"]] == question_ids()
    assert {one["points"] for one in chapter["exercises"]} == {1}


def test_what_is_said_of_losses_is_what_they_came_to():
    ends = {each["name"]: each["loss"] for each in RESULT["experiments"]}
    usual = ends["The paper's model, tiny"]
    assert max(ends["No mask in the decoder"]) < min(usual)
    assert max(ends["No label smoothing"]) < 0.15
    assert 0.55 < median(usual) < 0.7
    assert min(ends["A rate ten times too high"]) > 2.9
    assert max(ends["No positions"]) < 2.0
    assert min(ends["Six layers"]) > 2.6
    assert max(ends["Six layers, norm before"]) < 1.6


def test_the_run_that_stands_beside_is_the_recorded_one():
    """The first experiment's, and that of six layers, with seed 0."""
    text = (HERE / "laboratory_view.js").read_text(encoding="utf-8")
    for name, n in (("USUAL", 0), ("SIX", EXPERIMENTS.index("Six layers"))):
        [drawn] = re.findall(rf"^const {name} = (\[.*\]);$", text, flags=re.MULTILINE)
        assert json.loads(drawn) == pytest.approx(RESULT["experiments"][n]["losses"][0], abs=0.0051)
    assert EXPERIMENTS[7] == "Six layers, norm before"  # as the view names it


def test_the_page_learns_as_pytorch_does():
    """The aim: from the same batches, the median of five seeds within two points."""
    learned = [each for each in RESULT["experiments"] if median(each["share"]) >= learning.WANTED]
    assert RESULT["experiments"][0] in learned
    for ours in learned:
        for theirs in (ours["torch"], ours["plain_javascript"]):
            assert len(theirs["share"]) == 5
            assert abs(median(ours["share"]) - median(theirs["share"])) <= 0.02


def test_the_model_that_it_says_it_trains_is_the_packages():
    laboratory = Laboratory(positions="learned", heads=4, norm="pre")
    config = laboratory.config()
    assert (config.positions, config.num_heads, config.norm_placement) == ("learned", 4, "pre")
    count = f"{Transformer(config).num_parameters():,}"
    assert count in laboratory.as_text()
    assert repr(laboratory) == "Laboratory(positions='learned', norm='pre', heads=4)"
    assert repr(Laboratory()) == "Laboratory()"


@pytest.mark.parametrize(
    "wrong",
    [
        {"task": "translate"},
        {"heads": 3},
        {"layers": 0},
        {"rate": 100.0},
        {"steps": 10},
        {"experiment": 11},
    ],
)
def test_settings_that_cannot_be_are_refused(wrong):
    with pytest.raises(traitlets.TraitError):
        Laboratory(**wrong)


def test_engine_and_widget_begin_alike():
    text = (HERE / "engine" / "experiment.js").read_text(encoding="utf-8")
    block = text[text.index("export const PAPERS") : text.index("export const SIZES")]
    for name, value in DEFAULTS.items():
        wanted = json.dumps(value).replace("1.0", "1")
        assert f"  {name}: {wanted}," in block


def test_the_figures_in_its_words_are_counted():
    """Its questions say how large the model is, the landing page how many experiments there are."""
    parameters = Transformer(Laboratory().config()).num_parameters()
    rounded = f"{round(parameters, -3):,}"
    said = re.findall(r"(\d+,000) (?:parameters|random|numbers)", TEXT)
    assert said == [rounded] * 2  # in the small form, and in the first experiment
    landing = (record.ROOT / "book" / "text" / "index.md").read_text(encoding="utf-8")
    assert len(re.findall("\n    name: ", TEXT)) == 11
    assert "has ten more experiments" in landing


def after_a_run(**settings):
    """The widget as a page leaves it in Jupyter after a run, and the new rows with their share."""
    text = json.dumps(settings)
    run = subprocess.run(["node", SCRIPT], input=text, capture_output=True, text=True, check=True)
    found = json.loads(run.stdout)
    state = {name: found[name] for name in ("shapes", "weights", "share")}
    return Laboratory(**settings, **state), make_batch(found["rows"])


@NEEDS_NODE
@pytest.mark.parametrize(
    "settings",
    [
        {"steps": 500, "task": "sort"},
        {"steps": 300, "positions": "learned", "norm": "pre", "task": "copy"},
        {"steps": 300, "task": "phrases", "positions": "rotary"},
    ],
)
def test_a_model_that_learned_in_the_page_goes_on_in_pytorch(settings):
    laboratory, new = after_a_run(**settings)
    model = laboratory.transformer()
    assert 0.1 < laboratory.share <= 1
    assert learning.share(model, new) == pytest.approx(laboratory.share, abs=0.0101)
    teaching = TrainingConfig(warmup=1, rate_factor=0.02, max_tokens=256)
    losses = [step.loss for step in train(model, [new] * 20, teaching)]
    assert losses[0] < 2  # it does not begin anew, where it would be 3 or more
    assert losses[-1] < losses[0]


def test_a_model_that_has_not_learned_yet_says_so():
    with pytest.raises(ValueError, match="expected a run that has ended, found none: press Train"):
        Laboratory().transformer()


@NEEDS_NODE
def test_settings_that_were_changed_since_the_run_say_so():
    laboratory, _ = after_a_run(steps=100)
    assert laboratory.transformer().num_parameters() == 22_144
    laboratory.layers = 2
    with pytest.raises(ValueError, match="no longer those of the run that has ended"):
        laboratory.transformer()
