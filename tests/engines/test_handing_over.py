"""What is handed over translates as the course does, and what cannot be is refused in one line."""

import io
import json
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from not_run import NEEDS_ENGINES
from torch.testing import assert_close

from transformer_course import carried, data, decoding, engines
from transformer_course.commands import cli
from transformer_course.data import BOS_ID, PAD_ID, Tokenizer, make_batch, pad
from transformer_course.decoding import CachedDecoder, encode_sources
from transformer_course.engines import ENGINES, Exported, check_supported
from transformer_course.engines.ctranslate2 import LEAST, best
from transformer_course.errors import DataError
from transformer_course.model import TINY, Transformer, TransformerConfig, padding_mask
from transformer_course.training import Run, RunConfig, TrainingConfig, checkpoint

BOTH = pytest.mark.parametrize("engine", ENGINES)
PLACEMENTS = pytest.mark.parametrize("placement", ["post", "pre"])
SENTENCES = [source for source, _ in data.load_pairs("phrasebook:en-de", "test", 200)]


def run_in(folder: Path, **choices: object) -> Run:
    """A run of random weights."""
    texts = [text for pair in data.load_pairs("toy:copy", "train", 200) for text in pair]
    tokenizer = Tokenizer.train(texts, vocab_size=60)
    config = TransformerConfig(
        vocab_size=len(tokenizer), d_model=24, num_heads=3, d_ff=40, num_layers=2, max_len=64
    )
    config = replace(config, **choices)
    about = RunConfig(data="toy:copy", model=config, training=TrainingConfig())
    run = Run.create(folder, about, tokenizer)
    torch.manual_seed(3)
    model = Transformer(config)
    with torch.no_grad():
        for weights in model.parameters():
            if weights.dim() == 1:  # biases and norms as training might leave them
                weights += 0.3 * torch.randn_like(weights)
    checkpoint.save(folder / "step-000001", model)
    return run


@pytest.fixture
def run(tmp_path) -> Run:
    return run_in(tmp_path / "run")


@pytest.fixture(scope="module")
def handed_over(tmp_path_factory) -> dict[str, Path]:
    """A carried translator, for each engine."""
    folders = {name: tmp_path_factory.mktemp("exported") / name for name in ENGINES}
    for name, folder in folders.items():
        assert cli.main(["export", "--to", name, "everyday", str(folder)]) == 0
    return folders


@cache
def ours(count: int, search: str, beam: int | None = None, alpha: float | None = None) -> list[str]:
    """The course's own translations by the carried translator."""
    given = {"beam": beam, "alpha": alpha} if search == "beam" else {}
    model, tokenizer = carried.translator("everyday")
    return decoding.translate(model, tokenizer, SENTENCES[:count], search=search, **given)


@NEEDS_ENGINES
@BOTH
@pytest.mark.slow
@pytest.mark.parametrize("options", [{"search": "greedy"}, {"search": "beam", "beam": 4}])
def test_200_sentences_get_the_same_tokens(engine, options, handed_over):
    options |= {"alpha": 0.6} if options["search"] == "beam" else {}
    found = engines.translate(engine, handed_over[engine], SENTENCES, **options)
    assert found == ours(200, **options)


@NEEDS_ENGINES
@BOTH
@pytest.mark.parametrize("alpha", [0.0, 1.5])
def test_the_length_penalty_is_ours(engine, alpha, handed_over):
    options = {"search": "beam", "beam": 3, "alpha": alpha}
    found = engines.translate(engine, handed_over[engine], SENTENCES[:30], **options)
    assert found == ours(30, **options)


@pytest.mark.parametrize(
    ("alpha", "long_sum", "expected"),
    [(0.0, -1.5, "short"), (1.5, -1.5, "long"), (1.5, -3, "short")],
)
def test_a_beam_of_ctranslate2_is_ranked_by_our_penalty(alpha, long_sum, expected):
    """The third would be the long one by CTranslate2's own penalty, length^alpha."""
    penalty = max(alpha, LEAST)
    hypotheses = [["short"] * 2, ["long"] * 8]  # and an end mark each
    scores = [-1.0 / 3**penalty, long_sum / 9**penalty]
    found = best(SimpleNamespace(hypotheses=hypotheses, scores=scores), alpha, penalty)
    assert found[0] == expected


