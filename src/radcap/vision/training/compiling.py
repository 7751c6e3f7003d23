"""Compiled networks, and compiling one while its images are still being decoded.

Invariant: what training starts from is not touched. The network that is compiled ahead is another one of the
same shape, which is enough: torch knows the shape again and does not compile it twice.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Event
from typing import TYPE_CHECKING, TypeVar

import torch

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import nn

    from radcap.vision.settings import TrainSettings
    from radcap.vision.training.devices import Place

__all__ = ["compiled", "while_compiling"]

T = TypeVar("T")


class _Stopped(Exception):
    """Nobody waits for the work any more."""


def compiled(module: nn.Module, place: Place) -> Callable[..., torch.Tensor]:
    """The module as training steps it.

    A step is more than a thousand kernels, and starting them one by one takes the processor longer than it
    takes a GPU to run them; so a GPU gets them recorded, as one graph. Several GPUs talk within a step, which
    is not recorded.
    """
    if place.device.type == "cuda" and place.world == 1:
        return torch.compile(module, mode="reduce-overhead")
    return torch.compile(module)


def while_compiling(
    work: Callable[[Callable[[], None]], T],
    network: nn.Module,
    settings: TrainSettings,
    place: Place,
    *,
    size: int,
    images: int,
) -> T:
    """What `work` gives; where training compiles its network, that is done meanwhile and waited for.

    `network` is of no use afterwards; it will learn from so many `images` of this `size`. `work` runs in
    another thread then, since a recorded graph belongs to the thread that made it. It is given a function to
    call now and then, which raises when nobody waits any more, and draws no random numbers that matter:
    dropout draws from the same source.
    """
    if not settings.compile or place.world > 1:
        return work(lambda: None)
    abandoned = Event()

    def look_up() -> None:
        if abandoned.is_set():
            raise _Stopped

    with ThreadPoolExecutor(1) as thread:
        told = thread.submit(work, look_up)
        try:
            _step(network, (min(settings.batch, images), 3, size, size), place)
            return told.result()
        except BaseException:
            abandoned.set()
            raise


def _step(network: nn.Module, shape: tuple[int, ...], place: Place) -> None:
    """One step over nothing: the first step of a compiled network is what takes long."""
    with suppress(Exception):  # training takes the same step, and is where an error is told
        network.to(place.device, memory_format=torch.channels_last).train()  # type: ignore[call-overload]
        kind = torch.float16 if place.half else torch.float32
        nothing = torch.zeros(shape, dtype=kind, device=place.device)
        with place.autocast():
            logits = compiled(network, place)(nothing.contiguous(memory_format=torch.channels_last))
        logits.float().sum().backward()
