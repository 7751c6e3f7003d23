"""The model that a chat begins with: a folder, a repository in the cache, or random weights of a geometry.

Invariant: nothing is fetched. A base is known again by a digest of its config, of the headers of its weights
and of samples of them: so that a changed one is found in a moment, however large it is.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from radcap.core import UsageError
from radcap.detection.text.vlm_opening import open_processor
from radcap.vision.backbones.published_folder import find_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from radcap.captioning.pretrained_settings import PretrainedSettings

__all__ = ["WHY", "base_digest", "base_folder", "check_chat"]

WHY = "[pretrained] model names it as the folder of a chat vision-language model."
_BLOCK, _SAMPLES = 1 << 16, 16
_CONFIGS = ("config.json", "processor_config.json", "preprocessor_config.json", "tokenizer.json")
_TEMPLATES = ("chat_template.jinja", "chat_template.json", "tokenizer_config.json")


def base_folder(settings: PretrainedSettings) -> Path:
    """Where the model of the settings lies."""
    if not settings.model:
        raise UsageError(
            "[pretrained] names no model for a chat. Write model with a folder or a repository in the Hugging"
            ' Face cache, or geometry = "tiny".'
        )
    return find_folder(settings.model, "config.json", "[pretrained] model")


def check_chat(settings: PretrainedSettings) -> None:
    """Refuse a model that is no chat, before anything is begun; its weights are not read."""
    if not settings.geometry:
        open_processor(str(base_folder(settings)), WHY)
    elif settings.lora or settings.freeze or not settings.train:
        raise UsageError(
            "[pretrained] geometry draws random weights, and those have to learn. Delete lora, freeze and"
            " train, or give a model."
        )


def base_digest(folder: Path) -> str:
    """Of what a model of others is."""
    digest = hashlib.sha256()
    for name in (*_CONFIGS, *_TEMPLATES):
        if (folder / name).is_file():
            digest.update(name.encode() + (folder / name).read_bytes())
    for path in sorted(folder.glob("*.safetensors")):
        for block in _samples(path):
            digest.update(block)
    return digest.hexdigest()


def _samples(path: Path) -> Iterator[bytes]:
    """The size of a file, and blocks of it from its header to its end."""
    size = path.stat().st_size
    yield f"{path.name} {size}".encode()
    with path.open("rb") as file:
        for number in range(_SAMPLES):
            file.seek(max(0, size - _BLOCK) * number // (_SAMPLES - 1))
            yield file.read(_BLOCK)
