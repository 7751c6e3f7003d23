"""What `radcap read --out DIR` writes: pages with all readings, or one report an image.

Invariant: a file is whole or not there, and nothing that somebody put into the folder is replaced.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from radcap.cli.console import print_json, print_lines, progress, say
from radcap.cli.read_asked import check_folder
from radcap.cli.read_results import Results
from radcap.core import counted
from radcap.formats import replacing
from radcap.reading.values import RESEARCH_ONLY

if TYPE_CHECKING:
    from radcap.cli.read_asked import Asked
    from radcap.reading.run_folder import Written

__all__ = ["write_pages", "write_reports"]

_SHOWN = 5


def write_reports(asked: Asked, fmt: str, out: Path) -> int:
    """One file an image; the exit code."""
    from radcap.explanation.writing import FileNames
    from radcap.reading.structured import ENDINGS, report_of

    check_folder(out)
    results, names = Results(asked, asked.dataset()), FileNames()
    with closing(results.readings()) as readings:
        for one in readings:
            with replacing(out / f"{names.name(_stem(one.image))}{ENDINGS[fmt]}") as part:
                part.write_text(report_of(one, fmt), encoding="utf-8")
    print_lines(f"{out}: {counted(results.read, 'report')}. {RESEARCH_ONLY}")
    return results.code()


def _stem(image: str) -> str:
    """The name of an image without its folder and ending; what follows a dot in an id may be a number.

    >>> _stem("scans/chest.png"), _stem("1.2.840.10008")
    ('chest', '1.2.840.10008')
    """
    path = Path(image)
    return path.name if path.suffix[1:].isdigit() else path.stem


def write_pages(asked: Asked, out: Path) -> int:
    """Pages and readings; what an earlier call with the same folder wrote is kept. The exit code."""
    from radcap.reading.run_folder import write_readings

    dataset = asked.dataset()
    reader = asked.reader()
    try:
        with progress(len(dataset)) as show:
            written = write_readings(reader, dataset, out, progress=show)
    except KeyboardInterrupt:
        say(f"Stopped. What is done is kept in {out}; the same command goes on from there.")
        raise
    if asked.json:
        print_json(_told(written))
    else:
        _print(written)
    _warn(written)
    return 1 if written.unread else 0


def _told(written: Written) -> dict[str, object]:
    return {
        "out": str(written.out),
        "pages": [str(page) for page in written.pages],
        "read": written.read,
        "kept": written.kept,
        "unread": [one.to_json() for one in written.unread],
        "use": RESEARCH_ONLY,
    }


def _print(written: Written) -> None:
    kept = f", {written.kept:,} of them before" if written.kept else ""
    print_lines(f"{written.out}: {counted(written.read + written.kept)} read{kept}")
    if written.pages:
        print_lines(f"Look at {written.start} in a browser.")
    print_lines(RESEARCH_ONLY)


def _warn(written: Written) -> None:
    for one in written.unread[:_SHOWN]:
        say(one.why)
    if len(written.unread) > _SHOWN:
        more = counted(len(written.unread) - _SHOWN, "more image")
        say(f"{more} not read; {written.out} has the reasons.")
