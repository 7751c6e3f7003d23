"""A package for the explainability subtask: captions, figures and reasons of sixteen images in one zip.

How explanations were handed in is not published, so the package holds what a rater needs: a table (ID,
caption, explanation), one figure an image, the page to look at them, and a note on the method. Invariant:
images are chosen of each modality in turn, in the order of the dataset, so that a choice can be repeated.
"""

from __future__ import annotations

import csv
import io
import zipfile
from typing import TYPE_CHECKING

import numpy as np

from radcap.core import UsageError
from radcap.core.counts import counted
from radcap.formats import replacing

if TYPE_CHECKING:
    from pathlib import Path

    from radcap.datasets import Dataset
    from radcap.explanation.writing import Written

__all__ = ["SIXTEEN", "picked", "write_package"]

SIXTEEN = 16  # images of the subtask in 2025
_WHEN = (1980, 1, 1, 0, 0, 0)  # so that the same explanations give the same bytes


def picked(dataset: Dataset, count: int = SIXTEEN) -> Dataset:
    """So many images, spread over the modalities: one of each in turn, as long as there are any."""
    if len(dataset) < count:
        raise UsageError(f"{dataset.name} has {counted(len(dataset))}, and {count} are to be picked from it.")
    waiting: dict[str, list[int]] = {}
    for place, name in enumerate(dataset.column("modality").to_pylist()):
        waiting.setdefault(name, []).append(place)
    chosen: list[int] = []
    queues = [list(places) for _, places in sorted(waiting.items(), key=lambda one: -len(one[1]))]
    while len(chosen) < count:
        for queue in queues:
            if queue and len(chosen) < count:
                chosen.append(queue.pop(0))
    return dataset.take(np.array(sorted(chosen)))


def write_package(written: Written, path: Path) -> None:
    """The zip of explanations that were written."""
    if written.failures:
        some = ", ".join(one.image for one in written.failures[:5])
        raise UsageError(
            f"{counted(len(written.failures))} could not be explained ({some}), and a package must be whole."
            " Leave them out, or repair them."
        )
    with replacing(path) as part, zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
        _add(archive, "explanations.csv", _table(written).encode())
        _add(archive, "README.txt", _about(written).encode())
        _add(archive, "explanations.json", (written.folder / "explanations.json").read_bytes())
        _add(archive, "viewer.html", (written.folder / "viewer.html").read_bytes())
        for file in written.files:
            _add(archive, file, (written.folder / file).read_bytes())


def _add(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    archive.writestr(zipfile.ZipInfo(name, _WHEN), data, zipfile.ZIP_DEFLATED)


def _table(written: Written) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["ID", "Caption", "Figure", "Explanation"])
    for image, file, record in zip(written.images, written.files, written.records, strict=True):
        writer.writerow([image, record["caption"], file, record["rationale"]])
    return out.getvalue()


def _about(written: Written) -> str:
    """What a rater should know of the method."""
    methods = ", ".join(dict.fromkeys(str(one["method"]) for one in written.records))
    models = ", ".join(dict.fromkeys(str(one["model"]) for one in written.records))
    origins = {str(one["origin"]) for one in written.records}
    own = "The maps are computed from the model that made the statements (model-intrinsic)."
    other = "The boxes are drawn by another model (external), which says nothing about the one that wrote."
    lines = [
        f"Explanations of {counted(len(written.images))}.",
        f"Model: {models}. Method: {methods}.",
        *([own] if "model" in origins else []),
        *([other] if "external" in origins else []),
        "explanations.csv holds caption and reasons, figures/ one picture an image, viewer.html all of it.",
        "Faithfulness figures stand in explanations.json. Research software, not for diagnosis.",
    ]
    return "\n".join(lines) + "\n"
