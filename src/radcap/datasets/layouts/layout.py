"""What a layout must do, and the table of those there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

from radcap.core import unknown_name
from radcap.core.dotted import load_dotted

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import pyarrow as pa

    from radcap.datasets.dataset import Dataset
    from radcap.datasets.findings import Findings
    from radcap.datasets.saving import Payloads
    from radcap.datasets.stores import ImageStore

__all__ = ["LAYOUTS", "Layout", "layout_named", "recognise"]


class Layout(Protocol):
    """One way to keep a dataset in a folder."""

    def recognises(self, folder: Path) -> bool:
        """Whether the folder looks like this layout; a look at names, no reading."""
        ...

    def read(self, folder: Path, findings: Findings) -> tuple[pa.Table, ImageStore]:
        """The records and the place of the images. Problems go to `findings`, and reading goes on."""
        ...

    def write(self, dataset: Dataset, folder: Path, payloads: Payloads) -> None:
        """Write labels and images into an empty folder; card and concept names come from elsewhere."""
        ...


# Names, and factories with their argument. The order is that of recognition: the more telling signs first.
_ROOT = "radcap.datasets.layouts"
_RELEASES = ("rocov2", *(f"imageclef-{year}" for year in range(2026, 2016, -1)))
LAYOUTS: Mapping[str, str] = {
    "parquet": f"{_ROOT}.parquet.layout:own",
    "hf": f"{_ROOT}.parquet.layout:hugging_face",
    "webdataset": f"{_ROOT}.webdataset.layout:layout",
    "folder": f"{_ROOT}.image_folder.layout:layout",
    **{name: f"{_ROOT}.release.layout:release_layout:{name}" for name in _RELEASES},
}


def layout_named(name: str) -> Layout:
    """The layout of that name."""
    if name not in LAYOUTS:
        raise unknown_name("layout", name, LAYOUTS)
    module, factory, *arguments = LAYOUTS[name].split(":")
    return cast("Layout", load_dotted(f"{module}:{factory}")(*arguments))


def recognise(folder: Path) -> str | None:
    """The name of the layout a folder has."""
    return next((name for name in LAYOUTS if layout_named(name).recognises(folder)), None)
