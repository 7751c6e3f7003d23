"""`radcap demo`: the whole story on the data that ships inside."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from radcap.cli.console import print_lines, print_table, say
from radcap.formats import issue_lines
from radcap.reading import run_demo

__all__ = ["demo_command"]


def demo_command(
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where the files of the demo go.")] = Path(
        "demo-out"
    ),
) -> None:
    """Check a broken run, repair it, and score several runs on a small real truth."""
    story = run_demo(out)
    say(f"1. A run with slips: {story.broken.path}")
    print_lines(*issue_lines(story.broken.path, story.broken.issues, story.broken.counts, shown_per_code=3))
    repaired = ", ".join(f"{code} x{n:,}" for code, n in story.repair.repaired.items())
    say("", f"2. Repaired by radcap validate --fix: {repaired}; what is left:")
    left = story.repair.after
    print_lines(*issue_lines(left.path, left.issues, left.counts, shown_per_code=3))
    say("", "3. Several runs, scored as in 2025:")
    print_table(story.table)
    say(f"The files are in {out}. Try: radcap score concepts {story.example} {story.truth}")
