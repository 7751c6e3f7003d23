"""From a model, whatever its kind, to what it said of an image.

Invariant: the image is looked at with the very networks that answered; a model that does not look at images
is refused.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias, cast

import torch

from radcap.captioning.chats.chat_scribe import ChatModel
from radcap.captioning.models import CaptionAnswers
from radcap.captioning.models.members_model import MembersModel
from radcap.captioning.models.plain_models import NearestModel, TemplateModel, WordsModel
from radcap.captioning.models.writer_model import WriterModel
from radcap.captioning.refining.refined_model import RefinedModel
from radcap.core import UsageError
from radcap.detection.models import Answers
from radcap.detection.models.ensemble_model import EnsembleModel
from radcap.detection.models.network_model import NetworkModel
from radcap.detection.text.model import TextModel
from radcap.explanation.lenses.chat_lens import ChatLens
from radcap.explanation.lenses.neighbour_lens import NeighbourLens
from radcap.explanation.lenses.network_lens import Headed, NetworkLens
from radcap.explanation.lenses.sighting import sighted
from radcap.explanation.lenses.writer_lens import WriterLens, page_for
from radcap.explanation.subjects.caption_subjects import Written, caption_statements, plain_statements
from radcap.explanation.subjects.concept_lenses import vector_of
from radcap.explanation.subjects.concept_subjects import (
    concept_statement,
    concept_statements,
    contrast_statement,
    neighbour_statement,
    voices_of,
)
from radcap.explanation.subjects.phrases import words_in
from radcap.explanation.subjects.picture import picture_of
from radcap.explanation.subjects.subject import Path, Statement, Subject
from radcap.explanation.subjects.wanted import concept_named
from radcap.explanation.targets import Concept
from radcap.explanation.values import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from radcap.captioning.models import Captioner, Line
    from radcap.core import Cui
    from radcap.datasets import ImageRef
    from radcap.detection.models import Model
    from radcap.explanation.lenses.sighting import Sighting
    from radcap.explanation.lenses.written_words import CaptionLens
    from radcap.explanation.subjects.concept_subjects import ConceptVoices
    from radcap.explanation.subjects.wanted import Wanted

    AnyModel: TypeAlias = Model | Captioner

__all__ = ["AnyModel", "Photo", "check_explainable", "labels_of", "subject_of"]

_PLAIN = "plain"  # how the way of a caption begins that no writer wrote


@dataclass(frozen=True, slots=True, eq=False)
class Photo:
    """An image by its bytes, and the row of the answers that is about it."""

    image: str
    data: bytes
    name: str
    row: int

    @classmethod
    def of(cls, image: str, ref: ImageRef, row: int) -> Photo:
        return cls(image, ref.bytes, ref.name, row)


def check_explainable(model: AnyModel) -> None:
    """Refuse a model that no explanation can come from."""
    members = tuple(model.members.values()) if isinstance(model, EnsembleModel) else (model,)
    if any(isinstance(one, TextModel) for one in members):
        raise UsageError(
            "Concepts are named by way of words here, so the answer leads to no place in the image. Explain"
            " the captioner whose words are read, or a model of networks."
        )
    if any(isinstance(one, NetworkModel) and one.learner is not None for one in members):
        raise UsageError(
            "A classic model over the vectors of a network has no maps: no slope leads through its trees back"
            " to the image. Give a model whose head or neighbours answer."
        )
    if isinstance(model, MembersModel):
        raise UsageError(
            "Several captioners answer here, and what joins them looks at their words. Explain one of them:"
            f" its folder lies below members, as {next(iter(model.members))!r} does."
        )
    if isinstance(model, RefinedModel):
        raise UsageError(
            "A language model has the last word on these captions, and it sees no image: its words have no"
            " place in one. Explain the captioner without it, trained with --set refine.kind=none."
        )
    if isinstance(model, ChatModel):
        model.scribe.chat.check_reads()
    known = (NetworkModel, EnsembleModel, WriterModel, ChatModel, TemplateModel, NearestModel, WordsModel)
    if not isinstance(model, known):
        raise UsageError(
            "This model is shown images and looks at none, so nothing in an image explains it."
            " Give a model that looks: zoo:captions, zoo:concepts, or one of yours."
        )


def labels_of(model: AnyModel) -> Mapping[Cui, str]:
    """The concepts that a model can name, with their names."""
    if isinstance(model, TemplateModel | WriterModel | ChatModel | NetworkModel | EnsembleModel):
        return model.names
    return {}


def subject_of(model: AnyModel, answers: Answers | CaptionAnswers, photo: Photo, wanted: Wanted) -> Subject:
    """All that a model said of an image and that is wanted."""
    if isinstance(answers, Answers):
        assert isinstance(model, NetworkModel | EnsembleModel)  # noqa: S101 - who answers concepts
        voices = voices_of(model, photo.data, photo.name)
        found = concept_statements(voices, answers, photo.row, wanted)
        return _subject(photo, found, voices=voices)
    line = answers.lines[photo.row]
    if isinstance(model, WriterModel | ChatModel):
        return _written(model, line, photo, wanted)
    if isinstance(model, TemplateModel):
        return _templated(model, line, photo, wanted)
    if isinstance(model, NearestModel):
        return _nearest(model, line, photo)
    assert isinstance(model, WordsModel)  # noqa: S101 - the others were refused
    return _worded(model, line, photo, wanted)


def _subject(
    photo: Photo,
    statements: tuple[Statement, ...],
    caption: str = "",
    voices: ConceptVoices | None = None,
    notes: tuple[str, ...] = (),
    features: torch.Tensor | None = None,
) -> Subject:
    return Subject(
        photo.image,
        picture_of(photo.data, photo.name),
        statements,
        caption,
        neighbours=_answering(voices),
        vector=None if voices is None else voices.vector(features),
        notes=notes,
    )


def _answering(voices: ConceptVoices | None) -> tuple[tuple[str, float], ...]:
    """The training images that answered in place of a head."""
    lenses = () if voices is None else voices.lenses
    return tuple(one for lens in lenses if isinstance(lens, NeighbourLens) for one in _near(lens))


def _near(lens: NeighbourLens) -> list[tuple[str, float]]:
    found = lens.index.search(vector_of(lens)[None], len(lens.near))
    likeness = cast("list[float]", found.scores[0].tolist())
    return [(lens.index.ids[place], one) for place, one in zip(lens.near, likeness, strict=True)]


def _written(model: WriterModel | ChatModel, line: Line, photo: Photo, wanted: Wanted) -> Subject:
    eyes = model.eyes
    detector = None if eyes.detector is None else voices_of(eyes.detector, photo.data, photo.name)
    concepts: tuple[Statement, ...] = ()
    if detector is not None:
        concepts = _decided(model.names, line, detector, wanted)
    if line.by.startswith(_PLAIN) and detector is not None:
        found = plain_statements(line, detector, wanted)
        note = "No draft of the writer was supported: the caption says plainly what the detector decided for."
        return _subject(photo, found + concepts, line.caption, detector, (note,))
    seen = sighted(photo.data, photo.name, eyes.view, eyes.place.device)
    with torch.no_grad():
        features = eyes.looker(seen.pixels).float()
    written = Written(_lens(model, seen, features, detector), line, model.names, detector)
    if detector is not None:
        pairs = _concept_pairs(wanted, detector, line.caption)
        wanted = replace(wanted, contrasts=tuple(one for one in wanted.contrasts if one not in pairs))
        concepts += tuple(contrast_statement(detector, *one) for one in pairs)
    found = caption_statements(written, wanted, features) + concepts
    theirs = features if eyes.backbone is None else None  # the detector's too
    return _subject(photo, found, line.caption, detector, features=theirs)


def _concept_pairs(wanted: Wanted, detector: ConceptVoices, caption: str) -> list[tuple[str, str]]:
    """The contrasts that are of concepts: where the caption has the first as a word, it is one of words."""
    said = {one.text.casefold() for one in words_in(caption)}
    return [
        pair
        for pair in wanted.contrasts
        if pair[0].casefold() not in said and all(concept_named(one, detector.labels) for one in pair)
    ]


@torch.no_grad()
def _lens(
    model: WriterModel | ChatModel, seen: Sighting, features: torch.Tensor, detector: ConceptVoices | None
) -> CaptionLens:
    """A captioner before the image, with what it was told beside it."""
    theirs: torch.Tensor | None = None
    if detector is not None and model.eyes.backbone is not None:
        theirs = detector.lenses[0].backbone(detector.lenses[0].pixels).float()
    page = page_for(model, features, theirs)
    if isinstance(model, ChatModel):
        return ChatLens(model, model.scribe.briefs(page)[0], seen.pixels, seen.frame)
    return WriterLens(model, model.scribe.hints(page), seen.pixels, seen.frame)


def _decided(
    names: Mapping[Cui, str], line: Line, detector: ConceptVoices, wanted: Wanted
) -> tuple[Statement, ...]:
    """The concepts that the caption could lean on, as its detector sees them."""
    asked = dict.fromkeys(line.concepts if wanted.group("concepts") else ())
    asked |= dict.fromkeys(wanted.cuis(names))
    known = [cui for cui in asked if cui in detector.labels]
    return tuple(
        concept_statement(detector, cui, line.concepts.get(cui), cui in line.concepts) for cui in known
    )


def _templated(model: TemplateModel, line: Line, photo: Photo, wanted: Wanted) -> Subject:
    assert model.eyes.detector is not None  # noqa: S101 - a template always has a detector
    detector = voices_of(model.eyes.detector, photo.data, photo.name)
    found = plain_statements(line, detector, wanted)
    spoken = {one.cui for one in found}
    silent = tuple(one for one in _decided(model.names, line, detector, wanted) if one.cui not in spoken)
    return _subject(photo, found + silent, line.caption, detector)


def _nearest(model: NearestModel, line: Line, photo: Photo) -> Subject:
    """The caption is that of a training image: what makes the image like it is all there is to show."""
    eyes, index = model.eyes, model.recall.index
    head = model.pool if model.pool is not None else eyes.detector.network.head if eyes.detector else None
    assert head is not None  # noqa: S101 - a model that recalls has something to compare by
    apart = model.pool is None and eyes.detector is not None
    view = eyes.detector.view if apart and eyes.detector is not None else eyes.view
    backbone = eyes.detector.network.backbone if apart and eyes.detector is not None else eyes.looker
    seen = sighted(photo.data, photo.name, view, eyes.place.device)
    place = {image: number for number, image in enumerate(index.ids)}
    near = tuple(place[one.image] for one in line.neighbours)
    lens = NeighbourLens(backbone, head, index, near, seen.pixels, seen.frame)
    found = tuple(neighbour_statement(lens, one, number) for number, one in enumerate(near, 1))
    note = "The caption is that of a training image, so its words have no place in this one."
    subject = _subject(photo, found, line.caption, notes=(note,))
    told = tuple((one.image, one.similarity) for one in line.neighbours)
    return replace(subject, neighbours=told)


def _worded(model: WordsModel, line: Line, photo: Photo, wanted: Wanted) -> Subject:
    """Each word is a label of a head of its own."""
    seen = sighted(photo.data, photo.name, model.eyes.view, model.eyes.place.device)
    places = {word: number for number, word in enumerate(model.words)}
    lens = NetworkLens(Headed(model.eyes.looker, model.head), places, seen.pixels, seen.frame)
    known = {word.casefold(): word for word in model.words}
    chances = {one.text: one.score for one in line.drafts}
    asked = {one.casefold() for one in wanted.words({})}
    found: list[Statement] = []
    for phrase in words_in(line.caption):
        word = known.get(phrase.text.casefold())
        if word is not None and (wanted.group("words") or phrase.text.casefold() in asked):
            target = Concept(word)
            found.append(
                Statement(
                    f"word-{phrase.start}",
                    Kind.WORD,
                    phrase.text,
                    (Path(lens, target),),
                    target,
                    ((lens, 1.0),),
                    probability=chances.get(word),
                    place=(phrase.start, phrase.end),
                )
            )
    return _subject(photo, tuple(found), line.caption)
