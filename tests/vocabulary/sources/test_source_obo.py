"""OBO ontologies."""

from __future__ import annotations

import gzip
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vocabulary.sources.source_readings import codes, names, parents, read, silent, write

from radcap.vocabulary.findings import Findings
from radcap.vocabulary.sources import Input
from radcap.vocabulary.sources.obo import read_obo
from radcap.vocabulary.sources.terms import draft_of_terms

if TYPE_CHECKING:
    from radcap.vocabulary.drafts import Draft
    from radcap.vocabulary.sources import Reading

# In the form of HPO and Mondo; the terms are ours.
SAMPLE = r"""format-version: 1.2
data-version: hp/releases/2024-04-26
subsetdef: common "Frequent"
default-namespace: human_phenotype
remark: Please cite the ontology.
ontology: hp.obo
property_value: http://purl.org/dc/elements/1.1/title "Human Phenotype Ontology" xsd:string
property_value: http://purl.org/dc/terms/license https://hpo.jax.org/app/license
logical-definition-view-relation: has_part

[Term]
id: HP:0000001
name: All
xref: UMLS:C0444868

[Term]
id: HP:0000002
name: Grouping term
is_a: HP:0000001 ! All

[Term]
id: HP:0001627
name: Abnormal heart\, the whole \! ! a comment
def: "A change of the heart." [PMID:1]
synonym: "Cardiac \"anomaly\"" EXACT layperson [ORCID:0000]
synonym: "Heart defect" RELATED []
synonym: "Heart" BROAD []
synonym: "Congenital heart defect" NARROW []
synonym: "No scope" []
xref: SNOMEDCT_US:13213009
xref: UMLS:C0018798 {source="MEDGEN:1", source="MONDO:equivalentTo"}
xref: UMLS:C0152021 {source="MONDO:relatedTo"}
xref: UMLS_CUI:C0018799 "Heart Diseases"
property_value: skos:exactMatch UMLS:C0018800
property_value: exactMatch http://linkedlifedata.com/resource/umls/id/C0018801
property_value: http://www.w3.org/2004/02/skos/core#broadMatch UMLS:C0018802
is_a: HP:0000002 {source="x"} ! Grouping term

[Term]
id: HP:0000057
name: obsolete Clitoromegaly
is_obsolete: true
replaced_by: HP:0008665

[Typedef]
id: has_part
name: has part
xref: UMLS:C0000099
"""


def _draft(reading: Reading) -> Draft:
    return draft_of_terms(reading.about, reading.terms, "x", Findings())


def test_terms_synonyms_concepts_and_parents(tmp_path) -> None:
    reading, findings = read(read_obo, write(tmp_path / "hp.obo", SAMPLE))
    draft = _draft(reading)
    heart = ["Abnormal heart, the whole !", 'Cardiac "anomaly"']
    assert names(draft) == {
        "C0444868": ["All"],
        **{f"C00{number}": heart for number in (18798, 18799, 18800, 18801)},
    }
    assert parents(draft) == {(f"C00{number}", "C0444868") for number in (18798, 18799, 18800, 18801)}
    assert [one.code for one in reading.terms] == ["HP:0000001", "HP:0000002", "HP:0001627"]
    assert [str(one).partition("VOC116 ")[2] for one in findings.findings] == [
        "1 cross-references were left out of hp.obo: they do not say that both are equal. Intended?",
        "4 synonyms were left out of hp.obo: their scope is not EXACT. Intended?",
        "1 terms were left out of hp.obo: they are obsolete. Intended?",
    ]


def test_the_header_says_what_it_is(tmp_path) -> None:
    reading, _ = read(read_obo, write(tmp_path / "hp.obo.gz", gzip.compress(SAMPLE.encode())))
    about = reading.about
    assert (about.name, about.title, about.release) == ("HP", "Human Phenotype Ontology", "2024-04-26")
    assert about.licence == "https://hpo.jax.org/app/license"
    assert about.attribution == "Please cite the ontology."
    assert reading.filters == {"synonyms": "EXACT"}


