"""Truth folders and run files as each edition writes them, cells verbatim; metrics of other packages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from metric_plug_ins import stand_in_entry_points

from radcap.metrics import caption_metrics

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from metric_plug_ins import PlugIns
    from writer import Writer

    from radcap.metrics import Measured, TextPairs

SEPARATORS = {**dict.fromkeys(("2017", "2018", "2019", "2020"), "\t"), **dict.fromkeys(("2021", "2022"), "|")}


def write_table(path: Path, cells: Mapping[str, str | None], edition: str) -> Path:
    separator = SEPARATORS.get(edition, ",")
    header = [] if edition in SEPARATORS else ["ID,CUIs"]
    rows = [one if cell is None else f"{one}{separator}{cell}" for one, cell in cells.items()]
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in [*header, *rows]), encoding="utf-8")
    return path


@pytest.fixture
def write(tmp_path: Path) -> Writer:
    def write_files(
        edition: str,
        truth: Mapping[str, str | None],
        run: Mapping[str, str | None],
        manual: Mapping[str, str | None] | None = None,
    ) -> tuple[Path, Path]:
        folder = tmp_path / "truth"
        write_table(folder / "concepts.csv", truth, edition)
        if manual is not None:
            write_table(folder / "concepts_manual.csv", manual, edition)
        return write_table(tmp_path / "run.csv", run, edition), folder

    return write_files


@pytest.fixture
def plug_ins(monkeypatch: pytest.MonkeyPatch) -> PlugIns:
    """Metrics as if packages had brought them."""

    def install(**providers: Callable[[TextPairs], Measured]) -> None:
        monkeypatch.setattr(caption_metrics, "entry_points", stand_in_entry_points(providers))

    return install
