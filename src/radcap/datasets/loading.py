"""Open a dataset: by the name of one that ships inside, or by its folder in any layout.

Invariant: nothing is dropped in silence. What cannot be read as it stands is a finding with file and line,
and a dataset with errors in its files is refused with all of them at once.
"""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from radcap.core import InputError
from radcap.datasets.caption_parts import source_named
from radcap.datasets.cards.card import read_card
from radcap.datasets.concept_names import read_concept_names
from radcap.datasets.dataset import Dataset
from radcap.datasets.findings import Findings
from radcap.datasets.layouts import LAYOUTS, layout_named, recognise
from radcap.datasets.selection import Selection, concepts_named
from radcap.datasets.stores.entries import is_folder
from radcap.formats import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

__all__ = ["BUNDLED", "is_bundled", "load_dataset", "open_dataset"]

BUNDLED: Mapping[str, str] = {"radiology-open": "radiology_open"}

_KINDS = {
    b"PK\x03\x04": ("a zip", "Unpack it and give the folder."),
    b"PAR1": ("a Parquet file", "Give the folder it lies in."),
    b"\x1f\x8b": ("a gzip file", "Unpack it and give the folder."),
}
_NAMES_SHOWN = 8


def load_dataset(
    name_or_path: str | Path,
    split: str | None = None,
    concepts: str = "all",
    direction: bool = True,
    min_concepts: int = 0,
    captions: str = "all",
) -> Dataset:
    """A dataset by name or path, all splits unless one is named.

    `concepts` takes all labels, only the automatic or only the manual ones; `direction=False` leaves the view
    labels out, on which annotators agreed least; `min_concepts` leaves images with fewer out; `captions`
    keeps those of one source: original, translated, generated or composed.
    """
    source = None if captions == "all" else source_named(captions)
    wanted = Selection(concepts_named(concepts), direction, min_concepts, source)
    findings = Findings()
    dataset = open_dataset(name_or_path, findings)
    findings.refuse(str(name_or_path))
    dataset = replace(dataset, findings=findings.findings)
    if split is not None:
        dataset = dataset.split(split)
        dataset = replace(dataset, found=len(dataset))
    return dataset.select(wanted)


def open_dataset(name_or_path: str | Path, findings: Findings, layout: str | None = None) -> Dataset:
    """A dataset with all it has; what is wrong with its files goes to `findings`."""
    folder, name = _folder(name_or_path)
    layout = layout or _recognised(folder)
    table, images = layout_named(layout).read(folder, findings)
    card = read_card(folder, name)
    return Dataset(
        card.name,
        table,
        images,
        names=read_concept_names(folder, findings),
        card=card,
        layout=layout,
        path=folder,
        findings=findings.findings,
    )


def is_bundled(folder: Path) -> bool:
    """Whether a folder is one of those that ship inside radcap."""
    return folder in map(_inside, BUNDLED)


def _inside(name: str) -> Path:
    return Path(str(files("radcap.data").joinpath(BUNDLED[name])))


def _folder(name_or_path: str | Path) -> tuple[Path, str]:
    """Where the dataset lies, and what to call it if it has no card."""
    if str(name_or_path) in BUNDLED:
        return _inside(str(name_or_path)), str(name_or_path)
    path = Path(name_or_path)
    if _is(path.is_dir):
        return path, path.resolve().name
    if not _is(path.exists):
        inside = ", ".join(BUNDLED)
        raise _refused(
            "DAT101", path=f"{_quoted(path)} (and no dataset inside radcap is called so: {inside})"
        )
    with path.open("rb") as file:
        start = file.read(4)
    kind, todo = next(
        (said for magic, said in _KINDS.items() if start.startswith(magic)), ("a file", "Give its folder.")
    )
    raise _refused("DAT102", path=_quoted(path), kind=kind, todo=todo)


def _is(asked: Callable[[], bool]) -> bool:
    """The answer of the file system; a name that it cannot even look up is no name of anything there."""
    try:
        return asked()
    except OSError:
        return False


def _recognised(folder: Path) -> str:
    layout = recognise(folder)
    if layout is not None:
        return layout
    inside = sorted(one.name for one in folder.iterdir())
    names = ", ".join(shown(name) for name in inside[:_NAMES_SHOWN]) or "nothing"
    more = f" and {len(inside) - _NAMES_SHOWN:,} more" if len(inside) > _NAMES_SHOWN else ""
    raise _refused("DAT103", path=_quoted(folder), names=names + more, todo=_todo(folder))


def _todo(folder: Path) -> str:
    """Which folder was meant, if a dataset lies up to two folders below; else what there could be."""
    for one in _below(folder, 2):
        layout = recognise(one)
        if layout is not None:
            inside = shown(one.relative_to(folder).as_posix())
            return f"A dataset in the layout {layout} lies in its folder {inside}: give that one."
    return f"Known layouts: {', '.join(LAYOUTS)}."


def _below(folder: Path, depth: int) -> Iterator[Path]:
    """The first folders inside, the nearer first."""
    inside = sorted(one for one in folder.iterdir() if is_folder(one) and not one.name.startswith("."))
    yield from inside[:_NAMES_SHOWN]
    for one in inside[:_NAMES_SHOWN] if depth > 1 else ():
        yield from _below(one, depth - 1)


def _quoted(path: Path) -> str:
    """A path whole, since its end tells most, and safe to print."""
    return repr(str(path))


def _refused(code: str, **fields: str) -> InputError:
    findings = Findings()
    findings.add(code, "", 0, 0, **fields)
    issue = findings.errors[0].issue
    return InputError(f"{issue.message} {issue.hint}", (issue,))
