"""All editions and both profiles against numbers of a plain reference script, to the last bit."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from radcap.core import InputError, Level
from radcap.metrics import EDITIONS, score_concepts

if TYPE_CHECKING:
    from writer import Writer

    from radcap.metrics import ScoreReport

GOLDEN = Path(__file__).parents[1] / "golden" / "concepts"
EXPECTED = json.loads((GOLDEN / "expected.json").read_text("utf-8"))
CASES = [(edition, way) for edition, ways in EXPECTED["scores"].items() for way in ways]
ODD_FOR_2026 = {"RUN303", "RUN305", "RUN311"}  # empty part, lower case, id alone


def cells(name: str) -> dict[str, str | None]:
    with (GOLDEN / name).open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))[1:]
    return {row[0]: row[1] if len(row) > 1 else None for row in rows}


def score_by(report: ScoreReport) -> dict[str, dict[str, float | int]]:
    wanted = ("f1", "f1_manual", "f1_manual_no_direction")
    return {one.name: {"value": one.value, "n": one.n} for one in report.scores if one.name in wanted}


@pytest.mark.parametrize(("edition", "way"), CASES)
def test_scores_equal_the_reference_to_the_last_bit(edition: str, way: str, write: Writer) -> None:
    profile, _, switch = way.partition(", empty truth ")
    truth, manual, run = cells("concepts.csv"), cells("concepts_manual.csv"), cells("run.csv")
    path, folder = write(edition, truth, run, manual)
    if edition == "2026":  # its check refuses this file, so the scorer behind it is fed with the cells
        report = score_concepts(
            run, truth, edition=edition, profile=profile, manual=manual, empty_truth=switch or None
        )
    else:
        report = score_concepts(path, folder, edition=edition, profile=profile, empty_truth=switch or None)
    assert score_by(report) == EXPECTED["scores"][edition][way]


def test_the_check_of_2026_refuses_the_odd_cells_before_the_scorer_sees_them(write: Writer) -> None:
    path, folder = write("2026", cells("concepts.csv"), cells("run.csv"), cells("concepts_manual.csv"))
    with pytest.raises(InputError) as caught:
        score_concepts(path, folder, edition="2026")
    errors = {issue.code for issue in caught.value.issues if issue.level is Level.ERROR}
    assert errors == ODD_FOR_2026


def test_every_edition_that_was_held_has_golden_numbers_for_both_profiles() -> None:
    assert set(EXPECTED["scores"]) == set(EDITIONS) - {"radcap"}
    assert all({"official", "documented"} <= set(ways) for ways in EXPECTED["scores"].values())


def test_the_golden_files_hold_the_cases_on_which_editions_disagree() -> None:
    truth, manual, run = cells("concepts.csv"), cells("concepts_manual.csv"), cells("run.csv")
    assert len(truth) == len(manual) == len(run) == 40
    assert list(manual) != list(truth)  # the order of the truth decides, not that of the manual file
    assert sum(not (cell or "").strip() for cell in truth.values()) == 4
    assert any("ID" in one for one in truth)
    for labels in (truth, run):
        written = [cell for cell in labels.values() if cell]
        assert any(cell.endswith(";") for cell in written)
        assert any(cell != cell.upper() for cell in written)
        assert any("; " in cell for cell in written)
    assert None in run.values()


def test_the_reference_script_still_prints_the_golden_numbers() -> None:
    done = subprocess.run(
        [sys.executable, str(GOLDEN / "reference.py")], capture_output=True, text=True, check=True
    )
    printed = json.loads(done.stdout)
    assert printed["scores"] == EXPECTED["scores"]
    assert printed["made"].keys() == EXPECTED["made"].keys() == {"command", "python", "scikit-learn", "numpy"}
    assert printed["made"]["command"] == EXPECTED["made"]["command"]


def test_the_reference_script_knows_nothing_of_radcap() -> None:
    lines = (GOLDEN / "reference.py").read_text("utf-8").splitlines()
    assert [line for line in lines if "radcap" in line] == [lines[0]]
