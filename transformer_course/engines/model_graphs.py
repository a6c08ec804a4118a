"""The model as two ONNX graphs, operator by operator: what is read once, and a step of the decoder.

encoder   source ids in; out comes what each decoder layer asks of the source, keys and values, and
          a bias that hides padding
decoder   a token for every row, and the keys and values of those before it, in; the scores of what
          may follow, and the keys and values of all, out. A sentence may have several rows.

torch's own exporter traces, for most of a minute, what takes a fraction of a second to say.
"""

import math
from collections.abc import Callable
from typing import Any, cast

import torch
from torch import nn

from transformer_course.data import PAD_ID
from transformer_course.engines.exported import never_written
from transformer_course.engines.graph import Graph
from transformer_course.model import MultiHeadAttention, Transformer

Part = Callable[[str], str]
HIDDEN = torch.finfo(torch.float32).min  # added to a score, it leaves no weight


def encoder(model: Transformer) -> Graph:
    """The encoder, and of its output each decoder layer's keys and values."""
    graph = Graph()
    src = graph.takes("src", int, "sentences", "src_len")
    padding = graph("Equal", src, graph.constant("pad_id", PAD_ID))
    bias = graph("Where", padding, graph.constant("hidden", HIDDEN), graph.constant("shown", 0.0))
    bias = graph("Unsqueeze", bias, graph.constant("heads_and_queries", [1, 2]))
    graph.gives("source_bias", bias, "sentences", 1, 1, "src_len")
    first, table = graph.constant("first", [0]), graph.constant("places", model.positions.table)
    length = graph("Shape", src, start=1)
    x = graph("Add", embed(graph, model, src), graph("Slice", table, first, length, first))
    for n, layer in enumerate(cast(list[Any], model.encoder_layers)):
        name = f"encoder_layers.{n}"

        def look(x: str, name: str = name, attend: MultiHeadAttention = layer.self_attn) -> str:
            parts = three(graph, x, f"{name}.self_attn", attend)
            heads = [split_heads(graph, part, 0, 0, attend) for part in parts]
            return mix(graph, heads, f"{name}.self_attn", attend, (0, 0), bias)

        x = sublayer(graph, model, x, f"{name}.norm1", layer.norm1, look)
        x = sublayer(graph, model, x, f"{name}.norm2", layer.norm2, think(graph, name, layer))
    memory = graph.norm(x, "encoder_norm", model.encoder_norm)
    for n, layer in enumerate(cast(list[Any], model.decoder_layers)):
        attend = layer.cross_attn
        both = graph.linear(
            memory, f"decoder_layers.{n}.cross_attn", attend.key_proj, attend.value_proj
        )
        for kind, part in zip(
            ("keys", "values"), graph("Split", both, count=2, axis=2), strict=True
        ):
            heads = split_heads(graph, part, 0, 0, attend)
            graph.gives(f"source_{kind}_{n}", heads, *kept(attend, "sentences", "src_len"))
    return graph


