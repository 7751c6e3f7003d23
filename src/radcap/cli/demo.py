"""`radcap demo`: the whole story on the data that ships inside."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from radcap.cli.console import print_lines, print_table, progress

if TYPE_CHECKING:
    from radcap.reading.demo import Chapter

__all__ = ["demo_command"]


def demo_command(
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where the files of the demo go.")] = Path(
        "demo-out"
    ),
    models: Annotated[
        bool, typer.Option(help="Read, score and explain with the models inside; they need torch.")
    ] = True,
) -> None:
    """Read images, write runs, check, score, compare and explain them, on what ships inside; one report."""
    from radcap.reading.demo import run_demo

    number = 0

    def tell(chapter: Chapter) -> None:
        nonlocal number
        number += 1
        print_lines(f"{number}. {chapter.heading}")
        for part in chapter.parts:
            if isinstance(part, str):
                print_lines(part)
            else:
                print_table(part)
        print_lines("")

    with progress(None) as show:
        story = run_demo(out, models=models, tell=tell, progress=show)
    print_lines(f"Open {story.report} in a browser. All files are in {out}.", "", "Next:")
    print_lines(*(f"  {one}" for one in story.commands))
