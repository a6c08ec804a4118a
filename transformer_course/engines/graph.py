"""ONNX operators with names: what `onnx.helper` makes of a node, written as a call."""

from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from transformer_course.engines.exported import needed

OPSET = 17  # of ONNX 1.12, the first with LayerNormalization


class Graph:
    """A graph in the making; values go by name, and so do its inputs and outputs."""

    def __init__(self) -> None:
        self.onnx = needed("onnx")
        self.nodes: list[Any] = []
        self.constants: dict[str, Any] = {}
        self.inputs: list[Any] = []
        self.outputs: list[Any] = []

    def __call__(self, operator: str, *inputs: str, count: int = 1, **attributes: Any) -> Any:
        """Add a node; its output's name, or a list of `count` of them."""
        made = [f"{operator}_{len(self.nodes)}_{n}" for n in range(count)]
        self.nodes.append(self.onnx.helper.make_node(operator, inputs, made, **attributes))
        return made[0] if count == 1 else made

    def constant(self, name: str, values: Any) -> str:
        """Numbers that stand in the file, once, however often they are asked for."""
        if name not in self.constants:
            tensor = values if isinstance(values, Tensor) else torch.tensor(values)
            array = tensor.detach().cpu().contiguous().numpy()
            self.constants[name] = self.onnx.numpy_helper.from_array(array, name)
        return name

    def shape(self, *sizes: int) -> str:
        """A shape to reshape to: 0 keeps a dimension, -1 takes what is left."""
        return self.constant(f"shape{sizes}", list(sizes))

    def linear(self, x: str, name: str, *maps: nn.Linear) -> str:
        """One linear map, or several of the same input side by side, of the last dimension."""
        weight = self.constant(f"{name}.weight", torch.cat([each.weight for each in maps]).T)
        bias = self.constant(f"{name}.bias", torch.cat([each.bias for each in maps]))
        return self("Add", self("MatMul", x, weight), bias)

    def norm(self, x: str, name: str, norm: nn.Module) -> str:
        """Layer normalization, or nothing."""
        if not isinstance(norm, nn.LayerNorm):
            return x
        weight = self.constant(f"{name}.weight", norm.weight)
        bias = self.constant(f"{name}.bias", norm.bias)
        return self("LayerNormalization", x, weight, bias, axis=-1, epsilon=norm.eps)

    def takes(self, name: str, kind: type, *shape: int | str) -> str:
        """An input; a dimension with a name may have any length."""
        self.inputs.append(self.value(name, kind, shape))
        return name

    def gives(self, name: str, value: str, *shape: int | str) -> None:
        """An output: a value under a name."""
        self.nodes.append(self.onnx.helper.make_node("Identity", [value], [name]))
        self.outputs.append(self.value(name, float, shape))

    def value(self, name: str, kind: type, shape: tuple[int | str, ...]) -> Any:
        types = {int: self.onnx.TensorProto.INT64, float: self.onnx.TensorProto.FLOAT}
        return self.onnx.helper.make_tensor_value_info(name, types[kind], shape)

    def save(self, path: Path) -> None:
        """Check the graph, and write it to a file."""
        helper = self.onnx.helper
        graph = helper.make_graph(
            self.nodes, path.stem, self.inputs, self.outputs, list(self.constants.values())
        )
        opset = helper.make_opsetid("", OPSET)
        model = helper.make_model(
            graph, opset_imports=[opset], ir_version=8, producer_name="transformer-course"
        )
        self.onnx.checker.check_model(model)
        self.onnx.save(model, str(path))
