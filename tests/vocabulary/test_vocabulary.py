from __future__ import annotations

import json
import multiprocessing
import pickle
import time
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from vocabulary_samples import STAMP, draft_of, vocabulary_of, write_vocabulary

from radcap.core import InputError
from radcap.vocabulary.concepts import Concept, Retired
from radcap.vocabulary.index.arrays import open_arrays, write_arrays
from radcap.vocabulary.index.compiling import FORMAT
from radcap.vocabulary.vocabulary import Vocabulary

if TYPE_CHECKING:
    from pathlib import Path

DRAFT = draft_of(
    {
        "C0000005": ["Heart", "cor"],
        "C0000001": ["Organ"],
        "C0000003": ["Left heart"],
        "C0000002": ["Right heart"],
        "C0000004": ["Left atrium", "atrium"],
    },
    types=[("C0000005", 23), ("C0000001", 1), ("C0000004", 23), ("C0000005", 22)],
    parents=[
        ("C0000005", "C0000001"),
        ("C0000003", "C0000005"),
        ("C0000002", "C0000005"),
        ("C0000004", "C0000003"),
        ("C0000001", "C0000004"),  # a circle
    ],
    codes=[
        ("C0000005", 0, "80891009"),
        ("C0000004", 0, "8089"),
        ("C0000003", 0, "80891009"),
        ("C0000001", 1, "80891009"),
        ("C0000001", 0, "x"),
        ("C0000001", 0, "x"),
        ("C0000002", 0, "Ä"),
    ],
    retired=[("C0000009", "SY", 5), ("C0000009", "RO", 1), ("C0000008", "DEL", 0)],
)


@pytest.fixture(params=["in memory", "in a file"])
def vocabulary(request: pytest.FixtureRequest, tmp_path: Path) -> Vocabulary:
    if request.param == "in memory":
        return vocabulary_of(DRAFT)
    return Vocabulary.open(write_vocabulary(tmp_path / "x.vocab", DRAFT))


def test_concepts_by_their_cui(vocabulary: Vocabulary) -> None:
    assert len(vocabulary) == 5
    assert list(vocabulary) == [f"C000000{i}" for i in range(1, 6)]
    assert vocabulary.concept("C0000005") == Concept(
        "C0000005", "Heart", ("cor",), ("T022", "T023"), ("test",), ("C0000001",)
    )
    assert vocabulary.concept_at(4) == vocabulary.concept("C0000005")
    assert vocabulary.concept("C0000009") is None
    assert vocabulary.concept("heart") is None
    assert vocabulary.name("C0000004") == "Left atrium"
    assert vocabulary.name("C0000000") is None
    assert vocabulary.types("C0000005") == ("T022", "T023")
    assert vocabulary.types("C0000002") == vocabulary.types("C9999999") == ()
    assert ("C0000001" in vocabulary, "C0000006" in vocabulary, 1 in vocabulary) == (True, False, False)


@pytest.mark.parametrize(
    ("tui", "cuis"),
    [
        ("T023", ["C0000004", "C0000005"]),
        ("T001", ["C0000001"]),
        ("T022", ["C0000005"]),
        ("T999", []),
        ("x", []),
    ],
)
def test_concepts_of_a_type(vocabulary: Vocabulary, tui: str, cuis: list[str]) -> None:
    assert list(vocabulary.of_type(tui)) == cuis


def test_what_stands_above_and_below(vocabulary: Vocabulary) -> None:
    assert vocabulary.children("C0000005") == ("C0000002", "C0000003")
    assert vocabulary.children("C0000002") == vocabulary.children("C0000009") == ()
    assert vocabulary.ancestors("C0000004") == ("C0000003", "C0000005", "C0000001")
    assert vocabulary.ancestors("C0000009") == ()


