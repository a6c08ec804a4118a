"""The queue of runs can be killed, goes on where it was, and never mixes recipes."""

import functools
import json
import os
import subprocess
import sys
from dataclasses import replace
from itertools import islice

import pytest
import torch
import trials
import variations
from filelock import FileLock

from transformer_course import data
from transformer_course.commands import record
from transformer_course.data import TokenBatches
from transformer_course.errors import DataError
from transformer_course.model import Transformer
from transformer_course.training import RunConfig, train


@pytest.fixture
def queue(toy_queue, monkeypatch):
    monkeypatch.setattr(variations, "RunConfig", functools.partial(RunConfig, save_every=50))
    monkeypatch.setattr(variations, "trials", lambda: [ONE, OTHER])
    return toy_queue


ONE = variations.Trial("toy", "base", 0)
OTHER = variations.Trial("toy", "B d_k 4", 1)


def read(queue, trial):
    return json.loads(queue.path_of(trial).read_text())


@pytest.mark.slow
def test_it_runs_what_is_missing_and_says_how_it_came_about(queue, capsys):
    assert queue.main(["--workers", "1"]) == 0
    found = read(queue, OTHER)
    assert found["model"]["head_dim"] == 4
    assert (found["row"], found["seed"], found["criteria"]) == ("B d_k 4", 1, "0123456789ab")
    assert len(found["losses"]) == 1
    assert [line["step"] for line in found["valid"]] == [50, 100]
    assert all(line["perplexity"] > 1 for line in found["valid"])
    assert len(found["first_losses"]) == 100
    assert {"commit", "hardware", "command", "parameters", "seconds"} <= set(found)
    assert 0 <= found["test"]["bleu"] <= 100
    assert not list(queue.RUNS.glob("toy/*/"))
    assert queue.main(["--list"]) == 0
    assert "2 of 2 runs are done" in capsys.readouterr().out


@pytest.mark.slow
def test_a_run_that_was_killed_goes_on_and_ends_the_same(queue, monkeypatch):
    config = variations.Trial.config
    often = lambda self, size: replace(config(self, size), save_every=40)  # noqa: E731
    monkeypatch.setattr(variations.Trial, "config", often)
    queue.work_on(ONE)
    whole = read(queue, ONE)
    queue.path_of(ONE).unlink()
    half = ONE.run(queue.RUNS / ONE.name)
    next(half)  # 40 steps, then no more
    half.close()
    queue.work_on(ONE)
    again = read(queue, ONE)
    assert again["first_losses"] == whole["first_losses"]
    assert again["test"] == whole["test"]


def test_what_somebody_else_works_on_is_left_to_them(queue):
    path = queue.RUNS / f"{ONE.name}.lock"
    path.parent.mkdir(parents=True)
    with FileLock(path):
        trial, lock = queue.next_trial([ONE, OTHER])
    lock.release()
    assert trial == OTHER


def test_a_loss_that_is_not_finite_is_a_result_and_the_queue_goes_on(queue, monkeypatch):
    forward = Transformer.states
    broken = lambda self, *ids: forward(self, *ids) * float("nan")  # noqa: E731
    monkeypatch.setattr(Transformer, "states", broken)
    assert queue.main(["--workers", "1"]) == 0
    assert "not a finite number" in read(queue, ONE)["failed"]
    assert "failed" in read(queue, OTHER)


def test_a_result_of_another_recipe_is_refused_and_kept(queue, capsys, monkeypatch):
    queue.work_on(ONE)
    monkeypatch.setattr(variations, "TASKS", {"toy": replace(variations.TASKS["toy"], warmup=20)})
    assert queue.main(["--list"]) == 2
    assert "is of another recipe" in capsys.readouterr().err
    assert read(queue, ONE)["task"]["warmup"] == 10


def test_half_a_result_gets_one_line(queue, capsys):
    queue.path_of(ONE).parent.mkdir(parents=True)
    queue.path_of(ONE).write_text('{"row": "base", ')
    assert queue.main(["--workers", "1"]) == 2
    assert "0.json" in (said := capsys.readouterr().err)
    assert said.count("\n") == 1


