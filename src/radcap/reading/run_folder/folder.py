"""The folder of a run: whose it is, and that one process alone writes to it.

    index.html      what was found, and the pages     page-001.html ...   a hundred images each
    readings.jsonl  every reading, as it was made     state.json          what the run is a run of
    unfinished.jsonl  cards of the page that is not full yet; it goes when the run is done

Invariant: a folder that holds anything is used only where its `state.json` says that it is a run of the very
same readings. Nothing else in it is ever replaced.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from radcap.core import UsageError
from radcap.core.folder_lock import LOCK, alone_in
from radcap.formats import replacing

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from radcap.reading.run_folder.fingerprint import Fingerprint

__all__ = ["INDEX", "READINGS", "STATE", "UNFINISHED", "claimed", "page_name"]

INDEX = "index.html"
READINGS = "readings.jsonl"
STATE = "state.json"
UNFINISHED = "unfinished.jsonl"
_MADE = "radcap read"
_PART = ".radcap-"  # what a process that was killed left of a file it was about to write
_NEW = "Name a new folder"


def page_name(number: int) -> str:
    """The file of a page, from 1."""
    return f"page-{number:03}.html"


@contextmanager
def claimed(out: Path, run: Fingerprint) -> Generator[None]:
    """Begin the run in a new folder or take up the same one; refuse any other, before a file is written."""
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is a file, and readings are several. {_NEW}.")
    _check(out, run)
    out.mkdir(parents=True, exist_ok=True)
    with alone_in(out, _MADE):
        _clean(out)
        if not (out / STATE).is_file():
            _write_state(out, run)
        yield


def _check(out: Path, run: Fingerprint) -> None:
    there = [one.name for one in out.iterdir() if not one.name.startswith(_PART)] if out.is_dir() else []
    if STATE in there:
        _check_same(out, run)
    elif there:
        raise UsageError(
            f"{out} holds files that are no readings, e.g. {min(there)}. None is replaced. {_NEW}."
        )


def _check_same(out: Path, run: Fingerprint) -> None:
    differ = run.differences(_state(out / STATE))
    if differ:
        raise UsageError(
            f"{out} holds readings of another run; now asked: {'; '.join(differ)}. They are not mixed."
            f" Give the command as it was to go on with them, or name a new folder."
        )


def _state(path: Path) -> dict[str, Any]:
    try:
        told = json.loads(path.read_bytes())
    except ValueError:
        told = None
    if not isinstance(told, dict) or cast("dict[str, Any]", told).get("made_by") != _MADE:
        raise UsageError(
            f"{path} does not say which readings lie beside it: it is damaged, or not ours."
            f" Nothing there is replaced. {_NEW}."
        )
    return cast("dict[str, Any]", told)


def _write_state(out: Path, run: Fingerprint) -> None:
    with replacing(out / STATE) as part:
        part.write_text(f"{json.dumps({'made_by': _MADE, **run.to_json()}, indent=1)}\n", encoding="utf-8")


def _clean(out: Path) -> None:
    for one in out.glob(f"{_PART}*"):
        if one.is_file() and one.name != LOCK:
            one.unlink()
