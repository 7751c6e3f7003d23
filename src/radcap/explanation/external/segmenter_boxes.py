"""Boxes made into masks by SAM, prompted with the box and with key points in it.

Invariant: of the masks that SAM offers the one it trusts most counts, cut to the picture; an empty one leaves
the box as it was. The score stays that of the box.
"""

# torch and transformers are typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from radcap.core import InputError
from radcap.explanation.external.keypoints import key_points
from radcap.explanation.external.local_models import check_folder, opened, transformers_module
from radcap.explanation.external.regions import mask_box

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from radcap.explanation.external.provider import BoxProvider, FoundBox
    from radcap.explanation.system import ExplainSystem
    from radcap.explanation.values import Box

__all__ = ["Masked", "Segmenter", "make_masked", "open_segmenter"]

_KIND = "sam"
Point = tuple[float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Segmenter:
    """SAM, from a box to the pixels of what is in it."""

    processor: Any
    model: Any

    def mask(self, picture: NDArray[np.uint8], box: Box, points: Sequence[Point] = ()) -> NDArray[np.bool_]:
        """The pixels, height x width; `points` (across, down, in shares) lie on the thing."""
        height, width = picture.shape[:2]
        right, bottom = box.left + box.width, box.top + box.height
        prompt: dict[str, Any] = {
            "input_boxes": [[[box.left * width, box.top * height, right * width, bottom * height]]]
        }
        if points:
            prompt["input_points"] = [[[[across * width, down * height] for across, down in points]]]
            prompt["input_labels"] = [[[1] * len(points)]]
        given = self.processor(images=picture, return_tensors="pt", **prompt)
        with torch.inference_mode():
            out = self.model(**given)
        (masks,) = self.processor.image_processor.post_process_masks(
            out.pred_masks, given["original_sizes"], given["reshaped_input_sizes"]
        )
        return np.asarray(masks[0, int(out.iou_scores[0, 0].argmax())], np.bool_)


@dataclass(frozen=True, slots=True, eq=False)
class Masked:
    """Another provider's boxes, with a mask each."""

    inner: BoxProvider
    segmenter: Segmenter
    points: int = 0

    def boxes(self, picture: NDArray[np.uint8], phrases: Sequence[str]) -> list[FoundBox]:
        return [self._masked(picture, one) for one in self.inner.boxes(picture, phrases)]

    def _masked(self, picture: NDArray[np.uint8], found: FoundBox) -> FoundBox:
        points = key_points(picture, found.box, self.points) if self.points else ()
        mask = self.segmenter.mask(picture, found.box, points)
        around = mask_box(mask)
        return found if around is None else replace(found, box=around, mask=mask)


def open_segmenter(named: str) -> Segmenter:
    """SAM of a folder."""
    folder, kind = check_folder(named, "segmenter")
    if kind != _KIND:
        raise InputError(f"{folder} is a model of the type {kind!r}. [segmenter] model is a folder of SAM.")
    package = transformers_module()
    return Segmenter(*opened(folder, package.SamProcessor, package.SamModel))


def make_masked(inner: BoxProvider, system: ExplainSystem) -> Masked:
    """A provider whose boxes a segmenter draws closer."""
    return Masked(inner, open_segmenter(system.segmenter.model), system.segmenter.points)
