"""The command as a user types it, and each thing that can go wrong with it."""

import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from transformer_course import data, decoding
from transformer_course.commands import train as train_module
from transformer_course.commands.cli import build_parser, main
from transformer_course.decoding import SEARCHES
from transformer_course.model import CHOICES, TINY
from transformer_course.training import Run

pytestmark = pytest.mark.usefixtures("few_toys")
TRAIN = ["train", "--data", "toy:copy", "--preset", "tiny", "--device", "cpu"]
TRAIN += ["--precision", "fp32"]  # what is faster depends on the machine


@pytest.fixture(scope="module")
def run(tmp_path_factory, few_toys):
    """A run of a few steps, made by the command itself."""
    folder = tmp_path_factory.mktemp("runs") / "demo"
    out = ["--out", str(folder), "--steps", "6", "--save-every", "2", "--max-tokens", "300"]
    assert main([*TRAIN, *out]) == 0
    return folder


def refused(capsys, *argv: object) -> str:
    """Run a command that must fail with one line on standard error and exit code 2."""
    assert main([str(arg) for arg in argv]) == 2
    said = capsys.readouterr()
    assert said.err.startswith("transformer-course: error: ")
    assert said.err.count("\n") == 1
    assert "Traceback" not in said.err
    return said.err


def test_training_leaves_a_run_that_translates(run, capsys):
    assert Run.open(run).weights().name == "step-000006"  # steps 2 and 4 are long ago
    assert main(["translate", "--run", str(run), "b c d", "e f"]) == 0
    assert capsys.readouterr().out.count("\n") == 2


def test_training_shows_how_to_go_on(tmp_path, capsys):
    out = ["--out", str(tmp_path / "r"), "--steps", "4", "--save-every", "2", "--valid-every", "2"]
    assert main([*TRAIN, *out, "--max-tokens", "300"]) == 0
    said = capsys.readouterr().out
    assert "step 2: BLEU" in said
    assert "averaged" not in said
    assert "next: transformer-course evaluate" in said
    assert [line["step"] for line in Run.open(tmp_path / "r").records("valid.jsonl")] == [2, 4]


def test_checkpoints_of_the_last_fifth_are_averaged(tmp_path, capsys):
    out = ["--out", str(tmp_path / "r"), "--steps", "10", "--save-every", "1"]
    assert main([*TRAIN, *out, "--max-tokens", "300"]) == 0
    assert "averaged step-000008 to step-000010" in capsys.readouterr().out
    assert Run.open(tmp_path / "r").weights().name == "averaged"


def test_a_rate_that_ends_at_zero_leaves_nothing_to_average(tmp_path, capsys):
    out = ["--out", str(tmp_path / "r"), "--max-tokens", "300"]  # it ends by itself at last_step
    assert main([*TRAIN, *out, "--set", "warmup=1", "--set", "last_step=4"]) == 0
    assert "averaged" not in capsys.readouterr().out
    assert Run.open(tmp_path / "r").weights().name == "step-000004"


def test_any_entry_of_the_configuration_can_be_set(tmp_path, capsys):
    out = ["--out", str(tmp_path / "r"), "--steps", "1", "--max-tokens", "300"]
    out += ["--set", "dropout=0.25", "--set", "warmup=7"]
    assert main([*TRAIN, *out, "--set", "positions=rotary", "--set", "num_kv_heads=1"]) == 0
    config = Run.open(tmp_path / "r").config
    assert (config.model.dropout, config.training.warmup) == (0.25, 7)
    assert (config.model.positions, config.model.num_kv_heads) == ("rotary", 1)
    resumed = ["train", "--out", tmp_path / "r", "--resume", "--steps", "1", "--set", "dropout=0.5"]
    assert "model.dropout=0.25, not 0.5" in refused(capsys, *resumed)


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ("dropuot=0.3", "expected NAME=VALUE, with NAME one of activation, d_ff, d_model"),
        ("dropout", "expected float, got ''"),
        ("d_ff=2.5", "expected int, got '2.5'"),
        ("num_kv_heads=two", "expected int, got 'two'"),
        ("num_kv_heads=3", "num_heads=2 is not divisible by num_kv_heads=3"),
        ("positions=rope", "positions='rope': expected one of sinusoidal"),
        ("last_step=3", "last_step=3: expected more than warmup=400"),
        ("warmup=0", "warmup=0: expected a whole number from 1 on"),
        ("seed=-1", "seed=-1: expected a whole number from 0 on"),
        ("seed=9223372036854775808", "expected a whole number up to 9223372036854775807"),
        ("d_model=999999999998", "d_ff=256 and 2 layers does not fit into the memory of cpu"),
        ("d_ff=99999999999999999999999", "does not fit into the memory of cpu: choose a smaller"),
        ("label_smoothing=2", "label_smoothing=2.0: expected a share from 0 to below 1"),
        ("precision=fp16", "precision='fp16': expected one of fp32, bf16"),
        ("max_len=1", "no pairs to train on"),
        ("max_tokens=3", "no pairs to train on"),
    ],
)
def test_a_setting_that_cannot_be_is_refused(tmp_path, capsys, setting, expected):
    assert expected in refused(capsys, *TRAIN, "--out", tmp_path / "r", "--set", setting)
    assert not (tmp_path / "r").exists()


