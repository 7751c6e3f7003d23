"""A finding as text and as JSON."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from radcap.core import Issue, Level

ISSUE = Issue("RUN206", Level.ERROR, 17, 1, "Id x is on lines 4 and 17. One row per image.", "Delete one.")


def test_an_issue_prints_place_code_message_and_hint() -> None:
    assert str(ISSUE) == "17:1: RUN206 Id x is on lines 4 and 17. One row per image. Delete one."


def test_an_issue_without_hint_ends_with_its_message() -> None:
    assert str(Issue("RUN310", Level.INFO, 0, 0, "Images without a CUI: 3.", "")) == (
        "0:0: RUN310 Images without a CUI: 3."
    )


def test_an_issue_as_json_has_the_six_keys_of_the_interface() -> None:
    assert ISSUE.to_json() == {
        "code": "RUN206",
        "level": "error",
        "line": 17,
        "column": 1,
        "message": "Id x is on lines 4 and 17. One row per image.",
        "hint": "Delete one.",
    }


def test_levels_are_error_warning_info_from_grave_to_light() -> None:
    assert [level.value for level in Level] == ["error", "warning", "info"]


def test_an_issue_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        ISSUE.line = 3  # pyright: ignore[reportAttributeAccessIssue]
