"""A dataset without any fault, to which the tests of checks give one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dataset_samples import dataset_of, png, row
from phantoms import phantom

if TYPE_CHECKING:
    from collections.abc import Mapping

    from radcap.datasets import Dataset

__all__ = ["clean_dataset", "clean_files", "clean_rows"]

IDS = ("a1", "a2", "b1", "b2", "c1", "c2")
SPLITS = ("train", "train", "valid", "valid", "test", "test")


def clean_rows(**changes: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Six rows; a change names an id and the fields that are other there."""
    rows = []
    for image_id, split in zip(IDS, SPLITS, strict=True):
        fields: dict[str, Any] = {
            "split": split,
            "captions": f"Chest X-ray {image_id}.",
            "cui": ["C0817096", "C1306645"],
            "cui_manual": ["C1306645"],
            **changes.get(image_id, {}),
        }
        rows.append(
            row(fields.pop("image_id", image_id), image=fields.pop("image", f"{image_id}.png"), **fields)
        )
    return rows


def clean_files(**changes: bytes | None) -> dict[str, bytes]:
    """Their six images; a change names an id and other bytes, or None for no file."""
    files = {f"{image_id}.png": png(phantom(place)) for place, image_id in enumerate(IDS)}
    for image_id, data in changes.items():
        if data is None:
            del files[f"{image_id}.png"]
        else:
            files[f"{image_id}.png"] = data
    return files


def clean_dataset(
    rows: Mapping[str, Mapping[str, Any]] | None = None,
    files: Mapping[str, bytes] | None = None,
    **card: Any,
) -> Dataset:
    made = dataset_of(clean_rows(**(rows or {})), clean_files() if files is None else files)
    return replace(made, card=replace(made.card, **card))
