"""A trained run as a small folder that can be carried along: its weights in int8."""

from pathlib import Path

from torch import Tensor

from transformer_course.decoding.quantized import to_int8
from transformer_course.model import Transformer
from transformer_course.training import Run, checkpoint


def export(run: Run, folder: Path, which: str | None = None) -> Run:
    """Write a run's weights as int8 to a new folder: a quarter of the size, ready to use."""
    model = checkpoint.load(run.weights(which))
    exported = Run.create(folder, run.config, run.tokenizer)
    write_int8(model, folder / "averaged")
    return exported


def write_int8(model: Transformer, folder: Path) -> None:
    """Write a checkpoint whose matrices are int8, with a scale for every row."""
    weights: dict[str, Tensor] = {}
    for name, tensor in model.state_dict().items():
        if tensor.dim() == 2:
            weights[name], weights[f"{name}.scale"] = to_int8(tensor)
        else:
            weights[name] = tensor
    with checkpoint.whole_folder(folder) as scratch:
        checkpoint.write(scratch, model.config, weights)
