"""Captions of label files and of datasets as truth: one split, one source, never a mean over both."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from dataset_samples import dataset_of, row

import radcap
from radcap.core import InputError, Run, Task, UsageError
from radcap.datasets import Dataset
from radcap.reading import compare, score_captions, true_captions

AUTHOR, MADE = "A mass of the lung.", "CT of the chest."
RUN = {"x0": "A mass of the lung.", "x1": "CT of the chest.", "x2": "CT of the chest."}
ONE = ["rouge1"]


def text(words: str, source: str = "original") -> dict[str, str]:
    return {"text": words, "source": source, "language": "en"}


def mixed() -> Dataset:
    rows = [
        row("t0", "train", captions=[text(MADE, "composed")], cui=["C1"]),
        row("x0", "test", captions=[text(AUTHOR), text(MADE, "composed")], cui=["C1"]),
        row("x1", "test", captions=[text(MADE, "composed")], cui=["C1"]),
        row("x2", "test", captions=[text(MADE, "composed")], cui=["C1"]),
    ]
    return dataset_of(rows)


@pytest.fixture(params=["parquet", "folder", "webdataset", "rocov2", "imageclef-2025"])
def data(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A saved dataset whose test images have composed captions, and one an author's."""
    mixed().save(tmp_path / "data", request.param)
    return tmp_path / "data"


# --- datasets ---


def test_each_source_of_a_folder_is_scored_by_itself(data: Path) -> None:
    original = score_captions(RUN, data, captions="original", split="test", metrics=ONE)
    composed = score_captions(RUN, str(data), captions="composed", split="test", metrics=ONE)
    assert (original.n, original["rouge1"].value) == (1, 1.0)
    assert (composed.n, composed["rouge1"].values[1:]) == (3, (1.0, 1.0))
    assert composed["rouge1"].values[0] < 1
    with pytest.raises(UsageError, match="measure different things"):
        original["rouge1"].difference(composed["rouge1"])


def test_a_folder_with_two_sources_is_never_scored_as_one(data: Path) -> None:
    with pytest.raises(UsageError, match=r"1 original and 3 composed captions\. They are scored apart\."):
        score_captions(RUN, data, split="test", metrics=ONE)


def test_a_split_must_be_named_where_there_are_several(data: Path) -> None:
    with pytest.raises(UsageError, match=r"has the splits train, test\. .* Write --split test\."):
        score_captions(RUN, data, captions="composed", metrics=ONE)
    with pytest.raises(UsageError, match="has the splits"):
        score_captions(RUN, data, metrics=ONE)


def test_one_split_alone_needs_no_name(tmp_path: Path) -> None:
    mixed().split("test").save(tmp_path / "data", "imageclef-2025")
    assert score_captions(RUN, tmp_path / "data", captions="original", metrics=ONE).n == 1
    rows = [row("a", "extra", captions="CT"), row("b", "more", captions="CT")]
    dataset_of(rows).save(tmp_path / "other")
    with pytest.raises(UsageError, match="Write --split more"):
        true_captions(tmp_path / "other")


def test_a_dataset_value_is_taken_as_it_is_or_by_a_split() -> None:
    test = mixed().split("test")
    assert score_captions(RUN, test, captions="composed", metrics=ONE).n == 3
    assert score_captions(RUN, mixed(), captions="original", split="test", metrics=ONE).n == 1
    whole = true_captions(mixed(), captions="composed")
    assert isinstance(whole, Run)
    assert len(whole) == 4


def test_the_bundled_dataset_is_found_by_its_name() -> None:
    found = true_captions("radiology-open", captions="original", split="test")
    assert isinstance(found, Run)
    assert (len(found), found.source, len(found.images)) == (25, "original", 695)


def test_runs_are_compared_on_one_source(data: Path) -> None:
    runs = {"first": RUN, "second": dict.fromkeys(RUN, "CT")}
    found = compare(runs, data, "captions", captions="composed", split="test", metrics=ONE)
    assert found.to_json()["n"] == 3
    assert "|captions:composed|" in found.comparison.primary.signature


# --- plain labels ---


def test_label_files_and_values_are_taken_as_before(tmp_path: Path) -> None:
    (tmp_path / "captions.csv").write_text("ID,Caption\nx0,A mass.\n")
    for truth in (tmp_path, tmp_path / "captions.csv", str(tmp_path), {"x0": "A mass."}):
        report = score_captions({"x0": "A mass."}, truth, metrics=ONE)
        assert report["rouge1"].value == 1.0
        assert "captions:" not in report["rouge1"].signature


@pytest.mark.parametrize("chosen", [{"captions": "original"}, {"split": "test"}])
def test_plain_labels_have_neither_sources_nor_splits(chosen: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "captions.csv"
    file.write_text("ID,Caption\nx0,A mass.\n")
    with pytest.raises(UsageError, match=r"captions\.csv is plain labels.*Leave --split and --captions out"):
        true_captions(file, **chosen)
    with pytest.raises(UsageError, match=r"^These are plain labels"):
        true_captions({"x0": "A mass."}, **chosen)


def test_a_release_of_others_is_a_dataset_when_a_split_is_named(tmp_path: Path) -> None:
    for split in ("train", "test"):
        (tmp_path / f"{split}_captions.csv").write_text(f"ID,Caption\n{split}_1,A mass.\n{split}_2,CT.\n")
    found = true_captions(tmp_path, split="test")
    assert isinstance(found, Run)
    assert (dict(found.cells), found.source) == ({"test_1": "A mass.", "test_2": "CT."}, "original")
    with pytest.raises(UsageError, match="open which one is meant"):
        score_captions({"test_1": "A mass."}, tmp_path)


@pytest.mark.parametrize(
    ("truth", "words"), [(7, "A int was given for captions"), ("nowhere", "No truth at nowhere")]
)
def test_what_is_neither_is_refused_as_before(truth: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        score_captions(RUN, truth)


def test_a_folder_of_something_else_has_no_captions(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing")
    with pytest.raises(InputError, match=r"holds no captions\.csv"):
        score_captions(RUN, tmp_path)


# --- concepts ---


@pytest.mark.parametrize("chosen", [{"captions": "original"}, {"split": "test"}])
def test_concepts_have_no_captions_to_choose(chosen: dict[str, str]) -> None:
    with pytest.raises(UsageError, match=r"choose the true captions.*Leave them out"):
        compare({"one": {"a": "C1"}}, {"a": "C1"}, "concepts", **chosen)  # type: ignore[arg-type]


def test_concepts_are_compared_as_before() -> None:
    runs = {"one": {"a": "C1", "b": "C2"}, "two": {"a": "C1", "b": "C3"}}
    found = compare(runs, {"a": "C1", "b": "C2"}, Task.CONCEPTS)
    assert found.score("one").value == 1.0


# --- the public names ---


def test_the_public_functions_are_these() -> None:
    assert radcap.score_captions is score_captions
    assert radcap.compare is compare


def test_scoring_files_loads_no_arrow() -> None:
    code = (
        "import radcap, sys\n"
        "radcap.score_captions({'a': 'ct'}, {'a': 'ct'}, metrics='bleu1')\n"
        "print('pyarrow' in sys.modules, 'radcap.datasets' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
