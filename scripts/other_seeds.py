"""The files of the board's single networks with another seed, to see how much of a score is luck.

.venv/bin/python scripts/other_seeds.py DIR
radcap systems reproduce --scale large --only DIR/... --out AGAIN
.venv/bin/python scripts/write_board.py BOARD --again AGAIN

Systems that a board trains alike are there once.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from radcap.detection.system import tables
from radcap.detection.system_reading import system_toml
from radcap.systems import read_concepts, systems_of
from radcap.systems.board.fitting import fit_system
from radcap.systems.board.results import flat
from radcap.systems.board.scales import scale_of


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=1, help="In place of each file's, which is 0 (default: 1).")
    parser.add_argument("--scale", default="large")
    asked = parser.parse_args()
    scale, known = scale_of(asked.scale), set[str]()
    asked.folder.mkdir(parents=True, exist_ok=True)
    for one in systems_of("concepts"):
        system = read_concepts(one.name)
        recipe = repr(tables(fit_system(system, scale).system))
        is_network = not system.member and system.text is None and system.train.epochs > 0
        if not is_network or recipe in known:
            continue
        known.add(recipe)
        again = replace(system, train=replace(system.train, seed=asked.seed))
        (asked.folder / f"{flat(one.name)}.toml").write_text(system_toml(again), encoding="utf-8")
    print(f"{len(known)} systems in {asked.folder}")


if __name__ == "__main__":
    main()