def test_after_a_start_that_failed_the_corrected_command_begins_anew(tmp_path, capsys):
    out = ["--out", tmp_path / "r", "--steps", "1"]
    refused(capsys, *TRAIN, *out, "--set", "max_len=1")
    assert list(tmp_path.iterdir()) == []
    assert main([*TRAIN, *map(str, out)]) == 0


def test_a_resume_that_failed_leaves_the_run(run, capsys):
    before = sorted(path.name for path in run.iterdir())
    copy = run.with_name("copy")
    shutil.copytree(run, copy)
    (Run.open(copy).weights("last") / "model.safetensors").write_bytes(b"")
    said = refused(capsys, "train", "--out", copy, "--resume", "--steps", 9, "--device", "cpu")
    assert "or rename it to damaged-step-" in said
    assert sorted(path.name for path in copy.iterdir()) == before
    shutil.rmtree(copy)


def test_pairs_that_are_too_long_are_counted(tmp_path, capsys):
    out = ["--out", str(tmp_path / "r"), "--steps", "1", "--max-tokens", "300"]
    assert main([*TRAIN, *out, "--set", "max_len=6"]) == 0
    said = capsys.readouterr().out
    dropped = re.search(r"pairs, ([\d,]+) of them left out as longer than 6 tokens, ", said)
    assert int(dropped[1].replace(",", "")) > 0
    assert main(["train", *out, "--resume", "--device", "cpu"]) == 0
    assert main([*TRAIN, "--out", str(tmp_path / "whole"), "--steps", "1"]) == 0
    assert "left out" not in capsys.readouterr().out.splitlines()[-2]


def test_a_precision_that_is_set_is_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(train_module, "measure_precision", None)  # nobody is asked
    out = ["--out", str(tmp_path / "r"), "--steps", "1", "--max-tokens", "300"]
    assert main([*TRAIN[:-2], *out, "--set", "precision=bf16"]) == 0
    assert Run.open(tmp_path / "r").config.training.precision == "bf16"


def test_ctrl_c_while_the_command_loads_is_one_line():
    code = """
import sys

class Interrupted:
    def find_spec(name, path, target=None):
        if name == "torch":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupted)
from transformer_course.__main__ import main
sys.exit(main())
"""
    run = [sys.executable, "-c", code]
    found = subprocess.run(run, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stderr) == (130, "\ntransformer-course: interrupted\n")


def test_help_lists_every_part_that_can_be_set(capsys):
    with pytest.raises(SystemExit, match="0"):
        main(["train", "--help"])
    said = " ".join(capsys.readouterr().out.split())
    for name, known in CHOICES.items():
        assert f"{name}: {', '.join(known)}" in said


def test_help_lists_what_can_be_fetched(capsys):
    with pytest.raises(SystemExit, match="0"):
        main(["data", "--help"])
    assert f"one of {', '.join(data.to_fetch())}" in " ".join(capsys.readouterr().out.split())


