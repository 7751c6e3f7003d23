"""From stored DICOM values to the grey levels and colours a viewer shows.

Invariant: stored values -> rescale or modality LUT -> VOI LUT or the first window -> MONOCHROME1 turned
round -> 8 bit. Without LUT and window the range of the values themselves is spread; padding counts for none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

from radcap.datasets.images.colours import spread

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["shown_pixels"]

_TOP = 255


def shown_pixels(dataset: Any) -> Image.Image:
    """The middle frame in mode L or RGB."""
    frame = (int(dataset.get("NumberOfFrames") or 1)) // 2
    stored = _stored(dataset, frame)
    kind = str(dataset.PhotometricInterpretation).strip()
    if kind == "PALETTE COLOR":
        return Image.fromarray(_paletted(stored, dataset))
    if kind.startswith("MONOCHROME"):
        grey = _grey(stored, dataset, frame)
        return Image.fromarray(_TOP - grey if kind == "MONOCHROME1" else grey)
    return Image.fromarray(_scaled(stored, int(dataset.BitsStored)))


def _stored(dataset: Any, frame: int) -> np.ndarray:
    """The values of one frame; colours come as RGB, whatever the file has."""
    from pydicom.pixels.utils import pixel_array
    from pydicom.uid import ExplicitVRLittleEndian, ImplicitVRLittleEndian

    if "TransferSyntaxUID" not in dataset.file_meta:  # a file without its first part
        implicit, _ = dataset.original_encoding
        dataset.file_meta.TransferSyntaxUID = ImplicitVRLittleEndian if implicit else ExplicitVRLittleEndian
    return pixel_array(dataset, index=frame)


def _paletted(stored: np.ndarray, dataset: Any) -> np.ndarray:
    from pydicom.pixels.processing import apply_color_lut

    colours = apply_color_lut(stored, dataset)[..., :3]
    return _scaled(colours, 8 * colours.dtype.itemsize)


def _scaled(values: np.ndarray, bits: int) -> np.ndarray:
    """Values of so many bits as 8 bits."""
    if bits == 8:  # noqa: PLR2004 - nothing to do
        return values.astype(np.uint8)
    return np.rint(np.clip(values / ((1 << bits) - 1), 0, 1) * _TOP).astype(np.uint8)


def _grey(stored: np.ndarray, dataset: Any, frame: int) -> np.ndarray:
    from pydicom.pixels.processing import apply_modality_lut, apply_voi

    parts = tuple(_parts(dataset, frame))
    modality = _first_with(parts, "RescaleSlope", "ModalityLUTSequence")
    values = apply_modality_lut(stored, modality) if modality is not None else stored
    table = _first_with(parts, "VOILUTSequence")
    if table is not None and table.VOILUTSequence:
        bits = int(table.VOILUTSequence[0].LUTDescriptor[2])
        return _scaled(apply_voi(values, table), bits)
    window = _window(_first_with(parts, "WindowCenter"))
    if window is not None:
        return _windowed(values.astype(np.float64), *window)
    return spread(_without_padding(values, stored, dataset))


def _parts(dataset: Any, frame: int) -> Iterator[Any]:
    """Where a value may stand: for this frame, for all frames, for the file. The nearest counts."""
    nearest = _items(dataset, "PerFrameFunctionalGroupsSequence")[frame : frame + 1]
    for group in (*nearest, *_items(dataset, "SharedFunctionalGroupsSequence")):
        for name in ("PixelValueTransformationSequence", "FrameVOILUTSequence"):
            yield from _items(group, name)
    yield dataset


def _items(part: Any, name: str) -> tuple[Any, ...]:
    return tuple(part.get(name) or ())


def _first_with(parts: tuple[Any, ...], *names: str) -> Any:
    return next((part for part in parts if any(name in part for name in names)), None)


def _window(part: Any) -> tuple[float, float, str] | None:
    """Centre, width and function of the first window; one that cannot be used counts as none."""
    if part is None or not part.get("WindowWidth"):
        return None
    centre, width = _first_number(part.WindowCenter), _first_number(part.WindowWidth)
    function = str(part.get("VOILUTFunction") or "LINEAR").strip().upper()
    least = 1.0 if function == "LINEAR" else 0.0
    if width < least or (width == 0 and least == 0) or not np.isfinite([centre, width]).all():
        return None
    return centre, width, function


def _first_number(value: Any) -> float:
    return float(value[0] if hasattr(value, "__getitem__") and not isinstance(value, str) else value)


def _windowed(values: np.ndarray, centre: float, width: float, function: str) -> np.ndarray:
    """Part 3 of the standard, C.11.2.1.2 and C.11.2.1.3."""
    if function == "SIGMOID":
        share = 1 / (1 + np.exp(np.clip(-4 * (values - centre) / width, -700, 700)))
    elif function == "LINEAR_EXACT":
        share = (values - centre) / width + 0.5
    elif width == 1:
        share = (values > centre - 0.5).astype(np.float64)
    else:
        share = (values - (centre - 0.5)) / (width - 1) + 0.5
    return np.rint(np.clip(share, 0, 1) * _TOP).astype(np.uint8)


def _without_padding(values: np.ndarray, stored: np.ndarray, dataset: Any) -> np.ndarray:
    """The values with those that stand for nothing set to no number."""
    padding = dataset.get("PixelPaddingValue")
    if padding is None:
        return values
    return np.where(stored == int(padding), np.nan, values)
