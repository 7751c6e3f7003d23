"""The refiner of a captioner, from its settings or its folder.

    refiner/  a language model that was trained with the captioner, as transformers saves it
    nearest/  a captioner of the kind nearest beside it, which finds neighbours and concepts

Invariant: what is absent or does not fit is refused before an image is looked at.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, cast

from radcap.captioning.base_models.model_folder import check_folder
from radcap.captioning.language import make_generator, text_model_folder
from radcap.captioning.refining.checking import CONSENSUS
from radcap.captioning.refining.prompts import slots_of
from radcap.captioning.refining.refined_model import RefinedModel
from radcap.captioning.refining.refiner import Agreed, Told, prompt_of
from radcap.core import Missing

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from radcap.captioning.joining_settings import RefineSettings
    from radcap.captioning.models.folder import CaptionFolder
    from radcap.captioning.models.opening import Captioner
    from radcap.captioning.refining.refiner import Refiner
    from radcap.captioning.system import CaptionSystem
    from radcap.core import Cui
    from radcap.vision.training import Place

__all__ = [
    "NEAREST",
    "REFINER",
    "check_refiner",
    "make_refiner",
    "needs_beside",
    "open_refined",
    "refined_names",
    "refiner_digest",
]

REFINER, NEAREST = "refiner", "nearest"
_SILENT = {"words", "frequent", "random"}  # kinds that say nothing of concepts


def check_refiner(settings: RefineSettings, place: Place) -> None:
    """Refuse what is named and is not there, before anything is trained; no model is loaded or asked."""
    if settings.kind == "none" or _is_consensus(settings):
        return
    if settings.endpoint:
        make_generator(settings, place)
        return
    from radcap.captioning.language.local_model import open_words

    folder = _folder_of(settings)
    check_folder(folder)
    open_words(folder)


def make_refiner(
    settings: RefineSettings, place: Place, seed: int = 0, folder: Path | None = None
) -> Refiner:
    """The refiner of the settings; its model is that of `folder`, where one is given."""
    if _is_consensus(settings):
        return Agreed(settings.kind)
    found = None if settings.endpoint else folder or _folder_of(settings)
    generator = make_generator(settings, place, seed, found)
    return Told(generator, prompt_of(settings, generator))


def needs_beside(system: CaptionSystem) -> bool:
    """Whether the refiner wants neighbours or concepts that the captioner itself does not tell of."""
    wanted = system.refine
    slots = slots_of(wanted.prompt)
    near = wanted.similar > 0 or wanted.kind == "summarise" or "neighbours" in slots
    recalls = system.decoder.kind == "nearest" or system.condition.neighbours > 0
    told = "concepts" in slots or "modality" in slots
    tells = system.decoder.kind not in _SILENT
    return (near and (not recalls or bool(system.member))) or (told and (not tells or bool(system.member)))


def open_refined(
    captioner: Captioner, folder: CaptionFolder, system: CaptionSystem, place: Place, beside: Captioner | None
) -> RefinedModel:
    """A captioner with the refiner of its folder."""
    own = folder.path / REFINER if system.refine.epochs else None
    if own is not None:
        told: Any = folder.card().get("refine")
        known = cast("Mapping[str, object]", told).get("weights") if isinstance(told, dict) else None
        if known != refiner_digest(own):
            raise folder.broken(REFINER, "its weights are not those that card.json was written for")
    refiner = make_refiner(system.refine, place, system.generate.seed, own)
    names = refined_names(folder, system)
    return RefinedModel(captioner, refiner, system.refine, system.post, names, beside)


def refined_names(folder: CaptionFolder, system: CaptionSystem) -> Mapping[Cui, str]:
    """What concepts are called: by the detector, where there is one."""
    members = [folder.member(one.name) for one in system.member]
    detectors = [one.detector(one.system()) for one in members] if members else [folder.detector(system)]
    return {cui: name for one in detectors if one is not None for cui, name in one.names().items()}


def refiner_digest(folder: Path) -> str:
    """Of all files of weights, to know them again."""
    seen = hashlib.sha256()
    for file in sorted(folder.glob("*.safetensors")):
        with file.open("rb") as held:
            seen.update(hashlib.file_digest(held, "sha256").digest())
    return seen.hexdigest()


def _is_consensus(settings: RefineSettings) -> bool:
    return settings.model == CONSENSUS and not settings.endpoint


def _folder_of(settings: RefineSettings) -> Path:
    """The folder that the settings name; where none is named, every way out is told."""
    if not settings.model and settings.kind in {"summarise", "fuse"}:
        how = (
            f"Name one, or write [refine] model = {CONSENSUS!r}, which takes the text that others agree with."
        )
        raise Missing("The language model of [refine]", f"{settings.kind} asks one, and none is named.", how)
    return text_model_folder(settings.model)
