"""A system of the catalogue as a board can train it, and what was changed for that.

Invariant: at the scale `published` nothing changes but the search over settings, which a board leaves out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, TypeVar

from radcap.core import counted
from radcap.detection.system import ConceptModel, ConceptSystem, Member, SearchSettings
from radcap.systems.board.scales import stand_in
from radcap.vision.backbones.timm_networks import is_network
from radcap.vision.blocks import BACKBONES
from radcap.vision.settings import AugmentSettings, TeacherSettings

if TYPE_CHECKING:
    from collections.abc import Collection

    from radcap.detection.text import Text
    from radcap.systems.board.scales import Scale
    from radcap.vision.settings import BackboneSettings

__all__ = ["Fitted", "fit_system"]

AnyModel = TypeVar("AnyModel", bound=ConceptModel)
_HUB = ("hugging-face", "open-clip")
_FREE_EXTRACTOR = "dictionary"
_CAPTIONER = "zoo:captions"


@dataclass(frozen=True, slots=True)
class Fitted:
    """The system that is trained, and in words how it differs from its file."""

    system: ConceptSystem
    changes: tuple[str, ...]
    borrowed: bool  # whether it stands on a shipped model, which knows this data better than its rivals


def fit_system(system: ConceptSystem, scale: Scale) -> Fitted:
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
    leaves = model.backbone.part or (model.backbone,)
    if scale.spares_packaged and all(one.weights == "package" for one in leaves):
        return model
    model = _had(model, scale, told)
    return _short(model, scale, told)


def _free(text: Text, told: dict[str, None]) -> Text:
    """Words and readers that everybody has."""
    if text.words not in ("dataset", _CAPTIONER):
        told[f"words of {_CAPTIONER} for {text.words}"] = None
        text = replace(text, words=_CAPTIONER, prompt="")
    if text.reader == "extractor" and text.extractor != _FREE_EXTRACTOR:
        told[f"the free vocabulary for {text.extractor}"] = None
        text = replace(text, extractor=_FREE_EXTRACTOR, options={})
    return text


def _had(model: AnyModel, scale: Scale, told: dict[str, None]) -> AnyModel:
    """A network whose weights can be had, frozen where the scale says so."""
    backbone, image = _stood_in(model.backbone, told), model.image
    if not backbone.is_from_nothing and scale.frozen and not backbone.frozen:
        told["frozen"] = None
        backbone = replace(backbone, frozen=True)
        if image.augment != AugmentSettings():  # a frozen network sees each image once
            told["no augmentation"] = None
            image = replace(image, augment=AugmentSettings())
    return replace(model, backbone=backbone, image=image)


def _stood_in(
    backbone: BackboneSettings, told: dict[str, None], beside: Collection[str] = ()
) -> BackboneSettings:
    """The network, or each part of it, with weights that come as a package in the place of a hub's.

    What stands side by side differs as far as there are different networks: `beside` names the others.
    """
    parts: list[BackboneSettings] = []
    for one in backbone.part:
        parts.append(_stood_in(one, told, [other.name for other in parts]))
    backbone = replace(backbone, part=tuple(parts))
    if not is_network(backbone.name):  # a mistake stays as it is, so that it is found
        return backbone
    if backbone.weights == "none" and backbone.name not in BACKBONES.table:
        name = stand_in(backbone.name)
        told[f"{_short_name(name)} from nothing for {backbone.name}"] = None
        backbone = replace(backbone, name=name)
    if backbone.weights == "timm" or backbone.name in _HUB:
        name = stand_in(backbone.name, beside)
        published = backbone.weights if backbone.name in _HUB else backbone.name.partition(".")[0]
        told[f"{_short_name(name)} for {published}"] = None
        backbone = replace(backbone, name=name, weights="package", geometry="", pooled=False, tokens=False)
    return backbone


def _short_name(name: str) -> str:
    return name.removeprefix("tf_").replace("efficientnet_lite", "Lite")


def _short(model: AnyModel, scale: Scale, told: dict[str, None]) -> AnyModel:
    """Smaller images, fewer epochs, larger batches."""
    train, scratch = model.train, model.backbone.is_from_nothing and not model.backbone.frozen
    size = min(model.image.size, scale.scratch_size if scratch else scale.size)
    epochs = min(train.epochs, scale.scratch_epochs if scratch else scale.epochs)
    if size < model.image.size:
        told[f"{size} pixels for {model.image.size}"] = None
    if epochs < train.epochs:
        told[f"{epochs} epochs for {train.epochs}"] = None
    rate = train.lr if scratch else max(train.lr, scale.rate)
    if rate > train.lr and epochs:
        told[f"rate {rate:g} for {train.lr:g}"] = None
    batch = max(train.batch, scale.batch)
    if batch > train.batch and epochs:
        told[f"batches of {batch} for {train.batch}"] = None
    train = replace(train, epochs=epochs, lr=rate, batch=batch, compile=False)
    return replace(model, image=replace(model.image, size=size), train=train)
