"""A published captioner, opened: its eyes, what writes, and its tokenizer.

Invariant: what does not fit each other is refused here, with the file and a way out. The parts share their
weights with the whole model.
"""

# transformers is typed in part
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from radcap.captioning.base_models.pretrained import read_config
from radcap.captioning.blocks import FAMILIES
from radcap.captioning.decoders.lora import merge_lora
from radcap.captioning.pretrained.family import Family, Told, Whole, family_of
from radcap.captioning.pretrained.learning import beside_weights, choose_learning
from radcap.captioning.tokens.documents import read_document
from radcap.captioning.tokens.hugging_face import open_hugging_face
from radcap.captioning.tokens.opening import tokenizer_file
from radcap.core import InputError, UsageError
from radcap.vision.backbones.geometry import read_json
from radcap.vision.backbones.hugging_face import tower_backbone
from radcap.vision.backbones.published_folder import find_folder

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import torch
    from torch import nn

    from radcap.captioning.pretrained_settings import PretrainedSettings
    from radcap.captioning.system import CaptionSystem
    from radcap.captioning.tokens import Tokenizer
    from radcap.captioning.writer import AnyWriter
    from radcap.vision.backbones.geometry import PublishedBackbone

__all__ = [
    "Published",
    "eyes_folder",
    "has_own_eyes",
    "open_published",
    "published_folder",
    "published_tokenizer",
]

_CONFIG, _GENERATION = "config.json", "generation_config.json"


@dataclass(frozen=True, eq=False)
class Published:
    """A captioner of others, with the folders of its text side and of its eyes.

    The eyes share their weights with the whole.
    """

    family: Family
    whole: Whole
    eyes: PublishedBackbone
    text: Path
    looks: Path
    settings: PretrainedSettings
    size: int  # of images
    learnt: Mapping[str, nn.Parameter]  # in full

    @property
    def sentences(self) -> list[str]:
        """What whoever trains should know."""
        own = self.eyes.geometry.config.get("image_size")
        if not isinstance(own, int) or own == self.size:
            return []
        return [f"Images have {self.size} pixels, and the published captioner was trained with {own}"]

    def own_weights(self) -> dict[str, torch.Tensor]:
        """What is kept with a captioner, beside a model that is where it was."""
        return beside_weights(self.whole, self.settings, self.learnt)

    def merge(self) -> None:
        """Nothing is trained after that; a weight that could be is made small once, and not at each step."""
        merge_lora(self.whole.model)
        self.whole.model.requires_grad_(True)

    def writer(self, seen: int, labels: int, *, pad: int, grid: int) -> AnyWriter:
        """What writes over feature maps of this width."""
        model = self.whole.model
        made = self.family.writer(model, self.family.decoder(model), seen, labels, pad=pad, grid=grid)
        self.family.complete(made, self.text)
        return made


def has_own_eyes(system: CaptionSystem) -> bool:
    """Whether a captioner begins with a published one, eyes and words in one."""
    return system.decoder.kind in FAMILIES.table and not system.pretrained.geometry


def open_published(system: CaptionSystem, folder: Path | None = None) -> Published:
    """The published captioner that a system names, or one that was saved in a folder."""
    family, settings = family_of(system.decoder.kind), system.pretrained
    text = looks = folder or published_folder(system)
    if folder is None and settings.eyes:
        looks = eyes_folder(system)
        whole = family.compose(looks, text)
    else:
        family.check(text)
        if folder is None:
            family.check_processor(text)
        whole = family.load(text)
    _check_places(system, family.text(whole.model.config), text)
    eyes = tower_backbone(family.eyes(whole.model), looks, system.image.size)
    learnt = choose_learning(whole, settings, family)
    return Published(family, whole, eyes, text, looks, settings, system.image.size, learnt)


def _check_places(system: CaptionSystem, text: Any, folder: Path) -> None:  # noqa: ANN401 - transformers' own
    """Whether captions of the lengths that are asked for can be read."""
    longest = max(system.decoder.longest, system.generate.longest)
    places = getattr(text, "max_position_embeddings", None) or longest + 1
    if longest >= places:
        raise UsageError(
            f"[decoder] longest is {system.decoder.longest}, [generate] longest {system.generate.longest},"
            f" and the text side of {folder} reads {places} tokens, the begin mark among them. Lower them to"
            f" {places - 1} or less."
        )


def published_folder(system: CaptionSystem) -> Path:
    """The folder of a published captioner, or of its text side."""
    if not system.pretrained.model:
        raise UsageError(
            f"[decoder] kind is {system.decoder.kind!r}, and no model is named. Give [pretrained] model, or"
            " geometry for one with random weights."
        )
    return find_folder(system.pretrained.model, _CONFIG, "[pretrained] model")


def eyes_folder(system: CaptionSystem) -> Path:
    """The folder of an image encoder."""
    return find_folder(system.pretrained.eyes, _CONFIG, "[pretrained] eyes")


def published_tokenizer(system: CaptionSystem, folder: Path | None = None) -> Tokenizer:
    """Its own, with the marks of the model and the size of its vocabulary; no weight is loaded."""
    family, composed = family_of(system.decoder.kind), folder is None and bool(system.pretrained.eyes)
    folder = folder or published_folder(system)
    if not composed:
        family.check(folder)
    file = tokenizer_file(folder)
    found, text = open_hugging_face(file, read_document(file)), family.text(read_config(folder))
    size: int = text.vocab_size
    if found.size > size:
        raise InputError(
            f"{file} has {found.size:,} tokens, and the model beside it {size:,}. {_AGAIN}", path=str(file)
        )
    names = [folder / name for name in (_GENERATION, _CONFIG) if (folder / name).is_file()]
    marks = family.marks(Told(tuple(map(read_json, names)), text), found)
    if not all(_is_token(one, size) for one in (marks.pad, marks.begin, marks.end)):
        why = f"names a mark that is none of the {size:,} tokens of the model"
        raise InputError(f"{folder / _CONFIG} {why}. {_AGAIN}", path=str(folder / _CONFIG))
    return replace(found, pad=marks.pad, begin=marks.begin, end=marks.end, size=size)


def _is_token(one: Any, size: int) -> bool:  # noqa: ANN401 - whatever a file says
    return isinstance(one, int) and 0 <= one < size


_AGAIN = "Get the model again, the whole folder."
