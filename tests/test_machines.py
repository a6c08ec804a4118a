"""The legs on which verdicts are run again: which there are, and that a red one is told."""

import os
import subprocess
import sys

import machines
import pytest


def test_a_machine_plays_all_that_is_narrower_than_its_own():
    assert machines.legs("avx2") == [("default", 1), ("default", 2), ("avx2", 1), ("avx2", 2)]
    assert ("avx512", 2) in machines.legs("avx512")
    assert machines.legs("sve256") == [("sve256", 1), ("sve256", 2)]


@pytest.mark.parametrize("own", [*machines.LEGS, "sve256"])
def test_the_cheapest_leg_is_one_it_can_play_and_not_its_own(own):
    assert machines.cheapest(own) in machines.legs(own)
    assert machines.cheapest(own) != (own, 1)


@pytest.mark.slow
def test_a_leg_is_what_torch_then_uses():
    name, threads = machines.cheapest(machines.capability())
    code = "import torch; print(torch.backends.cpu.get_cpu_capability(), torch.get_num_threads())"
    command = [sys.executable, "-c", code]
    environment = machines.environment(name, threads)
    said = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert said.stdout.lower().split() == [name, str(min(threads, os.cpu_count()))]


def test_an_unknown_leg_is_refused_with_the_known_ones(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["machines.py", "--leg", "mmx:1"])
    with pytest.raises(SystemExit):
        machines.main()
    assert "'mmx:1': expected one of default:1" in capsys.readouterr().err


@pytest.mark.parametrize(("code", "word"), [(0, "green"), (1, "red")])
def test_a_red_leg_is_told_and_is_the_exit_code(monkeypatch, capsys, code, word):
    ended = subprocess.CompletedProcess([], code)
    monkeypatch.setattr(machines.subprocess, "run", lambda *_, **__: ended)
    monkeypatch.setattr(sys, "argv", ["machines.py", "--cheapest"])
    assert machines.main() == code
    assert f": {word}, " in capsys.readouterr().out


@pytest.mark.slow
def test_with_other_seeds_equal_ones_stay_equal_and_all_differ_from_before():
    code = """if True:
        import numpy as np, torch
        def draw():
            torch.manual_seed(0)
            generator = torch.Generator().manual_seed(0)
            rows = [np.random.default_rng(seed).random(3) for seed in (0, [0, 1])]
            state = np.random.SeedSequence([0, 1]).generate_state(3)
            drawn = torch.rand(3), torch.rand(3, generator=generator), *rows, state
            return [number for each in drawn for number in each.tolist()]
        before = draw()
        import reseed
        one, other = draw(), draw()
        assert one == other
        assert not set(one) & set(before)
    """
    environment = {**machines.environment("", 1), "COURSE_RESEED": "1"}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)
