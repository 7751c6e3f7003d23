"""Whether two datasets are the same: records in all fields, order within a split, and bytes of images."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dataset_samples import dataset_of, row
from hypothesis import strategies as st

if TYPE_CHECKING:
    from pathlib import Path

    from radcap.datasets import Dataset, Record

__all__ = ["assert_same", "fields", "round_trip", "tables"]


def fields(record: Record) -> dict[str, Any]:
    """All of a record but its image, which is another object after reading."""
    return {name: getattr(record, name) for name in record.__slots__ if name != "image"}


def images(dataset: Dataset) -> list[bytes | None]:
    refs = (dataset.image(place) for place in range(len(dataset)))
    return [ref.bytes if ref.store.has(ref.key) else None for ref in refs]


def assert_same(found: Dataset, wanted: Dataset) -> None:
    assert found.splits == wanted.splits
    for split in wanted.splits:
        there, given = found.split(split), wanted.split(split)
        assert list(map(fields, there)) == list(map(fields, given))
        assert images(there) == images(given)


def round_trip(dataset: Dataset, folder: Path, layout: str) -> Dataset:
    """The dataset written and read again."""
    from radcap.datasets import load_dataset

    dataset.save(folder, layout)
    found = load_dataset(folder)
    assert found.layout == layout
    assert not found.findings
    return found


_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
_CAPTION = st.fixed_dictionaries(
    {
        "text": _TEXT,
        "source": st.sampled_from(["original", "translated", "generated", "composed"]),
        "language": st.sampled_from(["", "en", "de"]),
    }
)
_ROW: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {
        "split": st.one_of(st.sampled_from(["train", "valid", "test"]), _TEXT),
        "captions": st.lists(_CAPTION, max_size=3),
        "cui": st.lists(_TEXT, max_size=3),
        "cui_manual": st.lists(st.sampled_from(["C0040405", "C0024485"]), max_size=2),
        "group": _TEXT,
        "licence": _TEXT,
        "attribution": _TEXT,
        "modality": _TEXT,
        "Further": _TEXT,
        "image": st.sampled_from(["", "a.png", "b.png"]),
    }
)
_FILES = {"a.png": b"\x89PNG\r\n\x1a\n a", "b.png": b"no image at all"}


@st.composite
def tables(draw: st.DrawFn) -> Dataset:
    """A small dataset of any text that Unicode has."""
    ids = draw(st.lists(_TEXT.filter(bool), unique=True, max_size=5))
    return dataset_of([row(image_id, **draw(_ROW)) for image_id in ids], _FILES)
