"""Dual encoders that others published: an image and a text as vectors of one space.

A folder as transformers saves CLIP and SigLIP, as open_clip lays out BiomedCLIP (a BERT reads the text), or
MedCLIP's, which has weights alone. Images are fitted into a square as the folder says.
Invariant: the two sides come from one folder, and give vectors of one width.
"""

# torch is typed in part, transformers hardly
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

from radcap.captioning.models.eyes import Eyes
from radcap.captioning.reranking.dual_texts import medclip_texts, open_clip_texts, own_texts
from radcap.captioning.reranking.text_vectors import by_image
from radcap.captioning.texts.word_vectors import units
from radcap.core import InputError, Missing
from radcap.vision.backbones import make_backbone
from radcap.vision.backbones.geometry import read_json
from radcap.vision.backbones.medclip import is_medclip
from radcap.vision.backbones.open_clip import CONFIG as OPEN_CLIP
from radcap.vision.backbones.open_clip import FILES as OPEN_CLIP_FILES
from radcap.vision.backbones.published_folder import find_folder, read_folder
from radcap.vision.backbones.towers import FILES, describe
from radcap.vision.pictures import View
from radcap.vision.settings import BackboneSettings, ImageSettings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from radcap.captioning.models.eyes import Sight
    from radcap.captioning.reranking.reranker import Floats
    from radcap.captioning.reranking.text_networks import TextNetwork
    from radcap.captioning.reranking.text_vectors import TextVectors
    from radcap.vision.training import Place

__all__ = ["DualEncoder", "open_dual_encoder"]

Fit = Literal["pad", "squash", "crop"]

_WHO = "[rerank] model"
_USUAL_SIZE = 224
_FITS: Mapping[str, Fit] = {"shortest": "crop", "longest": "pad", "squash": "squash"}


@dataclass(frozen=True, slots=True, eq=False)
class DualEncoder:
    """The cosine of a draft with its image."""

    eyes: Eyes
    texts: TextVectors
    looks = True

    def scores(self, drafts: Sequence[Sequence[str]], sight: Sight | None) -> list[list[float]]:
        """By what its own eyes saw, beside those of a captioner or alone."""
        assert sight is not None  # noqa: S101 - whoever looks is told what was seen
        seen = sight.gist if sight.beside is None else sight.beside
        images: Floats = units(seen.float().cpu().numpy())
        found = zip(images, by_image(drafts, self.texts), strict=True)
        return [cast("list[float]", (said @ image).tolist()) if len(said) else [] for image, said in found]

    def save(self, folder: Path) -> None:
        """It stays in its own folder."""


def open_dual_encoder(model: str, place: Place) -> DualEncoder:
    """Of a folder, or a repository in the Hugging Face cache."""
    folder = _folder(model)
    if (folder / OPEN_CLIP).is_file():
        eyes, texts = _open_clip(folder, place)
    else:
        eyes, texts = _hugging_face(folder, place)
    wide = texts(["image"]).shape[1]
    if wide != eyes.width:
        raise InputError(
            f"{folder} is no dual encoder: its images have {eyes.width:,} numbers, and its texts {wide:,}."
            " Name a folder of CLIP, SigLIP, BiomedCLIP or MedCLIP.",
            path=str(folder),
        )
    return DualEncoder(eyes, texts)


def _folder(model: str) -> Path:
    try:
        return find_folder(model, OPEN_CLIP, _WHO)
    except Missing:
        return find_folder(model, "config.json", _WHO)


def _eyes(folder: Path, name: str, image: ImageSettings, place: Place) -> Eyes:
    settings = BackboneSettings(name=name, weights=str(folder), pooled=True, frozen=True)
    backbone = make_backbone(settings, size=image.size).eval().to(place.device)
    return Eyes(place, View(image), backbone)


def _hugging_face(folder: Path, place: Place) -> tuple[Eyes, TextNetwork]:
    found, path = read_folder(folder, FILES)
    tower = describe(folder, found).config
    known = not (folder / "config.json").is_file() and is_medclip(found)
    image = ImageSettings(size=_size(tower), fit="pad" if known else _fit(folder))
    eyes = _eyes(folder, "hugging-face", image, place)
    return eyes, (medclip_texts if known else own_texts)(folder, found, path, place)


def _size(tower: Mapping[str, Any]) -> int:
    """SigLIP 2 takes patches, and says how many."""
    if "image_size" in tower:
        return int(tower["image_size"])
    return round(int(tower["num_patches"]) ** 0.5) * int(tower["patch_size"])


def _fit(folder: Path) -> Fit:
    return "crop" if read_json(folder / "preprocessor_config.json").get("do_center_crop") else "squash"


def _open_clip(folder: Path, place: Place) -> tuple[Eyes, TextNetwork]:
    held = read_json(folder / OPEN_CLIP)
    found, path = read_folder(folder, OPEN_CLIP_FILES)
    texts = open_clip_texts(folder, held, found, path, place)
    scaling, vision = (held.get(name) for name in ("preprocess_cfg", "model_cfg"))
    size = int(_table(_table(vision).get("vision_cfg")).get("image_size", _USUAL_SIZE))
    fit = _FITS.get(str(_table(scaling).get("resize_mode", "shortest")), "crop")
    return _eyes(folder, "open-clip", ImageSettings(size=size, fit=fit), place), texts


def _table(held: object) -> dict[str, Any]:
    return cast("dict[str, Any]", held) if isinstance(held, dict) else {}