def test_precision_is_measured_said_and_kept_by_the_run(tmp_path, capsys, monkeypatch):
    def measured(config, training):
        return "bf16", "precision bf16: as measured"

    monkeypatch.setattr(train_module, "measure_precision", measured)
    out = ["--out", str(tmp_path / "r"), "--max-tokens", "300"]
    assert main([*TRAIN[:-2], *out, "--steps", "1"]) == 0
    assert "precision bf16: as measured" in capsys.readouterr().out
    monkeypatch.setattr(train_module, "measure_precision", None)  # resuming asks nobody
    assert main(["train", "--resume", *out, "--precision", "auto", "--steps", "2"]) == 0
    assert Run.open(tmp_path / "r").config.training.precision == "bf16"
    said = refused(capsys, "train", "--resume", *out, "--precision", "fp32", "--steps", "3")
    assert "training.precision=bf16, not fp32" in said


@pytest.mark.parametrize("verb", ["translate", "evaluate"])
def test_weights_are_laid_out_by_measuring_and_an_evaluation_says_how(
    run, capsys, monkeypatch, verb
):
    asked = []

    def measured(model, rows):
        asked.append(rows)
        return {(64, 64): ("rows", "columns")}

    monkeypatch.setattr(decoding, "choose_layouts", measured)
    options = ["b c d", "e f"] if verb == "translate" else ["--data", "toy:copy"]
    assert main([verb, "--run", str(run), "--device", "cpu", "--beam", "3", *options]) == 0
    sentences = 2 if verb == "translate" else len(data.load_pairs("toy:copy", "valid"))
    assert asked == [3 * sentences]
    said = "weights in memory, shapes by layout: one row rows 1; several rows columns 1"
    heard = capsys.readouterr().err
    assert (said in heard) == (verb == "evaluate")  # who translates a sentence wants the sentence


def test_a_run_resumes_where_it_was(run, capsys):
    assert main(["train", "--out", str(run), "--resume", "--steps", "8", "--device", "cpu"]) == 0
    assert "from step 6" in capsys.readouterr().out
    assert [line["step"] for line in Run.open(run).records("log.jsonl")] == list(range(1, 9))


def test_evaluate_gives_one_line_of_json(run, capsys):
    argv = ["evaluate", "--run", str(run), "--data", "toy:copy", "--split", "valid", "--json"]
    assert main([*argv, "--beam", "1"]) == 0
    line = json.loads(capsys.readouterr().out)
    assert {"bleu", "chrf", "signature", "sentences", "seconds", "run", "data", "split"} <= set(
        line
    )
    assert line["signature"].startswith("nrefs:1|case:mixed")
    assert 0 <= line["bleu"] <= 100


@pytest.fixture
def own_files(run, tmp_path):
    """A command that scores two sentences of one's own."""
    for name in ("src", "ref"):
        (tmp_path / name).write_text("b c\nd e\n")
    argv = ["evaluate", "--run", run, "--src", tmp_path / "src", "--ref", tmp_path / "ref"]
    return [str(arg) for arg in argv]


def test_every_search_is_chosen_by_name(own_files, capsys):
    said = []
    for name in (["--beam", "1"], ["--search", "greedy"], ["--search", "sample", "--top-k", "1"]):
        assert main([*own_files, *name, "--json"]) == 0
        said.append(json.loads(capsys.readouterr().out))
    assert len({line["chrf"] for line in said}) == 1  # all take the likeliest token
    assert [line["search"] for line in said] == ["beam", "greedy", "sample"]
    assert [said[2][name] for name in ("top_k", "temperature", "seed")] == [1, 1.0, 0]
    assert main([*own_files, "--search", "sample", "--top-k", "1"]) == 0
    line = capsys.readouterr().out.splitlines()[0]
    assert line.endswith(", sample, temperature 1.0, top_k 1, top_p 1.0, seed 0")


def test_without_a_word_about_it_the_search_is_a_beam_of_four(own_files, capsys):
    assert main([*own_files, "--json"]) == 0
    line = json.loads(capsys.readouterr().out)
    assert (line["search"], line["beam"], line["alpha"]) == ("beam", 4, 0.6)
    assert main([*own_files, "--search", "beam", "--beam", "4", "--alpha", "0.6"]) == 0
    said = capsys.readouterr().out.splitlines()[0]
    assert said.startswith(f"BLEU {line['bleu']:.1f}, chrF {line['chrf']:.1f}, ")
    assert said.endswith(", beam 4")


