"""A dataset and a record as a notebook shows them.

Invariant: a dataset shows its labels and reads no image; a record shows its picture or says why not.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from radcap.core import Missing, counted
from radcap.core.notebooks import html_facts, html_note, html_picture, html_table, html_together
from radcap.datasets.page.thumbnails import thumbnail

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from radcap.core import Cui
    from radcap.datasets.dataset import Dataset
    from radcap.datasets.records import Record

__all__ = ["dataset_html", "record_html"]

_SIDE = 256  # pixels of the longer side of a picture
_CONCEPTS = 12  # named for a record
_NO_NAMES: Mapping[Cui, str] = {}


def dataset_html(dataset: Dataset) -> str:
    """The splits in figures, and the first records."""
    counts: Counter[str] = Counter(dataset.column("split").to_pylist())
    splits = ", ".join(f"{name or 'no split'} {counts[name]:,}" for name in dataset.splits)
    title = f"{dataset.name}: {counted(len(dataset), 'record')}"
    rows = ((one.id, one.split, one.caption, _concepts(one.concepts, dataset.names)) for one in dataset)
    columns = ("image", "split", "caption", "concepts")
    table = html_table(columns, rows, len(dataset), title=title, noun="record")
    licence = f"Licence: {dataset.card.licence}." if dataset.card.licence else ""
    return html_together(table, html_note(f"Splits: {splits}." if splits else ""), html_note(licence))


def record_html(record: Record) -> str:
    """The picture, and what is known of it."""
    facts = {
        "split": record.split,
        "caption": record.caption,
        "concepts": _concepts(record.concepts, _NO_NAMES),
        "manual concepts": _concepts(record.manual, _NO_NAMES),
        "modality": record.modality,
        "group": record.group,
        "source": record.source,
        "licence": record.licence,
        "attribution": record.attribution,
    }
    return html_together(_picture(record), html_facts(record.id, facts))


def _picture(record: Record) -> str:
    try:
        small = thumbnail(record.image, _SIDE)
    except Missing as error:  # DICOM without its package
        return html_note(f"No picture. {error}")
    if small.refused:
        return html_note(f"No picture. {small.why}")
    return html_picture(small.address, record.caption or record.id, small.width, small.height)


def _concepts(cuis: Sequence[Cui], names: Mapping[Cui, str]) -> str:
    """By name where one is known; many are counted."""
    told = [f"{names[cui]} ({cui})" if cui in names else cui for cui in cuis[:_CONCEPTS]]
    more = len(cuis) - _CONCEPTS
    return ", ".join([*told, f"{more:,} more"] if more > 0 else told)
