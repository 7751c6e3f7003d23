"""What a captioner says about images, and how it came to it.

Invariant: every image that was looked at has a caption that is not empty; an image that could not be looked
at has the fallback, and is named in `refused`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from radcap.core import Run, Task
from radcap.formats import replacing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from radcap.core import Cui

__all__ = ["CaptionAnswers", "Draft", "Line", "NeighbourCaption", "Refinement", "write_log"]


@dataclass(frozen=True, slots=True)
class Draft:
    """A caption that was weighed. `refused` are concepts and words of it that nothing supports; `source` is
    who wrote it, where several did."""

    text: str
    score: float
    log_probability: float | None = None
    refused: tuple[str, ...] = ()
    source: str = ""

    def to_json(self) -> dict[str, Any]:
        told = {
            "text": self.text,
            "score": self.score,
            "log_probability": self.log_probability,
            "unsupported": list(self.refused),
        }
        return {**told, "source": self.source} if self.source else told


@dataclass(frozen=True, slots=True)
class NeighbourCaption:
    """A training image that is near, and what is said of it."""

    image: str
    similarity: float
    caption: str
    found: str = ""  # how, where it is not just the nearest

    def to_json(self) -> dict[str, Any]:
        told = {"image": self.image, "similarity": self.similarity, "caption": self.caption}
        return {**told, "found": self.found} if self.found else told


@dataclass(frozen=True, slots=True)
class Refinement:
    """What a refiner was given, and which it was; `failed` says why the caption is the one without it."""

    kind: str
    model: str
    source: tuple[str, ...]
    failed: str = ""

    def to_json(self) -> dict[str, Any]:
        told = {"kind": self.kind, "model": self.model, "from": list(self.source)}
        return told | ({"failed": self.failed} if self.failed else {})


@dataclass(frozen=True, slots=True)
class Line:
    """How one caption came about: what was weighed, what was known, and what decided."""

    image: str
    caption: str
    by: str  # the way it was chosen
    drafts: tuple[Draft, ...] = ()
    concepts: Mapping[Cui, float] = field(default_factory=dict[str, float])  # told or supported
    neighbours: tuple[NeighbourCaption, ...] = ()
    raw: str = ""  # the words before [post], where they are known
    refined: Refinement | None = None

    def to_json(self) -> dict[str, Any]:
        refined = {} if self.refined is None else {"refined": self.refined.to_json()}
        return {
            "image": self.image,
            "caption": self.caption,
            "by": self.by,
            "candidates": [one.to_json() for one in self.drafts],
            "concepts": dict(self.concepts),
            "neighbours": [one.to_json() for one in self.neighbours],
            **refined,
        }


@dataclass(frozen=True, slots=True, eq=False)
class CaptionAnswers:
    """A line for each image that was looked at, in the order of the dataset."""

    lines: tuple[Line, ...]
    fallback: str
    refused: Mapping[str, str] = field(default_factory=dict[str, str])
    unlike: tuple[str, ...] = ()  # images that look like no radiology image, where that can be told
    # images whose captions no refiner had a hand in, though one was wanted, and why
    unrefined: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(one.image for one in self.lines)

    def captions(self) -> dict[str, str]:
        return {one.image: one.caption for one in self.lines}

    def run(self, order: Sequence[str], name: str = "") -> Run:
        """A run with a row for every id of `order`."""
        known = self.captions()
        return Run(Task.CAPTIONS, {one: known.get(one, self.fallback) for one in order}, name)

    def not_radiology(self) -> list[str]:
        return list(self.unlike)

    def to_json(self) -> dict[str, Any]:
        unrefined = {"unrefined": dict(self.unrefined)} if self.unrefined else {}
        return {"captions": self.captions(), "refused": dict(self.refused), **unrefined}

    def log_lines(self) -> Iterator[str]:
        """The generation log: a JSON object for each image."""
        for one in self.lines:
            yield json.dumps(one.to_json(), ensure_ascii=False)


def write_log(answers: CaptionAnswers, path: Path) -> None:
    """The generation log as JSON lines, whole or not at all."""
    with replacing(path) as part, part.open("w", encoding="utf-8", newline="\n") as file:
        for line in answers.log_lines():
            file.write(f"{line}\n")
