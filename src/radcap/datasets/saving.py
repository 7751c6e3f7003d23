"""Write a dataset in any layout, whole or not at all.

Invariant: the bytes of an image are written as they are unless another coding is asked for; labels, captions,
licences and every further column go along, so that reading the folder gives the same dataset again. What
fails leaves nothing behind, and images that cannot be read are named all at once.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc

from radcap.core import InputError, UsageError, counted
from radcap.datasets.cards.card import CARD_FILE
from radcap.datasets.concept_names import write_concept_names
from radcap.datasets.findings import Findings
from radcap.datasets.layouts import layout_named
from radcap.datasets.refusal import ImageRefused
from radcap.formats import named

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from radcap.datasets.dataset import Dataset
    from radcap.datasets.images import Coding

__all__ = ["Payload", "Payloads", "Saved", "save"]


@dataclass(frozen=True, slots=True)
class Payload:
    """The image of one record as it is to be written; no data means that there is none."""

    place: int  # of the record in its dataset
    id: str
    data: bytes | None
    ending: str  # of a file with this content: .jpg, .png, ...


@dataclass(frozen=True, slots=True)
class Saved:
    """What was written."""

    path: Path
    layout: str
    records: int
    images: int
    missing: tuple[str, ...]  # ids of records that have no image

    def to_json(self) -> dict[str, object]:
        return {
            "path": str(self.path),
            "layout": self.layout,
            "records": self.records,
            "images": self.images,
            "missing": list(self.missing),
        }


class Payloads:
    """Hands a layout the images of a dataset one after the other, and counts them."""

    def __init__(
        self,
        dataset: Dataset,
        coding: Coding | None = None,
        progress: Callable[[str, int], None] | None = None,
    ) -> None:
        self._dataset = dataset
        self._coding = coding
        self._progress = progress
        self.images = 0
        self.missing: list[str] = []
        self.refused = Findings()
        self._done = 0

    def of(self, split: str) -> Iterator[Payload]:
        """The images of a split, in the order of its records. One that is refused comes without data."""
        places: list[int] = pc.indices_nonzero(pc.equal(self._dataset.column("split"), split)).to_pylist()
        for place in places:
            yield self._payload(place)
            self._done += 1
            if self._progress is not None:
                self._progress("images", self._done)

    @cached_property
    def _ids(self) -> Any:
        return self._dataset.column("image_id")

    def _payload(self, place: int) -> Payload:
        from radcap.datasets.images import ending_of, recode

        image_id: str = self._ids[place].as_py()
        image = self._dataset.image(place)
        if not image.key or not image.store.has(image.key):
            self.missing.append(image_id)
            return Payload(place, image_id, None, "")
        try:
            data = image.bytes
            if self._coding is not None:
                data = recode(data, self._coding, image.name)
        except ImageRefused as error:
            self.refused.add("DAT303", "", id=named(image_id), why=str(error))
            return Payload(place, image_id, None, "")
        self.images += 1
        return Payload(place, image_id, data, ending_of(data, image.name))

    def refuse(self) -> None:
        """Raise what was refused, all of it, if anything was."""
        total = self.refused.counts.total()
        if total:
            issues = tuple(one.issue for one in self.refused.findings)
            raise InputError(
                f"{total:,} of {counted(total + self.images)} cannot be read, so nothing was written. The "
                f"first: {issues[0].message} Copy them again, or leave their records out.",
                issues,
            )


def save(
    dataset: Dataset,
    path: Path | str,
    layout: str = "parquet",
    *,
    coding: Coding | None = None,
    progress: Callable[[str, int], None] | None = None,
) -> Saved:
    """Write a dataset into a new folder; `coding` makes every image another format or size."""
    writer = layout_named(layout)
    target = Path(path)
    _check_target(target, dataset.path)
    payloads = Payloads(dataset, coding, progress)
    with _becoming(target) as folder:
        writer.write(dataset, folder, payloads)
        payloads.refuse()
        _write_about(dataset, folder, layout)
    return Saved(target, layout, len(dataset), payloads.images, tuple(payloads.missing))


def _check_target(target: Path, source: Path | None) -> None:
    if target.is_symlink() or (target.exists() and (not target.is_dir() or any(target.iterdir()))):
        raise UsageError(
            f"{target} is there already. Nothing is written over it. Name a new or an empty folder."
        )
    if source is None:
        return
    there, here = target.resolve(), source.resolve()
    if there.is_relative_to(here) or here.is_relative_to(there):
        raise UsageError(
            f"{target} and the dataset at {source} lie one in the other. They would be read as one. "
            "Name a folder elsewhere."
        )


@contextmanager
def _becoming(target: Path) -> Generator[Path]:
    """A folder that takes the target's place when the block ends well, and goes when not."""
    made = _make_parents(target)
    temporary = Path(tempfile.mkdtemp(prefix=".radcap-", dir=target.parent))
    try:
        yield temporary
        temporary.chmod(0o755)
        if target.exists():
            target.rmdir()
        temporary.replace(target)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        for folder in made:
            folder.rmdir()
        raise


def _make_parents(target: Path) -> list[Path]:
    """Make the folders above, and tell which are new, the innermost first."""
    new = [folder for folder in target.absolute().parents if not folder.exists()]
    target.parent.mkdir(parents=True, exist_ok=True)
    return new


def _write_about(dataset: Dataset, folder: Path, layout: str) -> None:
    """The card, its Markdown and Croissant forms, and the names of the concepts."""
    from radcap.datasets.cards.croissant import croissant
    from radcap.datasets.cards.markdown import counted_card, markdown_card

    card = counted_card(dataset)
    dataset = replace(dataset, card=card)
    write_concept_names(dataset.names, folder)
    _write_json(card.to_json(), folder / CARD_FILE)
    (folder / "README.md").write_text(markdown_card(dataset, layout), "utf-8")
    _write_json(croissant(dataset, folder, layout), folder / "croissant.json")


def _write_json(value: dict[str, Any], path: Path) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n", "utf-8")
