import io
import json

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch.testing import assert_close

from transformer_course import data
from transformer_course.commands import cli
from transformer_course.data import Tokenizer
from transformer_course.decoding import export
from transformer_course.decoding.quantized import to_int8
from transformer_course.errors import DataError
from transformer_course.model import Transformer, TransformerConfig
from transformer_course.training import Run, RunConfig, TrainingConfig, checkpoint


@pytest.fixture
def run(tmp_path) -> Run:
    """A run with one checkpoint of random weights."""
    texts = [text for pair in data.load_pairs("toy:copy", "train", 200) for text in pair]
    tokenizer = Tokenizer.train(texts, vocab_size=60)
    model = TransformerConfig(
        vocab_size=len(tokenizer), d_model=16, num_heads=2, d_ff=32, num_layers=1, max_len=64
    )
    config = RunConfig(data="toy:copy", model=model, training=TrainingConfig())
    made = Run.create(tmp_path / "run", config, tokenizer)
    torch.manual_seed(1)
    checkpoint.save(made.folder / "step-000001", Transformer(model))
    return made


def test_every_weight_comes_back_within_half_a_unit_of_its_row(run, tmp_path):
    exported = export(run, tmp_path / "small")
    original, restored = (checkpoint.load(each.weights()) for each in (run, exported))
    for name, tensor in original.state_dict().items():
        found = restored.state_dict()[name]
        assert found.dtype == torch.float32
        if tensor.dim() == 2:
            assert ((found - tensor).abs() <= to_int8(tensor)[1] / 2 * 1.001).all()
        else:
            assert_close(found, tensor, rtol=0, atol=0)


def test_the_file_holds_little_more_than_a_byte_for_each_weight(run, tmp_path):
    stored = load_file(export(run, tmp_path / "small").weights() / "model.safetensors")
    kinds = {tensor.dtype for tensor in stored.values() if tensor.dim() == 2 and tensor.size(1) > 1}
    assert kinds == {torch.int8}
    assert stored["embedding.weight"].shape[1:] == (16,)
    assert stored["embedding.weight.scale"].shape == (len(run.tokenizer), 1)


def test_what_is_exported_twice_is_the_same(run, tmp_path):
    once = export(run, tmp_path / "once")
    twice = export(once, tmp_path / "twice")
    first, second = (load_file(each.weights() / "model.safetensors") for each in (once, twice))
    for name, tensor in first.items():
        assert_close(second[name], tensor)


def test_the_command_line_translates_with_an_exported_folder(run, tmp_path, capsys, monkeypatch):
    export(run, tmp_path / "small")
    sentence = data.load_pairs("toy:copy", "train", 1)[0][0]
    for given in ([sentence], []):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(f"{sentence}\n".encode())))
        assert cli.main(["translate", "--run", str(tmp_path / "small"), *given]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first == second


def test_a_folder_that_is_there_is_not_overwritten(run):
    with pytest.raises(DataError, match=r"run exists already"):
        export(run, run.folder)


def test_an_int8_weight_without_its_scale_is_named(run, tmp_path):
    file = export(run, tmp_path / "small").weights() / "model.safetensors"
    (file.parent / "SHA256SUMS").unlink()
    stored = load_file(file)
    del stored["embedding.weight.scale"]
    save_file(stored, file)
    with pytest.raises(DataError, match=r"embedding.weight is int8 and .*scale is missing"):
        checkpoint.load(file.parent)


def test_a_scale_without_its_weight_is_named(run, tmp_path):
    file = export(run, tmp_path / "small").weights() / "model.safetensors"
    (file.parent / "SHA256SUMS").unlink()
    stored = load_file(file)
    del stored["embedding.weight"]
    save_file(stored, file)
    with pytest.raises(DataError, match=r"embedding.weight should be .* but is missing"):
        checkpoint.load(file.parent)


def test_the_configuration_goes_along(run, tmp_path):
    export(run, tmp_path / "small")
    found = json.loads((tmp_path / "small" / "run.json").read_text())
    assert found == json.loads((run.folder / "run.json").read_text())
