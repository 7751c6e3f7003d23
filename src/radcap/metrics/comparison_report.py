"""A comparison for people: what the scores hide, what changed most, and the page that shows it all.

Invariant: two runs are shown from the one with the lower value to the one with the higher.
"""

from __future__ import annotations

from base64 import b64encode
from contextlib import suppress
from typing import TYPE_CHECKING

from radcap.metrics.score_tables import missing_lines
from radcap.report import Change, Table, comparison_page

if TYPE_CHECKING:
    from pathlib import Path

    from radcap.core import Run
    from radcap.metrics.comparing import RunComparison

__all__ = ["beside_table", "changes", "comparison_html", "differences"]

_SHOWN = 12  # images that improved most, and as many that worsened most
_TWO = 2
_PICTURES = {".jpg": "jpeg", ".jpeg": "jpeg", ".png": "png", ".webp": "webp", ".gif": "gif"}
_PICTURE_BYTES = 2 * 1024 * 1024  # a page of 24 larger ones opens nowhere


def comparison_html(compared: RunComparison, title: str, images: Path | None = None) -> str:
    """The whole report as one HTML file; pictures are put in where a folder holds them by image id."""
    facts = [
        ("Task", compared.task.value),
        ("Edition", f"{compared.edition}, {compared.profile} profile"),
        ("Images", f"{compared.comparison.primary.standings[0].n:,}"),
        ("Ranked by", compared.comparison.primary.metric),
        *([("Note", compared.note)] if compared.note else []),
        *[("Not compared", line) for line in missing_lines(compared.missing, in_full=False)],
    ]
    return comparison_page(
        compared.comparison,
        title=title,
        facts=facts,
        beside=beside_table(compared),
        changes=changes(compared, images),
        differences=differences(compared),
        names=_pair(compared),
    )


def beside_table(compared: RunComparison) -> Table:
    """What the scores hide, one row per run in the order of the board, the truth last."""
    order = [one.run for one in compared.comparison.primary.standings]
    habits = [(name, compared.runs[name].report.habits) for name in order]
    known = [(name, found.rows()) for name, found in habits if found is not None]
    columns = ("run", *(label for label, _, _ in known[0][1]))
    rows = [(name, *(said for _, said, _ in counts)) for name, counts in known]
    rows.append(("truth", *(true for _, _, true in known[0][1])))
    return Table(columns, tuple(rows), right=frozenset(columns[1:]))


def _pair(compared: RunComparison) -> tuple[str, str] | None:
    standings = compared.comparison.primary.standings
    return (standings[1].run, standings[0].run) if len(standings) == _TWO else None


def _values(compared: RunComparison) -> list[tuple[str, float, float]]:
    """Image id and its score under either of two runs."""
    pair = _pair(compared)
    if pair is None:
        return []
    first, second = (compared.score(name) for name in pair)
    higher = dict(zip(second.ids, second.values, strict=True))
    return [
        (image_id, value, higher[image_id]) for image_id, value in zip(first.ids, first.values, strict=True)
    ]


def differences(compared: RunComparison) -> list[float]:
    """For two runs, what each image gained; for more or fewer, nothing."""
    return [after - before for _, before, after in _values(compared)]


def changes(compared: RunComparison, images: Path | None = None) -> list[Change]:
    """For two runs, the images that improved most and those that worsened most."""
    pair = _pair(compared)
    if pair is None:
        return []
    first, second = (compared.runs[name] for name in pair)
    ordered = sorted(_values(compared), key=lambda row: (row[1] - row[2], row[0]))
    better = [row for row in ordered[:_SHOWN] if row[2] > row[1]]
    worse = [row for row in ordered[: -_SHOWN - 1 : -1] if row[2] < row[1]]
    return [
        Change(
            id=image_id,
            first=before,
            second=after,
            truth=_cell(first.truth, image_id),
            first_text=_cell(first.run, image_id),
            second_text=_cell(second.run, image_id),
            image=None if images is None else _picture(images, image_id),
        )
        for image_id, before, after in (*better, *worse)
    ]


def _cell(run: Run, image_id: str) -> str:
    return run.cells.get(image_id) or ""


def _picture(folder: Path, image_id: str) -> str | None:
    """The picture as a data: address, if the folder holds one of that name."""
    if not image_id or "/" in image_id or "\\" in image_id or "\0" in image_id:
        return None  # an id of a run file never leads out of the folder
    with suppress(OSError):  # an id may be longer than a name, a picture locked: the page does without it
        for ending, kind in _PICTURES.items():
            path = folder / f"{image_id}{ending}"
            if path.is_file() and path.stat().st_size <= _PICTURE_BYTES:
                return f"data:image/{kind};base64,{b64encode(path.read_bytes()).decode('ascii')}"
    return None
