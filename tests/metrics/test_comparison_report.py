"""A comparison for people: what changed between two runs, what the scores hide, the page."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import pytest

from radcap.metrics import RunComparison, compare
from radcap.metrics.comparison_report import beside_table, changes, comparison_html, differences
from radcap.report import Change
from radcap.stats import Procedure

if TYPE_CHECKING:
    from pathlib import Path

QUICK = Procedure(resamples=50, permutations=200)
TRUTH = {f"test_{place}": f"finding number {place} of the left lung" for place in range(30)}
# A dot of one colour, the smallest GIF there is.
DOT = base64.b64decode("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")


def run(better: set[int], worse: set[int]) -> dict[str, str]:
    """A run that is right about the first images, knows half of most, and nothing of the last."""

    def caption(place: int) -> str:
        if place in better:
            return f"finding number {place} of the left lung"
        return "nothing" if place in worse else "finding of the lung"

    return {f"test_{place}": caption(place) for place in range(30)}


def compared(runs: dict[str, dict[str, str]], truth: dict[str, str] = TRUTH) -> RunComparison:
    return compare(runs, truth, "captions", metrics=["rouge1"], procedure=QUICK)


def two() -> RunComparison:
    """The higher run is better on 15 images, worse on 3, equal on 12."""
    return compared({"higher": run(set(range(15)), {27, 28, 29}), "lower": run(set(), set())})


# --- changes ---


def test_differences_are_what_each_image_gains_from_the_lower_run_to_the_higher() -> None:
    found = two()
    gained = differences(found)
    assert len(gained) == 30
    assert sum(gained) / 30 == pytest.approx(found.comparison.primary.pairs[0].difference)
    assert [gain > 0 for gain in gained] == [True] * 15 + [False] * 15
    assert gained[15:27] == [0.0] * 12
    assert max(gained[27:]) < 0


def test_changes_are_the_twelve_that_improved_most_and_those_that_worsened() -> None:
    found = changes(two())
    assert [one.difference > 0 for one in found] == [True] * 12 + [False] * 3
    assert all(one.image is None for one in found)
    assert found[0] == Change(
        id=found[0].id,
        first=found[0].first,
        second=1.0,
        truth=TRUTH[found[0].id],
        first_text="finding of the lung",
        second_text=TRUTH[found[0].id],
    )
    assert {one.id for one in found[12:]} == {"test_27", "test_28", "test_29"}
    ordered = [one.difference for one in found[:12]]
    assert ordered == sorted(ordered, reverse=True)


def test_the_worst_change_comes_first_among_the_worse() -> None:
    lower = dict.fromkeys(TRUTH, "finding of the lung")
    higher = {**TRUTH, "test_1": "lung", "test_2": "nothing"}
    found = changes(compared({"lower": lower, "higher": higher}))
    assert [one.id for one in found if one.difference < 0] == ["test_2", "test_1"]


def test_no_more_than_twelve_that_worsened_are_shown() -> None:
    """Few large gains outweigh many small losses."""
    lower = {one: "finding of the left lung" if place < 20 else "x" for place, one in enumerate(TRUTH)}
    higher = {one: "finding of the lung" if place < 20 else TRUTH[one] for place, one in enumerate(TRUTH)}
    found = changes(compared({"lower": lower, "higher": higher}))
    assert [one.difference > 0 for one in found] == [True] * 10 + [False] * 12


def test_equal_runs_changed_nothing() -> None:
    found = compared({"one": TRUTH, "other": TRUTH})
    assert changes(found) == []
    assert differences(found) == [0.0] * 30


@pytest.mark.parametrize("runs", [1, 3])
def test_only_two_runs_have_changes(runs: int) -> None:
    found = compared({str(place): TRUTH for place in range(runs)})
    assert changes(found) == []
    assert differences(found) == []


def test_a_row_without_a_cell_is_shown_empty() -> None:
    truth = {"a": "C0040405", "b": "C0817096"}
    found = compare(
        {"whole": truth, "half": {"a": "C0040405", "b": None}}, truth, "concepts", procedure=QUICK
    )
    (change,) = changes(found)
    assert (change.id, change.first_text, change.second_text) == ("b", "", "C0817096")


# --- pictures ---


@pytest.mark.parametrize(
    ("ending", "kind"),
    [(".jpg", "jpeg"), (".jpeg", "jpeg"), (".png", "png"), (".webp", "webp"), (".gif", "gif")],
)
def test_pictures_of_a_folder_are_put_in_by_image_id(tmp_path: Path, ending: str, kind: str) -> None:
    (tmp_path / f"test_3{ending}").write_bytes(DOT)
    found = {one.id: one.image for one in changes(two(), tmp_path)}
    assert found["test_3"] == f"data:image/{kind};base64,{base64.b64encode(DOT).decode()}"
    assert {image for image_id, image in found.items() if image_id != "test_3"} == {None}


def picture_of(image_id: str, folder: Path) -> str | None:
    truth = {image_id: "left lung", "b": "liver"}
    found = compared({"right": truth, "wrong": {**truth, image_id: "brain"}}, truth)
    (change,) = changes(found, folder)
    assert change.id == image_id
    return change.image


@pytest.mark.parametrize(
    "image_id", ["../secret", "..\\secret", "folder/../../secret", "/secret", "a\0b", ""]
)
def test_an_id_never_leads_out_of_the_folder(tmp_path: Path, image_id: str) -> None:
    folder = tmp_path / "images"
    folder.mkdir()
    for name in ("secret.jpg", "images/.jpg"):
        (tmp_path / name).write_bytes(DOT)
    assert picture_of(image_id, folder) is None


@pytest.mark.parametrize("image_id", ["..", "x" * 300, "\ud800", "test_1"])
def test_an_id_without_a_picture_has_none(tmp_path: Path, image_id: str) -> None:
    (tmp_path / "test_1.png").mkdir()  # a folder is no picture
    assert picture_of(image_id, tmp_path) is None


def test_a_picture_of_more_than_two_megabytes_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.jpg").write_bytes(bytes(2 * 1024 * 1024))
    assert picture_of("a", tmp_path) is not None
    (tmp_path / "a.jpg").write_bytes(bytes(2 * 1024 * 1024 + 1))
    assert picture_of("a", tmp_path) is None
    (tmp_path / "a.png").write_bytes(DOT)
    assert picture_of("a", tmp_path) is not None  # a smaller one beside it serves


# --- what the scores hide, and the page ---


def test_what_stands_beside_the_scores_has_a_row_per_run_and_the_truth_last() -> None:
    table = beside_table(two())
    assert table.columns[:3] == ("run", "words per caption", "distinct captions")
    assert [row[0] for row in table.rows] == ["higher", "lower", "truth"]
    assert table.rows[1][2] == "1"
    assert table.rows[2][2] == "30"
    assert table.right == frozenset(table.columns[1:])


def test_the_page_tells_task_edition_images_ranking_and_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "test_0.png").write_bytes(DOT)
    found = compare(
        {"higher <run>": run({0, 1}, set()), "lower": run(set(), set())}, TRUTH, "captions", procedure=QUICK
    )
    page = comparison_html(found, "Two runs & a truth", tmp_path)
    assert page.startswith("<!doctype html>") or page.startswith("<!DOCTYPE html>")
    assert "Two runs &amp; a truth" in page
    assert "higher &lt;run&gt;" in page
    assert "<run>" not in page
    assert "2025, official profile" in page
    assert "overall could not be formed for every run, so rouge1 ranks." in page
    assert "Not scored, for lack of what they need: similarity, bertscore" in page
    assert "What the scores hide" in page
    assert "Improved most" in page
    assert "data:image/png;base64," in page
    assert page.count("http://") + page.count("https://") == page.count("http://www.w3.org/")


def test_the_page_of_three_runs_has_no_image_by_image_part() -> None:
    runs = {"a": run({0}, set()), "b": run({0, 1}, set()), "c": run(set(), {5})}
    page = comparison_html(compared(runs), "Three runs")
    assert "Improved most" not in page
    assert "Pair by pair" in page
    assert "Note" not in page
