"""The benchmarks of the training step: those who take part do the same work, and fairly timed."""

import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import gpu
import plots
import pytest
import torch
import train_speed as module
import train_tricks as tricks
from torch.utils.flop_counter import FlopCounterMode

from transformer_course import data
from transformer_course.data import padding_waste
from transformer_course.errors import DataError


@pytest.fixture
def train_speed(monkeypatch):
    toy = module.Size(module.PROBE, pairs=5, length=9, steps=1)
    monkeypatch.setattr(module, "SIZES", {"tiny": toy, "big": replace(toy, apart=True)})
    return module


def test_it_measures_ours_in_three_ways_and_says_with_what(train_speed, tmp_path, capsys):
    out = tmp_path / "speed.json"
    arguments = ["--sizes", "tiny", "big", "--rounds", "3", "--out", str(out)]
    assert train_speed.main(arguments) == 0
    found = json.loads(out.read_text())
    assert {"commit", "hardware", "commands", "seed", "clock", "versions"} <= set(found)
    assert [size["size"] for size in found["sizes"]] == ["tiny", "big"]
    tiny = found["sizes"][0]
    assert tiny["config"]["d_model"] == train_speed.PROBE.d_model
    assert (tiny["source_shape"], tiny["rounds"]) == ([5, 9], 3)
    assert [row["kind"] for row in tiny["rows"]] == ["same loss", "fp32", "best"]
    for row in tiny["rows"]:
        assert row["times_ours"] == {"median": 1.0, "low": 1.0, "high": 1.0}
        assert 0 < row["cpu_seconds"]["low"] <= row["cpu_seconds"]["median"]
    assert set(tiny["models"]["ours"]["tried"]) == set(train_speed.OUR_MODES)
    assert capsys.readouterr().out.count("times ours") == 6


def test_each_is_compared_with_ours_in_the_same_loss_in_fp32_and_at_its_best(train_speed):
    size = train_speed.SIZES["tiny"]
    batch = train_speed.random_batch(size.config.vocab_size, size.pairs, size.length)
    seconds = {
        "ours": {
            "fp32": 4.0,
            "fp32, loss in chunks": 3.0,
            "bf16": 2.5,
            "bf16, loss in chunks": 1.0,
        },
        "other": {"fp32": 6.0, "fp32, attention written out": 7.0, "bf16": 9.0},
    }
    two = [train_speed.Contender(name, train_speed.Ours, size) for name in seconds]
    for each in two:
        each.modes = tuple(seconds[each.name])
        each.time = lambda batch, mode, steps, name=each.name: (seconds[name][mode], 1.0)
    rows = train_speed.alternate(two, batch, size, 3, 0, {})
    ratios = {row["kind"]: row["times_ours"]["median"] for row in rows if row["name"] == "other"}
    assert ratios == {"same loss": 1.5, "fp32": 2.0, "best": 6.0}
    assert [row["mode"] for row in rows[-2:]] == ["bf16, loss in chunks", "fp32"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--sizes", "huge"], "invalid choice: 'huge'"),
        (["--rounds", "0"], "expected a whole number from 1 up, got '0'"),
        (["--rounds", "some"], "expected a whole number from 1 up, got 'some'"),
        (["--frobnicate"], "unrecognized arguments: --frobnicate"),
        (["--out", "nowhere/at/all.json"], "there is no folder nowhere/at"),
        (["--peers"], "the others need a venv of their own"),
    ],
)
def test_a_wrong_argument_gets_one_line(train_speed, monkeypatch, capsys, arguments, message):
    monkeypatch.setattr(train_speed, "PEERS_PYTHON", Path("nowhere/bin/python"))
    with pytest.raises(SystemExit) as stopped:
        train_speed.main(arguments)
    assert stopped.value.code == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_a_library_that_is_not_here_is_left_out_by_name(train_speed, monkeypatch, capsys):
    monkeypatch.setattr(train_speed, "PEERS", {"Nobody": "peers.nobody"})
    assert train_speed.peers_here() == ({}, {"Nobody": "No module named 'peers.nobody'"})
    assert "Nobody is left out: No module named" in capsys.readouterr().err


