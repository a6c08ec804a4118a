"""Which device computes, and in which precision."""

import torch

from transformer_course.errors import DataError


def choose_device(name: str | None = None) -> torch.device:
    """The device asked for, or the best that is here.

    Raises:
        DataError: if that device does not exist on this machine.
    """
    here = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    found = [device for device, available in here.items() if available] + ["cpu"]
    if name is None:
        return ready(torch.device(found[0]))
    kind, colon, number = name.partition(":")
    count = torch.cuda.device_count() if kind == "cuda" else 1
    if kind not in found or (colon and not (number.isdecimal() and int(number) < count)):
        raise DataError(f"no device {name} on this machine: choose one of {', '.join(found)}")
    return ready(torch.device(name))


def ready(device: torch.device) -> torch.device:
    """Set a GPU up for batches of ever new shapes.

    cuDNN's attention plans anew for each shape, and a training on an H100 did little else
    (benchmarks/LOG.md).
    """
    if device.type == "cuda":
        torch.backends.cuda.enable_cudnn_sdp(False)
    return device


def choose_precision(device: torch.device, d_model: int) -> str:
    """bf16 where the hardware has it and the model is wide; `measure_precision` tries instead."""
    if device.type == "cuda":
        fast = torch.cuda.is_bf16_supported()
    else:
        able = torch.cpu.get_capabilities() if device.type == "cpu" else {}
        fast = able.get("avx512_bf16", False) or able.get("amx_bf16", False)
    return "bf16" if fast and d_model >= 64 else "fp32"
