"""The front matter of a dataset card: what Hugging Face reads of it.

Invariant: it is valid YAML for any text; the files and types it names are those of the layout.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc

from radcap.datasets.cards.spdx import hub_licence
from radcap.datasets.layouts.fields import further
from radcap.datasets.layouts.parquet.layout import column_order
from radcap.datasets.layouts.parquet.schema import yaml_features
from radcap.datasets.layouts.safe_names import FileNames

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from radcap.datasets.dataset import Dataset

__all__ = ["front_matter"]

_PATTERNS = {
    "parquet": "{}-*.parquet",
    "hf": "data/{}-*.parquet",
    "folder": "{}/**",
    "webdataset": "{}-*.tar",
}
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_LARGEST = "1M<n<10M"


def front_matter(dataset: Dataset, layout: str) -> str:
    """The lines between the dashes, and the dashes."""
    card = dataset.card
    values: dict[str, Any] = {
        "pretty_name": card.title or card.name,
        "license": sorted({hub_licence(one) for one in _values(dataset, "licence")}) or ["unknown"],
        "language": _languages(dataset),
        "task_categories": ["image-to-text", "image-classification"],
        "size_categories": [next((name for limit, name in _SIZES if len(dataset) < limit), _LARGEST)],
        "tags": ["medical", "radiology", "UMLS", "ImageCLEF"],
    }
    if layout in _PATTERNS and dataset.splits:
        values["configs"] = [{"config_name": "default", "data_files": _data_files(dataset, layout)}]
    if layout in {"hf", "parquet"}:
        values["dataset_info"] = _info(dataset, layout)
    return "---\n" + "\n".join(_yaml(values)) + "\n---\n"


def _values(dataset: Dataset, column: str) -> list[str]:
    return sorted(pc.unique(dataset.column(column)).to_pylist())


def _languages(dataset: Dataset) -> list[str]:
    captions = dataset.column("captions").flatten()
    return sorted(one for one in pc.unique(captions.field("language")).to_pylist() if one) or ["en"]


def _data_files(dataset: Dataset, layout: str) -> list[dict[str, str]]:
    names = FileNames.of(dataset.splits)
    return [{"split": _split(name), "path": _PATTERNS[layout].format(name)} for name in names.values()]


def _split(name: str) -> str:
    """Hugging Face allows letters, digits and dots in the name of a split."""
    return name.replace("-", "_")


def _info(dataset: Dataset, layout: str) -> dict[str, Any]:
    names = (*column_order(layout), *further(dataset.table))
    prefixes = FileNames.of(dataset.splits)
    splits = [
        {"name": _split(prefixes[split]), "num_examples": n} for split, n in dataset.card.counts.items()
    ]
    return {"features": yaml_features(names), "splits": splits}


def _yaml(value: Mapping[str, Any], indent: str = "") -> Iterator[str]:
    for key, one in value.items():
        yield from _entry(f"{indent}{key}:", one, indent)


def _entry(start: str, value: Any, indent: str) -> Iterator[str]:
    if isinstance(value, dict):
        yield start
        yield from _yaml(value, indent + "  ")  # pyright: ignore[reportUnknownArgumentType]
    elif isinstance(value, list):
        yield start
        yield from _items(value, indent)  # pyright: ignore[reportUnknownArgumentType]
    else:
        yield f"{start} {_scalar(value)}"


def _items(values: Sequence[Any], indent: str) -> Iterator[str]:
    for one in values:
        if isinstance(one, dict):
            first, *rest = _yaml(one, indent + "  ")  # pyright: ignore[reportUnknownArgumentType]
            yield f"{indent}- {first[len(indent) + 2 :]}"
            yield from rest
        else:
            yield f"{indent}- {_scalar(one)}"


def _scalar(value: Any) -> str:
    """A number, or text in double quotes with everything escaped that does not print."""
    if isinstance(value, int):
        return str(value)
    return "".join(
        one if one.isprintable() else _escaped(one) for one in json.dumps(value, ensure_ascii=False)
    )


def _escaped(char: str) -> str:
    return f"\\U{ord(char):08x}"
