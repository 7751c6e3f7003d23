"""What must hold for any bytes whatever."""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.core import Task
from radcap.formats import github_lines, issue_lines, read_run, write_run
from radcap.formats.cells import clean_caption, clean_concepts

if TYPE_CHECKING:
    from pathlib import Path

    from radcap.core import Run
    from radcap.formats import Dialect, Expected


def assert_printable(*texts: str) -> None:
    """Lines of signs that stay where they are printed."""
    for text in texts:
        for line in text.split("\n"):
            assert line.isprintable(), ascii(line)


def assert_sound(path: Path, form: Dialect, expected: Expected) -> None:
    """A file is refused with a reason, or it is a run that can be written and read again."""
    run, found = read_run(path, form.task, edition=form.edition, expected=expected)
    issues = [*issue_lines("run", found.issues, found.counts), *github_lines(found)]
    assert_printable(*(line.replace(str(path), "run") for line in issues))
    assert sum(found.counts.values()) >= len(found.issues)
    if not found.ok:
        return
    assert set(run.cells) == set(expected.position)
    again = write_run(run, path.with_name("again.csv"), edition=form.edition, order=expected.position)
    read, refound = read_run(again, form.task, edition=form.edition, expected=expected)
    assert refound.ok
    assert predictions(read) == predictions(run)


def predictions(run: Run) -> dict[str, str]:
    """What a run says, without how it is written."""
    tidy = clean_concepts if run.task is Task.CONCEPTS else clean_caption
    return {image_id: tidy(cell or "") for image_id, cell in run.cells.items()}