@NEEDS_ENGINES
@PLACEMENTS
def test_a_step_of_the_graph_scores_as_the_model_does(placement, tmp_path):
    run = run_in(tmp_path / "run", norm_placement=placement)
    engines.export_to("onnx", run, tmp_path / "out")
    model = checkpoint.load(run.weights())
    sources = pad(encode_sources(["b c d", "e", "f g h i j"], run.tokenizer, 64))
    engine = ENGINES["onnx"].Engine(Exported.open(tmp_path / "out", "onnx"))
    theirs = ENGINES["onnx"].Decoder(engine, sources)
    with torch.inference_mode():
        mask = padding_mask(sources)
        ours = CachedDecoder(model, model.encode(sources, mask), mask)
        for ids in (torch.full((3,), BOS_ID), torch.tensor([5, 9, 7]), torch.tensor([8, 8, 4])):
            found, expected = theirs.step(ids), ours.step(ids)
            assert found[:, :2].isneginf().all()  # padding and the start mark
            assert_close(found[:, 2:], expected[:, 2:])


@NEEDS_ENGINES
@PLACEMENTS
def test_ctranslate2_scores_a_translation_as_the_model_does(placement, tmp_path):
    run = run_in(tmp_path / "run", norm_placement=placement)
    engines.export_to("ctranslate2", run, tmp_path / "out")
    engine = ENGINES["ctranslate2"].Engine(Exported.open(tmp_path / "out", "ctranslate2"))
    pairs = [([5, 9, 7, 8], [4, 4, 6]), ([6], [11, 3, 8, 7, 5])]
    batch = make_batch(pairs)
    with torch.no_grad():
        logits = checkpoint.load(run.weights())(batch.src, batch.tgt_in)
    logits[..., [PAD_ID, BOS_ID]] = float("-inf")
    expected = logits.log_softmax(-1).gather(-1, batch.tgt_out[..., None])[..., 0]
    pieces = [
        [[engine.pieces[n] for n in ids] for ids in side] for side in zip(*pairs, strict=True)
    ]
    for row, scored in zip(expected, engine.translator.score_batch(*pieces), strict=True):
        assert_close(torch.tensor(scored.log_probs), row[: len(scored.log_probs)])
        assert len(scored.log_probs) == len(scored.tokens)


@NEEDS_ENGINES
def test_ctranslate2_needs_nothing_of_the_course(handed_over, capsys):
    import ctranslate2  # noqa: PLC0415  # may not be installed
    import tokenizers  # noqa: PLC0415

    folder = handed_over["ctranslate2"]
    pieces = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    found = ctranslate2.Translator(str(folder)).translate_batch(
        [pieces.encode("Two dogs play.").tokens], beam_size=1
    )
    text = "".join(found[0].hypotheses[0]).replace("▁", " ").strip()
    cli.main(["translate", "--beam", "1", "Two dogs play."])
    assert text == capsys.readouterr().out.strip()


@NEEDS_ENGINES
@BOTH
def test_the_command_translates_by_an_engine(engine, handed_over, capsys, monkeypatch):
    lines = "A dog runs.\nTwo women are singing.\n"
    said = []
    for options in ([], ["--engine", engine], ["--engine", engine, "--run", handed_over[engine]]):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(lines.encode())))
        assert cli.main(["translate", *map(str, options)]) == 0
        said.append(capsys.readouterr().out)
    assert said[0].count("\n") == 2
    assert said[1:] == [said[0]] * 2


def test_the_page_gets_a_run_in_int8(run, tmp_path, capsys):
    (tmp_path / "out").mkdir()  # an empty folder is as good as none
    assert cli.main(["export", "--to", "page", str(run.folder), str(tmp_path / "out")]) == 0
    assert capsys.readouterr().out.startswith(f"{tmp_path / 'out'}: {run.folder} for page, ")
    stored = checkpoint.load_tensors(Run.open(tmp_path / "out").weights() / checkpoint.WEIGHTS)
    assert stored["embedding.weight"].dtype == torch.int8
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "run"]


def refused(capsys, *argv: object) -> str:
    """What a command says that must fail by one line and exit code 2."""
    assert cli.main([str(each) for each in argv]) == 2
    said = capsys.readouterr().err
    assert said.startswith("transformer-course: error: ")
    assert said.count("\n") == 1
    return said


@pytest.mark.parametrize("target", engines.TARGETS)
@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({"norm": "rms"}, "norm=rms: expected norm=layer"),
        ({"positions": "rotary"}, "positions=rotary: expected positions=sinusoidal"),
        ({"activation": "swiglu"}, "activation=swiglu: expected activation=relu"),
        ({"num_kv_heads": 1}, "num_kv_heads=1: expected num_kv_heads=None"),
        ({"head_dim": 4, "value_dim": 6}, "head_dim=4, value_dim=6: expected head_dim=None"),
    ],
)
def test_other_parts_are_refused_by_name(target, choices, said, tmp_path, capsys):
    run = run_in(tmp_path / "run", **choices)
    line = refused(capsys, "export", "--to", target, run.folder, tmp_path / "out")
    assert f"{target} does not support {said}" in line
    assert not (tmp_path / "out").exists()


