"""The sets by which editions restrict a score, against the table of the specification, section 2."""

from __future__ import annotations

import pytest

from radcap.core import CUI_SETS, DIRECTIONS, NAMES, UsageError, cui_set

# CUI, name, in the set of 2023-24, in the set of 2025-26
TABLE = """
C0002978 | Angiogram | x | x
C0040405 | X-ray computed tomography | x | x
C0024485 | Magnetic resonance imaging | x | x
C0032743 | Positron emission tomography | x | x
C0041618 | Ultrasonography | x | x
C1306645 | Plain x-ray | x | x
C1140618 | Upper extremity | x | x
C0037949 | Spine | x | x
C0030797 | Pelvis | x | x
C0023216 | Lower extremity | x | x
C0037303 | Cranium | x | x
C0817096 | Chest | x | x
C0006141 | Breast | x | x
C0000726 | Abdomen | x | x
C0920367 | Optical coherence tomography | | x
"""
ROWS = [tuple(cell.strip() for cell in line.split("|")) for line in TABLE.strip().splitlines()]
SET14 = {row[0] for row in ROWS if row[2]}
SET15 = {row[0] for row in ROWS if row[3]}
BREAST, ANGIOGRAM, PET_CT = "C0006141", "C0002978", "C1699633"
FOUR_DIRECTIONS = {"C1999039", "C1996865", "C0205129", "C0205131"}

EXPECTED = {
    "manual14": SET14,
    "manual15": SET15,
    "manual2022-documented": SET14 - {ANGIOGRAM} | {PET_CT},
    "manual2025-documented": SET15 - {BREAST} | {PET_CT},
    "rocov2-manual": SET14 | FOUR_DIRECTIONS,
    "rocov2-manual-no-direction": SET14,
}


def test_the_table_of_the_specification_has_14_and_15_rows() -> None:
    assert (len(SET14), len(SET15), SET15 - SET14) == (14, 15, {"C0920367"})


def test_there_are_these_sets_and_no_others() -> None:
    assert list(CUI_SETS) == list(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_set_holds_exactly_the_concepts_of_the_specification(name: str) -> None:
    assert cui_set(name).cuis == EXPECTED[name]
    assert cui_set(name).name == name


@pytest.mark.parametrize(("cui", "name"), [(row[0], row[1]) for row in ROWS])
def test_concepts_are_shown_by_the_names_of_the_specification(cui: str, name: str) -> None:
    assert NAMES[cui] == name


def test_directions_are_the_four_of_rocov2() -> None:
    assert set(DIRECTIONS) == FOUR_DIRECTIONS


@pytest.mark.parametrize("name", EXPECTED)
def test_a_set_as_json_lists_its_concepts_sorted_and_named(name: str) -> None:
    cuis = [{"cui": cui, "name": NAMES[cui]} for cui in sorted(EXPECTED[name])]
    assert cui_set(name).to_json() == {"name": name, "source": cui_set(name).source, "cuis": cuis}
    assert cui_set(name).source


def test_an_unknown_set_is_refused_with_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"There is no CUI set 'manual16'\. Nearest is 'manual15'\. Known: "):
        cui_set("manual16")