def test_a_seed_repeats_a_sample_and_another_draws_anew(run, capsys):
    said = []
    for seed in (1, 2, 1):
        sampling = ["--search", "sample", "--temperature", "2", "--top-p", "0.9"]
        sentences = ["b c d e f g", "h i j k l m"]
        argv = ["translate", "--run", run, *sampling, "--seed", seed, *sentences]
        assert main([str(arg) for arg in argv]) == 0
        said.append(capsys.readouterr().out)
    assert said[0] == said[2] != said[1]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--search", "greedy", "--beam", "4"], "search greedy: expected no options, got beam=4"),
        (["--temperature", "0.7"], "got temperature=0.7; use search sample or leave it out"),
        (["--beam", "2", "--seed", "3"], "expected beam or alpha, got seed=3; use search sample"),
        (["--search", "sample", "--alpha", "1"], "got alpha=1.0; use search beam or leave it out"),
    ],
)
@pytest.mark.parametrize("verb", ["translate", "evaluate"])
def test_options_of_two_searches_are_refused(run, capsys, verb, options, expected):
    asked = ["b c"] if verb == "translate" else ["--data", "toy:copy"]
    assert expected in refused(capsys, verb, "--run", run, *options, *asked)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--search", "widest"], "invalid choice: 'widest'"),
        (["--temperature", "0"], "--temperature: expected a number above 0, got '0'"),
        (["--top-k", "0"], "--top-k: expected a whole number from 1 on, got '0'"),
        (["--top-p", "1.5"], "--top-p: expected a share above 0, at most 1, got '1.5'"),
        (["--top-p", "nan"], "--top-p: expected a number above 0, got 'nan'"),
        (["--alpha", "nan"], "--alpha: expected a number from 0 on, got 'nan'"),
        (["--alpha=-1"], "--alpha: expected a number from 0 on, got '-1'"),
        (["--beam", "100000"], "--beam: expected a whole number from 1 to 1000, got '100000'"),
    ],
)
def test_a_search_that_cannot_be_is_refused_in_one_line(capsys, options, expected):
    with pytest.raises(SystemExit, match="2"):
        main(["translate", "--search", "sample", *options, "b c"])
    said = capsys.readouterr().err
    assert expected in said
    assert said.count("\n") == 1
    assert said.endswith("see transformer-course translate --help\n")


@pytest.mark.parametrize("temperature", ["1e-39", "1e39"])
def test_a_temperature_beyond_arithmetic_is_refused(run, capsys, temperature):
    argv = ["translate", "--run", run, "--search", "sample", "--temperature", temperature, "b c"]
    assert "expected a number from 1e-06 to 1e+06" in refused(capsys, *argv)


def test_evaluate_scores_files_of_ones_own(run, capsys, tmp_path):
    (tmp_path / "src").write_text("b c\nd e\n")
    (tmp_path / "ref").write_text("b c\nd e\n")
    argv = ["evaluate", "--run", run, "--src", tmp_path / "src", "--ref", tmp_path / "ref"]
    assert main([str(arg) for arg in [*argv, "--output", tmp_path / "out"]]) == 0
    assert "on 2 sentences" in capsys.readouterr().out
    assert len((tmp_path / "out").read_text().splitlines()) == 2


def test_without_a_run_the_carried_translator_answers(capsys):
    assert main(["translate", "A dog runs through the snow."]) == 0
    assert capsys.readouterr().out == "Ein Hund rennt durch den Schnee.\n"


def test_translate_writes_what_every_head_looked_at(run, tmp_path):
    file = tmp_path / "attention.json"
    assert main(["translate", "--run", str(run), "b c d", "--attention", str(file)]) == 0
    (one,) = json.loads(file.read_text())
    heads = one["weights"]["decoder_layers.1.cross_attn"]
    assert len(heads) == TINY.num_heads
    assert len(heads[0]) == len(one["output"])
    assert all(len(row) == len(one["source"]) for row in heads[0])
    assert all(abs(sum(row) - 1) < 0.01 for row in heads[0])


def test_average_says_what_it_averaged(run, capsys):
    assert main(["average", str(run), "--last", "2"]) == 0
    assert "the mean of step-" in capsys.readouterr().out


def type_in(monkeypatch, text: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))


def test_standard_input_is_translated_line_by_line(run, capsys, monkeypatch):
    type_in(monkeypatch, b"b c\nd e\n")
    assert main(["translate", "--run", str(run)]) == 0
    assert capsys.readouterr().out.count("\n") == 2


def test_at_a_terminal_it_is_said_what_to_type(run, capsys, monkeypatch):
    type_in(monkeypatch, b"b c\n")
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    assert main(["translate", "--run", str(run)]) == 0
    assert "one sentence a line, then Ctrl-D" in capsys.readouterr().err


