"""The list of issues: counted all, kept a thousand each, safe to print."""

from __future__ import annotations

import pytest

from radcap.core import Level, Task
from radcap.formats import Findings, dialect, named, shown


def findings(edition: str = "2026", *, strict: bool = False, kept_per_code: int = 1000) -> Findings:
    return Findings(dialect(edition, Task.CONCEPTS), strict=strict, kept_per_code=kept_per_code)


def test_issues_come_in_file_order_and_those_about_the_file_first() -> None:
    found = findings()
    found.add("RUN201", 9)
    found.add("RUN304", 2, 7, text="x")
    found.add("RUN304", 2, 4, text="y")
    found.add("RUN310", 0, 0, n=1)
    assert [(one.line, one.column) for one in found.issues] == [(0, 0), (2, 4), (2, 7), (9, 1)]


def test_no_more_than_so_many_of_a_code_are_kept_and_all_are_counted() -> None:
    found = findings(kept_per_code=2)
    for line in range(1, 6):
        found.add("RUN201", line)
    found.add("RUN310", 0, 0, n=1)
    assert found.counts == {"RUN201": 5, "RUN310": 1}
    assert [one.code for one in found.issues] == ["RUN310", "RUN201", "RUN201"]


def test_a_crowd_of_warnings_does_not_hide_the_first_error() -> None:
    found = findings(kept_per_code=2)
    for line in range(1, 5):
        found.add("RUN404", line, id="a1", last=9)
    assert not found.has_errors
    for line in range(5, 9):
        found.add("RUN404", line, id="a1", last=9, level=Level.ERROR)
    assert found.has_errors
    assert [(one.line, one.level) for one in found.issues] == [
        (1, Level.WARNING),
        (2, Level.WARNING),
        (5, Level.ERROR),
    ]
    assert found.counts["RUN404"] == 8


@pytest.mark.parametrize("code", ["RUN103", "RUN104"])
def test_strict_makes_an_error_of_packing_and_of_nothing_else(code: str) -> None:
    for edition in ("2026", "radcap"):
        found = findings(edition, strict=True)
        found.add(code, 0, 0, file="x", kind="x", wanted="x", todo="x", names="x")
        found.add("RUN312", 0, 0, n=1)
        assert [one.level for one in found.issues] == [Level.ERROR, Level.INFO]


@pytest.mark.parametrize(
    ("edition", "code", "level"),
    [
        ("2026", "RUN208", Level.ERROR),
        ("2025", "RUN208", Level.INFO),
        ("rocov2", "RUN106", Level.WARNING),
        ("radcap", "RUN106", Level.INFO),
        ("radcap", "RUN304", Level.WARNING),
    ],
)
def test_the_edition_decides_the_level(edition: str, code: str, level: Level) -> None:
    found = findings(edition)
    fields = {"position": 1, "id": "a", "expected": "b", "ids_file": "f", "consequence": "c", "text": "t"}
    found.add(code, 1, **fields)
    assert [one.level for one in found.issues] == [level]


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("plain", "'plain'"),
        ("Größe 日本", "'Größe 日本'"),
        ("a\x1b[2Jb", r"'a\x1b[2Jb'"),
        ("two\nlines", r"'two\nlines'"),
        ("\udce9", r"'\udce9'"),
        ("x" * 61, "'" + "x" * 60 + "'..."),
    ],
)
def test_a_strangers_text_is_quoted_cut_and_safe(text: str, safe: str) -> None:
    assert shown(text) == safe


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("ROCOv2_2023_test_000001", "ROCOv2_2023_test_000001"),
        ("a b", "'a b'"),
        ("", "''"),
        ("x" * 81, shown("x" * 81)),
    ],
)
def test_a_plain_id_is_named_as_it_is(text: str, safe: str) -> None:
    assert named(text) == safe
