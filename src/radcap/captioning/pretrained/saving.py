"""What is kept of a published captioner: the whole as it was trained, in transformers' own layout, or, where
its own weights are as they were, the low-rank ones beside them and the name of where it is.

Invariant: what was trained is in the folder; what was not is known again by a digest of its weights.
"""

# transformers is typed in part
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from radcap.captioning.base_models.finding import digest
from radcap.captioning.base_models.pretrained import transformers_module
from radcap.captioning.generation import marks_of
from radcap.captioning.pretrained.opening import eyes_folder, has_own_eyes, published_folder
from radcap.vision.backbones.geometry import read_json
from radcap.vision.transformers_library import quiet

if TYPE_CHECKING:
    from radcap.captioning.models.folder import CaptionFolder
    from radcap.captioning.pretrained.opening import Published
    from radcap.captioning.pretrained_settings import PretrainedSettings
    from radcap.captioning.system import CaptionSystem
    from radcap.captioning.tokens import Tokenizer

_WORDS = (
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.json",
    "merges.txt",
    "vocab.txt",
    "spiece.model",
)
_IMAGES = ("preprocessor_config.json", "processor_config.json")

__all__ = [
    "check_leaning",
    "keeps_whole",
    "leaning_on",
    "placed",
    "saved_source",
    "source_digests",
    "write_published",
]


def keeps_whole(system: CaptionSystem) -> bool:
    """Whether the whole model was trained, so that its folder holds it."""
    return system.pretrained.train and not system.pretrained.lora


def saved_source(folder: CaptionFolder, system: CaptionSystem) -> Path | None:
    """The folder of a trained captioner that holds the whole; none where the model is where it was."""
    if keeps_whole(system):
        return folder.pretrained
    check_leaning(folder, system)
    return None


def leaning_on(system: CaptionSystem) -> dict[str, str] | None:
    """The model that a captioner leans on where it was not trained itself, so that it is known again."""
    if keeps_whole(system):
        return None
    names = zip(("model", "eyes"), _names(system.pretrained), strict=True)
    return {key: name for key, name in names if name} | source_digests(system)


def source_digests(system: CaptionSystem) -> dict[str, str]:
    """Of the weights of the folders that a system names."""
    found = {"weights": weights_digest(published_folder(system))}
    if system.pretrained.eyes:
        found["eyes_weights"] = weights_digest(eyes_folder(system))
    return found


def placed(system: CaptionSystem) -> CaptionSystem:
    """With the folders that a captioner leans on by their whole paths: it may be asked from anywhere."""
    if not has_own_eyes(system) or keeps_whole(system):
        return system
    given = system.pretrained
    model, eyes = (str(Path(one).resolve()) if one and Path(one).is_dir() else one for one in _names(given))
    return replace(system, pretrained=replace(given, model=model, eyes=eyes))


def _names(given: PretrainedSettings) -> tuple[str, str]:
    return given.model, given.eyes


def check_leaning(folder: CaptionFolder, system: CaptionSystem) -> None:
    """Refuse a model that is another than the one that was trained over."""
    told = folder.card().get("pretrained")
    known = cast("dict[str, object]", told) if isinstance(told, dict) else {}
    changed = [key for key, one in source_digests(system).items() if known.get(key) != one]
    if changed:
        source = eyes_folder(system) if changed[0] != "weights" else published_folder(system)
        raise folder.broken("card.json", f"it was trained over other weights than those of {source}")


def weights_digest(folder: Path) -> str:
    """SHA-256 of all files of weights in their order; pickled ones count where there are no others."""
    files = sorted(folder.glob("*.safetensors")) or sorted(folder.glob("*.bin"))
    seen = hashlib.sha256()
    for file in files:
        seen.update(digest(file).encode())
    return seen.hexdigest()


def write_published(
    published: Published, system: CaptionSystem, folder: CaptionFolder, tokenizer: Tokenizer
) -> None:
    """The whole as it is now, with its tokenizer and how images are prepared for it."""
    if not keeps_whole(system):
        return
    out, model = folder.pretrained, published.whole.model
    shutil.rmtree(out, ignore_errors=True)
    published.family.mark(model, marks_of(tokenizer))
    with quiet(transformers_module()):
        model.save_pretrained(out)
    for name in _WORDS:
        _copy(published.text / name, out)
    for name in _IMAGES:
        _copy(published.looks / name, out)
        _resize(out / name, system.image.size)
    folders = (published.text / name for name in published.family.folders)
    for inner in filter(Path.is_dir, folders):
        shutil.copytree(inner, out / inner.name)


def _copy(file: Path, out: Path) -> None:
    if file.is_file():
        shutil.copyfile(file, out / file.name)


def _resize(file: Path, size: int) -> None:
    """Images are prepared at the size that was trained with."""
    if not file.is_file():
        return
    held = read_json(file)
    inner = held.get("image_processor")
    inner = inner if isinstance(inner, dict) else held
    if not inner.keys() & {"size", "image_mean"}:  # it is about texts alone
        return
    inner["size"] = {"height": size, "width": size}
    inner |= {"do_center_crop": False} if "do_center_crop" in inner else {}
    inner.pop("crop_size", None)
    file.write_text(json.dumps(held, indent=1) + "\n", encoding="utf-8")