def test_pre_norm_is_not_for_the_page():
    config = replace(TINY, norm_placement="pre")
    for engine in ENGINES:
        check_supported(config, engine)
    with pytest.raises(DataError, match="norm_placement=pre: expected norm_placement=post"):
        check_supported(config, "page")


@pytest.mark.parametrize(
    ("engine", "package"),
    [("ctranslate2", "ctranslate2"), ("onnx", "onnx"), ("onnx", "onnxruntime")],
)
def test_a_package_that_is_missing_is_named(engine, package, run, tmp_path, capsys, monkeypatch):
    for name in ENGINES[engine].PACKAGES:
        monkeypatch.setitem(sys.modules, name, sys)  # there, as far as an import can tell
    monkeypatch.setitem(sys.modules, package, None)
    line = refused(capsys, "export", "--to", engine, run.folder, tmp_path / "out")
    assert line.endswith(f"pip install {package}\n")
    assert not (tmp_path / "out").exists()


def test_only_a_run_goes_to_a_place_with_room_for_it(run, tmp_path, capsys):
    def said(*argv: object) -> str:
        return refused(capsys, "export", "--to", "page", *argv)

    assert "no run in nowhere" in said("nowhere", tmp_path / "out")
    assert "is not empty" in said(run.folder, run.folder)
    (tmp_path / "file").write_text("mine")
    assert "is not empty" in said(run.folder, tmp_path / "file")
    assert "no checkpoint step-7" in said("--weights", "step-7", run.folder, tmp_path / "out")
    with pytest.raises(SystemExit, match="2"):
        cli.main(["export", "--to", "tensorrt", str(run.folder), str(tmp_path / "out")])
    with pytest.raises(SystemExit, match="2"):
        cli.main(["translate", "--engine", "marian", "A dog runs."])
    assert (tmp_path / "file").read_text() == "mine"
    assert not (tmp_path / "out").exists()


@NEEDS_ENGINES
@BOTH
def test_an_export_that_fails_leaves_nothing(engine, run, tmp_path, capsys, monkeypatch):
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Exported, "describe", full)  # after the engine's own files
    line = refused(capsys, "export", "--to", engine, run.folder, tmp_path / "out")
    assert "No space left on device" in line
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


@NEEDS_ENGINES
def test_a_folder_that_is_not_what_export_wrote_is_refused(handed_over, run, tmp_path, capsys):
    def said(folder: Path, engine: str = "onnx") -> str:
        return refused(capsys, "translate", "--engine", engine, "--run", folder, "A dog.")

    assert "was exported for onnx, not for ctranslate2" in said(handed_over["onnx"], "ctranslate2")
    assert "no run in" in said(tmp_path / "nowhere")
    folder = tmp_path / "out"
    engines.export_to("onnx", run, folder)
    about = json.loads((folder / "export.json").read_text())
    with (folder / "decoder.onnx").open("ab") as stream:
        stream.write(b"more")
    assert "decoder.onnx is damaged: export the run again" in said(folder)
    (folder / "decoder.onnx").unlink()
    assert "decoder.onnx is missing: export the run again" in said(folder)
    (folder / "export.json").write_text(json.dumps({**about, "format": 2}))
    assert "has format 2, expected 1" in said(folder)
    (folder / "export.json").write_text(json.dumps({"format": 1}))
    assert "export.json is damaged (KeyError('engine'))" in said(folder)
    (folder / "export.json").write_text("{")
    assert "export.json is damaged" in said(folder)


@NEEDS_ENGINES
@pytest.mark.parametrize(
    ("engine", "file"), [("ctranslate2", "model.bin"), ("onnx", "encoder.onnx")]
)
def test_a_file_that_the_engine_cannot_read_is_one_line(engine, file, run, tmp_path, capsys):
    folder = tmp_path / "out"
    engines.export_to(engine, run, folder)
    (folder / file).write_bytes(b"another version's")
    about = json.loads((folder / "export.json").read_text())
    about["files"][file] = checkpoint.sha256(folder / file)
    (folder / "export.json").write_text(json.dumps(about))
    line = refused(capsys, "translate", "--engine", engine, "--run", folder, "b c")
    assert "export the run again" in line


@NEEDS_ENGINES
@BOTH
def test_what_an_engine_cannot_do_is_said(engine, handed_over, capsys):
    def said(*argv: object) -> str:
        given = ["translate", "--engine", engine, "--run", handed_over[engine], *argv]
        return refused(capsys, *given)

    assert f"{engine} knows the searches greedy and beam" in said("--search", "sample", "A dog.")
    assert "--attention is for the course's own engine" in said("--attention", "a.json", "A dog.")
    assert "--device is for the course's own engine" in said("--device", "cuda", "A dog.")
    assert "sentence 2 is empty" in said("A dog.", "")
    assert "max_len=512" in said("dog " * 600)
