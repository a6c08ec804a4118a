import itertools
import json
from dataclasses import replace

import pytest
import torch
from torch.testing import assert_close

from transformer_course import data
from transformer_course.data import Tokenizer
from transformer_course.errors import DataError
from transformer_course.model import TransformerConfig
from transformer_course.training import Run, RunConfig, RunTraining, TrainingConfig, checkpoint

CPU = torch.device("cpu")


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A run on 200 small pairs, with a checkpoint every four steps."""
    load = data.load_pairs
    monkeypatch.setattr(
        "transformer_course.training.run_training.load_pairs", lambda *args: load(*args, 200)
    )
    texts = [text for pair in load("toy:copy", "train", 200) for text in pair]
    tokenizer = Tokenizer.train(texts, vocab_size=60)
    model = TransformerConfig(
        vocab_size=len(tokenizer), d_model=16, num_heads=2, d_ff=32, num_layers=1, max_len=64
    )
    training = TrainingConfig(max_tokens=120, warmup=10)
    config = RunConfig(data="toy:copy", model=model, training=training, save_every=4, keep=3)
    return Run.create(tmp_path / "run", config, tokenizer)


def take(run: Run, number: int) -> RunTraining:
    training = RunTraining(Run.open(run.folder), CPU)
    for _ in itertools.islice(training, number):
        pass
    return training


def losses(run: Run) -> list[tuple[int, float]]:
    return [(line["step"], line["loss"]) for line in run.records("log.jsonl")]


def test_a_run_is_what_it_was_created_as(run):
    again = Run.open(run.folder)
    assert again.config == replace(run.config, vocabulary=run.tokenizer.fingerprint())
    assert again.tokenizer.fingerprint() == run.tokenizer.fingerprint()


def test_checkpoints_come_regularly_and_only_the_newest_stay(run):
    take(run, 22)
    assert [path.name for path in run.checkpoints()] == [
        "step-000012",
        "step-000016",
        "step-000020",
    ]
    assert not [path for path in run.folder.iterdir() if path.name.startswith(".")]


def test_a_run_cut_off_anywhere_goes_on_with_the_same_losses(run, tmp_path):
    copy = Run.create(tmp_path / "undisturbed", run.config, run.tokenizer)
    take(copy, 20).save()
    for number in (6, 3, 9):  # each time some steps after the last checkpoint are lost
        take(run, number)
    take(run, 20 - int(run.checkpoints()[-1].name[-6:])).save()
    assert losses(run) == losses(copy)
    assert [step for step, _ in losses(run)] == list(range(1, 21))
    final = [checkpoint.load(each.weights("last")).state_dict() for each in (run, copy)]
    assert_close(*final, rtol=0, atol=0)


def test_what_a_kill_in_the_middle_of_a_checkpoint_left_is_cleared(run):
    take(run, 4)
    for name in (".step-000008.123.partial", ".step-000001.123.old"):
        (run.folder / name).mkdir()
        (run.folder / name / "model.safetensors").write_bytes(b"half")
    take(run, 4)
    assert not [path.name for path in run.folder.iterdir() if path.name.startswith(".")]
    assert [path.name for path in run.checkpoints()] == ["step-000004", "step-000008"]


def test_a_log_line_cut_off_by_a_crash_is_forgotten(run):
    take(run, 8)
    with (run.folder / "log.jsonl").open("a") as stream:
        stream.write('{"step": 9, "lo')
    take(run, 4)
    assert [step for step, _ in losses(run)] == list(range(1, 13))


def test_time_adds_up_over_resumes(run):
    first = take(run, 8).seconds
    assert RunTraining(run, CPU).seconds > 0.5 * first


def test_an_average_is_used_until_newer_checkpoints_make_it_old(run):
    take(run, 12)
    assert run.weights().name == "step-000012"
    averaged = run.average(2)
    assert [path.name for path in averaged] == ["step-000008", "step-000012"]
    assert run.weights().name == "averaged"
    mean = checkpoint.average(averaged)
    assert_close(checkpoint.load(run.weights()).state_dict(), mean)
    take(run, 4)
    assert run.weights().name == "step-000016"


def test_weights_that_are_not_there_are_refused_with_those_that_are(run):
    take(run, 8)
    with pytest.raises(
        DataError, match="no checkpoint step-5 .*: there is step-000004, step-000008"
    ):
        run.weights("step-5")
    with pytest.raises(DataError, match="no checkpoint averaged"):
        run.weights("averaged")


def test_averaging_more_than_there_is_is_refused(run):
    with pytest.raises(DataError, match="has 0 checkpoints, not 1"):
        run.average(1)
    take(run, 8)
    with pytest.raises(DataError, match="has 2 checkpoints, not 5: ask for at most 2"):
        run.average(5)
    with pytest.raises(DataError, match="last=0: average at least one"):
        run.average(0)


def test_a_folder_that_exists_is_not_overwritten(run):
    before = (run.folder / "run.json").read_bytes()
    with pytest.raises(DataError, match="exists already: go on with it by --resume"):
        Run.create(run.folder, run.config, run.tokenizer)
    assert (run.folder / "run.json").read_bytes() == before


def test_going_on_with_another_configuration_is_refused_by_name(run):
    run.check_same(run.config)
    model = replace(run.config.model, d_ff=64)
    with pytest.raises(DataError, match=r"trained with model.d_ff=32, not 64: resume without"):
        run.check_same(replace(run.config, model=model))
    with pytest.raises(DataError, match="trained with data=toy:copy, not toy:sort"):
        run.check_same(replace(run.config, data="toy:sort"))


def test_another_vocabulary_is_refused(run):
    Tokenizer.train(["a b c d a b c d"], vocab_size=12).save(run.folder / "tokenizer.json")
    with pytest.raises(DataError, match="another vocabulary than this run was trained with"):
        Run.open(run.folder)


def test_a_folder_without_a_run_is_refused(tmp_path):
    with pytest.raises(DataError, match="no run in .*: train one with"):
        Run.open(tmp_path / "nothing")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match=r"no .*run.json: expected the configuration of a run"):
        Run.open(tmp_path / "empty")


def test_a_run_of_another_version_is_refused(run):
    file = run.folder / "run.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "sharding": 8}))
    with pytest.raises(DataError, match="does not fit this version of the course.*sharding"):
        Run.open(run.folder)


def test_the_last_checkpoint_survives_a_loss_that_is_not_finite(run):
    training = take(run, 4)
    before = (run.checkpoints()[-1] / "model.safetensors").read_bytes()
    with torch.no_grad():
        training.model.embedding.weight.fill_(float("nan"))
    with pytest.raises(FloatingPointError, match="the loss of step 5 is nan"):
        next(training)
    assert (run.checkpoints()[-1] / "model.safetensors").read_bytes() == before
    take(run, 4)
    assert losses(run)[-1][0] == 8


def test_the_newest_checkpoint_stays_also_beyond_a_million_steps(run):
    take(run, 12)
    for path, step in zip(run.checkpoints(), (999_992, 999_996, 1_000_000), strict=True):
        path.rename(run.folder / f"step-{step:06d}")
    (run.folder / "log.jsonl").unlink()
    assert run.weights("last").name == "step-1000000"
    training = take(run, 4)
    assert training.step == 1_000_004
    assert [path.name for path in run.checkpoints()] == [
        "step-999996",
        "step-1000000",
        "step-1000004",
    ]


def test_a_damaged_checkpoint_is_put_aside_under_a_name_of_ones_own(run):
    take(run, 8)
    damaged = run.weights("last")
    (damaged / "model.safetensors").write_bytes(b"")
    with pytest.raises(
        DataError, match="delete .*or rename it to damaged-step-000008, and the run"
    ):
        take(run, 1)
    damaged.rename(damaged.with_name("step-000008.bak"))
    assert take(run, 4).step == 8
    assert [path.name for path in run.checkpoints()] == ["step-000004", "step-000008"]


def test_at_the_end_only_checkpoints_of_the_last_fifth_are_averaged(run):
    take(run, 12)
    assert run.average_end() == []  # steps 4 and 8 are long ago
    assert run.weights().name == "step-000012"
    take(run, 28)
    assert [path.name for path in run.average_end()] == [
        "step-000032",
        "step-000036",
        "step-000040",
    ]
    assert run.weights().name == "averaged"


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ({"model": []}, "does not fit this version of the course"),
        ({"training": 3}, "does not fit this version of the course"),
        ({"save_every": "x"}, "describes no run: save_every='x': expected a whole number from 1"),
        ({"keep": 0}, "describes no run: keep=0: expected a whole number from 1 on"),
        ({"data": None}, "describes no run: data=None: expected a name"),
        ({"training": {"warmup": 2.5}}, "describes no run: warmup=2.5: expected a whole number"),
        ({"training": {"rate_factor": "one"}}, "describes no run: rate_factor='one': expected"),
    ],
)
def test_a_run_that_cannot_be_is_refused_by_the_name_of_its_file(run, entries, expected):
    file = run.folder / "run.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **entries}))
    with pytest.raises(DataError, match=f"run.json {expected}"):
        Run.open(run.folder)


@pytest.mark.parametrize("damage", [b"null\n", b"[9]\n", b'{"step": "9"}\n', b"\xff\x00\x00"])
def test_what_a_crash_made_of_a_log_is_forgotten(run, damage):
    take(run, 4)
    for name in ("log.jsonl", "valid.jsonl"):
        with (run.folder / name).open("ab") as stream:
            stream.write(damage)
    take(run, 4)
    assert [step for step, _ in losses(run)] == list(range(1, 9))


def test_the_log_is_on_the_disk_before_the_checkpoint_that_goes_on_from_it(run, monkeypatch):
    done, sync, save = [], checkpoint.sync, checkpoint.save
    monkeypatch.setattr(checkpoint, "sync", lambda path: done.append(path.name) or sync(path))
    monkeypatch.setattr(checkpoint, "save", lambda *args: done.append("save") or save(*args))
    take(run, 4)
    assert done[:2] == ["log.jsonl", "save"]
    assert done[-1] == "run"  # the folder, in which the checkpoint's name stands


def test_the_log_says_where_several_passes_make_a_step(run):
    for accumulate in (1, 3):
        training = RunTraining(Run.open(run.folder), CPU, accumulate=accumulate)
        list(itertools.islice(training, 4))
    lines = run.records("log.jsonl")
    assert ["passes" in line for line in lines] == [False] * 4 + [True] * 4
    assert lines[-1]["passes"] == 3
