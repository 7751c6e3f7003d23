"""`radcap dataset concepts`: a table, one concept in full, JSON, a page, and what is refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from concept_samples import CT, EFFUSION, LUNG, UNKNOWN, chest_dataset
from dataset_samples import dataset_of, row
from vocabulary_samples import write_vocabulary

from radcap.datasets import save

if TYPE_CHECKING:
    from pathlib import Path

    from commands import Command


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return save(chest_dataset(), tmp_path / "data").path


@pytest.fixture
def vocabulary(tmp_path: Path) -> Path:
    names = {CT: ["Computed tomography", "CT"], EFFUSION: ["Effusion", "pleural effusion"], LUNG: ["Lung"]}
    return write_vocabulary(tmp_path / "own.vocab", names)


def test_concepts_are_listed_with_the_words_of_the_vocabulary(radcap: Command, folder: Path) -> None:
    done = radcap("dataset", "concepts", folder)
    assert done.code == 0
    assert "5 of 5 concepts on 8 images" in done.out
    assert "Disease or Syndrome" in done.out
    assert "8 records read" in done.err


def test_top_limits_the_list(radcap: Command, folder: Path) -> None:
    done = radcap("dataset", "concepts", folder, "--top", "2", "--json")
    assert [one["cui"] for one in json.loads(done.out)["concepts"]] == [EFFUSION, CT]
    assert radcap("dataset", "concepts", folder, "--top", "0").code == 2


def test_one_concept_is_told_in_full(radcap: Command, folder: Path) -> None:
    done = radcap("dataset", "concepts", folder, EFFUSION)
    assert done.code == 0
    for title in ("By split", "In the captions of 6 images", "Most often on the same image"):
        assert title in done.out


def test_an_own_vocabulary_gives_the_words(radcap: Command, folder: Path, vocabulary: Path) -> None:
    done = radcap("dataset", "concepts", folder, EFFUSION, UNKNOWN, "--vocab", vocabulary, "--json")
    found = json.loads(done.out)
    assert found["vocabulary"] == "small 2026"
    assert [one["name"] for one in found["concepts"]] == ["Effusion", ""]


def test_a_vocabulary_that_is_not_there_is_refused(radcap: Command, folder: Path, tmp_path: Path) -> None:
    done = radcap("dataset", "concepts", folder, "--vocab", tmp_path / "absent.vocab")
    assert done.code == 1
    assert "absent.vocab" in done.err


def test_a_split_and_the_manual_labels_can_be_chosen(radcap: Command, folder: Path) -> None:
    test = json.loads(radcap("dataset", "concepts", folder, "--split", "test", "--json").out)
    assert (test["images"], test["unique"]) == (3, 3)
    manual = json.loads(radcap("dataset", "concepts", folder, "--manual", "--json").out)
    assert [(one["cui"], one["images"]) for one in manual["concepts"]] == [(CT, 1)]
    assert radcap("dataset", "concepts", folder, "--split", "trian").code == 2


def test_a_page_is_written(radcap: Command, folder: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = radcap("dataset", "concepts", folder, EFFUSION, "--out", page)
    assert (done.code, done.out) == (0, "")
    assert f"1 concept, page written to {page}" in done.err
    assert f'<h2 id="{EFFUSION}">' in page.read_text("utf-8")


def test_a_page_and_json_can_be_had_at_once(radcap: Command, folder: Path, tmp_path: Path) -> None:
    done = radcap("dataset", "concepts", folder, CT, "--out", tmp_path / "page.html", "--json")
    assert json.loads(done.out)["concepts"][0]["cui"] == CT
    assert (tmp_path / "page.html").is_file()


def test_a_page_takes_no_other_ending_and_no_file_of_the_data(radcap: Command, folder: Path) -> None:
    assert radcap("dataset", "concepts", folder, "--out", folder / "page.txt").code == 2
    (folder / "page.html").write_text("mine", "utf-8")
    assert radcap("dataset", "concepts", folder, "--out", folder / "page.html").code == 2
    assert (folder / "page.html").read_text("utf-8") == "mine"


def test_other_cuis_are_refused_with_the_nearest(radcap: Command, folder: Path) -> None:
    done = radcap("dataset", "concepts", folder, "c0032227", "C0000001")
    assert (done.code, done.out) == (2, "")
    assert "'c0032227' is no CUI" in done.err
    assert "Nearest is C0032227" in done.err
    assert "C0000001 stands on no image" in done.err


def test_a_dataset_without_concepts_is_refused(radcap: Command, tmp_path: Path) -> None:
    bare = save(dataset_of([row("a", captions="CT")]), tmp_path / "bare").path
    done = radcap("dataset", "concepts", bare)
    assert done.code == 1
    assert "has no concepts on its 1 record." in done.err
    manual = save(dataset_of([row("a", cui=[CT])]), tmp_path / "automatic").path
    assert radcap("dataset", "concepts", manual, "--manual").code == 1
