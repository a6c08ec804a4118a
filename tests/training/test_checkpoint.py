import errno
import json
import resource
import subprocess

import pytest
import torch
from torch.testing import assert_close

from transformer_course.decoding.exporting import write_int8
from transformer_course.errors import DataError
from transformer_course.model import Transformer, TransformerConfig
from transformer_course.training import checkpoint, make_optimizer

CONFIG = TransformerConfig(
    vocab_size=13, d_model=16, num_heads=2, d_ff=32, num_layers=1, max_len=20
)
IDS = torch.tensor([[4, 5, 6, 2]])


def trained() -> tuple[Transformer, torch.optim.Optimizer]:
    model = Transformer(CONFIG)
    optimizer = make_optimizer(model)
    optimizer.param_groups[0]["lr"] = 0.01
    for _ in range(3):
        optimizer.zero_grad()
        model(IDS, IDS).logsumexp(-1).sum().backward()
        optimizer.step()
    return model, optimizer


def test_what_is_loaded_computes_what_was_saved(tmp_path):
    model, _ = trained()
    checkpoint.save(tmp_path / "one", model)
    loaded = checkpoint.load(tmp_path / "one")
    assert loaded.config == CONFIG
    assert not loaded.training
    assert_close(loaded(IDS, IDS), model.eval()(IDS, IDS), rtol=0, atol=0)


def test_the_optimizer_comes_back(tmp_path):
    model, optimizer = trained()
    checkpoint.save(tmp_path / "one", model, optimizer)
    other = Transformer(CONFIG)
    fresh = make_optimizer(other)
    checkpoint.restore_training(tmp_path / "one", other, fresh)
    restored, saved = fresh.state_dict()["state"], optimizer.state_dict()["state"]
    assert_close(restored, saved, rtol=0, atol=0)


def test_the_average_is_the_mean_of_each_weight(tmp_path):
    models = [Transformer(CONFIG) for _ in range(3)]
    for number, model in enumerate(models):
        checkpoint.save(tmp_path / str(number), model)
    mean = checkpoint.average([tmp_path / str(n) for n in range(3)])
    states = [model.state_dict() for model in models]
    for name, tensor in mean.items():
        assert_close(tensor, torch.stack([state[name] for state in states]).mean(0))
    assert mean.keys() == states[0].keys()


def test_averaging_nothing_is_refused():
    with pytest.raises(DataError, match="no checkpoint to average: train first"):
        checkpoint.average([])


def test_no_pickle_is_written(tmp_path):
    checkpoint.save(tmp_path / "one", *trained())
    names = {path.name for path in (tmp_path / "one").iterdir()}
    assert names == {"model.safetensors", "training.safetensors", "config.json", "SHA256SUMS"}


def test_the_checksums_are_those_of_sha256sum(tmp_path):
    checkpoint.save(tmp_path / "one", *trained())
    command = ["sha256sum", "--check", "--strict", "SHA256SUMS"]
    checked = subprocess.run(command, cwd=tmp_path / "one", capture_output=True, text=True)
    assert checked.stdout == "model.safetensors: OK\ntraining.safetensors: OK\n"


@pytest.mark.parametrize("name", ["model.safetensors", "training.safetensors"])
def test_a_single_flipped_bit_is_found(tmp_path, name):
    model, optimizer = trained()
    checkpoint.save(tmp_path / "one", model, optimizer)
    damaged = bytearray((tmp_path / "one" / name).read_bytes())
    damaged[-100] ^= 1
    (tmp_path / "one" / name).write_bytes(damaged)
    with pytest.raises(DataError, match=rf"{name} is truncated or damaged .its checksum"):
        checkpoint.load_tensors(tmp_path / "one" / name)


@pytest.mark.parametrize("keep", [0, 7, 200, -1])
def test_a_truncated_file_is_named(tmp_path, keep):
    checkpoint.save(tmp_path / "one", trained()[0])
    file = tmp_path / "one" / "model.safetensors"
    file.write_bytes(file.read_bytes()[:keep])
    with pytest.raises(DataError, match=r"model.safetensors is truncated or damaged"):
        checkpoint.load(tmp_path / "one")


def test_a_missing_file_is_named(tmp_path):
    checkpoint.save(tmp_path / "one", trained()[0])
    (tmp_path / "one" / "model.safetensors").unlink()
    with pytest.raises(DataError, match=r"no .*model.safetensors: the checkpoint is incomplete"):
        checkpoint.load(tmp_path / "one")
    with pytest.raises(DataError, match=r"no .*config.json: expected a checkpoint's configuration"):
        checkpoint.load(tmp_path / "nowhere")


def test_a_damaged_configuration_is_named(tmp_path):
    checkpoint.save(tmp_path / "one", trained()[0])
    file = tmp_path / "one" / "config.json"
    file.write_text('{"d_model": 16')
    with pytest.raises(DataError, match=r"config.json is damaged"):
        checkpoint.load(tmp_path / "one")
    file.write_text("[1]")
    with pytest.raises(DataError, match=r"expected an object, got list"):
        checkpoint.load(tmp_path / "one")


def test_a_configuration_of_another_version_is_named(tmp_path):
    checkpoint.save(tmp_path / "one", trained()[0])
    file = tmp_path / "one" / "config.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "rotary": True}))
    with pytest.raises(DataError, match=r"other entries.*\(rotary\)"):
        checkpoint.load(tmp_path / "one")