@pytest.mark.parametrize(
    ("header", "release"),
    [("data-version: v12", "v12"), ("date: 01:02:2020 10:00", "01:02:2020 10:00"), ("remark: none", "")],
)
def test_releases_without_a_date(tmp_path, header, release) -> None:
    reading, _ = read(read_obo, write(tmp_path / "own.obo", f"{header}\n\n[Term]\nid: X:1\nname: Lung\n"))
    assert (reading.about.name, reading.about.release) == ("OWN", release)


def test_what_its_owner_says_wins(tmp_path) -> None:
    reading, _ = read(read_obo, write(tmp_path / "hp.obo", SAMPLE), name="HPO", release="now", licence="free")
    assert (reading.about.name, reading.about.release, reading.about.licence) == ("HPO", "now", "free")


def test_other_scopes_can_be_asked_for(tmp_path) -> None:
    reading, _ = read(read_obo, write(tmp_path / "hp.obo", SAMPLE), scopes=("EXACT", "RELATED"))
    assert reading.terms[2].names[1:] == ('Cardiac "anomaly"', "Heart defect", "No scope")


def test_wrong_lines_are_named(tmp_path) -> None:
    text = b"\n[Term]\nid: X:1\nname: x\nxref: UMLS:c0000001\nxref: UMLS:C1\nsynonym: sch\xf6n\nsynonym: x\n"
    reading, findings = read(read_obo, write(tmp_path / "x.obo", text))
    assert reading.terms[0].cuis == ()
    assert codes(findings) == [("VOC202", 7), ("VOC204", 5), ("VOC203", 6), ("VOC116", 0)]


def test_stanzas_without_anything(tmp_path) -> None:
    reading, findings = read(read_obo, write(tmp_path / "x.obo", "[Term]\n\n[Term]\nid: X:1\n"))
    assert [(one.code, one.names) for one in reading.terms] == [("", ("",)), ("X:1", ("",))]
    assert codes(findings) == []
    assert read(read_obo, write(tmp_path / "x.obo", ""))[0].terms == ()


def test_reading_is_told(tmp_path) -> None:
    told: list[int] = []
    read_obo(Input(write(tmp_path / "x.obo", SAMPLE)), Findings(), lambda _, n: told.append(n))
    assert told == [0]


@pytest.mark.parametrize(
    "line",
    [
        "name: a" + " " * 100_000 + "b",
        "is_a: X:1" + " {" * 50_000,
        'synonym: "' + "\\" * 100_000,
        "property_value: " + "a/" * 50_000,
        "property_value: exactMatch " + "x" * 100_000,
        "xref: UMLS:" + " " * 100_000 + "x",
    ],
)
def test_no_line_costs_quadratic_time(tmp_path, line) -> None:
    path = write(tmp_path / "x.obo", f"[Term]\nid: X:1\n{line}\n")
    start = time.perf_counter()
    read(read_obo, path)
    assert time.perf_counter() - start < 20


_TEXT = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp")), min_size=1, max_size=12).filter(
    str.strip
)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("!", "\\!").replace("{", "\\{")


@given(st.lists(st.tuples(st.integers(1, 9_999_999), _TEXT, st.lists(_TEXT, max_size=3)), max_size=5))
def test_terms_come_back(tmp_path_factory, rows) -> None:
    stanzas = [
        "\n".join(
            (
                "[Term]",
                f"id: X:{place}",
                f"name: {_escaped(name)}",
                *(f'synonym: "{_escaped(one)}" EXACT []' for one in synonyms),
                f"xref: UMLS:C{cui:07d}",
            )
        )
        for place, (cui, name, synonyms) in enumerate(rows)
    ]
    path = write(
        tmp_path_factory.mktemp("obo") / "x.obo", "format-version: 1.2\n\n" + "\n\n".join(stanzas) + "\n"
    )
    reading = read_obo(Input(path), Findings(), silent)
    found = [(one.cuis, one.names[0].strip(), one.names[1:]) for one in reading.terms]
    assert found == [((cui,), name.strip(), tuple(synonyms)) for cui, name, synonyms in rows]
