"""Several processes that train one model, as `torchrun` starts them (section 5.2: 8 GPUs).

Outside of `torchrun` there is one process, and every function here does nothing at no cost.
"""

import inspect
import io
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, redirect_stdout
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from transformer_course.errors import DataError


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
    except dist.DistError as error:
        raise lost() from error
    except RuntimeError as error:
        if "gloo" not in str(error).lower():
            raise
        raise lost() from error
    finally:
        dist.destroy_process_group()


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
    if world_size() == 1:
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
