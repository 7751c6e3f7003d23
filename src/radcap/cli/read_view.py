"""A reading as a person sees it in a terminal: concepts, caption, nearest cases, and a picture if it can.

Invariant: it fits the width it is given, from 40 columns on, and holds nothing that steers a terminal but the
colours; into a file it is the same text without them, and a caption stays on one line.
"""

from __future__ import annotations

import io
import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from radcap.cli.console import plain
from radcap.cli.terminal_picture import Way, drawn, side_by_side
from radcap.reading.telling import certainty, kind_of, origin_of, percent, radiology_sentence

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table

    from radcap.explanation.values import Case, Evidence
    from radcap.reading.values import Reading, Seen

__all__ = ["bar", "shown_map", "view"]

_IN_FILES = 100  # columns
_BAR, _SHORT = 12, 6  # cells; the short one where a long name would have to be folded
_WIDE, _ROOMY, _NARROW = 88, 76, 56  # columns for long bars, for any, and for a table at all
_COLUMNS = ("kind", "concept", "CUI", "p", "", "how sure")
_FEWER = ("concept", "CUI", "p", "how sure")
_PICTURE = 72  # columns at most
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_WORDS = {
    "almost certain": "bold green",
    "very likely": "bold green",
    "likely": "green",
    "as likely as not": "yellow",
    "unlikely": "dim",
    "very unlikely": "dim",
    "most unlikely": "dim",
}


@dataclass(frozen=True, slots=True)
class _Cell:
    """A text from outside, in a style."""

    text: str
    style: str = ""

    def __rich__(self) -> RenderableType:
        from rich.text import Text

        return Text(plain(self.text), self.style)


def view(reading: Reading, picture: Way = Way.NEVER) -> str:
    """A reading as text for stdout, with its picture where there is a way to show one."""
    made = io.StringIO()
    console = _console(made)
    _header(reading, console)
    if picture is not Way.NEVER:
        _show(reading, picture, console)
    _concepts(reading.concepts, console)
    _paragraph(console, reading.caption or "No caption was written.")
    _cases(reading.neighbours, console)
    _notes(reading, console)
    return "\n".join(line.rstrip(" ") for line in made.getvalue().splitlines())


def _console(made: io.StringIO) -> Console:
    from rich.console import Console

    on_terminal = sys.stdout.isatty()
    width = None if on_terminal or "COLUMNS" in os.environ else _IN_FILES
    return Console(
        file=made, width=width, force_terminal=on_terminal, highlight=False, markup=False, emoji=False
    )


def _header(reading: Reading, console: Console) -> None:
    _paragraph(console, reading.image, "bold")
    told = radiology_sentence(reading.radiology)
    _paragraph(console, f"{told[:1].upper()}{told[1:]}", "dim")
    console.print()


def _paragraph(console: Console, text: str, style: str = "", indent: int = 0) -> None:
    """Words wrapped on a terminal, on one line elsewhere, so that a line can be searched for."""
    from rich.padding import Padding

    if not text:
        return
    if console.is_terminal:
        console.print(Padding(_Cell(text, style), (0, 0, 0, indent)))
    else:
        console.print(_Cell(" " * indent + text, style), soft_wrap=True)


def _concepts(concepts: tuple[Seen, ...], console: Console) -> None:
    if not concepts:
        _paragraph(console, "No concept was decided for.")
    elif console.width < _NARROW:
        _list(concepts, console)
    else:
        console.print(_table(concepts, console.width))
    console.print()


def _list(concepts: tuple[Seen, ...], console: Console) -> None:
    """Two lines each, where a table has no room."""
    for one in concepts:
        _paragraph(console, one.name or one.cui, "bold")
        _paragraph(console, f"{one.cui}  {percent(one.p)}  {certainty(one.p)}", indent=2)


def _table(concepts: tuple[Seen, ...], width: int) -> Table:
    from rich.table import Table

    columns = _COLUMNS if width >= _ROOMY else _FEWER
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    for name in columns:
        justify = "right" if name == "p" else "left"
        table.add_column(name, justify=justify, overflow="fold", no_wrap=name not in ("concept", "kind"))
    kind = ""
    for one in concepts:
        above, kind = kind, kind_of(one.role)
        cells = _cells(one, "" if kind == above else kind, _BAR if width >= _WIDE else _SHORT)
        table.add_row(*(cells[name] for name in columns))
    return table


def _cells(seen: Seen, kind: str, cells: int) -> dict[str, _Cell]:
    word = certainty(seen.p)
    return {
        "kind": _Cell(kind, "dim"),
        "concept": _Cell(seen.name or seen.cui, "bold"),
        "CUI": _Cell(seen.cui, "dim"),
        "p": _Cell(percent(seen.p)),
        "": _Cell(bar(seen.p, cells), "cyan"),
        "how sure": _Cell(word, _WORDS.get(word, "")),
    }


def bar(p: float | None, cells: int) -> str:
    """A probability as a length, to an eighth of a cell where the encoding has such blocks.

    >>> bar(0.5, 4), bar(None, 4)
    ('██', '')
    """
    eighths = round(min(max(p or 0.0, 0.0), 1.0) * cells * 8)
    try:
        _EIGHTHS.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return "#" * round(eighths / 8)
    return (_EIGHTHS[-1] * (eighths // 8) + _EIGHTHS[eighths % 8]).rstrip()


def _cases(cases: tuple[Case, ...], console: Console) -> None:
    if not cases:
        return
    console.print()
    _paragraph(console, "Nearest training cases; they are like the image and prove nothing:", "dim")
    for one in cases:
        _paragraph(console, f"{one.similarity:.2f}  {one.image}", indent=2)
        _paragraph(console, _quoted(one), indent=8)
        _paragraph(console, origin_of(one), "dim", indent=8)


def _quoted(case: Case) -> str:
    source = f" ({case.caption_source} caption)" if case.caption_source else ""
    return f"{case.caption}{source}" if case.caption else ""


def _notes(reading: Reading, console: Console) -> None:
    lines = list(reading.notes)
    if reading.attribution:
        lines.append(f"Image: {reading.attribution}")
    if lines:
        console.print()
    for line in lines:
        _paragraph(console, line, "dim")


def _show(reading: Reading, way: Way, console: Console) -> None:
    """The picture, and beside it the map that tells most; past rich, which would count the escapes."""
    found = shown_map(reading)
    picture, said = reading.picture, "The image; there is no map to show."
    if found is not None and found.map is not None:
        from radcap.explanation.pictures import overlay

        picture = side_by_side(picture, overlay(picture, found.map))
        said = f"Left the image, right where '{found.label}' comes from ({reading.method})."
    console.file.write(drawn(picture, way, min(console.width, _PICTURE)) + "\n")
    _paragraph(console, said, "dim")
    console.print()


def shown_map(reading: Reading) -> Evidence | None:
    """Of the statements with a map that of a finding, else of what has a place; the most probable of them."""
    findings = {one.cui for one in reading.findings}

    def worth(one: Evidence) -> tuple[bool, bool, float]:
        return one.localisable, one.cui in findings, one.probability or 0.0

    return max((one for one in reading.evidence if one.map is not None), key=worth, default=None)
