"""A system of the catalogue as a board can train it, and what was changed for that.

Invariant: at the scale `published` nothing changes but the search over settings, which a board leaves out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Generic, TypeVar

from radcap.core import counted
from radcap.detection.system import ConceptModel, ConceptSystem, Member, SearchSettings
from radcap.systems.board.reductions import cut_short, is_spared, with_stand_ins
from radcap.vision.settings import TeacherSettings

if TYPE_CHECKING:
    from radcap.detection.text import Text
    from radcap.systems.board.scales import Scale

__all__ = ["Fitted", "fit_system"]

AnyModel = TypeVar("AnyModel", bound=ConceptModel)
AnySystem = TypeVar("AnySystem")
_FREE_EXTRACTOR = "dictionary"
_CAPTIONER = "zoo:captions"


@dataclass(frozen=True, slots=True)
class Fitted(Generic[AnySystem]):
    """The system that is trained, and in words how it differs from its file."""

    system: AnySystem
    changes: tuple[str, ...]
    borrowed: bool  # whether it stands on a shipped model, which knows this data better than its rivals


def fit_system(system: ConceptSystem, scale: Scale) -> Fitted[ConceptSystem]:
    """The system at a scale."""
    told: dict[str, None] = {}  # in order, each once
    if system.search != SearchSettings() or any(one.search != SearchSettings() for one in system.member):
        told["no search over settings"] = None
    ensemble = system.ensemble
    # a rule that names its members, or weighs each, needs all of them
    whole = bool(ensemble.expression or ensemble.weights)
    members = system.member if whole else _some(system.member, scale)
    if len(members) < len(system.member):
        told[f"{len(members)} of {len(system.member)} members"] = None
    fitted = [_smaller(one, scale, told) for one in members]
    own = _smaller(system, scale, {} if members else told)
    if ensemble.votes and len(members) < len(system.member):
        votes = max(1, round(ensemble.votes * len(members) / len(system.member)))
        told[f"{counted(votes, 'vote')}, as many for its members"] = None
        ensemble = replace(ensemble, votes=votes)
    made = replace(own, member=tuple(fitted), ensemble=ensemble)
    borrowed = any(one.text is not None and one.text.words == _CAPTIONER for one in (made, *made.member))
    return Fitted(made, tuple(told), borrowed)


def _some(members: tuple[Member, ...], scale: Scale) -> tuple[Member, ...]:
    """The first of each kind, then the second of each, until there are enough; in the order of the file.

    Members that count come first, since a rescue needs one.
    """
    kinds: dict[str, list[Member]] = {}
    for one in sorted(members, key=lambda one: not one.head.count):
        kinds.setdefault(repr((one.backbone.name, one.retrieval, one.learner, one.text)), []).append(one)
    turns = zip_longest(*kinds.values())
    chosen = [one.name for turn in turns for one in turn if one is not None][: scale.members]
    return tuple(one for one in members if one.name in chosen)


def _smaller(model: AnyModel, scale: Scale, told: dict[str, None]) -> AnyModel:
    model = replace(model, search=SearchSettings())
    if scale.name == "published":
        return model
    if model.text is not None:
        return replace(model, text=_free(model.text, told))
    if model.teacher != TeacherSettings():
        told["no teacher"] = None
        model = replace(model, teacher=TeacherSettings())
    if is_spared(model, scale):
        return model
    return cut_short(with_stand_ins(model, scale, told), scale, told)


def _free(text: Text, told: dict[str, None]) -> Text:
    """Words and readers that everybody has."""
    if text.words not in ("dataset", _CAPTIONER):
        told[f"words of {_CAPTIONER} for {text.words}"] = None
        text = replace(text, words=_CAPTIONER, prompt="")
    if text.reader == "extractor" and text.extractor != _FREE_EXTRACTOR:
        told[f"the free vocabulary for {text.extractor}"] = None
        text = replace(text, extractor=_FREE_EXTRACTOR, options={})
    return text