def test_a_name_that_no_run_has_gets_one_line(queue, capsys):
    assert queue.main(["--only", "basse"]) == 2
    assert "--only basse" in capsys.readouterr().err


def test_nothing_runs_while_the_criteria_are_not_committed(tmp_path, monkeypatch):
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run([*git, "init", "--quiet"], check=True)
    monkeypatch.setattr(trials, "CRITERIA", tmp_path / "CRITERIA.md")
    trials.CRITERIA.write_text("What counts.\n")
    with pytest.raises(DataError, match="not committed"):
        trials.criteria()
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "--quiet", "--message", "Criteria"], check=True)
    assert len(trials.criteria()) == 12
    trials.CRITERIA.write_text("What counts now.\n")
    with pytest.raises(DataError, match="not committed"):
        trials.criteria()


def test_every_row_of_table_3_builds_and_changes_what_the_paper_changes():
    sizes = {}
    for row in {**variations.TABLE3, **variations.LATER}:
        config = variations.Trial("multi30k", row, 0).config(4000)
        with torch.device("meta"):
            sizes[row] = Transformer(config.model).num_parameters()
    same = ["A heads 1", "A heads 4", "A heads 16", "A heads 32", "D dropout 0.0", "rotary"]
    assert {sizes[row] for row in same} == {sizes["base"]}
    # The paper's table has 58 and 60 beside 65 million: 3 d_model h (d_k saved) 2 a layer, as here
    saved = 9 * 2 * (128 * 8 * 12 + 8 * 12)
    assert sizes["base"] - sizes["B d_k 4"] == saved
    assert abs(sizes["SwiGLU"] / sizes["base"] - 1) < 0.005


def test_no_trial_is_asked_for_twice_and_each_has_a_file_of_its_own():
    names = [trial.name for trial in variations.trials()]
    assert len(set(names)) == len(names)
    multi30k = [trial for trial in variations.trials() if trial.task == "multi30k"]
    seeds = [trial.seed for trial in multi30k if trial.row == "base"]
    assert sorted(seeds) == list(range(8))


@pytest.mark.slow
@pytest.mark.skipif("TRANSFORMER_COURSE_DATA" not in os.environ, reason="needs Multi30k")
def test_a_result_can_be_had_again():
    """The first 200 steps of base, as they were stored; rounding differs between processors."""
    trial = variations.Trial("multi30k", "base", 0)
    stored = trials.finished(trial)["first_losses"]
    tokenizer = variations.vocabulary("multi30k")
    config = trial.config(len(tokenizer))
    torch.manual_seed(trial.seed)
    model = Transformer(config.model)
    pairs = data.load_pairs(config.data, "train")
    batches = TokenBatches(tokenizer.encode_pairs(pairs), max_tokens=1024, seed=trial.seed)
    steps = islice(train(model, batches, config.training), len(stored))
    found = torch.tensor([step.loss for step in steps])
    assert (found[:20] - torch.tensor(stored[:20])).abs().max() < 0.01
    assert (found - torch.tensor(stored)).abs().max() < 0.05


@pytest.mark.slow
def test_a_killed_process_loses_nothing_but_time(tmp_path):
    """The same by a signal, which no code sees coming."""
    code = (
        "import trials, variations, pathlib, sys; root = pathlib.Path(sys.argv[1]);"
        "trials.RESULTS, trials.RUNS = root / 'results', root / 'runs';"
        "trials.criteria = lambda: 'x';"
        "variations.trials = lambda: [variations.Trial('toy', 'base', 0)];"
        "variations.TASKS = {'toy': variations.Task(data='toy:copy', valid='valid', test='test',"
        "steps=1200, vocab_size=40, max_tokens=64, warmup=10)};"
        "variations.BASE |= {'d_model': 16, 'num_heads': 2, 'd_ff': 16, 'num_layers': 1};"
        "sys.exit(trials.main(['--workers', '1']))"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    folder = str(record.ROOT / "benchmarks")
    first = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
    assert "step 500" in first.stdout.readline()
    first.kill()
    first.communicate()
    assert not list(tmp_path.glob("results/toy/*.json"))
    second = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    assert "step 500" not in second.stdout
    assert (tmp_path / "results" / "toy" / "base.0.json").exists()
