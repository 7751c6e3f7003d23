"""The page of a board: one safe file that shows every system, whatever its makers are called."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace
from typing import Any

import pytest
from safe_pages import HOSTILE, Tags, safe

from radcap.report.markup import visible
from radcap.systems.board.board import Board, BoardRow
from radcap.systems.board.limits import Limit
from radcap.systems.board.page import board_page
from radcap.systems.board.results import Result
from radcap.systems.board.shifts import TestSet

LIMITS = (Limit("2025/best", 0, 0.5, 0.4, 0.6), Limit("with all modalities right", 7, 0.75, 0.7, 0.8))
SETS = (TestSet("the whole test split", 9, 0.5, 0.4, 0.6), TestSet("CT alone", 5, 0.25, 0.2, 0.3))
GONE = Result("2025/gone-concepts", "mark", "small", why_not="Its weights are missing.")


def row(name: str, f1: float = 0.5, **given: Any) -> BoardRow:
    borrowed: bool = given.pop("borrowed", False)
    usual: dict[str, Any] = {"edition": "2025", "team": "a team", "family": "linear", "letters": "ab"}
    return BoardRow(
        name=name,
        published=0.6,
        f1=f1,
        f1_low=f1 - 0.02,
        f1_high=f1 + 0.02,
        f1_manual=f1 + 0.1,
        manual_low=f1,
        manual_high=f1 + 0.2,
        rank=1,
        by_modality={"CT": f1},
        result=Result(
            name,
            "mark",
            "small",
            ("frozen",),
            borrowed=borrowed,
            train_s=90.0,
            parameters=3_400_000,
            device="cpu",
        ),
        **usual | given,
    )


def board(*rows: BoardRow, gone: tuple[Result, ...] = ()) -> Board:
    return Board("radiology-open", 695, 419, rows, gone, {"CT": 7}, {}, ())


def texts(page: str) -> str:
    """All words of a page, as a reader sees them."""
    root = ET.fromstring(page.removeprefix("<!DOCTYPE html>"))  # noqa: S314, made by the code under test
    return " ".join(root.itertext())


def headings(found: Tags) -> list[str | None]:
    return [one["id"] for one in found.named("h2")]


def test_every_system_is_on_the_page_with_its_values() -> None:
    rows = [row(f"2025/team{n}-concepts", 0.6 - n / 100, team=f"team {n}") for n in range(30)]
    page = board_page(board(*rows, gone=(GONE,)), SETS, LIMITS)
    found, shown = safe(page), texts(page)
    for one in rows:
        assert shown.count(one.name) >= 4  # chart in two forms, ranking, changes
        assert f"{one.f1:.4f}" in shown
        assert f"{one.f1_low:.3f}-{one.f1_high:.3f}" in shown
    for words in (
        "2025/gone-concepts",
        "Its weights are missing.",
        "CT (7)",
        "CT alone",
        "-0.2500",
        "with all modalities right",
        "+0.2500",
        "team 0",
    ):
        assert words in shown
    for fact in ("radiology-open, 695 test images in 419 groups", "edition 2025", "cpu"):
        assert fact in shown
    assert headings(found) == [
        "ranking", "editions", "families", "cost", "limits", "modalities", "sets", "changes", "untrained",
    ]  # fmt: skip


def test_what_there_is_nothing_to_say_of_is_left_out() -> None:
    found = safe(board_page(board(row("only")), (), ()))
    assert headings(found) == ["ranking", "editions", "families", "cost", "modalities", "changes"]


def test_nothing_is_fetched_and_nothing_runs() -> None:
    page = board_page(board(row("a"), row("b")), SETS, LIMITS, title="My board")
    found = safe(page)
    assert "http-equiv" in found.named("meta")[1]
    assert "default-src 'none'" in (found.named("meta")[1]["content"] or "")
    assert {word for word in page.split('"') if "://" in word} <= {"http://www.w3.org/2000/svg"}
    assert page.count("My board") == 2  # title and heading


@pytest.mark.parametrize("borrowed", [False, True])
def test_systems_on_a_shipped_model_are_marked_and_the_mark_is_told(borrowed: bool) -> None:
    page = board_page(board(row("first"), row("second", borrowed=borrowed)), (), ())
    safe(page)
    assert ("second *" in texts(page)) == borrowed
    assert ("A star marks systems" in page) == borrowed


@pytest.mark.parametrize("text", HOSTILE)
def test_names_of_strangers_are_shown_and_do_nothing(text: str) -> None:
    one = row(f"x {text}", team=text, family=text, letters=text)
    one = replace(one, result=replace(one.result, changes=(text,), device=text, scale=text))
    gone = replace(GONE, name=text, why_not=text)
    sets, could = (TestSet(text, 9, 0.5, 0.4, 0.6),), (Limit(text, 0, 0.5, 0.4, 0.6),)
    page = board_page(board(one, gone=(gone,)), sets, could, title=text)
    safe(page)
    assert texts(page).count(visible(text)) >= 6
    assert "<img" not in page


@pytest.mark.parametrize("f1", [0.0, 1.0])
def test_scores_at_the_ends_are_drawn(f1: float) -> None:
    flat = replace(row("flat", f1), f1_low=f1, f1_high=f1)
    page = board_page(board(flat), (), ())
    safe(page)
    assert "nan" not in page.casefold().replace("nance", "")
    assert f"{f1:.4f}" in texts(page)
