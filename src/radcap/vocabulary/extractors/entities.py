"""What a tool says it found, checked, and how it becomes mentions.

Invariant: an entity lies inside its text, without blanks at its ends; a tool that says otherwise is stopped.
"""

from __future__ import annotations

import logging
import math
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Self, TypeAlias, cast

from radcap.vocabulary.extractors.isolated import ExtractorFailed, for_tools

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from types import TracebackType

    from radcap.vocabulary.extractors.isolated import Isolated
    from radcap.vocabulary.extractors.options import WorkerOptions
    from radcap.vocabulary.linking.mentions import Mention

__all__ = ["Entity", "IsolatedExtractor", "Skipped", "ToMentions"]

_log = logging.getLogger(__name__)
_BATCH_LETTERS = 200_000
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Entity:
    """A span, and what the tool says of it."""

    start: int
    end: int
    id: str = ""
    name: str = ""
    types: tuple[str, ...] = ()
    score: float | None = None
    others: tuple[str, ...] = ()
    meta: tuple[tuple[str, str], ...] = ()

    @classmethod
    def read(cls, said: Mapping[str, Any], text: str) -> Entity | None:
        """The entity in a text, or nothing where it holds blanks alone. Other nonsense is a `ValueError`."""
        start, end, score = said["start"], said["end"], said.get("score")
        if type(start) is not int or type(end) is not int or not 0 <= start <= end <= len(text):
            raise ValueError(said)
        if score is not None and not isinstance(score, float | int):
            raise ValueError(said)
        span = text[start:end]
        start, end = start + len(span) - len(span.lstrip()), end - len(span) + len(span.rstrip())
        if start >= end:
            return None
        return cls(
            start,
            end,
            str(said.get("id", "")),
            str(said.get("name", "")),
            tuple(str(one) for one in said.get("types", ())),
            None if score is None or not math.isfinite(score) else float(score),
            tuple(str(one) for one in said.get("others", ())),
            tuple((str(name), str(value)) for name, value in said.get("meta", {}).items()),
        )


@dataclass(frozen=True, slots=True)
class Skipped:
    """A text a tool could not take: its place, its beginning, and why."""

    number: int
    text: str
    why: str


ToMentions: TypeAlias = "Callable[[Sequence[str], Sequence[Sequence[Entity]]], Iterable[tuple[Mention, ...]]]"


class IsolatedExtractor:
    """Asks a tool for the entities of texts, batch by batch, and makes mentions of them."""

    def __init__(
        self, worker: Isolated, limits: WorkerOptions, to_mentions: ToMentions, batch: int = 64
    ) -> None:
        self.notes = worker.notes
        self.title = worker.title
        self.skipped: list[Skipped] = []
        self._worker = worker
        self._skips = limits.on_error == "skip"
        self._to_mentions = to_mentions
        self._batch = batch
        for note in self.notes:
            _log.warning("%s: %s", self.title, note)

    def extract(self, texts: Iterable[str]) -> Iterator[tuple[Mention, ...]]:
        done = 0
        for batch in _batches(texts, self._batch):
            yield from self._to_mentions(batch, self._entities(batch, done))
            done += len(batch)

    def _entities(self, texts: Sequence[str], done: int) -> list[list[Entity]]:
        answer: object = self._worker.ask("entities", [for_tools(text) for text in texts])
        if not isinstance(answer, list) or len(cast("list[object]", answer)) != len(texts):
            self._worker.misunderstood(cast("object", answer))
        found: list[list[Entity]] = []
        for i, (text, said) in enumerate(zip(texts, cast("list[Any]", answer), strict=True)):
            failed = cast("dict[str, object]", said).get("failed") if isinstance(said, dict) else None
            if failed is not None:
                self._skip(Skipped(done + i, text[:_SHOWN], str(failed)))
            found.append([] if failed is not None else self._read(said, text))
        return found

    def _read(self, said: Any, text: str) -> list[Entity]:
        try:
            entities = [Entity.read(one, text) for one in said]
        except (AttributeError, KeyError, TypeError, ValueError):
            self._worker.misunderstood(said)
        return sorted((one for one in entities if one is not None), key=lambda one: (one.start, -one.end))

    def _skip(self, skipped: Skipped) -> None:
        what = f"{self.title} cannot take text {skipped.number + 1}, {skipped.text!r}: {skipped.why}"
        if not self._skips:
            self._worker.close()
            raise ExtractorFailed(f"{what}. Its work was stopped. Leave the text out, or give on_error=skip.")
        _log.warning("%s. It has no mentions.", what)
        self.skipped.append(skipped)

    def close(self) -> None:
        self._worker.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _batches(texts: Iterable[str], most: int) -> Iterator[list[str]]:
    """Texts by the batch: some, or fewer where they are long."""
    left = iter(texts)
    batch, letters = list(islice(left, 1)), 0
    for text in left:
        letters += len(batch[-1])
        if len(batch) >= most or letters + len(text) > _BATCH_LETTERS:
            yield batch
            batch, letters = [], 0
        batch.append(text)
    if batch:
        yield batch
