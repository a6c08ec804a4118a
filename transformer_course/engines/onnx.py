"""ONNX, graphs of operators that many runtimes compute; here onnxruntime does.

encoder.onnx and decoder.onnx are the graphs of `model_graphs`; the searches over them are ours.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor

from transformer_course.data import BOS_ID, Tokenizer, pad
from transformer_course.decoding import Beam, CachedDecoderOnly, OneEach
from transformer_course.decoding import write as write_tokens
from transformer_course.engines.exported import Exported, needed
from transformer_course.engines.model_graphs import decoder as decoder_graph
from transformer_course.engines.model_graphs import encoder as encoder_graph
from transformer_course.errors import DataError
from transformer_course.model import Transformer

PACKAGES = ("onnx", "onnxruntime")
ENCODER, DECODER = "encoder.onnx", "decoder.onnx"


def write(model: Transformer, tokenizer: Tokenizer, folder: Path) -> None:
    """Write both graphs, in float32."""
    encoder_graph(model).save(folder / ENCODER)
    decoder_graph(model).save(folder / DECODER)


class Engine:
    """An exported model, ready to translate ids into ids."""

    def __init__(self, exported: Exported, threads: int = 0):
        package = needed("onnxruntime")
        self.max_len = exported.max_len
        options = package.SessionOptions()
        options.intra_op_num_threads = threads or torch.get_num_threads()
        try:
            self.encoder, self.decoder = (
                package.InferenceSession(
                    str(exported.folder / name), options, providers=["CPUExecutionProvider"]
                )
                for name in (ENCODER, DECODER)
            )
        except Exception as error:  # its errors have no common class of their own
            raise DataError(
                f"{exported.folder} is no model for onnxruntime {package.__version__} ({error}): "
                "export the run again"
            ) from error

    def search(
        self, sources: Sequence[Sequence[int]], search: str, *, max_extra: int = 50, **options: Any
    ) -> list[list[int]]:
        """Target ids of source ids that end with `EOS_ID`, by our own greedy or beam search.

        Raises:
            DataError: if the search is another one.
        """
        if search not in ("greedy", "beam"):
            raise DataError(f"onnx knows the searches greedy and beam, got {search}")
        src = pad(sources)
        limits = [min(len(ids) + max_extra, self.max_len - 1) for ids in sources]
        decoder = cast(CachedDecoderOnly, Decoder(self, src))
        if search == "greedy":
            prompts = torch.full((len(src), 1), BOS_ID)
            one = OneEach(prompts, [n + 1 for n in limits], lambda logits, _: logits.argmax(-1))
            write_tokens(one, decoder, prompts[:, 0])
            return one.outputs
        beam = Beam(src, limits, **options)
        write_tokens(beam, decoder, beam.tokens[:, 0])
        return [max(found).ids for found in beam.finished]


class Decoder:
    """What a search asks of a decoder, answered by the graph; see `decoding.CachedDecoder`."""

    def __init__(self, engine: Engine, src: Tensor):
        self.run = engine.decoder.run
        names = [output.name for output in engine.encoder.get_outputs()]
        found = engine.encoder.run(names, {"src": src.numpy()})
        self.source: dict[str, np.ndarray] = dict(zip(names, found, strict=True))
        self.names = [output.name for output in engine.decoder.get_outputs()]
        heads, width = self.source["source_keys_0"].shape[1::2]
        self.empty = np.zeros((1, heads, 0, width), np.float32)
        self.past: dict[str, np.ndarray] = {}

    def step(self, ids: Tensor) -> Tensor:
        """Add one token to every row and score what may come next."""
        if not self.past:
            empty = np.repeat(self.empty, len(ids), axis=0)
            self.past = {
                name.removeprefix("all_"): empty for name in self.names if name != "logits"
            }
        given = {"ids": ids.numpy(), **self.source, **self.past}
        found = dict(zip(self.names, self.run(self.names, given), strict=True))
        logits = found.pop("logits")
        self.past = {name.removeprefix("all_"): kept for name, kept in found.items()}
        return torch.from_numpy(logits)

    def select(self, rows: Tensor) -> None:
        """Go on with these rows, in this order, each within its own sentence."""
        self.past = {name: kept[rows.numpy()] for name, kept in self.past.items()}

    def keep(self, sentences: Tensor) -> None:
        """Forget the other sentences; `select` their rows too."""
        self.source = {name: kept[sentences.numpy()] for name, kept in self.source.items()}
