"""A whole file of captions, linked in processes and written in order.

Invariant: memory does not grow with the file. A frequency cut needs the counts of all of it: until they are
known, batches wait on disk.
"""

from __future__ import annotations

import pickle
import tempfile
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING

from radcap.core.processes import default_workers, in_processes
from radcap.vocabulary.batching import in_batches
from radcap.vocabulary.captions.writing import MOST_CUIS, concept_run, mention_file
from radcap.vocabulary.linking.mentions import Mention
from radcap.vocabulary.rules import Unit, cut_rare

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from radcap.core import Cui
    from radcap.vocabulary.captions.batches import Batch
    from radcap.vocabulary.captions.reading import Caption
    from radcap.vocabulary.captions.working import LinkWork
    from radcap.vocabulary.rules import FrequencyCut

__all__ = ["Linked", "link_captions"]

_CAPTIONS, _LETTERS = 2_000, 1 << 19  # worth sending to a process, and small enough to wait in numbers


@dataclass(frozen=True, slots=True)
class Linked:
    """What came of a file of captions."""

    captions: int
    without: int  # captions without any concept
    concepts: int  # different ones
    kept: int  # mentions
    dropped: int
    rare: int  # concepts that were cut for their frequency
    crowded: int  # captions with more concepts than evaluators take
    most: int  # concepts of one caption

    def to_json(self) -> dict[str, int]:
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(slots=True)
class _Tally:
    """The same while it grows."""

    captions: int = 0
    without: int = 0
    dropped: int = 0
    crowded: int = 0
    most: int = 0
    kept: Counter[Cui] = field(default_factory=Counter["Cui"])

    def add(self, batch: Batch) -> None:
        sizes = list(map(len, batch.concepts))
        self.captions += len(sizes)
        self.without += sizes.count(0)
        self.crowded += sum(size > MOST_CUIS for size in sizes)
        self.most = max(self.most, *sizes, 0)
        self.dropped += batch.dropped
        self.kept.update(batch.kept)

    def finish(self, rare: int) -> Linked:
        kept = self.kept.total()
        return Linked(
            self.captions, self.without, len(self.kept), kept, self.dropped, rare, self.crowded, self.most
        )


def link_captions(
    captions: Iterable[Caption],
    work: LinkWork,
    out: Path | None,
    mentions: Path | None = None,
    *,
    cut: FrequencyCut | None = None,
    workers: int | None = None,
    told: Callable[[str, int], None] | None = None,
) -> Linked:
    """Link captions and write what was asked for: their concepts, their mentions, or both."""
    processes = (workers or default_workers()) if work.can_travel else 1
    with ExitStack() as stack:
        writers: list[Callable[[Batch], None]] = []
        if out is not None:
            writers.append(stack.enter_context(concept_run(out)))
        if mentions is not None:
            writers.append(stack.enter_context(mention_file(mentions, dropped=work.trace)))
        pieces = in_batches(captions, lambda one: len(one.text), letters=_LETTERS, most=_CAPTIONS)
        batches = _told(in_processes(work, pieces, processes), told)
        rare: Mapping[Cui, str] = {}
        if cut is not None:
            spool = stack.enter_context(tempfile.TemporaryFile())
            rare = _rare(_held(batches, spool), cut)
            batches = (one.without(rare) for one in _back(spool))
        tally = _Tally()
        for batch in batches:
            for write in writers:
                write(batch)
            tally.add(batch)
    return tally.finish(len(rare))


def _told(batches: Iterable[Batch], told: Callable[[str, int], None] | None) -> Iterator[Batch]:
    done = 0
    for batch in batches:
        yield batch
        done += len(batch.ids)
        if told:
            told("linking", done)


def _held(batches: Iterable[Batch], spool: IO[bytes]) -> Iterator[Batch]:
    """The batches, which are then in the file too."""
    for batch in batches:
        pickle.dump(batch, spool)
        yield batch


def _back(spool: IO[bytes]) -> Iterator[Batch]:
    end = spool.tell()
    spool.seek(0)
    while spool.tell() < end:
        yield pickle.load(spool)  # noqa: S301 - written by this process a moment ago


def _rare(batches: Iterable[Batch], cut: FrequencyCut) -> dict[Cui, str]:
    """The concepts that are too rare in all batches, and why."""
    counts: Counter[Cui] = Counter()
    for batch in batches:
        images = (cui for some in batch.concepts for cui in some)
        counts.update(images if cut.unit is Unit.IMAGES else batch.kept)
    one_of_each = ([Mention(0, 0, "", cui, "")] for cui in counts)
    return {one.cui: one.why for (one,) in cut_rare(one_of_each, counts, cut) if not one.kept}
