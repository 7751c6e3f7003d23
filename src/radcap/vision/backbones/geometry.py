"""What a published folder says about its network: the shape, and how pixels are scaled.

Invariant: the geometry is all that is needed to build the network again without the folder; it travels as
JSON in the settings of a trained model. It holds numbers and names, never code.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from radcap.core import InputError, UsageError
from radcap.vision.backbones.backbone import Backbone

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from torch import nn

    from radcap.vision.settings import BackboneSettings

__all__ = ["CHANNELS", "Geometry", "PublishedBackbone", "read_geometry", "read_json", "three_numbers"]

CHANNELS = 3


@dataclass(frozen=True, slots=True)
class Geometry:
    """A network as its folder describes it; mean and spread are those of pixels from 0 to 255."""

    config: dict[str, Any]
    mean: tuple[float, ...]
    spread: tuple[float, ...]
    projection: int = 0  # the width of the image vector after a projection; 0 is none

    def to_json(self) -> str:
        held = {"config": self.config, "mean": self.mean, "spread": self.spread}
        return json.dumps(held | {"projection": self.projection}, sort_keys=True)


class PublishedBackbone(Backbone):
    """A backbone that keeps its geometry, so that a trained model needs the published folder no more."""

    def __init__(self, body: nn.Module, width: int, geometry: Geometry) -> None:
        super().__init__(body, width, geometry.mean, geometry.spread)
        self.geometry = geometry

    def settings_of(self, settings: BackboneSettings) -> BackboneSettings:
        return replace(settings, geometry=self.geometry.to_json())


def read_geometry(settings: BackboneSettings) -> Geometry:
    """The geometry that a trained model kept."""
    if not settings.geometry:
        raise UsageError(
            f"The backbone {settings.name} is what a published folder says it is, and [backbone] weights is"
            f" {settings.weights!r}. Name the folder as weights, or a repository of the Hugging Face cache."
        )
    try:
        held = json.loads(settings.geometry)
        mean, spread = three_numbers(held["mean"]), three_numbers(held["spread"])
        return Geometry(dict(held["config"]), mean, spread, int(held["projection"]))
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise InputError(
            "[backbone] geometry is not what radcap writes there. Get the model again, or delete geometry and"
            " name the published folder as weights."
        ) from error


def read_json(path: Path) -> dict[str, Any]:
    """The table of a JSON file."""
    try:
        held = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        why = str(error).partition("\n")[0]
        raise _refused(path, f"cannot be read as JSON: {why}") from error
    if not isinstance(held, dict):
        raise _refused(path, "holds no table")
    return cast("dict[str, Any]", held)


def three_numbers(values: Sequence[float], factor: float = 1.0) -> tuple[float, ...]:
    """One number for each channel; `ValueError` or `TypeError` for anything else."""
    found = tuple(float(value) * factor for value in values)
    if len(found) != CHANNELS or not all(math.isfinite(value) for value in found):
        raise ValueError(values)
    return found


def _refused(path: Path, why: str) -> InputError:
    told = f"{path} {why}. Get the published folder again, or name another."
    return InputError(told, path=str(path))
