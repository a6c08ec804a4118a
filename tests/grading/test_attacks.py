"""Nothing is paid that was not earned: answers that lie by rule, against every check there is."""

from collections import Counter
from pathlib import Path
from typing import ClassVar

import pytest
from attacks import attacked

from transformer_course.grading.exercises import vary
from transformer_course.grading.exercises.checking import Checker
from transformer_course.grading.exercises.exercise import load

SOURCES = sorted((Path(__file__).parents[2] / "exercises" / "sources").glob("*.md"))
HOSTILE = Path(__file__).parents[1] / "hostile" / "exercise.md"
LONG = ("14-decoding", "16-find-the-bug", "17-whole-model")
ATTACKED = [
    pytest.param(path, id=path.stem, marks=[pytest.mark.slow] * (path.stem in LONG))
    for path in SOURCES
]


@pytest.fixture(scope="module", params=ATTACKED)
def found(request):
    return attacked(load(request.param))


def test_no_attack_earns_a_point(found):
    assert found.calling
    assert {name: paid for name, paid in found.paid.items() if paid} == {}


def test_each_check_asks_two_submissions_for_different_things(found):
    assert found.fixed == set()


def test_only_code_has_something_to_ask():
    """A number or a letter is looked at; nothing else could vary but what was asked in the text."""
    for path in SOURCES:
        exercise = load(path)
        for check in exercise.checks:
            if exercise.questions[check.question].kind != "code":
                assert not check.hidden, check.name


def test_an_attack_that_is_paid_is_seen():
    """The suite of hostile submissions has checks such as anyone would write."""
    paid = attacked(load(HOSTILE))
    assert paid.paid["table, else raises"]
    assert paid.paid["order of each function"]
    assert paid.fixed


def test_the_same_submission_meets_the_same_numbers_again():
    def drawn(submission, check):
        vary.of(submission)
        vary.start(check)
        return vary.seeds(3), vary.size(2, 9), vary.shuffled("abcde"), vary.pick(range(9), 2)

    assert drawn("one", "a") == drawn("one", "a")
    assert drawn("one", "a") != drawn("one", "b")
    assert drawn("one", "a") != drawn("other", "a")


def test_sizes_have_both_ends_and_seeds_are_not_those_of_visible_checks():
    vary.start("sizes")
    assert {vary.size(2, 4) for _ in range(100)} == {2, 3, 4}
    assert min(vary.seeds(100)) >= 1000
    assert sorted(vary.shuffled("abc")) == ["a", "b", "c"]


def test_a_check_draws_the_same_whichever_ran_before_it():
    checker = Checker(load(SOURCES[0]))
    first = checker.exercise.checks[0]
    drawn = []
    for before in ([], checker.exercise.checks[1:3]):
        for check in (*before, first):
            checker.run(check, Nobody())
        drawn.append(vary.seed())
    assert drawn[0] == drawn[1]


class Nobody:
    """A student who has defined nothing."""

    returned: ClassVar[Counter[str]] = Counter()

    def forbid(self, names):
        """Nothing to refuse."""
        return []

    def values(self, names):
        return {}
