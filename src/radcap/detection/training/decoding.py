"""The pictures that are learnt from, decoded once.

Invariant: of several processes one decodes and the others wait; an image that will not decode is left out
and named.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Literal

from radcap.core import UsageError
from radcap.core.counts import counted
from radcap.datasets.images import CacheBusy
from radcap.vision.pictures import load_pictures

if TYPE_CHECKING:
    from collections.abc import Callable

    from radcap.datasets import Dataset
    from radcap.detection.talk import Talk
    from radcap.vision.pictures import Pictures
    from radcap.vision.settings import ImageSettings
    from radcap.vision.training import Place

__all__ = ["decoded_pictures", "unheard"]

_SHOWN = 5
_WAIT_S = 1.0


def unheard() -> None:
    """What is called now and then where nobody wants to know."""


def decoded_pictures(
    dataset: Dataset,
    image: ImageSettings,
    place: Place,
    *,
    where: Literal["auto", "device", "host"],
    talk: Talk,
    look_up: Callable[[], None] = unheard,
) -> Pictures:
    """The images of a dataset; `look_up` is called now and then while they are decoded."""
    pictures = _awaited(dataset, image, place, where, talk, look_up)
    if pictures.refused:
        some = ", ".join(f"{one} ({code})" for one, code in list(pictures.refused.items())[:_SHOWN])
        talk.tell(f"Left out, for they will not decode: {counted(len(pictures.refused))}, {some}")
    if not len(pictures):
        raise UsageError(f"No image of {_asked(dataset)} can be read. See radcap dataset check.")
    return pictures


def _asked(dataset: Dataset) -> str:
    """The dataset, or the split that alone was asked of it."""
    splits = dataset.splits
    return f"the split {splits[0]!r} of {dataset.name}" if len(splits) == 1 else dataset.name


def _awaited(
    dataset: Dataset,
    image: ImageSettings,
    place: Place,
    where: Literal["auto", "device", "host"],
    talk: Talk,
    look_up: Callable[[], None],
) -> Pictures:
    told = False

    def progress(stage: str, done: int) -> None:
        look_up()
        if talk.progress is not None:
            talk.progress(stage, done)

    while True:
        look_up()
        try:
            return load_pictures(dataset, image, place.device, where=where, progress=progress)
        except CacheBusy as busy:
            if not told:
                talk.tell(f"Waiting: {busy}")
            told = True
            time.sleep(_WAIT_S)
