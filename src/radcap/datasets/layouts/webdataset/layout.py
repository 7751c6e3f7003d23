"""WebDataset: tar files of samples, where the members of one sample share the name up to the first dot.

Invariant: opening reads headers and labels and no image; a sample without labels is a record too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.datasets.layouts.image_folder.folder_names import files_in, folders_in
from radcap.datasets.layouts.image_folder.metadata_files import METADATA_FILES
from radcap.datasets.layouts.release.names import LABELS, Kind, release_file
from radcap.datasets.layouts.webdataset.reading import read_samples
from radcap.datasets.layouts.webdataset.writing import write_samples

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

    from radcap.datasets.dataset import Dataset
    from radcap.datasets.findings import Findings
    from radcap.datasets.saving import Payloads
    from radcap.datasets.stores import ImageStore

__all__ = ["WebDatasetLayout", "layout"]

_LABELS = (*LABELS, Kind.ATTRIBUTION)
_ENDINGS = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar.zst")


class WebDatasetLayout:
    """`{split}-000000.tar` with `KEY.jpg`, `KEY.json` and `KEY.txt`."""

    def recognises(self, folder: Path) -> bool:
        """Tar files, and no label files beside them: these make the tars mere boxes of images."""
        return not any(map(_has_labels, files_in(folder))) and bool(_tars(folder))

    def read(self, folder: Path, findings: Findings) -> tuple[pa.Table, ImageStore]:
        return read_samples(_tars(folder), folder, findings)

    def write(self, dataset: Dataset, folder: Path, payloads: Payloads) -> None:
        write_samples(dataset, folder, payloads)


def _has_labels(name: str) -> bool:
    said = release_file(name)
    return name.lower() in METADATA_FILES or (said is not None and said.kind in _LABELS)


def layout() -> WebDatasetLayout:
    """What the registry of layouts makes."""
    return WebDatasetLayout()


def _tars(folder: Path) -> tuple[Path, ...]:
    """The shards here or one folder down, in order."""
    places = (folder, *folders_in(folder))
    names = (place / name for place in places for name in files_in(place))
    return tuple(sorted(one for one in names if one.name.lower().endswith(_ENDINGS)))
