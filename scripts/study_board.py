"""The board made otherwise, for comparison: with another seed, and with frozen networks.

.venv/bin/python scripts/study_board.py seeds DIR
radcap systems reproduce --scale large --only DIR/... --out AGAIN
radcap systems reproduce --scale small --out SMALL
.venv/bin/python scripts/study_board.py keep AGAIN docs/studies/board_seeds.json
.venv/bin/python scripts/study_board.py keep SMALL docs/studies/board_small.json
.venv/bin/python scripts/write_board.py BOARD

`seeds` writes the files of the board's networks, and of ensembles of them, with other seeds; systems that a
board trains alike are there once. `keep` writes the scores of a folder, and leaves those of other systems as
they are.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from radcap.datasets import load_dataset
from radcap.detection.system import tables
from radcap.detection.system_reading import system_toml
from radcap.metrics import score_concepts
from radcap.report import Table
from radcap.systems import read_concepts, systems_of
from radcap.systems.board.board import EDITION
from radcap.systems.board.fitting import fit_system
from radcap.systems.board.results import BoardFolder, flat
from radcap.systems.board.scales import scale_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from radcap.datasets import Dataset
    from radcap.detection.system import ConceptSystem
    from radcap.systems.board.scales import Scale

STUDIES = Path(__file__).parents[1] / "docs" / "studies"
SEEDS, FROZEN = STUDIES / "board_seeds.json", STUDIES / "board_small.json"
_SCALE = "large"
_SEED = 1  # that of the files is 0
_FURTHER = 100  # members of an ensemble have seeds of their own, none as large
_ENOUGH = 5  # pairs whose spread says something


def again(system: ConceptSystem) -> ConceptSystem:
    """A system with other seeds."""
    members = tuple(
        replace(one, train=replace(one.train, seed=one.train.seed + _FURTHER)) for one in system.member
    )
    return replace(system, train=replace(system.train, seed=_SEED), member=members)


def learnt(systems: Sequence[ConceptSystem]) -> list[ConceptSystem]:
    """Those that train networks; of some that are alike at the scale of the board, the first."""
    scale, found = scale_of(_SCALE), dict[str, "ConceptSystem"]()
    for one in systems:
        fitted = fit_system(one, scale).system
        if any(model.text is None and model.train.epochs > 0 for model in fitted.member or (fitted,)):
            found.setdefault(repr((tables(fitted), fitted.member, fitted.ensemble)), one)
    return list(found.values())


def write_files(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    chosen = learnt([read_concepts(one.name) for one in systems_of("concepts")])
    for one in chosen:
        (folder / f"{flat(one.name)}.toml").write_text(system_toml(again(one)), encoding="utf-8")
    print(f"{len(chosen)} systems in {folder}")


def scale_in(folder: BoardFolder) -> Scale:
    """The scale of all scores in a folder."""
    scales = folder.scales()
    if not scales:
        raise SystemExit(f"{folder.path} holds no score yet. Run: radcap systems reproduce --out DIR.")
    if len(scales) > 1:
        raise SystemExit(
            f"{folder.path} holds scores of the scales {', '.join(scales)}, which do not compare."
            " Run radcap systems reproduce at one --scale until no system is left."
        )
    return scale_of(scales[0])


def scores(folder: BoardFolder, names: Sequence[str], dataset: Dataset) -> dict[str, float]:
    """The F1 of each system that the folder has a score of."""
    test = dataset.split("test")
    truth = dict(zip(test.ids, test.column("cui").to_pylist(), strict=True))
    found: dict[str, float] = {}
    for name in names:
        known = folder.known(name)
        if known is not None and known.is_scored:
            report = score_concepts(folder.run(name), truth, edition=EDITION)
            found[name] = round(report["f1"].value, 4)
    return found


def read_scores(path: Path) -> dict[str, float]:
    return json.loads(path.read_text("utf-8"))["systems"]


def keep(folder: BoardFolder, names: Sequence[str], path: Path, dataset: Dataset) -> None:
    scale, found = scale_in(folder).name, scores(folder, names, dataset)
    known = json.loads(path.read_text("utf-8")) if path.exists() else {"scale": scale, "systems": {}}
    if known["scale"] != scale:
        raise SystemExit(f"{path} holds scores of the scale {known['scale']}, {folder.path} of {scale}.")
    kept = {name: one for name, one in sorted({**known["systems"], **found}.items()) if name in names}
    path.write_text(f"{json.dumps({'scale': scale, 'systems': kept}, indent=1)}\n", encoding="utf-8")
    print(f"{len(found)} of {len(kept)} scores in {path.name} are from {folder.path}")


def seeds_table(families: Mapping[str, str], board: Mapping[str, float], other: Mapping[str, float]) -> Table:
    """By how far two seeds lie apart, by family; the spread is that of one training."""
    parts: dict[str, list[float]] = {}
    for name, f1 in other.items():
        parts.setdefault(families[name], []).append(abs(f1 - board[name]))
    ranked = sorted(parts.items(), key=lambda part: -len(part[1]))
    rows = [*ranked, ("all", [one for some in parts.values() for one in some])]
    told = tuple(
        (name, str(len(some)), f"{median(some):.4f}", f"{max(some):.4f}", _spread(some))
        for name, some in rows
    )
    columns = ("family", "systems", "median difference", "largest", "standard deviation")
    return Table(columns, told, right=frozenset(columns[1:]))


def _spread(differences: Sequence[float]) -> str:
    """The standard deviation of one training: the difference of two varies twice as much."""
    if len(differences) < _ENOUGH:
        return ""
    variance = sum(one * one for one in differences) / (2 * len(differences))
    return f"{variance**0.5:.4f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parts = parser.add_subparsers(dest="what", required=True)
    parts.add_parser("seeds", help="the files of the systems").add_argument("folder", type=Path)
    keeping = parts.add_parser("keep", help="the scores of a folder")
    keeping.add_argument("folder", type=Path)
    keeping.add_argument("file", type=Path)
    asked = parser.parse_args()
    if asked.what == "seeds":
        write_files(asked.folder)
    else:
        names = [one.name for one in systems_of("concepts")]
        keep(BoardFolder(asked.folder), names, asked.file, load_dataset("radiology-open"))


if __name__ == "__main__":
    main()
