"""The page that measurements are put into."""

from __future__ import annotations

from pathlib import Path

from stopwatch import Failed

__all__ = ["PAGE", "put_between", "write_between"]

PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"


def put_between(page: str, begin: str, end: str, text: str) -> str:
    """A page with the text between two marks."""
    before, found, rest = page.partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise Failed(f"The page has no '{begin}' and '{end}'. Nothing was written. Put the two lines in.")
    return f"{before}{begin}\n\n{text.strip()}\n\n{end}{after}"


def write_between(begin: str, end: str, text: str) -> None:
    """Put the text into the page."""
    PAGE.write_text(put_between(PAGE.read_text(encoding="utf-8"), begin, end, text), encoding="utf-8")