def test_a_configuration_from_before_the_variants_is_the_papers_model(tmp_path):
    model, _ = trained()
    checkpoint.save(tmp_path / "one", model)
    file = tmp_path / "one" / "config.json"
    old = (
        "vocab_size",
        "d_model",
        "num_heads",
        "d_ff",
        "num_layers",
        "dropout",
        "max_len",
    )
    values = json.loads(file.read_text())
    assert set(old) < set(values)
    file.write_text(json.dumps({name: values[name] for name in old} | {"pad_id": 0}))
    loaded = checkpoint.load(tmp_path / "one")
    assert loaded.config == CONFIG
    assert_close(loaded(IDS, IDS), model.eval()(IDS, IDS), rtol=0, atol=0)


def test_padding_by_another_token_is_refused(tmp_path):
    checkpoint.save(tmp_path / "one", trained()[0])
    file = tmp_path / "one" / "config.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "pad_id": 5}))
    with pytest.raises(DataError, match=r"other entries.*\(pad_id\)"):
        checkpoint.load(tmp_path / "one")


def test_an_impossible_configuration_is_named(tmp_path):
    checkpoint.save(tmp_path / "one", trained()[0])
    file = tmp_path / "one" / "config.json"
    file.write_text(file.read_text().replace('"num_heads": 2', '"num_heads": 3'))
    message = r"config.json describes no model: d_model=16 is not divisible by num_heads=3"
    with pytest.raises(DataError, match=message):
        checkpoint.load(tmp_path / "one")


@pytest.mark.parametrize(
    ("options", "difference"),
    [
        ({"num_kv_heads": 1}, r"cross_attn.key_proj.bias should be \(8,\) but is \(16,\)"),
        ({"head_dim": 4}, r"cross_attn.key_proj.bias should be \(8,\) but is \(16,\)"),
        ({"value_dim": 3}, r"cross_attn.out_proj.weight should be \(16, 6\) but is \(16, 16\)"),
        ({"norm": "rms"}, r"norm1.bias should be missing but is \(16,\)"),
        ({"norm_placement": "pre"}, r"decoder_norm.bias should be \(16,\) but is missing"),
        ({"positions": "learned"}, r"positions.table should be \(20, 16\) but is missing"),
        ({"positions": "rotary"}, r"it was trained with positions='sinusoidal', not 'rotary'"),
        ({"activation": "gelu"}, r"it was trained with activation='relu', not 'gelu'"),
        ({"num_heads": 4}, r"it was trained with num_heads=2, not 4"),
        ({"activation": "swiglu"}, r"feed_forward.contract.bias should be missing but is \(16,\)"),
    ],
)
def test_weights_of_one_variant_as_another_are_refused_by_the_first_difference(
    tmp_path, options, difference
):
    checkpoint.save(tmp_path / "one", trained()[0])
    file = tmp_path / "one" / "config.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **options}))
    with pytest.raises(DataError, match=difference):
        checkpoint.load(tmp_path / "one")


def test_weights_of_another_model_are_refused_by_the_first_difference(tmp_path):
    checkpoint.save(tmp_path / "one", trained()[0])
    file = tmp_path / "one" / "config.json"
    file.write_text(file.read_text().replace('"d_ff": 32', '"d_ff": 64'))
    with pytest.raises(DataError, match=r"contract.weight should be \(16, 64\) but is \(16, 32\)"):
        checkpoint.load(tmp_path / "one")


def test_a_full_disk_leaves_the_old_checkpoint_and_no_half_of_a_new_one(tmp_path, monkeypatch):
    model, optimizer = trained()
    checkpoint.save(tmp_path / "one", model, optimizer)
    before = {path.name: path.read_bytes() for path in (tmp_path / "one").iterdir()}

    def full(*args, **kwargs):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(checkpoint, "save_file", full)
    for name in ("one", "two"):
        with pytest.raises(DataError, match=r"cannot write .*: No space left on device; make room"):
            checkpoint.save(tmp_path / name, model, optimizer)
    assert [path.name for path in tmp_path.iterdir()] == ["one"]
    assert {path.name: path.read_bytes() for path in (tmp_path / "one").iterdir()} == before


def test_a_write_that_the_system_cuts_short_is_reported_and_cleaned_up(tmp_path):
    model, _ = trained()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))  # no file over 1000 bytes
    try:
        with pytest.raises(DataError, match=r"cannot write .*one: .*File too large"):
            checkpoint.save(tmp_path / "one", model)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert not list(tmp_path.iterdir())


def test_ctrl_c_in_the_middle_of_a_checkpoint_leaves_nothing_half_written(tmp_path, monkeypatch):
    model, optimizer = trained()

    def interrupted(tensors, path, **metadata):
        path.write_bytes(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(checkpoint, "save_file", interrupted)
    with pytest.raises(KeyboardInterrupt):
        checkpoint.save(tmp_path / "one", model, optimizer)
    assert not list(tmp_path.iterdir())


def test_an_average_of_exported_checkpoints_is_that_of_their_weights(tmp_path):
    models = [Transformer(CONFIG) for _ in range(2)]
    for number, model in enumerate(models):
        write_int8(model, tmp_path / str(number))
    mean = checkpoint.average([tmp_path / str(number) for number in range(2)])
    states = [checkpoint.load(tmp_path / str(number)).state_dict() for number in range(2)]
    assert mean.keys() == states[0].keys()
    for name, tensor in mean.items():
        assert_close(tensor, torch.stack([state[name] for state in states]).mean(0))
