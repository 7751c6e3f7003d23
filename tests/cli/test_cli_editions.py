"""`radcap editions`: all, one with every disagreement, and the published boards."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from radcap.core import Task
from radcap.metrics import BOARDS, EDITIONS, board, differences

if TYPE_CHECKING:
    from commands import Command


def words(text: str) -> str:
    return " ".join(text.split())


def test_all_editions_are_listed_a_line_each(radcap: Command) -> None:
    lines = [line.split() for line in radcap("editions").out.splitlines() if line.strip()]
    assert [line[0] for line in lines if line[0] in EDITIONS] == list(EDITIONS)


@pytest.mark.parametrize("name", EDITIONS)
def test_an_edition_names_each_difference_between_code_and_documents(name: str, radcap: Command) -> None:
    done = radcap("editions", name)
    assert done.code == 0
    numbered = [line.split() for line in done.out.splitlines() if line.split()[:1]]
    rows = {line[0]: " ".join(line[1:]) for line in numbered if line[0].isdigit() and line[1] != "/"}
    assert set(rows) == {str(one.number) for one in differences(name)}
    for one in differences(name):
        assert rows[str(one.number)].startswith(f"{one.task} {one.topic} ")


def test_2025_tells_both_sides_of_what_changes_a_concept_score(radcap: Command) -> None:
    told = words(radcap("editions", "2025").out)
    for phrase in (
        "15 CUIs with breast, without PET/CT",
        "no breast, combined PET/CT listed",
        "manual15 (15 CUIs)",
        "manual2025-documented (15 CUIs)",
        "zip with submission.csv",
    ):
        assert phrase in told


@pytest.mark.parametrize("name", EDITIONS)
def test_an_edition_as_json_holds_its_differences(name: str, radcap: Command) -> None:
    told = json.loads(radcap("editions", name, "--json").out)
    assert told["name"] == name
    assert [one["number"] for one in told["differences"]] == [one.number for one in differences(name)]


def test_all_editions_as_json_are_one_list(radcap: Command) -> None:
    assert [one["name"] for one in json.loads(radcap("editions", "--json").out)] == list(EDITIONS)


@pytest.mark.parametrize("task", Task)
@pytest.mark.parametrize("name", BOARDS)
def test_a_board_is_printed_with_every_team(name: str, task: Task, radcap: Command) -> None:
    done = radcap("editions", name, "--board", task.value)
    assert done.code == 0
    for row in board(name, task):
        assert row.team in done.out


def test_a_board_as_json_is_a_list_of_rows(radcap: Command) -> None:
    told = json.loads(radcap("editions", "2022", "--board", "concepts", "--json").out)
    assert told == [row.to_json() for row in board("2022", Task.CONCEPTS)]


def test_a_board_without_its_edition_is_refused(radcap: Command) -> None:
    done = radcap("editions", "--board", "concepts")
    assert (done.code, done.out) == (2, "")
    assert "2017, 2022, 2023, 2025, 2026" in done.err
