"""Draws docs/images/demo.svg from what `radcap demo` prints on a terminal.

Invariant: every line of the picture was printed by the command, except the prompt on top and the mark that
says how many rows were left out; a line that the terminal would break is left out. The file names no font
to fetch and no address but the SVG namespace.

    .venv/bin/python docs/make_pictures.py
"""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import tempfile
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

PICTURE = Path(__file__).parent / "images" / "demo.svg"
COMMAND = "radcap demo"
COLUMNS = 116  # the widest table fits
ROWS_SHOWN = 5  # of the findings; the tables of scores are shown whole

_THEME = TerminalTheme(
    (17, 25, 28),
    (214, 224, 226),
    [
        (17, 25, 28),
        (255, 123, 114),
        (126, 211, 163),
        (242, 204, 96),
        (121, 184, 255),
        (210, 168, 255),
        (86, 212, 200),
        (214, 224, 226),
    ],
)
_TEMPLATE = """
<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {terminal_width} {terminal_height}">
<title>What radcap demo prints: data, concepts of a caption, findings in a run, scores and ranks</title>
<style>
.{unique_id}-matrix {{
  font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: {char_height}px;
  line-height: {line_height}px;
}}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect width="{terminal_width}" height="{terminal_height}"/>
</clipPath>
{lines}
</defs>
<rect width="100%" height="100%" rx="12" fill="#11191c" stroke="#5a7078" stroke-width="4"/>
<g clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">{matrix}</g>
</g>
</svg>
"""


def terminal_output(folder: Path) -> str:
    """What the command prints in a folder when a terminal of fixed width listens, colours included."""
    ours, theirs = pty.openpty()
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    environment = {"PATH": path, "COLUMNS": str(COLUMNS), "TERM": "xterm-256color", "PYTHONUTF8": "1"}
    environment |= {"RADCAP_CACHE": os.environ.get("RADCAP_CACHE", str(folder / "cache"))}
    with subprocess.Popen(COMMAND.split(), cwd=folder, env=environment, stdout=theirs) as command:  # noqa: S603
        os.close(theirs)
        pieces: list[bytes] = []
        while piece := _read(ours):
            pieces.append(piece)
    os.close(ours)
    if command.returncode != 0:
        raise SystemExit(f"'{COMMAND}' ended with exit code {command.returncode}. No picture was drawn.")
    return b"".join(pieces).decode().replace("\r\n", "\n")


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # how Linux says that the other end was closed
        return b""


def crop(lines: list[Text]) -> list[Text]:
    """The data, a caption's concepts, the first findings and the tables of scores."""
    data, first, second, third, end = (
        _find(lines, start) for start in ("1. ", "3. ", "4. ", "5. ", "Files: ")
    )
    scores = [line for line in lines[third : end - 1] if len(line.plain.rstrip()) <= COLUMNS]
    rows = [n for n in range(first, second) if re.match(r" +RUN\d{3} ", lines[n].plain)]
    rest = len(rows) - ROWS_SHOWN
    return [
        Text.assemble(("$ ", "bold green"), (COMMAND, "bold")),
        *lines[data : rows[ROWS_SHOWN]],
        Text(f"  ... {rest} more kinds, the repair, and what is left after it", style="dim"),
        Text(),
        *scores,  # less the blank line that ends the last table
    ]


def _find(lines: list[Text], start: str) -> int:
    return next(n for n, line in enumerate(lines) if line.plain.startswith(start))


def draw(lines: list[Text]) -> str:
    """The lines as an SVG image with a margin of one cell on each side."""
    console = Console(record=True, width=COLUMNS + 2, file=StringIO(), force_terminal=True, highlight=False)
    for line in [Text(), *lines, Text()]:
        line.rstrip()
        console.print(Text(" ").append_text(line), no_wrap=True, crop=True)
    drawn = console.export_svg(theme=_THEME, unique_id="demo", code_format=_TEMPLATE)
    # sizes as Rich computes them end in rounding errors; blanks and quotes stand around sizes only
    rounded = re.sub(r'(?<=[ "])\d+\.\d{6,}(?=[ "])', lambda number: f"{float(number[0]):g}", drawn)
    return "\n".join(line.strip() for line in rounded.splitlines() if line.strip()) + "\n"


def picture() -> str:
    """The SVG as it should stand in the repository now."""
    with tempfile.TemporaryDirectory() as folder:
        printed = terminal_output(Path(folder))
    return draw(crop(list(Text.from_ansi(printed).split("\n"))))


if __name__ == "__main__":
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(picture(), encoding="utf-8")
