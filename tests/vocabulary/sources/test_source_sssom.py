"""Mappings in the SSSOM format."""

from __future__ import annotations

import gzip

import pytest
from vocabulary.sources.source_readings import codes, read, write

from radcap.vocabulary.findings import Findings
from radcap.vocabulary.sources import Input
from radcap.vocabulary.sources.sssom import read_sssom

# In the form of Mondo's mappings; the rows are ours.
SAMPLE = """# curie_map:
#   MONDO: http://purl.obolibrary.org/obo/MONDO_
# license: "https://creativecommons.org/publicdomain/zero/1.0/"
# mapping_set_id: http://example.org/mondo.sssom.tsv
# mapping_set_version: http://example.org/releases/2026-08-04/mondo.sssom.tsv
# subject_source: infores:mondo
subject_id\tsubject_label\tpredicate_id\tobject_id\tpredicate_modifier
MONDO:1\tdisease\tskos:exactMatch\tUMLS:C0012634\t
MONDO:2\tstroke\thttp://www.w3.org/2004/02/skos/core#exactMatch\thttp://example.org/umls/id/C0038454\t
MONDO:2\tstroke\tskos:exactMatch\tUMLS:C0038455\t
MONDO:3\tbroader\tskos:broadMatch\tUMLS:C0000001\t
MONDO:4\tnot so\tskos:exactMatch\tUMLS:C0000002\tNot
MONDO:5\telsewhere\tskos:exactMatch\tSCTID:1\t
MONDO:6\tsmall\tskos:exactMatch\tUMLS:c0000003\t
MONDO:7\tshort row
"""


def test_exact_matches_give_names_and_the_others_are_counted(tmp_path) -> None:
    reading, findings = read(read_sssom, write(tmp_path / "m.sssom.tsv.gz", gzip.compress(SAMPLE.encode())))
    assert [(one.code, one.names, one.cuis, one.line) for one in reading.terms] == [
        ("MONDO:1", ("disease",), (12634,), 8),
        ("MONDO:2", ("stroke",), (38454, 38455), 9),
    ]
    assert codes(findings)[:2] == [("VOC204", 14), ("VOC201", 15)]
    assert [
        str(one).partition("VOC116 ")[2].partition(" were left out")[0] for one in findings.findings[2:]
    ] == [*("1 rows", "1 rows", "1 rows")]


def test_the_comments_say_what_it_is(tmp_path) -> None:
    about = read(read_sssom, write(tmp_path / "m.tsv", SAMPLE))[0].about
    assert (about.name, about.release) == ("MONDO", "2026-08-04")
    assert about.licence == "https://creativecommons.org/publicdomain/zero/1.0/"
    assert about.attribution == "http://example.org/mondo.sssom.tsv"


@pytest.mark.parametrize(("version", "release"), [("# mapping_set_version: v7\n", "v7"), ("", "")])
def test_without_comments_the_file_names_it(tmp_path, version, release) -> None:
    text = (
        f"{version}subject_id,subject_label,predicate_id,object_id\nX:1,Lung,skos:exactMatch,UMLS:C0024109\n"
    )
    reading, _ = read(read_sssom, write(tmp_path / "own.sssom.csv", text))
    assert (reading.about.name, reading.about.release) == ("OWN", release)
    assert reading.terms[0].cuis == (24109,)


def test_missing_columns_are_named(tmp_path) -> None:
    reading, findings = read(
        read_sssom, write(tmp_path / "m.tsv", "#x: 1\nsubject_id\tobject_id\nX:1\tUMLS:C1\n")
    )
    assert reading.terms == ()
    assert codes(findings) == [("VOC105", 2), ("VOC105", 2)]


@pytest.mark.parametrize("text", ["", "# only: comments\n"])
def test_a_file_without_rows_gives_nothing(tmp_path, text) -> None:
    assert read(read_sssom, write(tmp_path / "m.tsv", text))[0].terms == ()


def test_a_header_that_is_no_text_is_refused(tmp_path) -> None:
    _, findings = read(read_sssom, write(tmp_path / "m.tsv", b"subject_id\tobject_id\xe9\n"))
    assert codes(findings) == [("VOC202", 1), *[("VOC105", 1)] * 4]


def test_reading_is_told(tmp_path) -> None:
    told: list[int] = []
    read_sssom(Input(write(tmp_path / "m.tsv", SAMPLE)), Findings(), lambda _, n: told.append(n))
    assert told == [0]
