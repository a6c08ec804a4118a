"""TeacherForcing: what it accepts, its static twin, and the file of its models' numbers."""

import json

import numpy as np
import pytest
import teacher_forcing as script
import torch
import traitlets
from torch.testing import assert_close

from transformer_course import carried, data
from transformer_course.data import make_batch
from transformer_course.decoding import evaluating, greedy
from transformer_course.model import causal_mask
from transformer_course.training import Run, checkpoint
from transformer_course.widgets import TeacherForcing
from transformer_course.widgets.teacher_forcing import BUGS, LESSON

GERMAN = "Der Mann sieht seinen Hund an."


@pytest.fixture(scope="module")
def run() -> Run:
    return Run.open(carried.FOLDER)


def test_reads_and_must_say_are_those_of_a_batch(run):
    widget = TeacherForcing()
    lesson = widget.lesson
    batch = make_batch([tuple(run.tokenizer.encode_batch([lesson["english"], GERMAN]))])
    reads, says = (
        [run.tokenizer.id_to_piece(i) for i in ids[0].tolist()]
        for ids in (batch.tgt_in, batch.tgt_out)
    )
    assert widget.pairs() == list(zip(reads, says, strict=True))
    assert TeacherForcing(bug="shift").pairs() == list(zip(says, says, strict=True))


def test_the_mask_is_the_packages_unless_it_was_forgotten():
    assert_close(torch.from_numpy(TeacherForcing().mask()), causal_mask(8))
    assert TeacherForcing(bug="mask").mask().all()


def test_the_probabilities_are_the_carried_translators(run):
    lesson = TeacherForcing().lesson
    network = checkpoint.load(run.weights())
    batch = make_batch([tuple(run.tokenizer.encode_batch([lesson["english"], GERMAN]))])
    with evaluating(network):
        shares = network(batch.src, batch.tgt_in)[0].softmax(dim=-1)
    right = shares.gather(1, batch.tgt_out[0][:, None])[:, 0]
    shown = lesson["models"]["none"]
    assert_close(torch.tensor(shown["right"]), right, atol=1e-3, rtol=0)
    firsts = [run.tokenizer.id_to_piece(int(i)) for i in shares.argmax(dim=-1)]
    assert [piece for piece, _ in shown["first"]] == firsts
    written = [run.tokenizer.id_to_piece(int(i)) for i in greedy(network, batch.src)[0]]
    assert [piece for piece, _ in shown["written"] if piece != "</s>"] == written


def test_the_static_twin_holds_every_models_share_of_the_right_piece_and_its_loss():
    widget = TeacherForcing()
    shares, losses = (table.cells for table in widget.tables())
    for column, bug in enumerate(BUGS):
        right = widget.lesson["models"][bug]["right"]
        assert shares[:, column].tolist() == right
        assert losses[0, column] == pytest.approx(-np.log(right).mean())


def test_a_leak_lowers_the_loss_and_ruins_what_is_written():
    lesson = TeacherForcing().lesson
    control = -np.log(lesson["control"]).mean()
    for bug in ("shift", "mask"):
        model = lesson["models"][bug]
        assert -np.log(model["right"]).mean() < 0.2 < 1 < control
        pieces = [piece for piece, _ in model["written"]]
        assert len(set(pieces)) <= 2 < len(pieces)
        assert "</s>" not in pieces


def test_the_script_trains_watches_and_writes(monkeypatch, tmp_path, capsys):
    load = data.load_pairs
    monkeypatch.setattr(data, "load_pairs", lambda name, split: load(name, split, 40))
    out = tmp_path / "lesson.json"
    assert script.main(["--steps", "2", "--data", "toy:copy", "--out", str(out)]) == 0
    made, kept = json.loads(out.read_text()), json.loads(LESSON.read_text())
    assert capsys.readouterr().out == f"wrote {out}\n"
    assert made.keys() == kept.keys()
    assert made["models"]["none"]["written"] == [
        [piece, pytest.approx(p, abs=1e-3)] for piece, p in kept["models"]["none"]["written"]
    ]
    assert [round(p) for p in made["control"]] == [0] * 8  # it has learned nothing yet


def test_without_a_mask_the_future_reaches_the_past_and_afterwards_it_does_not():
    torch.manual_seed(0)
    network = script.Transformer(script.replace(script.TINY, vocab_size=50))
    src, one, other = torch.tensor([[7, 8]]), torch.tensor([[1, 5, 6]]), torch.tensor([[1, 5, 9]])
    for bug in ("none", "mask", "none"):
        first, second = (script.says(network, src, tgt, bug)[0] for tgt in (one, other))
        assert torch.equal(first, second) == (bug == "none")


def test_its_text_form_names_the_state():
    assert repr(TeacherForcing()) == "TeacherForcing(mode='training', bug='none', position=2)"


@pytest.mark.parametrize(
    ("name", "bad", "wanted"),
    [
        ("position", -1, "should not be less than 0"),
        ("position", 12, "should not be greater than 11"),
        ("bug", "typo", "expected any of"),
        ("mode", "dreaming", "expected any of"),
    ],
)
def test_what_does_not_fit_is_refused(name, bad, wanted):
    with pytest.raises(traitlets.TraitError, match=wanted):
        TeacherForcing(**{name: bad})
