"""The comparison of engines itself, at a tiny size."""

import json
import sys
from pathlib import Path

import decode_speed as bench
import pytest
import torch


@pytest.mark.slow
def test_every_engine_of_ours_writes_the_same_tokens_and_the_ratios_are_those_of_the_times(
    tmp_path, capsys
):
    threads = torch.get_num_threads()
    try:
        assert bench.main(["--smoke", "--rounds", "1", "--out", str(tmp_path / "out.json")]) == 0
    finally:
        torch.set_num_threads(threads)
    found = json.loads((tmp_path / "out.json").read_text())
    assert [(each["sentences"], each["beam"]) for each in found["settings"]] == bench.SETTINGS
    for setting in found["settings"]:
        first, *others = setting["rows"]
        assert first["same_outputs"] == setting["sentences"]
        assert first["times"]["ours, fp32"]["median"] == 1
        for row in others:
            if "fp32" in row["name"]:
                assert row["same_outputs"] == setting["sentences"]
            ratio = row["cpu_seconds"]["median"] / first["cpu_seconds"]["median"]
            assert row["times"]["ours, fp32"]["median"] == pytest.approx(ratio, rel=0.05)
    assert capsys.readouterr().out.count("32 sentences, beam 4") == len(bench.OURS)


def test_outputs_are_compared_token_by_token():
    found = bench.agreement([[1, 2, 3, 4], [5, 6, 7, 8]], [[1, 2, 9, 4], [5, 6, 7, 8]])
    assert found == {"same_outputs": 1, "same_until": 0.75}


def test_an_engine_that_stops_early_is_found_out():
    with pytest.raises(RuntimeError, match="lazy wrote 1 tokens, not 7: not the same work"):
        bench.measure({"lazy": lambda src, beam, length: [[5]]}, bench.SMOKE, 1, 1, 7, 1, 0)


def test_a_missing_peer_is_left_out_and_said_so(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "ctranslate2", None)
    monkeypatch.setattr(bench, "PEERS", {"CTranslate2, fp32": bench.PEERS["CTranslate2, fp32"]})
    model = bench.tireless(bench.Transformer(bench.SMOKE))
    engines, skipped = bench.build_engines(model, with_peers=True)
    assert list(engines) == list(bench.OURS)
    assert list(skipped) == ["CTranslate2, fp32"]
    assert "CTranslate2, fp32 is left out: " in capsys.readouterr().err


def test_a_missing_venv_of_the_peers_is_one_line_that_says_what_to_do(monkeypatch, capsys):
    monkeypatch.setattr(bench, "PEERS_PYTHON", Path("/nowhere/bin/python"))
    with pytest.raises(SystemExit) as stopped:
        bench.main(["--peers"])
    assert stopped.value.code == 2
    assert "the others need a venv of their own, see " in capsys.readouterr().err


def test_bad_options_are_one_line(capsys):
    for given, told in [
        (["--rounds", "0"], "expected a whole number from 1 up, got '0'"),
        (["--out", "/nowhere/out.json"], "there is no folder /nowhere"),
    ]:
        with pytest.raises(SystemExit) as stopped:
            bench.main(given)
        assert stopped.value.code == 2
        assert told in capsys.readouterr().err
