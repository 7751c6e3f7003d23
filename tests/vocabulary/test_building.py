"""From files to a compiled vocabulary."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from vocabulary.rrf_samples import Atom, rrf_line, write_rows
from vocabulary.sources.source_readings import codes, write

from radcap.core import InputError, UsageError
from radcap.vocabulary.building import build_vocabulary
from radcap.vocabulary.findings import Findings
from radcap.vocabulary.sources import Input, UmlsFilters
from radcap.vocabulary.vocabulary import Vocabulary

if TYPE_CHECKING:
    from pathlib import Path

    from radcap.vocabulary.stamps import Stamp

OBO = """format-version: 1.2
data-version: 2024-04-26
ontology: hp
property_value: http://purl.org/dc/terms/license https://hpo.jax.org/app/license

[Term]
id: HP:1
name: Chest
xref: UMLS:C0817096

[Term]
id: HP:2
name: Lung of the chest
xref: UMLS:C0024109
is_a: HP:1
"""
RADLEX = """Class ID,Preferred Label,Synonyms
http://radlex.org/RID/RID1301,lungs,pulmo
http://radlex.org/RID/RID1,nowhere,
"""


def _build(folder: Path, *inputs: Input, **said: object) -> tuple[Stamp, Vocabulary, Findings]:
    findings = Findings()
    stamp = build_vocabulary(inputs, folder / "out.vocab", findings=findings, **said)  # pyright: ignore
    return stamp, Vocabulary.open(folder / "out.vocab"), findings


def _files(folder: Path) -> list[Input]:
    return [
        Input(write(folder / "names.csv", "CUI,Name,TUI\nC0024109,Lung,T023\n"), name="own", licence="CC0"),
        Input(write(folder / "hp.obo", OBO)),
        Input(write(folder / "RADLEX.csv", RADLEX)),
    ]


def test_files_are_joined_in_the_order_given(tmp_path) -> None:
    stamp, vocabulary, findings = _build(tmp_path, *_files(tmp_path))
    lung = vocabulary.concept("C0024109")
    assert lung is not None
    assert (lung.name, lung.synonyms) == ("Lung", ("Lung of the chest", "lungs", "pulmo"))
    assert lung.types == ("T023",)
    assert lung.sources == ("own", "HP", "RADLEX")
    assert lung.parents == ("C0817096",)
    assert vocabulary.by_code("RADLEX", "RID1301") == ("C0024109",)
    assert [code for code, _ in codes(findings)] == ["VOC301"]
    assert (stamp.name, stamp.release) == ("own + HP + RADLEX", "2024-04-26")
    assert stamp.licence.startswith("CC0; https://hpo.jax.org/app/license; RadLex License")
    assert stamp.filters == {"HP.synonyms": "EXACT"}
    assert stamp == vocabulary.stamp


def test_what_is_said_stands_in_the_stamp(tmp_path) -> None:
    told: list[str] = []
    stamp, _, _ = _build(
        tmp_path,
        *_files(tmp_path),
        name="mine",
        release="1",
        licence="free",
        told=lambda what, _: told.append(what),
    )
    assert (stamp.name, stamp.release, stamp.licence) == ("mine", "1", "free")
    assert {"names.csv", "hp.obo", "names"} <= set(told)


def test_a_release_with_filters(tmp_path) -> None:
    meta = tmp_path / "2022AB" / "META"
    write_rows(meta / "MRCONSO.RRF", [Atom("C0024109", str="Lung").line, Atom("C0817096", str="Chest").line])
    write_rows(
        meta / "MRSTY.RRF", [rrf_line("C0024109", "T023", *[""] * 4), rrf_line("C0817096", "T029", *[""] * 4)]
    )
    stamp, vocabulary, _ = _build(tmp_path, Input(meta.parent), filters=UmlsFilters(types=("T023",)))
    assert list(vocabulary) == ["C0024109"]
    assert (stamp.name, stamp.release) == ("UMLS", "2022AB")
    assert stamp.filters["UMLS.types"] == "T023"
    assert stamp.filters["UMLS.restriction_levels"] == "0;1;2;9"


def test_columns_that_are_named_tell_a_table(tmp_path) -> None:
    path = write(tmp_path / "odd.csv", "id,what\nC0024109,Lung\n")
    _, vocabulary, _ = _build(tmp_path, Input(path, columns={"cui": "id", "name": "what"}))
    assert vocabulary.name("C0024109") == "Lung"


def test_problems_of_all_files_are_collected_and_nothing_is_written(tmp_path) -> None:
    inputs = [
        Input(tmp_path / "nowhere.csv"),
        Input(write(tmp_path / "empty.csv", "")),
        Input(write(tmp_path / "names.csv", "CUI,Name\nC0024109,Lung\nC1,Heart\n")),
        Input(write(tmp_path / "odd.csv", "cui,beside\nC0024109,Lung\n")),
        Input(write(tmp_path / "none.csv", "CUI,Name\nC1,Heart\n")),
        Input(tmp_path / "gone.obo", kind="obo"),
    ]
    findings = Findings()
    with pytest.raises(InputError) as caught:
        build_vocabulary(inputs, tmp_path / "out.vocab", findings=findings)
    assert not (tmp_path / "out.vocab").exists()
    assert [one.code for one in caught.value.issues] == ["VOC101", "VOC103", "VOC105", "VOC112", "VOC101"]
    assert "VOC203" in findings.counts
    said = str(caught.value)
    assert "out.vocab was not written: There is nothing at" in said
    assert said.endswith("(4 more findings)")
    assert caught.value.path == str(tmp_path / "out.vocab")


def test_one_problem_is_said_alone(tmp_path) -> None:
    path = write(tmp_path / "odd.csv", b"CUI,Name\nC0024109,Lung\n")
    with pytest.raises(InputError) as caught:
        build_vocabulary([Input(path, columns={"cui": "id"})], tmp_path / "out", findings=Findings())
    assert "more findings" not in str(caught.value)


def test_terms_that_stand_nowhere_make_no_vocabulary(tmp_path) -> None:
    findings = Findings()
    with pytest.raises(InputError, match="no term could be placed on a concept"):
        build_vocabulary(_files(tmp_path)[2:], tmp_path / "out", findings=findings)
    assert [code for code, _ in codes(findings)] == ["VOC302", "VOC112"]


def test_a_release_that_is_refused_makes_no_vocabulary(tmp_path) -> None:
    write_rows(tmp_path / "MRCONSO.RRF", [Atom("C0024109", lat="GER").line])
    with pytest.raises(InputError, match=r"MRCONSO\.RRF is left: no row fits languages ENG"):
        build_vocabulary([Input(tmp_path)], tmp_path / "out", findings=Findings())


def test_without_files_nothing_is_asked(tmp_path) -> None:
    with pytest.raises(UsageError, match="No file was given"):
        build_vocabulary([], tmp_path / "out", findings=Findings())


def test_an_unknown_kind_is_refused(tmp_path) -> None:
    with pytest.raises(UsageError, match="no kind of source 'owl'"):
        build_vocabulary([Input(tmp_path, kind="owl")], tmp_path / "out", findings=Findings())
