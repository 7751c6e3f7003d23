"""What `radcap read` gives: a view, JSON lines, reports, a folder of pages, or a page on this machine.

Invariant: a reading is written out as soon as it is made, and no more is read once nobody takes it.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import closing, suppress
from typing import TYPE_CHECKING

from radcap.cli.console import plain, print_lines, print_now, say
from radcap.cli.read_asked import check_asked
from radcap.cli.read_results import Results
from radcap.cli.terminal_picture import Way, way_here
from radcap.core import UsageError
from radcap.reading.values import RESEARCH_ONLY

if TYPE_CHECKING:
    from pathlib import Path

    from radcap.cli.read_asked import Asked
    from radcap.datasets import Dataset
    from radcap.reading.values import Reading

__all__ = ["run_read"]

_FEW = 4  # readings that have a picture each without being asked


def run_read(asked: Asked) -> int:
    """Read, and give what was asked for; the exit code."""
    check_asked(asked)
    if asked.serve:
        return _serve(asked)
    if asked.out is not None:
        return _written(asked, asked.out)
    dataset = asked.dataset()
    if asked.report is not None:
        return _print_reports(asked, dataset, asked.report)
    return _print_json(asked, dataset) if asked.json else _print_views(asked, dataset)


def _written(asked: Asked, out: Path) -> int:
    from radcap.cli.read_files import write_pages, write_reports

    return write_pages(asked, out) if asked.report is None else write_reports(asked, asked.report, out)


def _print_views(asked: Asked, dataset: Dataset) -> int:
    from radcap.cli.read_view import view

    way = _way(asked, len(dataset))
    results = Results(asked, dataset, shows_maps=way is not Way.NEVER)
    with closing(results.readings()) as readings:
        for one in readings:
            gap = "\n" if results.read > 1 else ""
            if not print_now(gap + view(one, way)):
                return results.code()
    if results.read:
        where = "Where each comes from: radcap read IMAGE --out DIR writes a page with maps."
        print_lines("", *([where] if way is Way.NEVER else []), RESEARCH_ONLY)
    return results.code()


def _way(asked: Asked, count: int) -> Way:
    """How pictures are shown; of many images none is, but where that was asked for."""
    if asked.picture is Way.AUTO and count > _FEW:
        return Way.NEVER
    return way_here(asked.picture, os.environ, sys.stdout.isatty(), sys.stdout.encoding or "utf-8")


def _print_json(asked: Asked, dataset: Dataset) -> int:
    """A line for each image, read or not, so that a program knows what became of each."""
    results = Results(asked, dataset)
    with closing(results()) as found:
        for one in found:
            if not print_now(_line(one.to_json())):
                break
    return results.code()


def _line(value: object) -> str:
    return plain(json.dumps(value, ensure_ascii=False))


def _print_reports(asked: Asked, dataset: Dataset, fmt: str) -> int:
    if fmt == "html" and len(dataset) > 1:
        raise UsageError(
            f"--report html gives a page an image, and there are {len(dataset):,} images. Give --out DIR too."
        )
    results = Results(asked, dataset)
    with closing(results.readings()) as readings:
        for one in readings:
            if not print_now(_report(one, fmt, first=results.read == 1, alone=len(dataset) == 1)):
                break
    return results.code()


def _report(reading: Reading, fmt: str, *, first: bool, alone: bool) -> str:
    """A report for stdout; of several, those for programs on a line each."""
    from radcap.reading.structured import SEPARATOR, report_of

    text = report_of(reading, fmt).rstrip("\n")
    if fmt == "html":
        encoding = sys.stdout.encoding or "utf-8"
        return text.encode(encoding, "xmlcharrefreplace").decode(encoding)
    if fmt != "text" and not alone:
        return _line(json.loads(text))
    safe = "\n".join(plain(line) for line in text.split("\n"))
    return safe if first or fmt != "text" else SEPARATOR + safe


def _serve(asked: Asked) -> int:
    """The page, until somebody stops it."""
    from radcap.reading.serving import serve

    def ready(address: str) -> None:
        print_now(f"{address}")
        say("Open the address in a browser on this machine, and drop an image there. Ctrl-C ends it.")
        say(RESEARCH_ONLY)

    with suppress(KeyboardInterrupt):  # a second Ctrl-C, while an image is still being read
        serve(asked.reader, port=asked.port or 0, ready=ready)
    say("Ended.")
    return 0
