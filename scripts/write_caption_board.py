"""Keep a finished board of captions: scores in the package, tables on a page, runs beside the studies.

radcap systems reproduce --task captions --out BOARD
.venv/bin/python scripts/write_caption_board.py BOARD

The page is docs/board-captions.md; where there is none yet, it begins as scripts/board-captions.md, which has
the words that hold of every such board and a place for each table. The runs, unpacked, are a folder that the
command above goes on with: it trains what is new.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from study_board import scale_in
from write_board import filled, keep_runs

from radcap.datasets import load_dataset
from radcap.report import Table
from radcap.systems import read_captions, systems_of
from radcap.systems.board.captions.board import CaptionBoard, make_caption_board
from radcap.systems.board.captions.kept import KEPT_FILE, to_keep
from radcap.systems.board.captions.running import CaptionReproduction
from radcap.systems.board.captions.samples import Sample, samples
from radcap.systems.board.captions.tables import (
    changes_table,
    costs_table,
    floor_table,
    measures_table,
    missing_table,
    modality_table,
    ranking_table,
    ranks_table,
    told_table,
    untrained_table,
)
from radcap.systems.board.lessons import cost_table, edition_table, family_table
from radcap.systems.board.results import BoardFolder

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "src" / "radcap" / "systems" / "board" / KEPT_FILE
SKELETON, PAGE = ROOT / "scripts" / "board-captions.md", ROOT / "docs" / "board-captions.md"
RUNS = ROOT / "docs" / "studies" / "board-captions-runs.zip"


def tables(board: CaptionBoard, shown: tuple[Sample, ...]) -> dict[str, Table]:
    """The tables of the page by the names of their places."""
    return {
        "facts": facts_table(board),
        "ranking": ranking_table(board),
        "samples": samples_table(shown),
        "floor": floor_table(board),
        "told": told_table(board),
        "ranks": ranks_table(board),
        "editions": edition_table(board),
        "families": family_table(board),
        "cost": cost_table(board),
        "modalities": modality_table(board),
        "composed": measures_table(board, "composed"),
        "original": measures_table(board, "original"),
        "costs": costs_table(board),
        "missing": missing_table(board),
        "changes": changes_table(board),
        "untrained": untrained_table(board),
    }


def facts_table(board: CaptionBoard) -> Table:
    """What the words of the page leave open: how many of what, at what scale."""
    scales = sorted({one.result.scale for one in board.rows})
    devices = sorted({one.result.device for one in board.rows})
    hours = sum(one.result.train_s for one in board.rows) / 3600
    counts = [
        (f"{source} captions", f"{n:,} of test images, in {board.groups[source]:,} groups")
        for source, n in board.images.items()
    ]
    facts = [
        ("systems", f"{len(board.rows)} scored, {len(board.not_trained)} not trained"),
        *counts,
        ("pairs that are tested", f"{len(board.rows) * (len(board.rows) - 1) // 2:,}"),
        ("scale", ", ".join(scales)),
        ("trained on", ", ".join(devices)),
        ("hours of training, all systems together", f"{hours:.1f}"),
    ]
    return Table(("what", "here"), tuple(facts))


def samples_table(shown: tuple[Sample, ...]) -> Table:
    """A few images with what is true of them and what systems say."""
    rows = [
        (f"{one.modality}, {one.record.id}", who, text)
        for one in shown
        for who, text in (
            *((f"true, {source}", text) for source, text in one.true.items()),
            *((f"{said.system} ({said.value:.2f})", said.caption) for said in one.said),
        )
    ]
    return Table(("image", "who", "caption"), tuple(rows))


def page_with(made: dict[str, Table]) -> str:
    """The page as it is, or as it begins, with these tables."""
    return filled((PAGE if PAGE.exists() else SKELETON).read_text("utf-8"), made)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("board", type=Path)
    folder = BoardFolder(parser.parse_args().board)
    dataset = load_dataset("radiology-open")
    systems = [read_captions(one.name) for one in systems_of("captions")]
    made = CaptionReproduction(dataset, scale_in(folder), folder)
    board = make_caption_board(systems, folder, dataset, made.marks(systems), made.source)
    KEPT.write_text(f"{json.dumps(to_keep(board), indent=1)}\n", encoding="utf-8")
    PAGE.write_text(page_with(tables(board, samples(board, folder, dataset))), encoding="utf-8")
    keep_runs(folder, RUNS)
    print(f"{len(board.rows)} systems, {len(board.not_trained)} not trained")


if __name__ == "__main__":
    main()
