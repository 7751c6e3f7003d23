"""Small datasets in memory, for the tests of everything that takes one."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

from radcap.datasets import Card, Dataset
from radcap.datasets.columns import make_table
from radcap.datasets.stores import MemoryImages

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["dataset_of", "noise", "png", "row", "sample"]


def noise(seed: int, width: int = 48, height: int = 32, colour: bool = False) -> np.ndarray:
    """Smooth grey or coloured texture that no other seed has."""
    rng = np.random.default_rng(seed)
    small = rng.integers(0, 256, (4, 6, 3) if colour else (4, 6), np.uint8)
    return np.asarray(Image.fromarray(small).resize((width, height), Image.Resampling.BICUBIC))


def png(pixels: np.ndarray, form: str = "PNG", **options: Any) -> bytes:
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, form, **options)
    return out.getvalue()


def row(image_id: str, split: str = "train", **fields: Any) -> dict[str, Any]:
    """A row of a dataset; a caption may be given as plain text."""
    captions = fields.pop("captions", [])
    if isinstance(captions, str):
        captions = [{"text": captions, "source": "original", "language": "en"}]
    return {
        "image_id": image_id,
        "split": split,
        "image": fields.pop("image", f"{image_id}.png"),
        "captions": captions,
        "cui": fields.pop("cui", []),
        "cui_manual": fields.pop("cui_manual", []),
        "group": fields.pop("group", f"g-{image_id}"),
        "source": fields.pop("source", "made"),
        "licence": fields.pop("licence", "CC0 1.0"),
        "attribution": fields.pop("attribution", "radcap tests"),
        "modality": fields.pop("modality", ""),
        **fields,
    }


def dataset_of(
    rows: Sequence[Mapping[str, Any]], files: Mapping[str, bytes] | None = None, name: str = "sample"
) -> Dataset:
    """A dataset of these rows; every image that has no bytes given gets its own texture."""
    names = list(dict.fromkeys(key for one in rows for key in one))
    table = make_table({key: [one.get(key) for one in rows] for key in names}, len(rows))
    if files is None:
        files = {one["image"]: png(noise(place)) for place, one in enumerate(rows) if one["image"]}
    return Dataset(
        name, table, MemoryImages(files), {"C0040405": "CT", "C0024485": "MRI"}, Card(name), "memory"
    )


def sample(n: int = 12) -> Dataset:
    """A dataset with every field in use: three splits, several captions, odd characters, further columns."""
    rows = [
        row(
            f"Sample_{place:06d}",
            ("train", "train", "valid", "test")[place % 4],
            captions=[
                {
                    "text": f'CT "slice" {place}, with; signs | tab\tand ä\nline',
                    "source": "original",
                    "language": "en",
                },
                *(
                    [{"text": "Schnittbild", "source": "translated", "language": "de"}]
                    if place % 3 == 0
                    else []
                ),
            ]
            if place % 5
            else [],
            cui=["C0040405", "C0817096"] if place % 2 else ["C0024485"],
            cui_manual=["C0040405"] if place % 2 else ["C0024485"],
            group=f"PMC{place // 2}",
            licence=("CC BY 4.0", "CC BY-NC 4.0")[place % 2],
            attribution=f"Author {place}, Journal; 2020",
            modality=("DRCT", "DRMR")[place % 2],
            year=str(2015 + place % 5),
            journal="Cureus" if place % 2 else "",
        )
        for place in range(n)
    ]
    return dataset_of(rows)


def _captions(place: int) -> list[dict[str, str]]:
    if not place % 5:
        return []
    text = f'CT "slice" {place}, with; signs | tab\tand ä\nline'
    first = {"text": text, "source": "original", "language": "en"}
    second = {"text": "Schnittbild", "source": "translated", "language": "de"}
    return [first, second] if place % 3 else [first]
