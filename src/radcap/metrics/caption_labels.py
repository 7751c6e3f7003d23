"""Whether a file that was given for captions holds captions.

Invariant: a truth without captions, or concepts on either side, would score about 0 with nothing to show
that the wrong file was taken; so they are refused.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from radcap.core import InputError
from radcap.formats import Kind
from radcap.metrics.loading import labels_of

if TYPE_CHECKING:
    from radcap.core import Issue, Run
    from radcap.metrics.loading import Labels

__all__ = ["caption_labels", "refuse_concepts"]

_CUIS = re.compile(r"C\d+(?:;C\d+)*", re.ASCII)


def caption_labels(truth: Labels, edition: str) -> Run:
    """The true captions, from wherever they come. A file needs at least one; a value may have its reasons."""
    labels = labels_of(truth, Kind.CAPTIONS, edition)
    if isinstance(truth, Path | str) and not _written(labels):
        raise InputError(
            f"{labels.name} holds no caption, only ids. Nothing can be scored. Give the caption file.",
            path=str(truth),
        )
    refuse_concepts(labels, labels.name or "The truth", str(truth) if isinstance(truth, Path | str) else "")
    return labels


def refuse_concepts(run: Run, name: str, path: str, issues: tuple[Issue, ...] = ()) -> None:
    """Refuse a run or a truth all of whose captions are lists of CUIs."""
    captions = _written(run)
    if captions and all(map(_CUIS.fullmatch, captions)):
        raise InputError(
            f"{name} holds concepts, e.g. {captions[0]:.40}. They cannot be scored as captions. "
            "Give captions, or score concepts.",
            issues,
            path,
        )


def _written(run: Run) -> list[str]:
    """The captions that are not blank."""
    return [text for cell in run.cells.values() if cell and (text := cell.strip())]
