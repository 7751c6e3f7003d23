"""From marked spans to concepts: the nearest names by their vectors, and a reranker's choice among them.

Invariant: the same mention in the same context gets the same concept, alone or among others; of names that
are equally near the one of the earlier vocabulary, and of the lower CUI, is taken.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple, cast

from radcap.vocabulary.extractors.isolated import for_tools
from radcap.vocabulary.extractors.marks import marks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from radcap.core import Cui
    from radcap.vocabulary.extractors.entities import Entity
    from radcap.vocabulary.extractors.isolated import Isolated
    from radcap.vocabulary.extractors.known import Known
    from radcap.vocabulary.linking.mentions import Mention
    from radcap.vocabulary.vocabulary import Vocabulary

__all__ = ["Choosing", "NameLinker", "NameRow"]

_KEPT = 100_000  # mentions whose nearest names are remembered
_PAIRS = 512  # that are reranked by one question
_PLACES = 4  # decimals in which two cosines of half floats differ


@dataclass(frozen=True, slots=True)
class Choosing:
    """How a concept is chosen."""

    candidates: int
    threshold: float
    rerank_threshold: float | None  # None: there is no reranker
    context: int
    template: str


class NameRow:
    """The names of all vocabularies in one row."""

    def __init__(self, vocabularies: Sequence[Vocabulary]) -> None:
        self._vocabularies = vocabularies
        self._starts = [0, *accumulate(len(one.names) for one in vocabularies)]

    def __len__(self) -> int:
        return self._starts[-1]

    def __getitem__(self, row: int) -> str:
        vocabulary, place = self._at(row)
        return vocabulary.names[place]

    def cui(self, row: int) -> Cui:
        """The concept that has a name."""
        vocabulary, place = self._at(row)
        return vocabulary.cui_at(vocabulary.owner(place))

    def digest(self) -> str:
        """What the names are, whatever the vocabularies are called."""
        seen = hashlib.sha256()
        for one in self._vocabularies:
            seen.update(len(one.names).to_bytes(8, "little"))
            seen.update(one.names.starts.tobytes())
            seen.update(one.names.letters.tobytes())
        return seen.hexdigest()

    def _at(self, row: int) -> tuple[Vocabulary, int]:
        layer = bisect_right(self._starts, row) - 1
        return self._vocabularies[layer], row - self._starts[layer]


class _Candidate(NamedTuple):
    """A concept that may be meant, and its name that is nearest."""

    cui: Cui
    name: str
    score: float


class NameLinker:
    """Finds the concept of each span."""

    def __init__(self, worker: Isolated, names: NameRow, known: Known, choosing: Choosing) -> None:
        self._worker = worker
        self._names = names
        self._known = known
        self._choosing = choosing
        self._near: dict[str, tuple[_Candidate, ...]] = {}

    def mentions(
        self, texts: Sequence[str], found: Sequence[Sequence[Entity]]
    ) -> Iterator[tuple[Mention, ...]]:
        spans = [[text[one.start : one.end] for one in some] for text, some in zip(texts, found, strict=True)]
        self._look_up(span for some in spans for span in some)
        ranked = self._rank(texts, found, spans)
        for text, entities, marked in zip(texts, found, marks(texts, found), strict=True):
            choices = [(one, mark, next(ranked)) for one, mark in zip(entities, marked, strict=True)]
            yield tuple(
                self._mention(text, one, candidates, *mark) for one, mark, candidates in choices if candidates
            )

    def _look_up(self, spans: Iterable[str]) -> None:
        """See that the nearest names of each span are known."""
        if len(self._near) > _KEPT:
            self._near.clear()
        asked = [span for span in dict.fromkeys(spans) if span not in self._near]
        if not asked:
            return
        given = {"texts": [for_tools(one) for one in asked], "count": self._choosing.candidates}
        answer = cast("list[list[tuple[int, float]]]", self._worker.ask("nearest", given))
        for span, rows in zip(asked, answer, strict=True):
            self._near[span] = self._candidates(rows)

    def _candidates(self, rows: Sequence[tuple[int, float]]) -> tuple[_Candidate, ...]:
        """Each concept once, by its nearest name, the nearest first."""
        found: dict[Cui, _Candidate] = {}
        for row, score in sorted(rows, key=lambda one: (-round(one[1], _PLACES), one[0])):
            cui = self._names.cui(row)
            found.setdefault(cui, _Candidate(cui, self._names[row], score))
        return tuple(found.values())

    def _rank(
        self, texts: Sequence[str], found: Sequence[Sequence[Entity]], spans: Sequence[Sequence[str]]
    ) -> Iterator[tuple[_Candidate, ...]]:
        """The candidates of each span, the best first, with the score that decides."""
        near = [self._near[span] for some in spans for span in some]
        if self._choosing.rerank_threshold is None:
            return iter(near)
        firsts = (
            self._first_text(text, one) for text, some in zip(texts, found, strict=True) for one in some
        )
        pairs = [
            (first, for_tools(candidate.name))
            for first, candidates in zip(firsts, near, strict=True)
            for candidate in candidates
        ]
        likely = iter(self._likely(pairs))
        return (_ranked([one._replace(score=next(likely)) for one in candidates]) for candidates in near)

    def _likely(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        likely: list[float] = []
        for start in range(0, len(pairs), _PAIRS):
            likely += cast("list[float]", self._worker.ask("rerank", pairs[start : start + _PAIRS]))
        return likely

    def _first_text(self, text: str, entity: Entity) -> str:
        around = self._choosing.context
        context = text[max(0, entity.start - around) : entity.end + around]
        mention = text[entity.start : entity.end]
        return for_tools(self._choosing.template.replace("{context}", context).replace("{mention}", mention))

    def _mention(
        self, text: str, entity: Entity, candidates: Sequence[_Candidate], negated: bool, uncertain: bool
    ) -> Mention:
        best, *others = candidates
        alike = tuple(one.cui for one in others if one.name.casefold() == best.name.casefold())
        is_kept, why = self._verdict(best)
        linked = replace(entity, id=best.cui, others=alike, score=best.score)
        mention = self._known.mention(text, linked, why, negated=negated, uncertain=uncertain)
        return replace(mention, kept=is_kept)

    def _verdict(self, best: _Candidate) -> tuple[bool, str]:
        """Whether the best candidate is good enough, and why."""
        reranked = self._choosing.rerank_threshold
        least = self._choosing.threshold if reranked is None else reranked
        said = "the nearest name, cosine" if reranked is None else "the reranked name, probability"
        why = f"{best.name!r} is {said} {best.score:.3f}"
        return best.score >= least, why if best.score >= least else f"{why}, below {least:g}"


def _ranked(candidates: list[_Candidate]) -> tuple[_Candidate, ...]:
    return tuple(sorted(candidates, key=lambda one: -round(one.score, _PLACES)))