def test_umlauts_are_written_as_utf8_whatever_the_terminal_says(tmp_path, monkeypatch):
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii"))
    monkeypatch.setattr(Path, "write_text", partial_of_ascii(Path.write_text))
    maps = tmp_path / "maps.json"
    assert main(["translate", "Two men run.", "--attention", str(maps)]) == 0
    assert "Männer" in written.getvalue().decode("utf-8")
    (one,) = json.loads(maps.read_text(encoding="utf-8"))
    assert "ä" in "".join(one["output"])


def partial_of_ascii(write):
    """Files as a machine writes them whose own encoding is ASCII."""
    return lambda path, text, encoding="ascii", **more: write(path, text, encoding, **more)


def test_bytes_that_are_not_utf8_are_refused(run, capsys, monkeypatch):
    type_in(monkeypatch, b"b c\n\xff\xfe d\n")
    said = refused(capsys, "translate", "--run", run)
    assert "expected UTF-8 in standard input" in said
    assert "line 2" in said


def test_an_empty_sentence_is_refused(run, capsys):
    said = refused(capsys, "translate", "--run", run, "b c", "  ")
    assert "sentence 2 is empty" in said


def test_a_sentence_beyond_max_len_is_refused(run, capsys):
    said = refused(capsys, "translate", "--run", run, "b " * 600)
    assert "sentence 1 has 601 tokens, but the model was built for max_len=512" in said


def test_a_run_folder_that_exists_is_not_overwritten(run, capsys):
    before = sorted(path.name for path in run.iterdir())
    said = refused(capsys, *TRAIN, "--out", run, "--steps", 2)
    assert "exists already: resume it with --resume, or choose another" in said
    assert sorted(path.name for path in run.iterdir()) == before


def test_resuming_with_another_configuration_is_refused(run, capsys):
    said = refused(capsys, "train", "--out", run, "--resume", "--preset", "small", "--steps", 9)
    assert "was trained with model.d_model=64, not 128" in said
    said = refused(capsys, "train", "--out", run, "--resume", "--data", "toy:sort", "--steps", 9)
    assert "was trained with data=toy:copy, not toy:sort" in said


def test_resuming_what_is_not_there_is_refused(tmp_path, capsys):
    said = refused(capsys, "train", "--out", tmp_path / "no", "--resume")
    assert "no run in" in said
    assert not (tmp_path / "no").exists()


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("multi31k:en-de", "did you mean multi30k"),
        ("multi30k:en-dd", "did you mean multi30k:en-de"),
        ("phrasebook", "expected one of en-de, de-en"),
    ],
)
def test_an_unknown_data_set_is_refused_and_nothing_is_made(tmp_path, capsys, data, expected):
    said = refused(capsys, "train", "--data", data, "--out", tmp_path / "r", "--steps", 1)
    assert expected in said
    assert not (tmp_path / "r").exists()


def test_an_unknown_split_is_refused(run, capsys):
    said = refused(capsys, "evaluate", "--run", run, "--data", "toy:copy", "--split", "dev")
    assert "unknown split of toy:copy: expected one of train, valid, test, got 'dev'" in said


def test_evaluate_needs_a_split_or_two_files(run, capsys):
    said = refused(capsys, "evaluate", "--run", run)
    assert "expected --data NAME --split NAME, or --src FILE --ref FILE" in said
    said = refused(capsys, "evaluate", "--run", run, "--src", "one")
    assert "expected --data NAME --split NAME, or --src FILE --ref FILE" in said


def test_another_pair_of_languages_is_refused(run, capsys, monkeypatch):
    open_run = Run.open

    def german(folder):
        opened = open_run(folder)
        opened.config = replace(opened.config, data="phrasebook:en-de")
        return opened

    monkeypatch.setattr(Run, "open", german)
    argv = ["evaluate", "--run", run, "--data", "phrasebook:de-en", "--split", "test"]
    assert "translates en-de, but phrasebook:de-en is de-en" in refused(capsys, *argv)


def test_a_folder_that_cannot_be_made_is_named(capsys, tmp_path):
    (tmp_path / "file").write_text("")
    said = refused(capsys, *TRAIN, "--out", tmp_path / "file" / "run", "--steps", 1)
    assert "cannot write" in said
    assert "Not a directory" in said


