"""The captions of a column, parted by who wrote them.

Invariant: a part has every row of the column and the captions of one source only; whoever counts or scores
captions does so part by part, because an original caption and a composed one tell different things.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc

from radcap.core import unknown_name
from radcap.datasets.lists import lengths, single, where
from radcap.datasets.records import CaptionSource

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "caption_part",
    "caption_parts",
    "images_by_source",
    "source_named",
    "source_titles",
    "unmarked_source",
]


def source_named(name: str) -> CaptionSource:
    """The source of that name."""
    try:
        return CaptionSource(name)
    except ValueError:
        raise unknown_name("source of captions", name, (one.value for one in CaptionSource)) from None


def caption_part(captions: Any, source: CaptionSource) -> Any:
    """The column with the captions of one source alone."""
    array = single(captions)
    kept = pc.equal(array.flatten().field("source"), source.value)
    return where(array, kept.to_numpy(zero_copy_only=False))


def caption_parts(captions: Any) -> dict[CaptionSource, Any]:
    """A column for each source there is, originals first."""
    there = set(pc.unique(single(captions).flatten().field("source")).to_pylist())
    return {one: caption_part(captions, one) for one in CaptionSource if one.value in there}


def images_by_source(captions: Any) -> dict[str, int]:
    """How many images have a caption of each source."""
    parts = caption_parts(captions).items()
    return {source.value: int((lengths(part) > 0).sum()) for source, part in parts}


def unmarked_source(captions: Any) -> CaptionSource:
    """Whose captions a file takes that cannot say whose they are: those of the only source, else originals.

    So no caption that an author did not write stands unmarked among those that authors wrote.
    """
    there = list(caption_parts(captions))
    return there[0] if len(there) == 1 else CaptionSource.ORIGINAL


def source_titles(noun: str, sources: Iterable[str]) -> dict[str, str]:
    """What tables call the captions of each source; those of authors alone need no adjective.

    >>> source_titles("captions", ["original"]), source_titles("captions", ["composed", "original"])
    ({'original': 'captions'}, {'original': 'original captions', 'composed': 'composed captions'})
    """
    there = set(sources) or {CaptionSource.ORIGINAL.value}
    alone = there == {CaptionSource.ORIGINAL.value}
    return {one.value: noun if alone else f"{one} {noun}" for one in CaptionSource if one.value in there}
