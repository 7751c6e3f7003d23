"""The dataset in the words of Croissant 1.0, which search engines and `mlcroissant` read.

Invariant: every file is named with its size and SHA-256; the fields are those the files have.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from radcap.datasets.cards.croissant_fields import record_sets
from radcap.datasets.cards.croissant_files import distribution
from radcap.datasets.cards.spdx import licence_url

if TYPE_CHECKING:
    from pathlib import Path

    from radcap.datasets.dataset import Dataset

__all__ = ["croissant"]

_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
_ABOUT = {"card.json", "README.md", "croissant.json"}


def croissant(dataset: Dataset, folder: Path, layout: str) -> dict[str, Any]:
    """The description of a dataset whose files lie in `folder`."""
    card = dataset.card
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name not in _ABOUT)
    described: dict[str, Any] = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": card.name or dataset.name or "dataset",
        "description": card.description or "Radiology images with captions and UMLS concepts.",
        "license": _licences(dataset),
        "version": card.version,
        "url": card.homepage,
        "citeAs": card.citation,
        "distribution": list(distribution(files, folder, layout)),
        "recordSet": record_sets(dataset, files, folder, layout),
    }
    return {key: value for key, value in described.items() if value not in ("", [])}


def _licences(dataset: Dataset) -> list[str]:
    """The licences of the rows: addresses where they are known, else the words."""
    return sorted({licence_url(name) or name for name in dataset.card.licences}) or ["unknown"]