def test_an_output_that_cannot_be_written_loses_no_scores(run, capsys, tmp_path):
    argv = ["evaluate", "--run", run, "--data", "toy:copy", "--split", "valid", "--beam", "1"]
    assert main([str(arg) for arg in [*argv, "--output", tmp_path / "no" / "out"]]) == 2
    said = capsys.readouterr()
    assert "BLEU" in said.out
    *_, last = said.err.splitlines()
    assert last == f"transformer-course: error: {tmp_path}/no/out: No such file or directory"


def test_files_of_unequal_length_are_refused(run, capsys, tmp_path):
    (tmp_path / "src").write_text("b c\nd e\n")
    (tmp_path / "ref").write_text("b c\n")
    argv = ["evaluate", "--run", run, "--src", tmp_path / "src", "--ref", tmp_path / "ref"]
    assert "got 2 lines in" in refused(capsys, *argv)


def test_another_vocabulary_is_refused(run, capsys):
    tokenizer = run / "tokenizer.json"
    before = tokenizer.read_bytes()
    try:
        tokenizer.write_text("{}")
        assert "byte-pair vocabulary" in refused(capsys, "translate", "--run", run, "b c")
    finally:
        tokenizer.write_bytes(before)


@pytest.mark.slow
def test_without_network_and_cache_one_line_says_what_to_do(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("TRANSFORMER_COURSE_DATA", "")
    monkeypatch.setenv("TRANSFORMER_COURSE_MIRROR", "http://127.0.0.1:9")  # nothing listens there
    said = refused(capsys, "data", "fetch", "multi30k")
    assert "set TRANSFORMER_COURSE_DATA" in said
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


@pytest.mark.parametrize("wrong", [["--minutes", "0"], ["--steps", "-3"], ["--minutes", "soon"]])
def test_a_budget_of_nothing_is_refused(tmp_path, capsys, wrong):
    with pytest.raises(SystemExit, match="2"):
        main([*TRAIN, "--out", str(tmp_path / "r"), *wrong])
    said = capsys.readouterr().err
    assert "expected a" in said
    assert said.count("\n") == 1
    assert not (tmp_path / "r").exists()


@pytest.mark.parametrize("verb", ["data", "train", "average", "translate", "evaluate", "bench"])
def test_every_verb_has_help_with_an_example(verb, capsys):
    with pytest.raises(SystemExit, match="0"):
        main([verb, "--help"])
    said = capsys.readouterr().out
    assert f"example: transformer-course {verb}" in " ".join(said.split())


@pytest.mark.slow
def test_a_benchmark_gets_its_own_options(capfd):
    with pytest.raises(SystemExit, match="0"):
        main(["bench", "train", "--help"])
    assert "--peers" in capfd.readouterr().out


def test_without_the_benchmarks_a_clone_is_asked_for(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(
        "transformer_course.commands.bench.__file__",
        str(tmp_path / "lib" / "commands" / "bench.py"),
    )
    assert "run them from a clone" in refused(capsys, "bench", "decode", "--peers")


def start(folder, *more: str) -> subprocess.Popen:
    command = [sys.executable, "-m", "transformer_course", *TRAIN, "--out", str(folder)]
    command += ["--save-every", "3", "--max-tokens", "300", *more]
    env = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)


def wait_for_checkpoint(folder, process, number=3) -> None:
    deadline = time.monotonic() + 60
    while len(list(folder.glob("step-*"))) < number:
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline, "no checkpoint within a minute"
        time.sleep(0.02)


@pytest.mark.slow
def test_ctrl_c_ends_after_the_step_under_way_with_a_checkpoint(tmp_path):
    process = start(tmp_path / "r")
    wait_for_checkpoint(tmp_path / "r", process)
    process.send_signal(signal.SIGINT)
    said, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert b"stopped at step" in said
    run = Run.open(tmp_path / "r")
    last = run.records("log.jsonl")[-1]["step"]
    assert run.weights("last").name == f"step-{last:06d}"


def test_every_option_of_every_search_is_one_of_the_command_line():
    args = build_parser().parse_args(["translate", "A dog."])
    wanted = {name for search in SEARCHES for name in decoding.search_defaults(search)}
    assert len(wanted) > 3
    assert wanted <= vars(args).keys()
