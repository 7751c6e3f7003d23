"""Captioners that answer together: their captions become the drafts of one, or follow each other.

Invariant: an image is answered where every captioner that is asked could look at it. A text that several
wrote is one draft, which counts as often as it was written; a fallback is none.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from radcap.captioning.members import asked, choice
from radcap.captioning.models.answers import CaptionAnswers, Draft, Line
from radcap.captioning.models.apart import apart
from radcap.captioning.models.ranking import reranked
from radcap.captioning.texts import finished

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from radcap.captioning.models.answers import NeighbourCaption
    from radcap.captioning.models.eyes import Eyes, Sight
    from radcap.captioning.models.opening import Captioner
    from radcap.captioning.models.routing import Router
    from radcap.captioning.reranking import Reranker
    from radcap.captioning.system import CaptionMember, CaptionSystem
    from radcap.core import Cui
    from radcap.datasets import Dataset

__all__ = ["MembersModel"]


@dataclass(frozen=True, eq=False)
class MembersModel:
    """`eyes` look for the router and the reranker, where they go by images."""

    system: CaptionSystem
    members: Mapping[str, Captioner]
    reranker: Reranker | None = None
    router: Router | None = None
    eyes: Eyes | None = None

    @property
    def labels(self) -> tuple[Cui, ...]:
        return tuple(dict.fromkeys(cui for one in self.members.values() for cui in one.labels))

    def apart(self) -> MembersModel:
        """The same, for images that members remember."""
        return replace(self, members={name: apart(one) for name, one in self.members.items()})

    def answers(self, dataset: Dataset, progress: Callable[[str, int], None] | None = None) -> CaptionAnswers:
        """What the members say together."""
        parts, refused = self._parts(dataset)
        told = {
            name: self.members[name].answers(part, _named(progress, name))
            for name, part in parts.items()
            if len(part)
        }
        return self.joined(dataset, told, refused)

    def _parts(self, dataset: Dataset) -> tuple[dict[str, Dataset], dict[str, str]]:
        """The images that each member is asked about, and those that the router could not look at."""
        parts, refused = dict.fromkeys(self.members, dataset), dict[str, str]()
        if self.router is None:
            return parts, refused
        assert self.eyes is not None  # noqa: S101 - a router without is refused when the system is read
        routes: dict[str, list[int]] = {name: [] for name in self.router.names}
        place = {image: row for row, image in enumerate(dataset.ids)}
        for sight in self.eyes.look(dataset):
            refused |= sight.refused
            names = self.router.choose(sight.gist.float().cpu().numpy()) if sight.ids else ()
            for image, name in zip(sight.ids, names, strict=True):
                routes[name].append(place[image])
        return parts | {name: dataset.take(rows) for name, rows in routes.items()}, refused

    def joined(
        self, dataset: Dataset, told: Mapping[str, CaptionAnswers], refused: Mapping[str, str]
    ) -> CaptionAnswers:
        """What follows from the answers of the members; `refused` are images that others refused."""
        refused = {**refused, **{image: why for one in told.values() for image, why in one.refused.items()}}
        unlike = {image for one in told.values() for image in one.not_radiology()}
        said = {one.image: one for one in _said(self.system, told) if one.image not in refused}
        lines: dict[str, Line] = {}
        for sight in self._sights(dataset):
            seen = [*said] if sight is None else [image for image in sight.ids if image in said]
            refused |= {} if sight is None else sight.refused
            found = self._lines([said[image] for image in seen], sight and sight.of(seen)) if seen else ()
            lines |= {one.image: one for one in found}
        return CaptionAnswers(
            tuple(lines[image] for image in dataset.ids if image in lines),
            finished("", self.system.post),
            {image: refused[image] for image in dataset.ids if image in refused},
            tuple(image for image in dataset.ids if image in unlike),
        )

    def _sights(self, dataset: Dataset) -> Iterator[Sight | None]:
        """What is seen for the reranker, where it goes by images."""
        if self.reranker is None or not self.reranker.looks:
            yield None
            return
        eyes = self.reranker.eyes or self.eyes
        assert eyes is not None  # noqa: S101 - a system without is refused when it is read
        yield from eyes.look(dataset)

    def _lines(self, said: Sequence[_Said], sight: Sight | None) -> list[Line]:
        is_row = self.system.join.rule == "concatenate"
        drafts: Sequence[Sequence[Draft]] = [one.captions if is_row else one.drafts for one in said]
        if self.reranker is not None:
            drafts = reranked(drafts, self.reranker, sight)
        return [self._line(one, _apart(some)) for one, some in zip(said, drafts, strict=True)]

    def _line(self, said: _Said, drafts: Sequence[Draft]) -> Line:
        supported = [one.text for one in drafts if not one.refused]
        chosen = supported if self.system.join.rule == "concatenate" else supported[:1]
        raw = " ".join(dict.fromkeys([*chosen, *said.after]))
        caption = finished(raw, self.system.post)
        return Line(said.image, caption, self._way, tuple(drafts), said.concepts, said.neighbours, raw=raw)

    @property
    def _way(self) -> str:
        by = choice(self.system).by
        return self.system.join.rule if by == "none" else by


@dataclass(frozen=True, slots=True)
class _Said:
    """What members say of one image: those that are chosen from, and captions that follow anyway."""

    image: str
    lines: tuple[tuple[CaptionMember, Line], ...]
    after: tuple[str, ...]
    every: tuple[Line, ...]  # of both

    @property
    def captions(self) -> list[Draft]:
        """One of each member who has something to say."""
        return [draft for one in self.lines for draft in _own(*one)]

    @property
    def drafts(self) -> list[Draft]:
        """All of each member."""
        return [draft for one in self.lines for draft in (*_own(*one), *_others(*one))]

    @property
    def concepts(self) -> dict[Cui, float]:
        return {cui: p for line in reversed(self.every) for cui, p in line.concepts.items()}

    @property
    def neighbours(self) -> tuple[NeighbourCaption, ...]:
        return tuple(dict.fromkeys(one for line in self.every for one in line.neighbours))


def _said(system: CaptionSystem, told: Mapping[str, CaptionAnswers]) -> Iterator[_Said]:
    """By image."""
    among = {one.name for one in asked(system)}
    known = {one.name: one for one in system.member}
    lines: dict[str, dict[str, Line]] = {}
    for name, answers in told.items():
        for line in answers.lines:
            lines.setdefault(line.image, {})[name] = line
    for image, some in lines.items():
        chosen = tuple((known[name], line) for name, line in some.items() if name in among)
        after = [
            draft for name in system.join.append if name in some for draft in _own(known[name], some[name])
        ]
        yield _Said(image, chosen, tuple(one.text for one in after), tuple(some.values()))


def _own(member: CaptionMember, line: Line) -> list[Draft]:
    """A member's caption, unless it has nothing to say."""
    if line.caption == finished("", member.post):
        return []
    own = _ended(member, line).get(line.caption, Draft("", 0.0))
    return [replace(own, text=line.caption, refused=(), source=member.name)]


def _others(member: CaptionMember, line: Line) -> list[Draft]:
    """A member's other drafts, as they would be handed in, each text once; words that it chose from are no
    drafts.
    """
    ended = {} if member.decoder.kind == "words" else _ended(member, line)
    told = (line.caption, finished("", member.post))
    return [replace(one, text=text, source=member.name) for text, one in ended.items() if text not in told]


def _ended(member: CaptionMember, line: Line) -> dict[str, Draft]:
    ended: dict[str, Draft] = {}
    for one in line.drafts:
        ended.setdefault(finished(one.text, member.post), one)
    return ended


def _apart(drafts: Sequence[Draft]) -> list[Draft]:
    """Each text once, at its first place, with all who wrote it; refused only where all of them are."""
    first: dict[str, Draft] = {}
    for one in drafts:
        held = first.get(one.text)
        if held is None:
            first[one.text] = one
        else:
            refused = held.refused and one.refused
            first[one.text] = replace(held, source=f"{held.source}, {one.source}", refused=refused)
    return [*first.values()]


def _named(progress: Callable[[str, int], None] | None, member: str) -> Callable[[str, int], None] | None:
    """Progress under the member's own name, since each begins at nothing."""
    return None if progress is None else lambda _, done: progress(member, done)
