"""What lies under names: the bytes of images, and the files that settings begin with or learn from.

Invariant: equal content gives equal digests on every machine, at whatever time it was written. What is named
by its publisher (timm, package, a repository of the Hugging Face cache) is known by that name.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from radcap.datasets.refusal import ImageRefused
from radcap.zoo import find
from radcap.zoo.finding import PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from radcap.datasets import Dataset
    from radcap.detection.system import ConceptModel
    from radcap.vision.settings import BackboneSettings

__all__ = ["files_digest", "named_weights", "origins_digest", "pixels_digest"]

_PUBLISHED = ("none", "timm", "package")
_OF_MODELS = ("model.safetensors", "system.toml", "labels.csv")  # a card has a date


def pixels_digest(dataset: Dataset, splits: Sequence[str]) -> str:
    """Of the images of these splits, each of which is read."""
    digest = hashlib.sha256()
    for split in dataset.splits:
        keys: list[str] = dataset.split(split).column("image").to_pylist() if split in splits else []
        for key in keys:
            held = b""
            with suppress(ImageRefused):  # training names it
                held = dataset.images.read(key) if key else b""
            digest.update(hashlib.sha256(held).digest())
    return digest.hexdigest()


def origins_digest(model: ConceptModel) -> str:
    """Of the weights that a network begins with, and of its teachers."""
    return files_digest((*named_weights(model.backbone), *model.teacher.models))


def files_digest(names: Iterable[str]) -> str:
    """Of what lies under these paths and `zoo:` names; nothing lies under those of a publisher."""
    digest = hashlib.sha256()
    for named in names:
        for file in _files(find(named) if named.startswith(PREFIX) else Path(named)):
            told = file.stat()
            digest.update(_digest(file, told.st_size, told.st_mtime_ns))
        digest.update(b"\n")
    return digest.hexdigest()


def named_weights(backbone: BackboneSettings) -> Iterator[str]:
    """The files and folders that its weights are read from."""
    if backbone.weights not in _PUBLISHED:
        yield backbone.weights
    for part in backbone.part:
        yield from named_weights(part)


def _files(path: Path) -> list[Path]:
    """What of a folder makes the network: of ours the models in it, of others every file."""
    if not path.is_dir():
        return [path] if path.is_file() else []
    if (path / "system.toml").is_file():
        models = [path, *sorted(path.glob("members/*"))]
        found = [model / name for model in models for name in _OF_MODELS]
    else:
        found = sorted(path.iterdir())
    return [one for one in found if one.is_file()]


@lru_cache(maxsize=256)
def _digest(file: Path, size: int, changed: int) -> bytes:  # noqa: ARG001 - both say whether it is the same
    """Of the name and the content; weights take seconds, so they are read once."""
    with file.open("rb") as opened:
        return file.name.encode() + hashlib.file_digest(opened, "sha256").digest()
