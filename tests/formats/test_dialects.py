"""The table of run files, edition by edition, as section 10 of the specification has it."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from radcap.core import CUI_SETS, MODALITIES, Task, UsageError
from radcap.formats import DIALECTS, EDITIONS, Header, dialect

C, K = Task.CONCEPTS, Task.CAPTIONS
ANY = (",", "\t", "|")


class Row(NamedTuple):
    separators: tuple[str, ...]
    quoting: bool
    header: Header
    zipped: bool | None
    runs: int | None
    cuis: int | None = None


TABLE = {
    ("2017", C): Row(("\t",), False, Header.NONE, False, 10),
    ("2018", C): Row(("\t",), False, Header.NONE, False, 10, 1286),
    ("2019", C): Row(("\t",), False, Header.NONE, False, None),
    ("2020", C): Row(("\t",), False, Header.NONE, False, 10, 150),
    ("2021", C): Row(("|",), False, Header.NONE, False, 10),
    ("2022", C): Row(("|",), False, Header.NONE, False, 10, 100),
    ("2023", C): Row(ANY, True, Header.CONTAINS_ID, False, 10, 100),
    ("2024", C): Row((",",), True, Header.CONTAINS_ID, False, 10, 100),
    ("2025", C): Row((",",), True, Header.CONTAINS_ID, True, 30, 100),
    ("2026", C): Row((",",), True, Header.EXACT, True, None, 100),
    ("rocov2", C): Row((",",), True, Header.OPTIONAL, None, None, 100),
    ("radcap", C): Row(ANY, True, Header.OPTIONAL, None, None, 100),
    ("2017", K): Row(("\t",), False, Header.NONE, False, 10),
    ("2018", K): Row(("\t",), False, Header.NONE, False, 10),
    ("2021", K): Row(("|",), False, Header.NONE, False, 10),
    ("2022", K): Row(("|",), False, Header.NONE, False, 10),
    ("2023", K): Row(ANY, True, Header.OPTIONAL, False, 10),
    ("2024", K): Row((",",), True, Header.OPTIONAL, False, 10),
    ("2025", K): Row((",",), True, Header.NEEDED, True, 30),
    ("2026", K): Row((",",), True, Header.EXACT, True, None),
    ("rocov2", K): Row((",",), True, Header.OPTIONAL, None, None),
    ("radcap", K): Row(ANY, True, Header.OPTIONAL, None, None),
}


@pytest.mark.parametrize(("edition", "task"), TABLE)
def test_the_row_of_the_table(edition: str, task: Task) -> None:
    form = dialect(edition, task)
    found = Row(form.separators, form.quoting, form.header, form.zipped, form.max_runs, form.max_cuis)
    assert found == TABLE[edition, task]


def test_the_table_has_every_dialect_and_no_other() -> None:
    assert set(DIALECTS) == set(TABLE)


def test_only_2026_fixes_the_order_of_the_rows() -> None:
    assert {edition for (edition, _), form in DIALECTS.items() if form.ordered} == {"2026"}


def test_only_the_captions_of_2026_are_checked_line_by_line() -> None:
    assert [key for key, form in DIALECTS.items() if form.linewise] == [("2026", K)]


def test_parts_are_not_stripped_before_2021() -> None:
    raw = {edition for (edition, task), form in DIALECTS.items() if task is C and not form.strip_parts}
    assert raw == {"2017", "2018", "2019", "2020"}


@pytest.mark.parametrize(
    ("edition", "cuis"),
    [("2022", None), ("2023", "manual14"), ("2024", "manual14"), ("2025", "manual15"), ("2026", "manual15")],
)
def test_the_modalities_are_those_of_the_secondary_score(edition: str, cuis: str | None) -> None:
    expected = CUI_SETS[cuis].cuis & set(MODALITIES) if cuis else frozenset()
    assert dialect(edition, C).modalities == expected


def test_the_id_trap_is_set_in_the_concept_runs_of_2023_to_2026() -> None:
    skipping = {key for key, form in DIALECTS.items() if form.skips_ids_with_id}
    assert skipping == {("2023", C), ("2024", C), ("2025", C), ("2026", C)}


def test_the_column_names() -> None:
    assert dialect("2026", C).columns == ("ID", "CUIs")
    assert dialect("2026", K).columns == ("ID", "Caption")


@pytest.mark.parametrize("edition", ["2019", "2020"])
def test_a_subtask_that_was_not_held_is_refused_with_those_that_were(edition: str) -> None:
    with pytest.raises(UsageError, match=rf"Edition {edition} had no captions subtask.*2018, 2021"):
        dialect(edition, K)


def test_an_unknown_edition_is_refused_with_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"'radcab'.*Nearest is 'radcap'"):
        dialect("radcab", C)


def test_the_editions_are_ten_years_and_two_more() -> None:
    assert list(EDITIONS) == [*map(str, range(2017, 2027)), "rocov2", "radcap"]
