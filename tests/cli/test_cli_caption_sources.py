"""`score captions` and `compare` on a dataset, and `dataset convert --captions`: sources stay apart."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from dataset_samples import dataset_of, row

from radcap.datasets import load_dataset

if TYPE_CHECKING:
    from pathlib import Path

    from commands import Command

SCORE = ("score", "captions", "run.csv", "data", "--metrics", "rouge1")


def text(words: str, source: str = "original") -> dict[str, str]:
    return {"text": words, "source": source, "language": "en"}


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A dataset with captions of two sources, and two runs on its test images."""
    rows = [
        row("t0", "train", captions=[text("CT.", "composed")]),
        row("x0", "test", captions=[text("A mass of the lung."), text("CT of the chest.", "composed")]),
        row("x1", "test", captions=[text("CT of the chest.", "composed")]),
        row("x2", "test", captions=[text("MRI of the brain.", "composed")]),
    ]
    dataset_of(rows).save(tmp_path / "data")
    ids = ("x0", "x1", "x2")
    (tmp_path / "run.csv").write_text("ID,Caption\n" + "".join(f"{one},CT of the chest.\n" for one in ids))
    (tmp_path / "other.csv").write_text("ID,Caption\n" + "".join(f"{one},A mass of it.\n" for one in ids))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_sources_are_scored_apart_and_signed(radcap: Command, data: Path) -> None:
    told = {
        source: json.loads(radcap(*SCORE, "--split", "test", "--captions", source, "--json").out)
        for source in ("original", "composed")
    }
    assert [one["n"] for one in told.values()] == [1, 3]
    for source, report in told.items():
        assert set(report) == {
            *("edition", "profile", "task", "n", "scores", "aggregates", "missing", "issues", "habits")
        }
        assert f"|captions:{source}|" in report["scores"][0]["signature"]


def test_what_was_left_out_is_told_in_one_line(radcap: Command, data: Path) -> None:
    done = radcap(*SCORE, "--split", "test", "--captions", "original")
    assert done.code == 0
    (line,) = [line for line in done.out.splitlines() if "TRU105" in line]
    assert line == (
        "data:0:0: TRU105 2 of 3 images of the run have no original caption in sample. It is scored on 1. "
        "Other captions are scored apart, see --captions."
    )
    assert "TRU105" not in radcap(*SCORE, "--split", "test", "--captions", "composed").out


def test_two_sources_are_refused_with_what_to_write(radcap: Command, data: Path) -> None:
    done = radcap(*SCORE, "--split", "test")
    assert (done.code, done.out) == (2, "")
    assert "has 1 original and 3 composed captions. They are scored apart." in done.err
    assert "--captions original or --captions composed" in done.err
    assert radcap(*SCORE).code == 2
    assert radcap(*SCORE, "--split", "test", "--captions", "composd").code == 2


def test_a_dataset_with_broken_files_is_refused_with_its_findings(radcap: Command, data: Path) -> None:
    for one in (data / "data").glob("*.parquet"):
        one.write_bytes(b"PAR1 broken")
    done = radcap(*SCORE, "--split", "test", "--captions", "composed")
    assert done.code == 1
    assert "DAT104" in done.out


def test_runs_are_compared_on_the_captions_of_one_source(radcap: Command, data: Path) -> None:
    command = ("compare", "run.csv", "other.csv", "--truth", "data", "--task", "captions", "--split", "test")
    done = radcap(*command, "--captions", "composed", "--metrics", "rouge1", "--json")
    assert (done.code, json.loads(done.out)["n"]) == (0, 3)
    one = radcap(*command, "--captions", "original", "--metrics", "rouge1")
    assert one.out.count("2 of 3 images of the run have no original caption in sample.") == 1
    assert "|captions:original|" in one.out
    assert radcap(*command, "--metrics", "rouge1").code == 2


def test_convert_keeps_captions_of_one_source(radcap: Command, data: Path) -> None:
    for source, counts in {"all": [1, 2, 1, 1], "original": [0, 1, 0, 0], "composed": [1, 1, 1, 1]}.items():
        done = radcap("dataset", "convert", "data", source, "--to", "rocov2", "--captions", source)
        assert done.code == 0
        assert [len(record.captions) for record in load_dataset(source)] == counts
    assert radcap("dataset", "convert", "data", "none", "--captions", "authors").code == 2
