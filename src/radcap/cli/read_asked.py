"""What `radcap read` was asked for, and the refusal of what cannot go together.

Invariant: options that contradict each other are refused before a name is looked up or a model is opened.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from radcap.cli.terminal_picture import Way
from radcap.core import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from radcap.datasets import Dataset
    from radcap.reading.reader import Reader

__all__ = ["Asked", "check_asked", "check_folder"]

_LISTED = "-"


@dataclass(frozen=True, slots=True)
class Asked:
    """The arguments and options of one call."""

    images: tuple[str, ...] = ()
    model: str = "zoo:captions"
    split: str | None = None
    json: bool = False
    out: Path | None = None
    report: str | None = None
    serve: bool = False
    port: int | None = None
    anyway: bool = False
    maps: bool = True
    cases: int = 3
    picture: Way = Way.AUTO
    device: str = "auto"

    def reader(self, *, shows_maps: bool = True) -> Reader:
        """A reader, without maps where nothing would show them: they take most of the time."""
        from radcap.reading.opening import open_reader

        maps = self.maps and shows_maps
        return open_reader(self.model, maps=maps, cases=self.cases, anyway=self.anyway, device=self.device)

    def dataset(self) -> Dataset:
        """The images that are named."""
        from radcap.reading.inputs import images_of

        found = images_of(self.images, _lines() if _LISTED in self.images else ())
        found = found if self.split is None else found.split(self.split)
        if not len(found):
            raise UsageError("There is no image to read. Give image files, or a dataset that has some.")
        return found


def _lines() -> Iterator[str]:
    """The lines of stdin; a name of a file may have any bytes."""
    if sys.stdin is None:  # closed by the caller, as in `radcap read - <&-`
        raise UsageError("- stands for the names on stdin, and stdin is closed. Give the names themselves.")
    return (os.fsdecode(line) for line in sys.stdin.buffer)


def check_asked(asked: Asked) -> None:
    """Refuse what cannot go together."""
    if asked.serve:
        _check_served(asked)
    elif asked.port is not None:
        raise UsageError("--port is that of the page that --serve shows. Give --serve too.")
    if asked.json and asked.report is not None:
        raise UsageError("--json and --report are two outputs. For reports as JSON give --report json alone.")
    elsewhere = asked.json or asked.serve or asked.report is not None or asked.out is not None
    if elsewhere and asked.picture not in (Way.AUTO, Way.NEVER):
        raise UsageError(
            "--picture belongs to the view in the terminal."
            " Leave it out, or what else was asked for: --json, --out, --report or --serve."
        )


def _check_served(asked: Asked) -> None:
    if asked.images:
        raise UsageError("--serve reads what is dropped on its page. Leave the images out, or --serve.")
    given = {"--json": asked.json, "--out": asked.out, "--report": asked.report, "--split": asked.split}
    others = [name for name, value in given.items() if value]
    if others:
        raise UsageError(f"--serve shows readings on a page, and writes none. Leave {', '.join(others)} out.")


def check_folder(folder: Path) -> None:
    """Refuse a place for reports that holds something."""
    if folder.is_file():
        raise UsageError(f"{folder} is a file, and reports are one file an image. Name a folder.")
    if folder.is_dir() and any(folder.iterdir()):
        raise UsageError(f"{folder} is not empty, and nothing in it is replaced. Name a new folder.")