def test_torch_does_the_same_work(train_speed):
    assert set(train_speed.peers_here()[0]) >= {"torch.nn.Transformer"}


@pytest.mark.parametrize(
    ("cheat", "message"),
    [
        ("smaller", "times our parameters"),
        ("prophet", "it sees the future"),
        ("deaf", "it does not read the source"),
        ("messy", "it sees padding"),
        ("sure", "it has no dropout"),
        ("loud", "its first loss is"),
    ],
)
def test_a_model_that_does_other_work_is_refused(train_speed, cheat, message):
    class Cheat(train_speed.Ours):
        def __init__(self, config):
            changes = {"smaller": {"d_ff": 8}, "sure": {"dropout": 0.0}}
            super().__init__(replace(config, **changes.get(cheat, {})))

        def forward(self, src, tgt):
            if cheat == "deaf":
                src = torch.full_like(src[:, :1], 5)
            logits = super().forward(src, tgt)
            if cheat == "prophet":
                logits = logits + logits.mean(1, keepdim=True)
            if cheat == "messy":
                logits = logits + (src == 0).sum()
            return 9 * logits if cheat == "loud" else logits

    with pytest.raises(RuntimeError, match=f"cheat does not do the same work: .*{message}"):
        train_speed.check("cheat", Cheat)


def test_a_batch_is_the_same_every_time_and_has_some_padding(train_speed):
    first, second = (train_speed.random_batch(997, 31, 29) for _ in range(2))
    torch.testing.assert_close(first.src, second.src)
    assert first.src.shape == first.tgt_in.shape == (31, 29)
    assert 0.05 < padding_waste([first]) < 0.15


def test_flops_are_those_that_torch_counts():
    config = replace(gpu.TOY, vocab_size=499, dropout=0.0)
    src, tgt = torch.randint(4, 499, (3, 11)), torch.randint(4, 499, (3, 7))
    batch = gpu.Batch(src, tgt, tgt, 21)
    fused = torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH)
    with FlopCounterMode(display=False) as counter, fused:
        gpu.Ours(config)(src, tgt)
    # torch multiplies the scores of the future, too: half of a square for scores and mixtures each
    future = config.num_layers * 2 * config.d_model * 3 * 7 * 7
    assert gpu.flops(config, batch) == 3 * (counter.get_total_flops() - future)


def test_a_variant_that_computes_something_else_stops_the_benchmark(monkeypatch):
    broken = lambda *args: 1.2 * gpu.label_smoothed_loss(args[0] @ args[1].T, args[2])  # noqa: E731
    monkeypatch.setattr(gpu, "chunked_loss", broken)
    with pytest.raises(RuntimeError, match="bf16, loss in chunks is not what float64 computes"):
        gpu.check(gpu.SMOKE)


def test_each_trick_is_told_by_what_is_lost_without_it(train_speed, monkeypatch, tmp_path, capsys):
    pairs = data.load_pairs("phrasebook:en-de", "train", 300)
    monkeypatch.setattr(data, "load_pairs", lambda name, split: pairs)
    monkeypatch.setattr(tricks, "SIZES", train_speed.SIZES)
    monkeypatch.setattr(
        tricks, "loss_of_base", lambda: {"trick": "loss", "without": {"median": 1.0}}
    )
    out = tmp_path / "tricks.json"
    assert tricks.main(["--size", "tiny", "--rounds", "1", "--out", str(out)]) == 0
    found = {row["trick"]: row for row in json.loads(out.read_text())["tricks"]}
    assert len(found) == 9
    by_length = found["batches by length, counted in padded positions"]
    assert 0 <= by_length["padding"] < by_length["padding_of_random_batches"] < 1
    assert by_length["without"]["median"] > 1
    assert capsys.readouterr().out.count("times as long without") == 9


