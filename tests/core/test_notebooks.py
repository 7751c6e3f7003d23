"""What a notebook shows of runs, scores, files, datasets and mentions: true, bounded, escaped."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest
from dataset_samples import dataset_of, noise, png, row, sample

import radcap
from radcap.core import Missing, counted
from radcap.core.notebooks import html_facts, html_note, html_table
from radcap.datasets import records
from radcap.report import Table
from radcap.vocabulary.linking.mentions import Linked

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = '<script>alert("x")</script>\u202e\x00'
TRUTH = {"a": "C0040405", "b": "C0024485;C0006104"}


class Seen(HTMLParser):
    """What a browser makes of a fragment: its text, its elements, and whether each one ends."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.words: list[str] = []
        self.tags: list[str] = []
        self.opened: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert not any(name.startswith("on") for name, _ in attrs)
        self.tags.append(tag)
        if tag != "img":
            self.opened.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.opened.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def seen(value: object) -> str:
    """The words of a value in a notebook, once the markup was found sound."""
    text = value._repr_html_()  # type: ignore[attr-defined]
    found = Seen(text)
    assert found.opened == []
    assert "script" not in found.tags
    assert "\u202e" not in text
    assert "\x00" not in text
    return " ".join(found.words)


def test_a_run_shows_its_first_images_and_counts_the_rest() -> None:
    run = radcap.Run(radcap.Task.CONCEPTS, {f"image{n}": "C0040405" for n in range(1_021)}, "mine")
    told = seen(run)
    assert "Run mine of concepts, 1,021 images" in told
    assert "image19" in told
    assert "image20" not in told
    assert "and 1,001 more images" in told


def test_a_line_without_a_cell_says_so() -> None:
    assert "Run of captions, 0 images" in seen(radcap.Run(radcap.Task.CAPTIONS, {}))
    told = seen(radcap.Run(radcap.Task.CAPTIONS, {HOSTILE: None, "b": ""}, HOSTILE))
    assert "(no second cell)" in told
    assert "\\u202e" in told


def test_a_score_shows_its_value_its_signature_and_the_spread_of_its_images() -> None:
    score = radcap.Score("f1", 0.5, 3, "f1|edition:2025", ("a", "b", "c"), (0.0, 1.0, 0.5))
    told = seen(score)
    assert "0.500000" in told
    assert "f1|edition:2025" in told
    assert "median image" in told
    assert "median image" not in seen(replace(score, ids=(), values=()))
    assert "0.500000 (constant)" in seen(replace(score, signature="f1|constant:yes"))


def test_a_report_of_scores_shows_the_table_that_the_command_prints() -> None:
    report = radcap.score_concepts({"a": "C0040405", "b": "C0024485"}, TRUTH)
    told = seen(report)
    assert "0.833333" in told
    assert "edition 2025" in told
    assert "beside the score" in told
    assert "beside the score" not in seen(replace(report, habits=None))


def test_a_comparison_shows_the_board_and_the_verdict() -> None:
    runs = {"first": TRUTH, HOSTILE: {"a": "", "b": "C0024485"}}
    told = seen(radcap.compare(runs, TRUTH, "concepts", procedure=radcap.Procedure(resamples=20)))
    assert "first leads in f1" in told
    assert "95 % intervals" in told


def test_a_procedure_shows_its_numbers() -> None:
    assert "10,000" in seen(radcap.Procedure())


def test_a_checked_file_shows_its_findings_or_that_it_has_none(tmp_path: Path) -> None:
    (tmp_path / "ids.txt").write_text("a\n")
    run = tmp_path / "run.csv"
    run.write_text("a,C0040405\n<b>,C0040405\n")
    found = radcap.validate(run, "concepts", ids=tmp_path / "ids.txt")
    assert "2 rows, would be refused by edition 2026" in seen(found)
    assert found.issues[0].code in seen(found)
    run.write_text("a,C0040405\n")
    clean = replace(radcap.validate(run, "concepts", ids=tmp_path / "ids.txt"), issues=())
    assert "1 row, passes edition 2026 (clean)" in seen(clean)


def test_a_dataset_shows_its_splits_and_first_records_and_no_picture() -> None:
    told = seen(sample(30))
    assert "30 records" in told
    assert "and 10 more records" in told
    assert "Splits: train" in told
    assert "img" not in Seen(sample(3)._repr_html_()).tags
    assert "0 records" in seen(sample(3)[:0])


def test_the_licence_of_a_dataset_is_shown_where_its_card_has_one() -> None:
    dataset = sample(2)
    carded = replace(dataset, card=replace(dataset.card, licence="CC BY 4.0"))
    assert "Licence: CC BY 4.0." in seen(carded)
    assert "Licence" not in seen(replace(dataset, card=replace(dataset.card, licence="")))


def test_a_record_shows_its_picture_and_what_is_known_of_it() -> None:
    many = [f"C{n:07d}" for n in range(14)]
    fields = {"captions": HOSTILE, "cui": many, "image": "a.png"}
    dataset = dataset_of([row("a", **fields)], {"a.png": png(noise(1, 600, 300))})
    shown = dataset["a"]._repr_html_()
    assert 'src="data:image/webp;base64,' in shown
    assert 'width="256" height="128"' in shown
    assert "2 more" in seen(dataset["a"])


def test_a_record_without_a_picture_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = dataset_of([row("a", image="a.png")], {})
    assert "No picture." in seen(dataset["a"])

    def lacking(_: records.ImageRef) -> None:
        raise Missing("pydicom", "DICOM files need it.", "Run: pip install 'radcap[dicom]'")

    monkeypatch.setattr(records.ImageRef, "load", lacking)
    assert "No picture. pydicom is missing." in seen(dataset["a"])


def test_the_mentions_of_a_text_are_a_tuple_that_shows_as_a_table() -> None:
    found = radcap.link("No pleural effusion on CT of the chest")
    assert isinstance(found, tuple)
    told = seen(found)
    assert f"{len(found)} mentions" in told
    assert "C0040405" in told
    assert "absent" in told
    assert "0 mentions" in seen(Linked())


def test_a_table_is_bounded_in_rows_columns_and_letters() -> None:
    columns = tuple(f"column{n}" for n in range(500))
    table = Table(columns, (("x" * 10_000,) * 500,) * 1_000, HOSTILE, right=frozenset({"column1"}))
    shown = table._repr_html_()
    assert "and 980 more rows and 476 more columns" in seen(table)
    assert len(shown) < 300_000
    assert "text-align:right;" in shown


def test_a_small_table_counts_nothing() -> None:
    assert "more" not in html_table(("a",), [("1",)], 1)
    assert html_note("") == ""
    assert "empty" not in html_facts("title", {"empty": "", "full": "x"})


def test_one_is_never_several() -> None:
    assert [counted(n, "row") for n in (0, 1, 1_000)] == ["0 rows", "1 row", "1,000 rows"]
