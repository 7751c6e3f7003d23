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
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from study_board import FROZEN, SEEDS, read_scores, scale_in, seeds_table

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
from radcap.systems.board.shifts import TestSet, shifts
from radcap.systems.board.tables import (
    changes_table,
    limit_table,
    modality_table,
    ranking_table,
    shift_table,
    untrained_table,
)

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "src" / "radcap" / "systems" / "board" / "radiology-open.json"
PAGE = ROOT / "docs" / "board.md"
RUNS = ROOT / "docs" / "studies" / "board-runs.zip"
_EPOCH = (1980, 1, 1, 0, 0, 0)  # so that the same runs are the same bytes


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
        "seeds": luck_table(board),
        "changes": changes_table(board),
        "untrained": untrained_table(board),
    }


def whole_table(board: Board) -> Table:
    """The families, with their networks frozen and learnt as a whole."""
    frozen = read_scores(FROZEN)
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


def luck_table(board: Board) -> Table:
    """How far apart two seeds of the same system lie."""
    here = {one.name: one for one in board.rows}
    families = {name: one.family for name, one in here.items()}
    return seeds_table(families, {name: one.f1 for name, one in here.items()}, read_scores(SEEDS))


def filled(text: str, made: dict[str, Table]) -> str:
    """The page with its tables: each stands between `<!-- table NAME -->` and `<!-- end -->`."""
    for name, table in made.items():
        place = re.compile(rf"(<!-- table {name} -->\n).*?(<!-- end -->)", re.DOTALL)
        inner = f"\n{table.to_markdown()}\n\n" if table.rows else "\nNone.\n\n"
        text = place.sub(lambda found, inner=inner: f"{found[1]}{inner}{found[2]}", text)
    return text


def keep_runs(folder: BoardFolder, path: Path) -> None:
    """What every system said, and how it was trained, without models."""
    parts = ("results", "runs", "told")
    files = [one for part in parts for one in sorted((folder.path / part).rglob("*")) if one.is_file()]
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
    scale = scale_in(folder)
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
