"""Keep a finished board: its scores in the package, its tables in docs/board.md, its runs beside the studies.

radcap systems reproduce --out BOARD
.venv/bin/python scripts/write_board.py BOARD

The runs, unpacked, are a folder that `radcap systems reproduce --out` goes on with: it trains what is new.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from radcap.datasets import load_dataset
from radcap.formats import replacing
from radcap.report import Table
from radcap.systems import read_concepts, systems_of
from radcap.systems.board.board import Board, make_board
from radcap.systems.board.kept import to_keep
from radcap.systems.board.lessons import cost_table, edition_table, family_table
from radcap.systems.board.limits import Limit, limits
from radcap.systems.board.marks import marks_of
from radcap.systems.board.results import BoardFolder
from radcap.systems.board.scales import Scale, scale_of
from radcap.systems.board.shifts import TestSet, shifts
from radcap.systems.board.tables import (
    changes_table,
    limit_table,
    modality_table,
    ranking_table,
    shift_table,
    untrained_table,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

ROOT = Path(__file__).parents[1]
FROZEN = ROOT / "docs" / "studies" / "board_small.json"  # what was kept of the board at the scale small
KEPT = ROOT / "src" / "radcap" / "systems" / "board" / "radiology-open.json"
PAGE = ROOT / "docs" / "board.md"
RUNS = ROOT / "docs" / "studies" / "board-runs.zip"
_EPOCH = (1980, 1, 1, 0, 0, 0)  # so that the same runs are the same bytes


def scale_in(folder: BoardFolder, names: Iterable[str]) -> Scale:
    """The scale of all scores in a folder."""
    known = [one for one in map(folder.known, names) if one is not None and one.is_scored]
    scales = sorted({one.scale for one in known})
    if not scales:
        raise SystemExit(f"{folder.path} holds no score yet. Run: radcap systems reproduce --out DIR.")
    if len(scales) > 1:
        raise SystemExit(
            f"{folder.path} holds scores of the scales {', '.join(scales)}, which do not compare."
            " Run radcap systems reproduce at one --scale until no system is left."
        )
    return scale_of(scales[0])


def tables(board: Board, sets: tuple[TestSet, ...], could: tuple[Limit, ...]) -> dict[str, Table]:
    """The tables of the page by the names of their places."""
    return {
        "ranking": ranking_table(board),
        "editions": edition_table(board),
        "families": family_table(board),
        "cost": cost_table(board),
        "limits": limit_table(could),
        "whole": whole_table(board),
        "modalities": modality_table(board),
        "sets": shift_table(sets),
        "changes": changes_table(board),
        "untrained": untrained_table(board),
    }


def whole_table(board: Board) -> Table:
    """The families, with their networks frozen and learnt as a whole."""
    frozen = {name: one["f1"] for name, one in json.loads(FROZEN.read_text("utf-8"))["systems"].items()}
    families: dict[str, list[tuple[float, float]]] = {}
    for one in board.rows:
        if not one.result.borrowed and one.name in frozen:
            families.setdefault(one.family, []).append((frozen[one.name], one.f1))
    every = [pair for pairs in families.values() for pair in pairs]
    rows = sorted(families.items(), key=lambda part: -median(b - a for a, b in part[1]))
    told = tuple(
        (
            name,
            str(len(pairs)),
            f"{median(a for a, _ in pairs):.4f}",
            f"{median(b for _, b in pairs):.4f}",
            f"{median(b - a for a, b in pairs):+.4f}",
        )
        for name, pairs in [*rows, ("all", every)]
    )
    columns = ("family", "systems", "frozen", "whole", "median gain")
    return Table(columns, told, right=frozenset(columns[1:]))


def filled(text: str, made: dict[str, Table]) -> str:
    """The page with its tables: each stands between `<!-- table NAME -->` and `<!-- end -->`."""
    for name, table in made.items():
        place = re.compile(rf"(<!-- table {name} -->\n).*?(<!-- end -->)", re.DOTALL)
        inner = f"\n{table.to_markdown()}\n\n" if table.rows else "\nNone.\n\n"
        text = place.sub(lambda found, inner=inner: f"{found[1]}{inner}{found[2]}", text)
    return text


def keep_runs(folder: BoardFolder, path: Path) -> None:
    """What every system said, and how it was trained, without models."""
    files = [one for part in ("results", "runs") for one in sorted((folder.path / part).iterdir())]
    with replacing(path) as part, ZipFile(part, "w", ZIP_DEFLATED) as packed:
        for one in files:
            entry = ZipInfo(one.relative_to(folder.path).as_posix(), _EPOCH)
            packed.writestr(entry, one.read_bytes(), ZIP_DEFLATED)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("board", type=Path)
    folder = BoardFolder(parser.parse_args().board)
    dataset = load_dataset("radiology-open")
    systems = [read_concepts(one.name) for one in systems_of("concepts")]
    scale = scale_in(folder, [one.name for one in systems])
    board = make_board(systems, folder, dataset, marks_of(systems, scale, dataset))
    KEPT.write_text(f"{json.dumps(to_keep(board), indent=1)}\n", encoding="utf-8")
    page = filled(
        PAGE.read_text("utf-8"), tables(board, shifts(board, dataset), limits(board, folder, dataset))
    )
    PAGE.write_text(page, encoding="utf-8")
    keep_runs(folder, RUNS)
    print(f"{len(board.rows)} systems, {len(board.not_trained)} not trained")


if __name__ == "__main__":
    main()
