"""Several processes that train one model, as `torchrun` starts them (section 5.2: 8 GPUs).

Each holds the whole model, or after `spread` a part of every weight. Outside of `torchrun` there is
one process, and every function here does nothing at no cost.
"""

import gc
import inspect
import io
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, redirect_stdout
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import FSDPModule, fully_shard, register_fsdp_forward_method
from torch.distributed.tensor import DTensor, distribute_tensor
from torch.nn.parallel import DistributedDataParallel

from transformer_course.errors import DataError
from transformer_course.model import Transformer

MESHES: list[DeviceMesh] = []  # over which models were spread


def rank() -> int:
    """This process's number; process 0 writes, prints and translates."""
    return dist.get_rank() if dist.is_initialized() else 0


def world_size() -> int:
    """How many processes train together."""
    return dist.get_world_size() if dist.is_initialized() else 1


@contextmanager
def joined() -> Iterator[None]:
    """Join the processes that `torchrun` started, and leave them at the end.

    Raises:
        DataError: in every process that is left, as soon as one of them has died.
    """
    if int(os.environ.get("WORLD_SIZE", "1")) == 1:
        yield
        return
    if torch.cuda.is_available():
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "gloo")
    try:
        yield
        # Models go first: a reducer that outlives the group ends it without letting go of Python,
        # for which one of the group's threads may be waiting.
        gc.collect()
    except dist.DistError as error:
        raise lost() from error
    except RuntimeError as error:
        if "gloo" not in str(error).lower():
            raise
        raise lost() from error
    finally:
        dist.destroy_process_group()
    end_threads()


def end_threads() -> None:
    """End the threads that spoke with the others while Python still runs.

    Torch's caches keep the mesh of `spread`, and the mesh keeps the group with its threads. One of
    them that lets go of a tensor while Python ends aborts the process (pytorch issue 190489).
    """
    while MESHES:
        getattr(MESHES.pop(), "_pg_registry", {}).clear()  # older torch keeps a name alone
    gc.collect()


@contextmanager
def only_first_prints() -> Iterator[None]:
    """Keep the others quiet: what they would say, process 0 says too."""
    with redirect_stdout(io.StringIO()) if rank() else nullcontext():
        yield


def lost() -> DataError:
    """What to say when the other side of a connection is gone."""
    return DataError(
        "another process of this run has died: what it said stands above; start the same command "
        "again with --resume to go on from the last checkpoint"
    )


def wait_for_all() -> None:
    """Go on when every process has come here."""
    if world_size() > 1:
        dist.barrier()


def any_of_them(flag: bool) -> bool:
    """Whether the flag is up in any process, so that all of them decide alike."""
    if world_size() == 1:
        return flag
    flags = torch.tensor(int(flag))  # on the CPU: no accelerator has to be waited for
    dist.all_reduce(flags, dist.ReduceOp.MAX)
    return bool(flags)


def total(share: Tensor) -> Tensor:
    """The sum of what each process holds."""
    if world_size() > 1:
        dist.all_reduce(share)
    return share


def parallel(model: nn.Module) -> nn.Module:
    """The model, whose gradients are from now on the mean over all processes."""
    if world_size() == 1 or any(isinstance(part, FSDPModule) for part in model.modules()):
        return model
    # Buffers are tables of sinusoids, which never change: nothing to send each step.
    known = inspect.signature(DistributedDataParallel).parameters
    unsent = "forward_sync_buffers" if "forward_sync_buffers" in known else "broadcast_buffers"
    options: dict[str, Any] = {"gradient_as_bucket_view": True, unsent: False}
    return DistributedDataParallel(model, **options)


def without_exchange(model: nn.Module, wanted: bool) -> AbstractContextManager:
    """Let gradients add up here first, where more passes follow before the step."""
    return (
        model.no_sync() if wanted and isinstance(model, DistributedDataParallel) else nullcontext()
    )


def spread(model: Transformer, device: torch.device) -> None:
    """Give every process its part of each weight, gradient and moment (FSDP2; ZeRO, stage 3).

    A layer's weights are gathered when it is their turn, and let go of after it; gradients are
    summed into the parts. Make the optimizer afterwards: it belongs to the parts.
    """
    if world_size() == 1:
        model.to(device)
        return
    mesh = dist.init_device_mesh(device.type, (world_size(),))
    MESHES.append(mesh)
    for layer in (*model.encoder_layers, *model.decoder_layers):
        fully_shard(layer, mesh=mesh)
    # The embedding is needed first and last, so it stays together in between.
    fully_shard(model, mesh=mesh, reshard_after_forward=False)
    register_fsdp_forward_method(model, "states")


def check_spread(wanted: bool, compile: bool) -> None:
    """Refuse to spread a model over nothing, or over what `torch.compile` has rewritten.

    Raises:
        DataError: outside of `torchrun`, or together with --compile.
    """
    if wanted and "WORLD_SIZE" not in os.environ:
        raise DataError(
            "--fsdp spreads the weights over several processes and there is one: start it by "
            "torchrun --nproc-per-node N -m transformer_course train --fsdp, or leave --fsdp out"
        )
    if wanted and compile:
        raise DataError("--fsdp and --compile: expected one of them, got both; leave one out")


def whole(tensor: Tensor) -> Tensor:
    """A spread tensor in one piece, on the CPU; all processes have to ask. Others as they are."""
    return tensor.full_tensor().cpu() if isinstance(tensor, DTensor) else tensor


def gathered(model: Transformer) -> Transformer:
    """A spread model in one piece, on the CPU; all processes have to ask. Others as they are."""
    if not isinstance(model, FSDPModule):
        return model
    weights = {name: whole(tensor) for name, tensor in model.state_dict().items()}
    copy = Transformer(model.config)
    copy.load_state_dict(weights)
    return copy


def like(tensor: Tensor, parameter: Tensor) -> Tensor:
    """The tensor as the parameter is: on its device, and spread if that is spread."""
    if not isinstance(parameter, DTensor):
        return tensor.to(parameter.device)
    mesh, places = parameter.device_mesh, parameter.placements
    return distribute_tensor(tensor.to(parameter.device), mesh, places, src_data_rank=None)
