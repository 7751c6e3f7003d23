"""What a detector said of an image: its concepts, by one network or several."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import torch

from radcap.captioning.grammar import Role, role_of
from radcap.core import UsageError
from radcap.detection.models.ensemble_model import EnsembleModel
from radcap.detection.models.network_model import NetworkModel
from radcap.explanation.lenses.neighbour_lens import NeighbourLens
from radcap.explanation.lenses.network_lens import NetworkLens
from radcap.explanation.subjects.concept_lenses import concept_lens, vector_of
from radcap.explanation.subjects.shares import member_shares
from radcap.explanation.subjects.subject import Path, Statement
from radcap.explanation.subjects.wanted import concept_named, unknown_target
from radcap.explanation.targets import Concept, Contrast, Neighbour
from radcap.explanation.values import IMAGE, Kind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from radcap.core import Cui
    from radcap.detection.models import Answers
    from radcap.explanation.lenses.lens import Lens
    from radcap.explanation.subjects.wanted import Wanted
    from radcap.explanation.targets import Target

__all__ = ["ConceptVoices", "concept_statements", "contrast_statement", "localisable", "voices_of"]

_WHOLE = {
    Role.MODALITY: "The modality belongs to the whole image: the map shows what spoke for it, and no place.",
    Role.DIRECTION: "The plane belongs to the whole image: the map shows what spoke for it, and no place.",
}
_NOT_BOTH = "The neighbours of the image do not have both, so the one cannot be held against the other."
_SHOWN = 3  # neighbours with a map of their own


@dataclass(frozen=True, slots=True, eq=False)
class ConceptVoices:
    """The networks that name the concepts of an image, and how much each had in every label."""

    lenses: tuple[NetworkLens | NeighbourLens, ...]
    names: tuple[str, ...]  # of the networks; one alone has none
    shares: NDArray[np.float64]  # lenses x labels
    labels: Mapping[Cui, str]

    def paths(self, target: Target, cui: Cui) -> tuple[Path, ...]:
        """The ways to a concept; a neighbour that has it must be near, or there is none."""
        share = dict(zip(self.labels, self.shares.T, strict=True))[cui]
        found = [
            (lens, name, float(part))
            for lens, name, part in zip(self.lenses, self.names, share, strict=True)
            if part > 0 and _scores(lens, cui)
        ]
        whole = sum(part for _, _, part in found)
        return tuple(
            Path(lens, target, part / whole, f"the member {name}" if name else IMAGE)
            for lens, name, part in found
        )

    def vector(self, features: torch.Tensor | None = None) -> NDArray[np.float32] | None:
        """What the image is compared by, where one network names the concepts; its features may be known."""
        return vector_of(self.lenses[0], features) if len(self.lenses) == 1 else None


def voices_of(model: NetworkModel | EnsembleModel, data: bytes, name: str) -> ConceptVoices:
    """The networks of a model with an image before them."""
    if not isinstance(model, EnsembleModel):
        lens = concept_lens(model, data, name)
        return ConceptVoices((lens,), ("",), np.ones((1, len(model.labels))), model.names)
    networks = {key: one for key, one in model.members.items() if isinstance(one, NetworkModel)}
    members = {key: (one, concept_lens(one, data, name)) for key, one in networks.items()}
    told = [_answered(one, lens, model.labels) for one, lens in members.values()]
    logits, decided = np.stack([one for one, _ in told]), np.stack([one for _, one in told])
    shares = member_shares(model.ensemble, logits, decided)
    known = np.stack([[cui in one.labels for cui in model.labels] for one, _ in members.values()])
    shares = np.where(known, shares, 0)
    shares = shares / np.maximum(shares.sum(axis=0), 1e-12)
    return ConceptVoices(tuple(lens for _, lens in members.values()), tuple(members), shares, model.names)


@torch.no_grad()
def _answered(
    member: NetworkModel, lens: NetworkLens | NeighbourLens, labels: Sequence[Cui]
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """A member's logits and decisions over the labels of its ensemble."""
    from radcap.detection.models.answers import Answers

    empty = Answers(("",), member.labels, np.zeros((1, len(member.labels)), np.bool_))
    features = lens.backbone(lens.pixels)
    head = member.network.head
    logits, vectors = head(features).float().cpu().numpy(), head.embed(features).float().cpu().numpy()
    told = member.decided(empty, logits, vectors)
    scores = told.logits if told.logits is not None else np.where(told.decided, 4.0, -4.0)
    place = {cui: number for number, cui in enumerate(member.labels)}
    columns = [place.get(cui, -1) for cui in labels]
    inside = np.array(columns) >= 0
    taken = scores[0, columns].astype(np.float32)
    return np.where(inside, taken, np.float32(-16)), np.where(inside, told.decided[0, columns], False)