@pytest.mark.parametrize(
    ("source", "code", "cuis"),
    [
        ("test", "80891009", ("C0000003", "C0000005")),
        ("other", "80891009", ("C0000001",)),
        ("test", "8089", ("C0000004",)),
        ("test", "x", ("C0000001",)),
        ("test", "Ä", ("C0000002",)),
        ("test", "", ()),
        ("test", "zzz", ()),
        ("test", "80", ()),
        ("nobody", "x", ()),
    ],
)
def test_concepts_by_the_codes_of_a_source(
    vocabulary: Vocabulary, source: str, code: str, cuis: tuple[str, ...]
) -> None:
    assert vocabulary.by_code(source, code) == cuis


def test_cuis_that_were_given_up(vocabulary: Vocabulary) -> None:
    assert vocabulary.retired("C0000009") == (
        Retired("C0000009", "RO", "C0000001"),
        Retired("C0000009", "SY", "C0000005"),
    )
    assert vocabulary.retired("C0000008") == (Retired("C0000008", "DEL", None),)
    assert vocabulary.retired("C0000001") == vocabulary.retired("x") == ()


def test_names_and_where_they_end(vocabulary: Vocabulary) -> None:
    atrium = vocabulary.words.number("atrium")
    ((place, name, marks),) = vocabulary.ends(atrium)
    assert (vocabulary.cui_at(place), vocabulary.names[name], marks) == ("C0000004", "atrium", 0)
    assert vocabulary.owner(name) == place
    assert vocabulary.ends(10**9) == ()
    assert vocabulary.guarded_words().tolist() == [word == "cor" for word in vocabulary.words.words]


def test_parents_that_are_not_there() -> None:
    arrays = dict(vocabulary_of(DRAFT)._arrays)
    arrays["parents.values"] = np.full(len(arrays["parents.values"]), 2**32 - 1, np.uint32)
    with pytest.raises(InputError, match="The vocabulary is not whole: it names parents that are not there"):
        Vocabulary(arrays, STAMP).children("C0000001")


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=12))
def test_any_hierarchy(pairs: list[tuple[int, int]]) -> None:
    names = {f"C000000{i}": [f"name {i}"] for i in range(5)}
    draft = draft_of(names, parents=[(f"C000000{below}", f"C000000{above}") for below, above in pairs])
    vocabulary = vocabulary_of(draft)
    known = {(below, above) for below, above in pairs if below != above and max(below, above) < 5}
    for i in range(5):
        cui = f"C000000{i}"
        concept = vocabulary.concept(cui)
        assert concept
        assert concept.parents == tuple(sorted(f"C000000{above}" for below, above in known if below == i))
        assert vocabulary.children(cui) == tuple(
            sorted(f"C000000{below}" for below, above in known if above == i)
        )
        above, new = set[int](), {i}
        while new:
            new = {b for a, b in known if a in new} - above
            above |= new
        assert set(vocabulary.ancestors(cui)) == {f"C000000{one}" for one in above - {i}}


def names_of(vocabulary: Vocabulary) -> tuple[list[str], str]:
    """In another process."""
    return list(vocabulary.names), type(vocabulary._arrays["cuis"].base).__name__


