"""Ids: one slip is one finding."""

from __future__ import annotations

from array import array
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from radcap.core import Level
from radcap.formats.ids import misplaced

if TYPE_CHECKING:
    from collections.abc import Callable

    from radcap.core import Issue
    from radcap.formats import Validation

IDS = [f"x_test_{number}" for number in range(1, 10)]
NOTES = {"RUN103", "RUN310", "RUN312"}


def found_in(check: Callable[..., Validation], rows: list[str], edition: str = "2026") -> list[Issue]:
    """The findings about ids in a run of these rows."""
    text = "ID,CUIs\n" + "".join(f"{row},C0040405\n" for row in rows)
    return [issue for issue in check(text, edition, ids=IDS).issues if issue.code not in NOTES]


@pytest.mark.parametrize("absent", IDS)
def test_a_missing_line_is_one_issue_wherever_it_is_missing(
    absent: str, check: Callable[..., Validation]
) -> None:
    (issue,) = found_in(check, [one for one in IDS if one != absent])
    assert issue.code == "RUN207"
    assert issue.message == f"1 of 9 ids are absent, e.g. {absent}. Every image needs a row."


def test_a_row_moved_from_the_end_to_the_start_is_one_issue(check: Callable[..., Validation]) -> None:
    (issue,) = found_in(check, [IDS[-1], *IDS[:-1]])
    assert (issue.code, issue.line) == ("RUN208", 2)
    assert issue.message == "Position 1 holds x_test_9. x_test_1 is expected there."
    assert issue.hint == "Sort rows as in ids.csv."


def test_a_row_moved_from_the_start_to_the_end_is_one_issue(check: Callable[..., Validation]) -> None:
    (issue,) = found_in(check, [*IDS[1:], IDS[0]])
    assert (issue.code, issue.line) == ("RUN208", 10)
    assert issue.message == "Position 9 holds x_test_1. No further row is expected there."


def test_a_row_moved_inside_the_file_names_the_id_that_belongs_there(
    check: Callable[..., Validation],
) -> None:
    (issue,) = found_in(check, [*IDS[:2], IDS[6], *IDS[2:6], *IDS[7:]])
    assert issue.line == 4
    assert issue.message == "Position 3 holds x_test_7. x_test_3 is expected there."


@given(st.sampled_from(IDS), st.integers(0, len(IDS) - 1))
@settings(max_examples=40, deadline=None)
def test_any_one_row_that_moved_is_one_issue(check: Callable[..., Validation], row: str, place: int) -> None:
    rows = [one for one in IDS if one != row]
    rows.insert(place, row)
    found = [issue.code for issue in found_in(check, rows)]
    assert found == ([] if rows == IDS else ["RUN208"])


def test_a_missing_line_and_a_moved_one_are_two_issues(check: Callable[..., Validation]) -> None:
    rows = [IDS[0], IDS[7], *IDS[2:7], IDS[8]]
    assert [issue.code for issue in found_in(check, rows)] == ["RUN207", "RUN208"]


def test_where_any_order_is_accepted_one_note_is_enough(check: Callable[..., Validation]) -> None:
    (issue,) = found_in(check, IDS[::-1], "2025")
    assert (issue.code, issue.level, issue.line) == ("RUN208", Level.INFO, 2)


def test_a_run_of_another_split_is_one_issue_and_what_is_missing(check: Callable[..., Validation]) -> None:
    missing, foreign = found_in(check, [f"x_valid_{number}" for number in range(1, 10)])
    assert missing.code == "RUN207"
    assert (foreign.code, foreign.line) == ("RUN213", 2)
    assert foreign.message == "Ids of x_valid_*, the valid set: 9. This task scores x_test_* of ids.csv."
    assert foreign.hint == "Send the matching run."


def test_a_run_of_another_edition_is_one_issue_also_with_file_endings(
    check: Callable[..., Validation],
) -> None:
    found = found_in(check, [f"old{number}.jpg" for number in range(9)])
    assert [issue.code for issue in found] == ["RUN207", "RUN213"]
    assert found[1].message.startswith("Ids of old*: 9. ")


def test_a_few_rows_of_another_split_are_named_one_by_one(check: Callable[..., Validation]) -> None:
    found = found_in(check, [*IDS, "x_valid_1", "x_valid_2"])
    assert [(issue.code, issue.line) for issue in found] == [("RUN205", 11), ("RUN209", 11), ("RUN205", 12)]