def concept_statements(
    voices: ConceptVoices, answers: Answers, row: int, wanted: Wanted
) -> tuple[Statement, ...]:
    """The concepts of one image that are wanted, the most probable first, contrasts, and neighbours."""
    decided = answers.concepts()[row]
    asked = dict.fromkeys(decided if wanted.group("concepts") else [])
    asked |= dict.fromkeys(wanted.cuis(voices.labels))
    found = [concept_statement(voices, cui, _chance(answers, row, cui), cui in decided) for cui in asked]
    found += [contrast_statement(voices, *pair) for pair in wanted.contrasts]
    found += _neighbours(voices) if wanted.group("neighbours") else []
    return tuple(found)


def concept_statement(voices: ConceptVoices, cui: Cui, chance: float | None, decided: bool) -> Statement:
    """One concept."""
    able, note = localisable(cui, voices.labels[cui])
    target = Concept(cui)
    paths = voices.paths(target, cui)
    if not decided:
        note = f"The model did not decide for it: the map shows what speaks for it even so. {note}".strip()
    if not paths:
        note = "No neighbour of the image has it, so nothing in the image spoke for it."
    return Statement(
        key=cui,
        kind=Kind.CONCEPT,
        label=voices.labels[cui] or cui,
        paths=paths,
        target=target,
        voices=tuple((one.lens, one.share) for one in paths),
        cui=cui,
        probability=chance,
        localisable=able,
        note=note,
    )


def localisable(cui: Cui, name: str) -> tuple[bool, str]:
    """Whether a concept has a place in an image, and what to say where it has none."""
    note = _WHOLE.get(role_of(cui, name), "")
    return not note, note


def contrast_statement(voices: ConceptVoices, this: str, other: str) -> Statement:
    """Why one concept and not another, by the networks that can tell them apart.

    Which concepts neighbours have differs from image to image, so that they lack one is a note and no error.
    """
    pair = [_known(voices, one) for one in (this, other)]
    target = Contrast(Concept(pair[0]), Concept(pair[1]))
    paths = _knowing(voices.paths(target, pair[0]), pair[1])
    if not paths and not any(isinstance(one, NeighbourLens) for one in voices.lenses):
        raise UsageError(f"What spoke for {this} does not know {other}. Contrast it with another concept.")
    label = " rather than ".join(voices.labels[cui] or cui for cui in pair)
    note = "Above zero speaks for the first, below zero for the second."
    return Statement(
        key="-".join(pair),
        kind=Kind.CONTRAST,
        label=label,
        paths=paths,
        target=target,
        voices=tuple((one.lens, one.share) for one in paths),
        note=note if paths else _NOT_BOTH,
    )


def _knowing(paths: Sequence[Path], cui: Cui) -> tuple[Path, ...]:
    """Of some paths those whose network scores a concept too."""
    kept = [one for one in paths if _scores(one.lens, cui)]
    whole = sum(one.share for one in kept)
    return tuple(replace(one, share=one.share / whole) for one in kept)


def _scores(lens: Lens, cui: Cui) -> bool:
    """Whether a network has a score for a concept: by neighbours, only where one of them has it."""
    if isinstance(lens, NeighbourLens):
        return bool(lens.speakers(cui))
    return isinstance(lens, NetworkLens) and cui in lens.places


def _known(voices: ConceptVoices, text: str) -> Cui:
    cui = concept_named(text, voices.labels)
    if not cui:
        raise unknown_target(text, voices.labels, ())
    return cui


def _neighbours(voices: ConceptVoices) -> list[Statement]:
    """The nearest training images, where they are what answers."""
    found: list[Statement] = []
    for lens in voices.lenses:
        if isinstance(lens, NeighbourLens):
            for place in lens.near[:_SHOWN]:
                found.append(neighbour_statement(lens, place, len(found) + 1))
    return found


def neighbour_statement(lens: NeighbourLens, place: int, number: int) -> Statement:
    """How near one training image is, and by what of the image."""
    target, image = Neighbour(place), lens.index.ids[place]
    return Statement(
        key=f"neighbour-{number}",
        kind=Kind.NEIGHBOUR,
        label=f"like {image}",
        paths=(Path(lens, target),),
        target=target,
        voices=((lens, 1.0),),
        note="What of the image makes it like that training image.",
    )


def _chance(answers: Answers, row: int, cui: Cui) -> float | None:
    """The calibrated probability; a model that only decides has none."""
    if answers.probabilities is None:
        return None
    return float(answers.probabilities[row, answers.labels.index(cui)])