def test_a_vocabulary_goes_to_other_processes(
    vocabulary: Vocabulary, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    again = pickle.loads(pickle.dumps(vocabulary))  # noqa: S301
    assert (list(again.names), again.stamp, again.path) == (
        list(vocabulary.names),
        vocabulary.stamp,
        vocabulary.path,
    )
    monkeypatch.chdir(tmp_path)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        names, _ = pool.apply(names_of, (vocabulary,))
    assert names == list(vocabulary.names)


def test_a_path_from_here_is_found_from_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_vocabulary(tmp_path / "x.vocab", DRAFT)
    monkeypatch.chdir(tmp_path)
    pickled = pickle.dumps(Vocabulary.open("x.vocab"))
    monkeypatch.chdir("/")
    assert len(pickle.loads(pickled)) == 5  # noqa: S301
    assert len(pickled) < 300


def test_a_file_is_mapped_and_not_read(tmp_path: Path) -> None:
    """A hundred openings of some megabytes take less than one that reads them would."""
    names = {f"C{i:07d}": [f"name{i} number{i}"] for i in range(20_000)}
    path = write_vocabulary(tmp_path / "x.vocab", names)
    assert path.stat().st_size > 2_000_000
    started = time.process_time()
    opened = [Vocabulary.open(path) for _ in range(100)]
    assert time.process_time() - started < 1
    assert all(one.name("C0000007") == "name7 number7" for one in opened)
    assert opened[0]._arrays["names.letters"].base is not None
    assert not opened[0]._arrays["names.letters"].flags.owndata


def rewrite(path: Path, **changes: object) -> None:
    """The file with other arrays or notes."""
    arrays, notes = open_arrays(path)
    for name, change in changes.items():
        (notes if name in notes or isinstance(change, str) else arrays)[name.replace("__", ".")] = change  # type: ignore[index]
    write_arrays(path, {name: np.array(one) for name, one in arrays.items() if one is not None}, notes)


STAMP_TEXT = STAMP.to_text()
ODD_NOTES = {
    "no format": {"format": ""},
    "another format": {"format": "0"},
    "no stamp": {"vocabulary": ""},
    "a stamp of a list": {"vocabulary": "[]"},
    "a stamp of a number": {"vocabulary": "1"},
    "a stamp without sources": {"vocabulary": "{}"},
    "a stamp with more": {"vocabulary": json.dumps({**json.loads(STAMP_TEXT), "more": 1})},
    "odd sources": {"vocabulary": json.dumps({**json.loads(STAMP_TEXT), "sources": [1]})},
    "a deep stamp": {"vocabulary": "[" * 100_000},
    "other words": {"vocabulary": json.dumps({**json.loads(STAMP_TEXT), "words": "x"})},
}


@pytest.mark.parametrize("notes", ODD_NOTES.values(), ids=ODD_NOTES)
def test_another_version_is_not_used(tmp_path: Path, notes: dict[str, str]) -> None:
    path = write_vocabulary(tmp_path / "x.vocab", DRAFT)
    rewrite(path, **notes)
    with pytest.raises(InputError, match=r"compiled by another version of radcap\. Compile it again"):
        Vocabulary.open(path)


def test_other_arrays_are_no_vocabulary(tmp_path: Path) -> None:
    write_arrays(tmp_path / "x.vocab", {"x": np.zeros(3, np.uint8)}, {})
    with pytest.raises(InputError, match="another version"):
        Vocabulary.open(tmp_path / "x.vocab")
    write_arrays(tmp_path / "x.vocab", {}, {"format": FORMAT, "vocabulary": STAMP_TEXT})
    with pytest.raises(InputError, match=r"is not whole: it lacks 'trie\.marks'"):
        Vocabulary.open(tmp_path / "x.vocab")


NAMES_OF_ARRAYS = sorted(vocabulary_of(DRAFT)._arrays)
FREE_LENGTHS = {
    "codes.letters",
    "having.values",
    "names.letters",
    "parents.values",
    "retired.letters",
    "types.values",
    "words.letters",
}


@pytest.mark.parametrize("name", NAMES_OF_ARRAYS)
def test_an_array_is_missing_or_too_short(tmp_path: Path, name: str) -> None:
    path = write_vocabulary(tmp_path / "x.vocab", DRAFT)
    arrays, notes = open_arrays(path)
    others = {other: np.array(one) for other, one in arrays.items() if other != name}
    write_arrays(path, others, notes)
    with pytest.raises(InputError, match="is not whole"):
        Vocabulary.open(path)
    write_arrays(path, {**others, name: np.array(arrays[name][:-1])}, notes)
    if name not in FREE_LENGTHS:
        with pytest.raises(InputError, match="its parts do not fit together"):
            Vocabulary.open(path)


@pytest.mark.parametrize("name", ["", "no.vocab", "."])
def test_no_file(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=r"A compiled vocabulary is needed\. Check the path\."):
        Vocabulary.open(tmp_path / name)