def test_an_unknown_id_is_named_with_split_and_source(check: Callable[..., Validation]) -> None:
    (issue,) = [one for one in found_in(check, [*IDS[:8], "x_test_77"]) if one.code == "RUN205"]
    assert issue.line == 10
    assert issue.message == "Id x_test_77 on line 10. It is not in the test set of 2026."
    assert issue.hint == "Use the ids of ids.csv."


def test_bare_numbers_belong_to_no_other_split(check: Callable[..., Validation]) -> None:
    found = found_in(check, ["1", "2", "3"])
    assert [issue.code for issue in found] == ["RUN207", "RUN205", "RUN205", "RUN205"]


def test_a_repeated_id_names_both_lines(check: Callable[..., Validation]) -> None:
    (issue,) = found_in(check, [*IDS[:3], IDS[1], *IDS[3:]])
    assert (issue.code, issue.line) == ("RUN206", 5)
    assert issue.message == "Id x_test_2 is on lines 3 and 5. One row per image."


def test_a_repeated_unknown_id_is_unknown_once_and_repeated_once(check: Callable[..., Validation]) -> None:
    found = found_in(check, ["x_test_77", *IDS[:5], "x_test_77", *IDS[5:]])
    assert [(issue.code, issue.line) for issue in found] == [("RUN205", 2), ("RUN206", 8)]


def test_rows_behind_the_last_id_are_counted_once(check: Callable[..., Validation]) -> None:
    found = found_in(check, [*IDS, *IDS[:3]])
    assert [issue.code for issue in found].count("RUN206") == 3
    (issue,) = [one for one in found if one.code == "RUN209"]
    assert issue.line == 11
    assert issue.message == "Rows after the last id: 3. 9 images exist."


def test_no_row_is_surplus_while_others_are_missing(check: Callable[..., Validation]) -> None:
    found = found_in(check, [*IDS[:5], "x_test_77"])
    assert "RUN209" not in {issue.code for issue in found}


def test_a_file_ending_is_removed_only_where_that_makes_the_id_known(
    check: Callable[..., Validation],
) -> None:
    (issue,) = found_in(check, [f"{IDS[0]}.jpg", *IDS[1:]])
    assert (issue.code, issue.line, issue.column) == ("RUN211", 2, 9)
    assert (issue.message, issue.hint) == (
        "Id x_test_1.jpg on line 2. Ids carry no file ending.",
        "Remove .jpg.",
    )
    found = check("ID,CUIs\na1.jpg,C1\na2,C2\n", ids=["a1.jpg", "a2"])
    assert found.ok


def test_an_id_with_blanks_and_ending_has_two_slips_and_is_still_known(
    check: Callable[..., Validation],
) -> None:
    found = found_in(check, [f" {IDS[0]}.png ", *IDS[1:]])
    assert [(issue.code, issue.column) for issue in found] == [("RUN204", 1), ("RUN211", 10)]


def test_a_row_without_an_id_is_named_and_adds_no_image(check: Callable[..., Validation]) -> None:
    found = found_in(check, ["", *IDS])
    assert [(issue.code, issue.line) for issue in found] == [("RUN210", 2)]


# `misplaced` against a search through all subsets.


def ascends(order: list[int]) -> bool:
    return all(first < second for first, second in pairwise(order))


def fewest_to_remove(order: list[int]) -> int:
    return next(
        n
        for n in range(len(order) + 1)
        for gone in combinations(range(len(order)), n)
        if ascends([place for row, place in enumerate(order) if row not in gone])
    )


@given(st.lists(st.integers(0, 20), unique=True, max_size=8))
@settings(max_examples=100, deadline=None)
def test_misplaced_rows_are_the_fewest_whose_removal_leaves_an_ascending_rest(order: list[int]) -> None:
    wrong = misplaced(array("L", order))
    assert ascends([place for row, place in enumerate(order) if row not in wrong])
    assert len(wrong) == fewest_to_remove(order)
    assert wrong == sorted(wrong)


def test_misplaced_is_quick_on_a_reversed_run() -> None:
    assert misplaced(array("L", range(100_000, 0, -1))) == list(range(99_999))
