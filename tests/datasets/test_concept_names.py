from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from radcap.datasets.concept_names import (
    MAPPING_FILE,
    is_concept_list,
    is_mapping,
    read_concept_names,
    write_concept_names,
)
from radcap.datasets.findings import Findings

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("cui_mapping.csv", True),
        ("ImageCLEFmedical_Caption_2023_cui_mapping.csv", True),
        ("cui_to_name_synth_2026.csv", True),
        ("String_Concepts.csv", True),
        ("train_concepts.csv", False),
        ("cui_mapping.json", False),
    ],
)
def test_a_mapping_is_known_by_its_name(name: str, wanted: bool):
    assert is_mapping(name) is wanted


@pytest.mark.parametrize(
    ("name", "text", "wanted"),
    [
        ("concepts.csv", "concept\tconcept_name\nC0040405\tCT\n", True),
        ("ImageCLEFmedCaption_2022_concepts.csv", "C0040405\tCT\n", True),
        ("concepts.csv", "ID,CUIs\na,C0040405\n", False),
        ("train_captions.csv", "concept\tname\n", False),
        ("concepts.csv", "", False),
    ],
)
def test_the_concept_list_of_2022_is_told_from_a_label_file(
    tmp_path: Path, name: str, text: str, wanted: bool
):
    (tmp_path / name).write_text(text, "utf-8")
    assert is_concept_list(tmp_path / name) is wanted
    assert not is_concept_list(tmp_path / "absent_concepts.csv")


def test_names_come_from_every_mapping_and_the_first_counts(tmp_path: Path):
    (tmp_path / "concepts.csv").write_text("concept\tconcept_name\nC1\tone\n", "utf-8")
    (tmp_path / "cui_mapping.csv").write_text("CUI,Canonical name\nC1,uno\n C2 , two \n,none\n", "utf-8")
    (tmp_path / "string_concepts.csv").write_text("C3\tthree\n", "utf-8")
    (tmp_path / "cui_to_name.csv").write_text("Canonical name,CUI\nfour,C4\n", "utf-8")
    (tmp_path / "cui_mapping_short.csv").write_text("C5\n", "utf-8")
    (tmp_path / "cui_mapping_folder.csv").mkdir()
    names = read_concept_names(tmp_path, Findings())
    assert names == {"C1": "one", "C2": "two", "C3": "three", "C4": "four"}


def test_written_names_are_read_back(tmp_path: Path):
    names = {"C0040405": 'X-ray, "computed"', "C0000726": "Abdomen\nand more"}
    write_concept_names(names, tmp_path)
    assert read_concept_names(tmp_path, Findings()) == names
    assert (tmp_path / MAPPING_FILE).read_text("utf-8").startswith("CUI,Canonical name\nC0000726,")


def test_no_names_make_no_file(tmp_path: Path):
    write_concept_names({}, tmp_path)
    assert not list(tmp_path.iterdir())
