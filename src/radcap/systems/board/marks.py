"""By which a result is known again: of what is trained, at what scale, on what data.

Invariant: neither new keys of radcap nor words about a system change a mark; other pixels and other weights
under the same name do. A time of change would not do for these: results go on on other machines.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from radcap.captioning.system import CaptionModel, CaptionSystem
from radcap.detection.training.contents import files_digest, named_weights, origins_digest, pixels_digest
from radcap.systems.board.captions.fitting import detectors
from radcap.systems.board.fitting import fit_system
from radcap.systems.showing import written

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from radcap.datasets import Dataset
    from radcap.detection.system import ConceptModel, ConceptSystem
    from radcap.systems.board.scales import Scale

__all__ = ["data_mark", "marks_of", "system_mark"]

# what a file says about a system, and changes nothing that is trained
_NOTHING_SAID: Mapping[str, Any] = {
    **dict.fromkeys(("edition", "team", "source", "family", "differs"), ""),
    **{"known": "paper", "published": {}, "need": 0, "needs": ()},
}
# what is learnt, and by what images and captions are chosen and parted
_COLUMNS = ("image_id", "split", "cui", "captions", "group", "source", "licence")


def marks_of(systems: Sequence[ConceptSystem], scale: Scale, dataset: Dataset) -> dict[str, str]:
    """The mark of each system at a scale, by name."""
    data = data_mark(dataset)
    return {one.name: system_mark(fit_system(one, scale).system, scale, data) for one in systems}


def system_mark(fitted: ConceptSystem | CaptionSystem, scale: Scale, data: str) -> str:
    """Of a system as a board trains it, on data with this mark."""
    origins = [_origins(one) for one in (fitted, *fitted.member)]  # files of weights that are named
    text = "\n".join([written(replace(fitted, **_NOTHING_SAID)), scale.name, data, *origins])
    if isinstance(fitted, CaptionSystem):
        leant = detectors(fitted, scale).values()
        text = "\n".join([text, *(system_mark(one.system, scale, data) for one in leant)])
    return hashlib.sha256(text.encode()).hexdigest()


def _origins(model: ConceptModel | CaptionModel) -> str:
    if isinstance(model, CaptionModel):
        return files_digest(filter(None, (*named_weights(model.backbone), *_named(model))))
    return origins_digest(model)


def _named(model: CaptionModel) -> tuple[str, ...]:
    """Files and folders that a captioner begins with, beside the weights of its network."""
    return (
        *(model.detector.model, model.tokenizer.file, model.decoder.model, model.language.text),
        *(model.pretrained.model, model.pretrained.eyes, model.rerank.model, model.refine.model),
    )


def data_mark(dataset: Dataset) -> str:
    """Of all that is learnt from: labels, captions, names of concepts, and pixels. It reads every image."""
    digest = hashlib.sha256(dataset.name.encode())
    digest.update(repr(sorted(dataset.names.items())).encode())
    for column in _COLUMNS:
        digest.update(repr(dataset.column(column).to_pylist()).encode())
    digest.update(pixels_digest(dataset, dataset.splits).encode())
    return digest.hexdigest()
