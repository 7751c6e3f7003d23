"""Compiling a network while its images are still being decoded.

Invariant: what training starts from is not touched. The network that is compiled here is another one of the
same shape, which is enough: torch knows the shape again and does not compile it twice.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from contextlib import contextmanager, suppress
from threading import Thread
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Generator

    from torch import nn

    from radcap.vision.settings import TrainSettings
    from radcap.vision.training.devices import Place

__all__ = ["compiling_ahead"]


@contextmanager
def compiling_ahead(
    network: nn.Module, size: int, images: int, settings: TrainSettings, place: Place
) -> Generator[None]:
    """Compile while the body runs; what is not ready at its end is waited for.

    `network` is of no use afterwards; `size` is that of its images, of which there are `images`. The body
    draws no random numbers that matter: dropout in the other thread draws from the same source.
    """
    if not settings.compile or place.world > 1:
        yield
        return
    batch = min(settings.batch, images)
    thread = Thread(target=_step, args=(network, batch, size, place), daemon=True)
    thread.start()
    try:
        yield
    finally:
        thread.join()


def _step(network: nn.Module, batch: int, size: int, place: Place) -> None:
    """One step over nothing: the first step of a compiled network is what takes long."""
    with suppress(Exception):  # training takes the same step, and is where an error is told
        network.to(place.device, memory_format=torch.channels_last).train()  # type: ignore[call-overload]
        kind = torch.float16 if place.half else torch.float32
        images = torch.zeros(batch, 3, size, size, dtype=kind, device=place.device)
        with place.autocast():
            logits = torch.compile(network)(images.contiguous(memory_format=torch.channels_last))
        logits.float().sum().backward()
