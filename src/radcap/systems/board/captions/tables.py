"""The board of captions as tables for people and programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.report import Table
from radcap.systems.board.captions.board import FLOOR
from radcap.systems.board.captions.scores import RANKING
from radcap.systems.board.captions.tellings import MEASURES as TOLD_MEASURES
from radcap.systems.board.tables import large

if TYPE_CHECKING:
    from radcap.systems.board.captions.board import CaptionBoard, CaptionRow
    from radcap.systems.board.captions.intervals import Figure

__all__ = [
    "changes_table",
    "costs_table",
    "every_table",
    "floor_table",
    "measures_table",
    "missing_table",
    "modality_table",
    "ranking_table",
    "ranks_table",
    "told_table",
    "untrained_table",
]

_MARK = " *"  # stands on a shipped model
_SHOWN = ("umls_f1_free", "cider", "bleu_2022")  # beside what ranks
_RANKED = ("bleu_2022", "rouge1", "umls_f1_free")  # what 2022 ranked by, and what is here of 2025


def ranking_table(board: CaptionBoard) -> Table:
    """Rank, letters, scores, and what was published by the measure of its edition."""
    shown = [one for one in board.measures if one.name in _SHOWN]
    rows = tuple(
        (
            str(one.rank),
            _marked(one),
            one.family,
            _published(one),
            f"{one.score:.4f}",
            _between(one.figures[board.source][RANKING.name]),
            one.letters,
            *(f"{one.figures[board.source][measure.name].value:.4f}" for measure in shown),
        )
        for one in board.rows
    )
    names = ("rank", "system", "family", "published", RANKING.title, "95 %", "letters")
    columns = (*names, *(one.title for one in shown))
    return Table(columns, rows, right=frozenset(columns) - {"system", "family", "letters"})


def _published(row: CaptionRow) -> str:
    """By the measure of its edition, which is told."""
    return "" if row.published is None else f"{row.main} {row.published:.4f}"


def _marked(one: CaptionRow) -> str:
    return f"{one.name}{_MARK}" if one.result.borrowed else one.name


def _between(figure: Figure) -> str:
    return f"{figure.low:.3f}-{figure.high:.3f}"


def floor_table(board: CaptionBoard) -> Table:
    """What needs no learning, beside the best: below it a system has learnt little."""
    here = {one.name: one for one in board.rows}
    best = next((one for one in board.rows if not one.result.borrowed), board.rows[0])
    rows: list[tuple[str, ...]] = []
    for one in [best, *(here[name] for name in FLOOR if name in here and name != best.name)]:
        below = sum(other.score < one.score for other in board.rows)
        values = (f"{one.figures[board.source][measure.name].value:.4f}" for measure in board.measures)
        rows.append((_marked(one), str(below), *values))
    columns = ("system", "below it", *(one.title for one in board.measures))
    return Table(columns, tuple(rows), right=frozenset(columns[1:]))


def measures_table(board: CaptionBoard, source: str) -> Table:
    """Every system by every measure on captions of one source, in the order of the board."""
    columns = ("system", *(one.title for one in board.measures), "95 % of ROUGE-1")
    rows = tuple(
        (
            _marked(one),
            *(f"{one.figures[source][measure.name].value:.4f}" for measure in board.measures),
            _between(one.figures[source][RANKING.name]),
        )
        for one in board.rows
    )
    return Table(columns, rows, right=frozenset(columns[1:]))


def ranks_table(board: CaptionBoard) -> Table:
    """Where each system stands by what an edition ranked by, the first by BLEU first."""
    shown = [one for name in _RANKED for one in board.measures if one.name == name]
    order = sorted(board.rows, key=lambda one: one.ranks[shown[0].name])
    columns = ("system", "family", *(f"by {one.title}" for one in shown))
    rows = tuple(
        (_marked(one), one.family, *(str(one.ranks[measure.name]) for measure in shown)) for one in order
    )
    return Table(columns, rows, right=frozenset(columns[2:]))


def told_table(board: CaptionBoard) -> Table:
    """Those that depend on concepts: told none, those predicted, and the true ones."""
    columns = ("system", "measure", "none", "predicted", "true", "predicted - none", "true - predicted")
    rows = tuple(
        (
            _marked(one),
            measure.title,
            *(f"{value:.4f}" for value in (told.none, told.predicted, told.true)),
            *(_difference(some) for some in (told.gain, told.gap)),
        )
        for one in board.rows
        for measure in TOLD_MEASURES
        if (told := one.told.get(measure.name)) is not None
    )
    return Table(columns, rows, right=frozenset(columns[2:]))


def _difference(figure: Figure) -> str:
    """With its interval: one that holds no 0 is a difference."""
    return f"{figure.value:+.4f} ({figure.low:+.3f} to {figure.high:+.3f})"


def modality_table(board: CaptionBoard) -> Table:
    """ROUGE-1 of each modality."""
    names = tuple(board.modalities)
    columns = ("system", *(f"{name} ({board.modalities[name]})" for name in names))
    rows = tuple((_marked(one), *(f"{one.by_modality[name]:.3f}" for name in names)) for one in board.rows)
    return Table(columns, rows, right=frozenset(columns[1:]))


def costs_table(board: CaptionBoard) -> Table:
    """Members, parameters, seconds of training, captions a second."""
    rows = tuple(
        (
            _marked(one),
            str(one.result.members),
            large(one.result.parameters),
            f"{one.result.train_s:,.0f}",
            f"{one.result.images_per_s:,.1f}",
        )
        for one in board.rows
    )
    columns = ("system", "members", "parameters", "seconds", "captions/s")
    return Table(columns, rows, right=frozenset(columns[1:]))


def changes_table(board: CaptionBoard) -> Table:
    """How each system differs here from its file."""
    rows = tuple((one.name, "; ".join(one.result.changes)) for one in board.rows)
    return Table(("system", "changed for the board"), rows)


def untrained_table(board: CaptionBoard) -> Table:
    """Systems without a score, and why."""
    return Table(("system", "why"), tuple((one.name, one.why_not) for one in board.not_trained))


def missing_table(board: CaptionBoard) -> Table:
    """What editions measured and is not measured here."""
    return Table(("metric", "why not here"), tuple((one.name, one.why) for one in board.missing))


def every_table(board: CaptionBoard) -> Table:
    """All values for programs: a row for each system, on each source of captions."""
    ends = ("", "_low", "_high")
    values = (f"{one.name}{end}" for one in board.measures for end in ends)
    columns = ("system", "edition", "rank", "captions", "images", *values)
    rows = tuple(
        (
            *(one.name, one.edition, str(one.rank), source, str(board.images[source])),
            *(
                f"{value:.6f}"
                for measure in board.measures
                for figure in [one.figures[source][measure.name]]
                for value in (figure.value, figure.low, figure.high)
            ),
        )
        for source in board.images
        for one in board.rows
    )
    return Table(columns, rows)
