"""`radcap demo`: the whole story on the data that ships inside."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from radcap.cli.console import print_lines, print_table, progress
from radcap.reading import run_demo

__all__ = ["demo_command"]


def demo_command(
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where the files of the demo go.")] = Path(
        "demo-out"
    ),
) -> None:
    """Show the data inside and the concepts of a caption; check, repair, score and compare runs."""
    with progress(None) as show:
        story = run_demo(out, show)
    repaired = ", ".join(f"{code} x{n:,}" for code, n in story.repair.repaired.items())
    print_lines("1. radcap dataset report radiology-open: the images that ship inside")
    print_table(story.data)
    print_lines("2. radcap vocab link: the concepts of a caption", f"   {story.caption}")
    print_table(story.mentions)
    print_lines(f"3. radcap validate {story.broken.path}: every slip in one pass")
    print_table(story.found)
    print_lines(f"4. radcap validate --fix {story.repair.after.path}: repaired {repaired}. What is left:")
    print_table(story.left)
    print_lines("5. radcap score concepts: four runs made for the demo, as edition 2025 scores them")
    print_table(story.scores)
    print_lines("6. radcap compare: the same runs with intervals, letters and ranks")
    print_table(story.board)
    print_lines(story.verdict, "")
    print_lines(
        "7. radcap score captions: one word list for every image wins BLEU under the rule of an old NLTK"
    )
    print_table(story.captions)
    print_lines(f"Files: {out}. Open {story.data_page} and {story.page} in a browser.")
    print_lines(f"Next: radcap score concepts {story.example} {story.truth}")
