"""Any captioner, with a refiner behind it.

Invariant: what the refiner gives is post-processed as any caption is. Where it fails, the image keeps the
caption that it would have without one, and is listed with the reason; so no caption is ever empty.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from radcap.captioning.models.answers import CaptionAnswers, Refinement
from radcap.captioning.models.apart import apart
from radcap.captioning.refining.prompts import Material
from radcap.captioning.texts import finished
from radcap.core import MODALITIES, NAMES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from radcap.captioning.joining_settings import RefineSettings
    from radcap.captioning.language import Reply
    from radcap.captioning.models.answers import Line
    from radcap.captioning.models.opening import Captioner
    from radcap.captioning.refining.refiner import Refiner
    from radcap.captioning.settings import PostSettings
    from radcap.core import Cui
    from radcap.datasets import Dataset

__all__ = ["RefinedModel"]

_FEW = 2  # what several begins with


@dataclass(frozen=True, eq=False)
class RefinedModel:
    """`beside` finds neighbours and concepts, where the captioner itself tells of none."""

    captioner: Captioner
    refiner: Refiner
    settings: RefineSettings
    post: PostSettings
    names: Mapping[Cui, str] = field(default_factory=dict[str, str])
    beside: Captioner | None = None

    @property
    def labels(self) -> tuple[Cui, ...]:
        return self.captioner.labels

    def apart(self) -> RefinedModel:
        """The same, for the images that are remembered: none of them is its own neighbour."""
        beside = None if self.beside is None else apart(self.beside)
        return replace(self, captioner=apart(self.captioner), beside=beside)

    def answers(self, dataset: Dataset, progress: Callable[[str, int], None] | None = None) -> CaptionAnswers:
        """The captioner's, refined."""
        return self.refined(self.drafts(dataset, progress), progress)

    def drafts(self, dataset: Dataset, progress: Callable[[str, int], None] | None = None) -> CaptionAnswers:
        """What is refined: the captioner's own, with what is known beside."""
        found = self.captioner.answers(dataset, progress)
        if self.beside is None:
            return found
        near = {one.image: one for one in self.beside.answers(dataset, _as("neighbours", progress)).lines}
        return replace(found, lines=tuple(_joined(one, near.get(one.image)) for one in found.lines))

    def refined(
        self, drafts: CaptionAnswers, progress: Callable[[str, int], None] | None = None
    ) -> CaptionAnswers:
        """Captions that were drafted before."""
        materials = [self.material(one) for one in drafts.lines]
        whys = [self.why_not(one) for one in materials]
        asked = [one for one, why in zip(materials, whys, strict=True) if not why]
        replies = iter(self.refiner.replies(asked, progress) if asked else ())
        lines = tuple(
            self._failed(line, one, why) if why else self._line(line, one, next(replies))
            for line, one, why in zip(drafts.lines, materials, whys, strict=True)
        )
        failed = {one.image: one.refined.failed for one in lines if one.refined and one.refined.failed}
        return replace(drafts, lines=lines, unrefined={**drafts.unrefined, **failed})

    def material(self, line: Line) -> Material:
        """What is known of an image, as words."""
        caption, wanted = line.raw or line.caption, self.settings.similar
        if wanted and line.neighbours and line.neighbours[0].similarity >= wanted:
            caption = line.neighbours[0].caption
        captions = tuple(dict.fromkeys(one.text for one in line.drafts if one.text.strip()))
        modality = [NAMES[cui] for cui in line.concepts if cui in MODALITIES]
        return Material(
            caption,
            captions or (caption,),
            tuple(one.caption for one in line.neighbours),
            tuple(filter(None, (self.names.get(cui) or NAMES.get(cui) for cui in line.concepts))),
            modality[0] if modality else "",
        )

    def why_not(self, material: Material) -> str:
        """Why a refiner has nothing to do."""
        if self.settings.kind == "summarise" and not material.neighbours:
            return "no neighbour was found to summarise"
        if self.settings.kind == "fuse" and len(material.captions) < _FEW:
            return "there is one draft alone, and nothing to fuse it with"
        return ""

    def _line(self, line: Line, material: Material, reply: Reply) -> Line:
        caption = finished(reply.text, self.post)
        if reply.failed or caption == finished("", self.post):
            return self._failed(line, material, reply.failed or "it answered without words")
        return replace(
            line,
            caption=caption,
            by=f"{line.by}, {self.settings.kind}",
            raw=reply.text,
            refined=self._told(material),
        )

    def _failed(self, line: Line, material: Material, why: str) -> Line:
        return replace(line, refined=self._told(material, why))

    def _told(self, material: Material, failed: str = "") -> Refinement:
        kind = self.settings.kind
        return Refinement(kind, self.refiner.name, material.source(kind), failed)


def _joined(line: Line, other: Line | None) -> Line:
    """A line with what another one knows and it does not."""
    if other is None:
        return line
    return replace(
        line,
        neighbours=line.neighbours or other.neighbours,
        concepts=line.concepts or other.concepts,
    )


def _as(name: str, progress: Callable[[str, int], None] | None) -> Callable[[str, int], None] | None:
    """Progress under another name."""
    return None if progress is None else lambda _, done: progress(name, done)