def decoder(model: Transformer) -> Graph:
    """One step of the decoder, for one token of every row."""
    graph = Graph()
    ids = graph.takes("ids", int, "rows")
    bias = graph.takes("source_bias", float, "sentences", 1, 1, "src_len")
    table, place = graph.constant("places", model.positions.table), ""
    x = embed(graph, model, ids)
    for n, layer in enumerate(cast(list[Any], model.decoder_layers)):
        name = f"decoder_layers.{n}"
        past = [
            graph.takes(f"{kind}_{n}", float, *kept(layer.self_attn, "rows", "past"))
            for kind in ("keys", "values")
        ]
        source = [
            graph.takes(
                f"source_{kind}_{n}", float, *kept(layer.cross_attn, "sentences", "src_len")
            )
            for kind in ("keys", "values")
        ]
        if n == 0:
            place = graph("Shape", past[0], start=2, end=3)
            x = graph("Add", x, graph("Gather", table, place))

        def look_back(
            x: str,
            name: str = f"{name}.self_attn",
            attend: MultiHeadAttention = layer.self_attn,
            past: list[str] = past,
            n: int = n,
        ) -> str:
            query, *new = (
                split_heads(graph, part, 0, 1, attend) for part in three(graph, x, name, attend)
            )
            held = [graph("Concat", old, part, axis=2) for old, part in zip(past, new, strict=True)]
            for kind, each in zip(("keys", "values"), held, strict=True):
                graph.gives(f"all_{kind}_{n}", each, *kept(attend, "rows", "all"))
            return mix(graph, [query, *held], name, attend, (-1,))

        def look_across(
            x: str,
            name: str = f"{name}.cross_attn",
            attend: MultiHeadAttention = layer.cross_attn,
            source: list[str] = source,
        ) -> str:
            # The rows of one sentence ask it as rows of one query.
            query = graph.linear(x, f"{name}.query", attend.query_proj)
            sizes = graph.shape(-1, attend.num_heads, attend.head_dim)
            sentences = graph("Shape", source[0], end=1)
            query = graph("Reshape", query, graph("Concat", sentences, sizes, axis=0))
            query = graph("Transpose", query, perm=[0, 2, 1, 3])
            return mix(graph, [query, *source], name, attend, (-1,), bias)

        x = sublayer(graph, model, x, f"{name}.norm1", layer.norm1, look_back)
        x = sublayer(graph, model, x, f"{name}.norm2", layer.norm2, look_across)
        x = sublayer(graph, model, x, f"{name}.norm3", layer.norm3, think(graph, name, layer))
    x = graph.norm(x, "decoder_norm", model.decoder_norm)
    bias = graph.constant("never_written", never_written(model))
    scores = graph("Gemm", x, graph.constant("embedding", model.embedding.weight), bias, transB=1)
    graph.gives("logits", scores, "rows", model.config.vocab_size)
    return graph


def embed(graph: Graph, model: Transformer, ids: str) -> str:
    """The rows of the embedding, scaled (section 3.4)."""
    rows = graph("Gather", graph.constant("embedding", model.embedding.weight), ids)
    return graph("Mul", rows, graph.constant("embedding_scale", math.sqrt(model.config.d_model)))


def kept(attend: MultiHeadAttention, rows: str, length: str) -> tuple[str | int, ...]:
    """The shape of an attention's keys, and of its values."""
    return rows, attend.num_heads, length, attend.head_dim


def three(graph: Graph, x: str, name: str, attend: MultiHeadAttention) -> list[str]:
    """Queries, keys and values of one input, computed as one wide map."""
    maps = attend.query_proj, attend.key_proj, attend.value_proj
    return graph("Split", graph.linear(x, name, *maps), count=3, axis=-1)


def split_heads(graph: Graph, x: str, rows: int, length: int, attend: MultiHeadAttention) -> str:
    """Cut the width into heads and bring them to the front; a size of 0 stays as it is."""
    x = graph("Reshape", x, graph.shape(rows, length, attend.num_heads, attend.head_dim))
    return graph("Transpose", x, perm=[0, 2, 1, 3])


def mix(
    graph: Graph,
    heads: list[str],
    name: str,
    attend: MultiHeadAttention,
    outer: tuple[int, ...],
    bias: str = "",
) -> str:
    """Equation 1 in every head, and the map over all heads; `outer` are the sizes of its result."""
    query, keys, values = heads
    query = graph("Mul", query, graph.constant("head_scale", attend.head_dim**-0.5))
    scores = graph("MatMul", query, graph("Transpose", keys, perm=[0, 1, 3, 2]))
    scores = graph("Add", scores, bias) if bias else scores
    mixed = graph("MatMul", graph("Softmax", scores, axis=-1), values)
    mixed = graph("Transpose", mixed, perm=[0, 2, 1, 3])
    merged = graph("Reshape", mixed, graph.shape(*outer, attend.num_heads * attend.head_dim))
    return graph.linear(merged, f"{name}.out", attend.out_proj)


def think(graph: Graph, name: str, layer: Any) -> Part:
    """The feed-forward network of a layer."""
    inner, outer = layer.feed_forward.expand, layer.feed_forward.contract

    def run(x: str) -> str:
        wide = graph("Relu", graph.linear(x, f"{name}.expand", inner))
        return graph.linear(wide, f"{name}.contract", outer)

    return run


def sublayer(
    graph: Graph, model: Transformer, x: str, name: str, norm: nn.Module, part: Part
) -> str:
    """Add what a part makes of x; normalize the sum, or before that what goes in."""
    if model.config.norm_placement == "pre":
        return graph("Add", x, part(graph.norm(x, name, norm)))
    return graph.norm(graph("Add", x, part(x)), name, norm)
