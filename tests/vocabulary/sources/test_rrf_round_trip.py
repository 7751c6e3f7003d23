"""Rows written as RRF and read back, right and wrong ones mixed."""

from __future__ import annotations

import re
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from vocabulary.rrf_samples import Atom, write_rows
from vocabulary.sources.source_readings import read

from radcap.vocabulary.concepts import cui_text
from radcap.vocabulary.sources import UmlsFilters
from radcap.vocabulary.sources.rrf.reading import read_umls

_CUIS = st.one_of(
    st.integers(1, 30).map(lambda number: f"C{number:07d}"),
    st.sampled_from(["C1", "c0000001", "", "C00000012", "C000000a", " C0000001"]),
)
_NAMES = st.text(st.characters(exclude_characters="|\n", exclude_categories=("Cs",)), max_size=10)
_ATOMS = st.builds(
    Atom,
    cui=_CUIS,
    lat=st.sampled_from(["ENG", "ENG", "SPA"]),
    sab=st.sampled_from(["MTH", "MSH", "SNOMEDCT_US"]),
    str=_NAMES,
    srl=st.sampled_from(["0", "3", "9", "x"]),
    suppress=st.sampled_from(["N", "N", "O", "?"]),
    cvf=st.sampled_from(["", "256"]),
)


def _is_out_of_place(atom: Atom) -> bool:
    return atom.srl == "x" or atom.suppress == "?"


@settings(max_examples=25, deadline=None)
@given(st.lists(_ATOMS, min_size=1, max_size=40), st.sampled_from([("ENG",), ("SPA", "ENG"), None]))
def test_good_rows_come_back_and_bad_ones_are_named(tmp_path_factory, rows, languages) -> None:
    rows = [replace(one, str=one.str.replace("\r", " ")) for one in rows]
    folder = tmp_path_factory.mktemp("rrf")
    write_rows(folder / "MRCONSO.RRF", [one.line for one in rows])
    reading, findings = read(read_umls, folder, filters=UmlsFilters(languages))
    assert reading.draft is not None
    good = [
        (number, one)
        for number, one in enumerate(rows, 1)
        if not _is_out_of_place(one) and re.fullmatch(r"C\d{7}", one.cui, re.ASCII)
    ]
    wanted = [
        (number, one)
        for number, one in good
        if one.lat in (languages or (one.lat,)) and one.srl in "09" and one.suppress == "N"
    ]
    found = [(cui_text(row["cui"]), row["name"]) for row in reading.draft.names.to_pylist()]
    assert found == [(one.cui, one.str.strip()) for _, one in wanted if one.str.strip()]
    bad = set(range(1, len(rows) + 1)) - {number for number, _ in good}
    blank = {number for number, one in wanted if not one.str.strip()}
    rows_named = {
        one.issue.line
        for one in findings.findings
        if one.issue.code in {"VOC203", "VOC204", "VOC205", "VOC214"}
    }
    assert rows_named == bad | blank
