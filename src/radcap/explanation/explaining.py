"""From a model and images to explanations, one at a time.

Invariant: what cannot be explained is told and never drawn: an image that cannot be read is a `Failure`, and
a statement without evidence has a note in place of a map. Memory does not grow with the number of images.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache, partial
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from radcap.captioning.models import CaptionAnswers
from radcap.core import InputError, UsageError
from radcap.datasets.refusal import ImageRefused
from radcap.explanation.auditing import audited
from radcap.explanation.external.explaining import external_evidence
from radcap.explanation.external_audience import with_audience
from radcap.explanation.gathering import evidence_of, methods_of
from radcap.explanation.mapping import MethodChoice, mapped
from radcap.explanation.rationale import rationale
from radcap.explanation.sanity import mean_of, sanity_of
from radcap.explanation.subjects.opening import Photo, check_explainable, labels_of, subject_of
from radcap.explanation.subjects.phrases import words_in
from radcap.explanation.subjects.wanted import concept_named, unknown_target, wanted_from
from radcap.explanation.system import BoxSettings
from radcap.explanation.values import Evidence, Explanation, Origin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from radcap.datasets import Dataset, Record
    from radcap.detection.models import Answers
    from radcap.explanation.external.provider import BoxProvider
    from radcap.explanation.faithfulness.values import Sanity
    from radcap.explanation.lenses.lens import Lens
    from radcap.explanation.mapping import Mapped
    from radcap.explanation.rationale import CaseFinder
    from radcap.explanation.subjects import Statement, Subject
    from radcap.explanation.subjects.opening import AnyModel
    from radcap.explanation.subjects.wanted import Wanted
    from radcap.explanation.system import ExplainSystem

__all__ = ["Explainer", "Failure", "Faithful", "Settings"]

Faithful: TypeAlias = Literal["none", "quick", "full"]

_CHECKED = {"quick": (3, 1), "full": (3, 4)}  # images whose maps are made over noise, in how many stages
_COSTLY = (
    "ablation-cam",
    "integrated-gradients",
    "lrp",
    "occlusion",
)  # of which a quick check makes one image
_EMPTY = "The model said nothing of this image that could be explained."


@dataclass(frozen=True, slots=True)
class Settings:
    """How images are explained. `external` is a published system that asks another model for boxes."""

    method: str = "auto"
    targets: tuple[str, ...] = ()
    boxes: BoxSettings = field(default_factory=BoxSettings)
    faithfulness: Faithful = "quick"
    cases: int = 3
    seed: int = 0
    external: ExplainSystem | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """An image that was not explained, and why."""

    image: str
    why: str


@dataclass(frozen=True, eq=False)
class Explainer:
    """A model with a way to explain it. `finder` finds training cases that are near."""

    model: AnyModel
    name: str
    settings: Settings = field(default_factory=Settings)
    finder: CaseFinder | None = None
    provider: BoxProvider | None = None

    def __post_init__(self) -> None:
        check_explainable(self.model)

    def __call__(
        self, dataset: Dataset, progress: Callable[[str, int], None] | None = None
    ) -> Iterator[Explanation | Failure]:
        """An explanation for each image, in the order of the dataset, or why there is none."""
        wanted = wanted_from(self.settings.targets)
        wanted.cuis(labels_of(self.model))  # an unknown concept is refused before any work
        answers = self.model.answers(dataset, progress)
        self._check(answers, wanted)
        rows = {image: row for row, image in enumerate(answers.ids)}
        sanity = cache(partial(self._sanity, answers, dataset, rows, wanted))
        for place, record in enumerate(dataset):
            done = self._one(answers, record, rows.get(record.id), wanted)
            if isinstance(done, _Made):
                yield self._finished(done, record, sanity())
            else:
                yield done
            if progress is not None:
                progress("explained", place + 1)

    def _check(self, answers: Answers | CaptionAnswers, wanted: Wanted) -> None:
        """Refuse a word that no caption says, and a concept that the model does not know."""
        labels = labels_of(self.model)
        captioned = isinstance(answers, CaptionAnswers)
        if self.settings.external is not None and not captioned:
            raise UsageError(
                f"{self.settings.external.name} draws boxes for the words of a caption, and this model names"
                " concepts alone. Give a captioner, like zoo:captions."
            )
        said = {
            one.text.casefold(): one.text
            for line in (answers.lines if isinstance(answers, CaptionAnswers) else ())
            for one in words_in(line.caption)
        }
        held = 1 if captioned else 2  # instead of a word of a caption any other may stand
        apart = [one for pair in wanted.contrasts for one in pair[:held]]
        for asked in (*wanted.words(labels), *apart):
            if asked.casefold() not in said and not concept_named(asked, labels):
                raise unknown_target(asked, labels, said.values())

    def _one(
        self, answers: Answers | CaptionAnswers, record: Record, row: int | None, wanted: Wanted
    ) -> _Made | Failure:
        if row is None:
            code = answers.refused.get(record.id, "")
            return Failure(record.id, f"The image cannot be read ({code or 'refused'}).")
        try:
            photo = Photo.of(record.id, record.image, row)
            return _Made(subject_of(self.model, answers, photo, wanted))
        except (ImageRefused, InputError, UsageError) as error:  # of this image: the rest may be fine
            return Failure(record.id, str(error))

    def _finished(self, made: _Made, record: Record, sanity: Sanity | None) -> Explanation:
        subject = made.subject
        if self.settings.external is not None and self.provider is not None:
            evidence = external_evidence(
                self.settings.external, self.provider, subject.picture, subject.caption
            )
            statements = with_audience(evidence, subject)
            method, origin, sanity = self.settings.external.name, Origin.EXTERNAL, None
        else:
            found = mapped(subject.statements, self._choice, *subject.picture.shape[:2])
            self._check_served(subject.statements, found)
            pairs = zip(subject.statements, found, strict=True)
            evidence = tuple(evidence_of(one, map_, self.settings.boxes) for one, map_ in pairs)
            statements = subject.statements
            method, origin = methods_of(found) or self.settings.method, Origin.MODEL
        seed = self.settings.seed
        evidence = audited(evidence, statements, subject, self.settings.faithfulness, self._choice, seed)
        return self._told(subject, evidence, record, method, origin, sanity)

    @property
    def _choice(self) -> MethodChoice:
        return MethodChoice(self.settings.method)

    def _check_served(self, statements: Sequence[Statement], found: Sequence[Mapped]) -> None:
        """A method that serves no network of the model is refused, with what it said."""
        asked = [one for statement, one in zip(statements, found, strict=True) if statement.paths]
        refused = [one.why for one in asked if one.map is None and not one.methods]
        if asked and len(refused) == len(asked) and self.settings.method != "auto":
            raise UsageError(refused[0])

    def _told(
        self,
        subject: Subject,
        evidence: tuple[Evidence, ...],
        record: Record,
        method: str,
        origin: Origin,
        sanity: Sanity | None,
    ) -> Explanation:
        cases = ()
        said = [one.cui for one in evidence if one.cui]
        if self.finder is not None and subject.vector is not None and self.settings.cases:
            cases = self.finder(
                subject.vector, self.settings.cases, image=record.id, group=record.group, said=said
            )
        credit = ", ".join(one for one in (record.attribution, record.licence) if one)
        notes = subject.notes + (() if any(one.map is not None for one in evidence) else (_EMPTY,))
        words = rationale(subject.caption, evidence, cases, origin=origin, sanity=sanity)
        return Explanation(
            subject.image,
            subject.picture,
            self.name,
            method,
            origin,
            evidence,
            subject.caption,
            words,
            cases,
            credit,
            sanity,
            notes,
        )

    def _sanity(
        self,
        answers: Answers | CaptionAnswers,
        dataset: Dataset,
        rows: Mapping[str, int],
        wanted: Wanted,
    ) -> Sanity | None:
        """Whether the method looks at this very model, over a few of the images."""
        if self.settings.faithfulness == "none" or self.settings.external is not None:
            return None
        parts: list[Sanity] = []
        images, stages = _CHECKED[self.settings.faithfulness]
        read = dataset.filter(np.array([one in rows for one in dataset.ids], np.bool_))
        for number, record in enumerate(read[:images]):
            made = self._one(answers, record, rows.get(record.id), wanted)
            lens = _main_lens(made) if isinstance(made, _Made) else None
            if lens is None or not isinstance(made, _Made):
                continue
            quick = self.settings.faithfulness == "quick" and self._choice.for_lens(lens) in _COSTLY
            parts += self._tried(made, lens, 0 if quick else stages, number)
            if quick:
                break
        alike = [one for one in parts if one.stages == parts[0].stages]
        return mean_of(alike)

    def _tried(self, made: _Made, lens: Lens, stages: int, seed: int) -> list[Sanity]:
        """One image, before one network."""
        paths = [one.paths[0] for one in made.subject.statements if one.paths]
        targets = list(dict.fromkeys(one.target for one in paths if one.lens is lens))
        try:
            return [sanity_of(self._choice.make(lens), lens, targets, stages=stages, seed=seed)]
        except UsageError:
            return []


@dataclass(frozen=True, slots=True, eq=False)
class _Made:
    """A subject, ready to be explained."""

    subject: Subject


def _main_lens(made: _Made) -> Lens | None:
    """The network that the first statement comes from."""
    return next((one.paths[0].lens for one in made.subject.statements if one.paths), None)