def test_without_multi30k_the_padding_is_left_out(monkeypatch, tmp_path, capsys):
    def absent(name, split):
        raise DataError("not here")

    monkeypatch.setattr(data, "load_pairs", absent)
    monkeypatch.setattr(tricks, "steps", lambda *args: [])
    monkeypatch.setattr(
        tricks, "loss_of_base", lambda: {"trick": "loss", "without": {"median": 1.0}}
    )
    out = tmp_path / "tricks.json"
    assert tricks.main(["--out", str(out)]) == 0
    assert [row["trick"] for row in json.loads(out.read_text())["tricks"]] == ["loss"]
    assert "padding is left out: not here" in capsys.readouterr().err


@pytest.mark.parametrize("way", ["plain", "chunks"])
def test_the_loss_alone_is_timed_and_its_memory_weighed(monkeypatch, capsys, way):
    monkeypatch.setattr(tricks, "VOCABULARY", 97)
    assert tricks.main(["--loss-alone", way]) == 0
    seconds, megabytes = map(float, capsys.readouterr().out.split())
    assert seconds > 0
    assert megabytes >= 0


def test_the_bars_are_as_long_as_the_ratios():
    def row(name, ratio, kind="best"):
        return {
            "name": name,
            "kind": kind,
            "times_ours": dict.fromkeys(("median", "low", "high"), ratio),
        }

    rows = [row("ours", 1.0), row("A & B", 2.5), row("A & B", 9.0, "fp32")]
    drawn = ElementTree.fromstring(
        plots.bars({"what": "a step", "sizes": [{"size": "tiny", "rows": rows}]})
    )
    tag = "{http://www.w3.org/2000/svg}"
    ours, other = (float(bar.get("width")) for bar in drawn.iter(f"{tag}rect"))
    assert abs(other / ours - 2.5) < 0.01
    texts = [text.text for text in drawn.iter(f"{tag}text")]
    assert texts == ["tiny", "ours", "1.00", "A & B", "2.50"]
    assert "a step" in drawn.find(f"{tag}title").text


@pytest.mark.parametrize("arguments", [[], ["nothing"], ["multi30k-en-de-small"]])
def test_what_cannot_be_drawn_gets_one_line(capsys, arguments):
    assert plots.main(arguments) == 2
    error = capsys.readouterr().err
    assert error.startswith("plots.py: error: ")
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "no GPU here; --smoke runs"),
        (["--smoke"], "--smoke needs --out FILE"),
        (["--seconds", "soon"], "expected a whole number from 1 up, got 'soon'"),
    ],
)
def test_without_a_gpu_it_says_what_to_do(monkeypatch, capsys, arguments, message):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(SystemExit) as stopped:
        gpu.main(arguments)
    assert stopped.value.code == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.slow
def test_the_gpu_benchmark_runs_from_end_to_end_at_a_toy_size(tmp_path):
    out = tmp_path / "gpu.json"
    assert gpu.main(["--smoke", "--rounds", "1", "--out", str(out)]) == 0
    found = json.loads(out.read_text())
    assert found["ceilings"]["bf16_tflops"] > 0
    checked = [row["variant"] for row in found["checked_against_float64"]]
    assert checked == [variant.name for variant in gpu.VARIANTS if variant.model == "ours"]
    for size in found["sizes"]:
        names = {row["variant"] for row in size["rows"]} | set(size["skipped"])
        assert names == {variant.name for variant in gpu.VARIANTS}
        assert {*checked, "torch.nn.Transformer, bf16"} <= names - set(size["skipped"])
        assert all(row["hours_for_the_papers_steps"] >= 0 for row in size["rows"])
        assert [trick["without"] > 0 for trick in size["tricks"]] == [True] * 4
