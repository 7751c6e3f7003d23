from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vocabulary_samples import STAMP, draft_of, vocabulary_of, write_vocabulary

from radcap.core import VERSION
from radcap.vocabulary.drafts import join_drafts, make_draft
from radcap.vocabulary.index.compiling import FORMAT, compile_draft, make_arrays
from radcap.vocabulary.stamps import Source
from radcap.vocabulary.vocabulary import Vocabulary
from radcap.vocabulary.words import digest

if TYPE_CHECKING:
    from pathlib import Path

RICH = {
    "C0000003": ["Left ovary", "Structure of left ovary", "ovary, left"],
    "C0000001": ["Nonunion", "Non-union of fracture", "Union"],
    "C0000002": ["US", "us", "Ultrasound", "Echography"],
}


def counts(concepts: dict[str, list[str]]) -> dict[str, int]:
    return make_arrays(draft_of(concepts))[1]


def test_what_is_counted() -> None:
    draft = draft_of(
        {"C0000001": ["heart", "Heart", "7", ""], "C0000002": ["lung"]},
        types=[("C0000001", 23), ("C0000001", 23), ("C0000002", 24), ("C0000009", 1)],
        parents=[
            ("C0000001", "C0000002"),
            ("C0000001", "C0000001"),
            ("C0000001", "C0000009"),
            ("C0000008", "C0000002"),
        ],
        codes=[("C0000001", 0, "x"), ("C0000007", 1, "y")],
        retired=[("C0000005", "SY", 1)],
    )  # fmt: skip
    arrays, counted = make_arrays(draft)
    assert counted == {
        "concepts": 2,
        "names": 5,
        "keys": 2,
        "words": 2,
        "names_not_looked_up": 2,
        "typed": 2,
        "parents": 1,
        "codes": 1,
        "retired": 1,
        "types_without_name": 1,
        "parents_without_name": 2,
        "codes_without_name": 1,
    }
    assert len(arrays["ends.node"]) == counted["keys"]


def test_a_name_that_stands_twice_stands_once_under_its_best_rank() -> None:
    draft = make_draft(
        [Source("a"), Source("b")],
        [(1, "heart", 1, 5), (1, "Heart", 0, 3), (1, "heart", 0, 1), (1, "heart", 1, 1), (2, "heart", 1, 0)],
    )
    arrays, counted = make_arrays(draft)
    vocabulary = Vocabulary(arrays, STAMP)
    assert counted["names"] == 3
    assert [list(vocabulary.names), arrays["names.source"].tolist()] == [
        ["heart", "Heart", "heart"],
        [0, 0, 1],
    ]


def test_the_order_of_rows_makes_no_difference() -> None:
    rows = [(2, "b", 0, 1), (1, "a b", 0, 1), (1, "c d", 0, 0), (2, "c d", 1, 0), (2, "c d", 0, 2)]
    first, _ = make_arrays(make_draft([Source("a"), Source("b")], rows))
    second, _ = make_arrays(make_draft([Source("a"), Source("b")], rows[::-1]))
    assert {name: one.tobytes() for name, one in first.items()} == {
        name: one.tobytes() for name, one in second.items()
    }


def test_nothing_at_all(tmp_path: Path) -> None:
    for draft in (draft_of({}), join_drafts([]), join_drafts([draft_of({}), draft_of({})])):
        stamp = compile_draft(draft, STAMP, tmp_path / "empty.vocab")
        assert set(stamp.counts.values()) == {0}
        vocabulary = Vocabulary.open(tmp_path / "empty.vocab")
        assert (len(vocabulary), list(vocabulary), list(vocabulary.names)) == (0, [], [])
        assert vocabulary.concept("C0000001") is None


def test_the_same_draft_gives_the_same_bytes(tmp_path: Path) -> None:
    first = write_vocabulary(tmp_path / "1.vocab", RICH).read_bytes()
    assert write_vocabulary(tmp_path / "2.vocab", RICH).read_bytes() == first
    code = (
        "import sys; from pathlib import Path; sys.path[:0] = eval(sys.argv[1]);"
        "from vocabulary_samples import write_vocabulary;"
        "write_vocabulary(Path(sys.argv[2]), eval(sys.argv[3]))"
    )
    for seed in ("1", "4711"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        path = tmp_path / f"{seed}.vocab"
        subprocess.run(
            [sys.executable, "-c", code, repr(sys.path), str(path), repr(RICH)], check=True, env=environment
        )
        assert path.read_bytes() == first


def test_the_stamp_is_filled_in(tmp_path: Path) -> None:
    told: list[tuple[str, int]] = []
    stamp = compile_draft(draft_of(RICH), STAMP, tmp_path / "x.vocab", lambda what, n: told.append((what, n)))
    assert told == [("names", 0)]
    assert (stamp.radcap, stamp.words, stamp.name) == (VERSION, digest(), "small")
    assert stamp.counts["concepts"] == 3
    assert Vocabulary.open(tmp_path / "x.vocab").stamp == stamp
    assert FORMAT == "1"


def test_a_concept_with_10_000_names() -> None:
    names = [f"name{i} of it" for i in range(10_000)]
    vocabulary = vocabulary_of({"C0000001": names, "C0000002": ["other name"]})
    concept = vocabulary.concept("C0000001")
    assert concept is not None
    assert (concept.name, len(concept.synonyms)) == (names[0], 9_999)


@pytest.mark.parametrize(
    "name", ["x" * 100_000, "long word " * 10_000, "é" * 100_000, "(" * 100_000, "a-" * 50_000]
)
def test_names_of_100_000_letters_are_kept(name: str) -> None:
    vocabulary = vocabulary_of({"C0000001": [name, "heart"]})
    assert list(vocabulary.names) == [name, "heart"]


ODD = [
    "",
    " ",
    "B",
    "7",
    "123",
    "...",
    "\0",
    "a\0b",
    "🫀",
    "肺炎",
    "قلب",
    "हृदय",
    "e\u0301",
    "\u200b",
    "tab\tname",
    "line\nname",
]


def test_odd_names_are_names_all_the_same() -> None:
    vocabulary = vocabulary_of({"C0000001": ODD})
    concept = vocabulary.concept("C0000001")
    assert concept is not None
    assert [concept.name, *concept.synonyms] == ODD


@given(
    st.dictionaries(
        st.integers(1, 5).map("C{:07d}".format),
        st.lists(st.text(max_size=12), min_size=1, unique=True),
        max_size=5,
    )
)
def test_any_names_come_back_in_their_order(concepts: dict[str, list[str]]) -> None:
    arrays, counted = make_arrays(draft_of(concepts))
    vocabulary = Vocabulary(arrays, STAMP)
    assert list(vocabulary) == sorted(concepts)
    for cui, names in concepts.items():
        concept = vocabulary.concept(cui)
        assert concept is not None
        assert [concept.name, *concept.synonyms] == names
    assert counted["names"] == sum(map(len, concepts.values()))
    assert len(arrays["trie.marks"]) == counted["words"] + len(arrays["trie.edges"])


def test_names_come_from_one_array_or_from_pieces_of_it() -> None:
    whole = draft_of(RICH)
    sliced = join_drafts([draft_of({"C0000009": ["gone"]}), whole])
    pieces = join_drafts([whole, draft_of({"C0000004": ["more names"]})])
    assert list(vocabulary_of(pieces))[:3] == sorted(RICH)
    part = make_draft([Source("a"), Source("b")], [(9, "first", 0, 0), (1, "heart", 0, 0), (2, "lung", 0, 0)])
    object.__setattr__(part, "names", part.names.slice(1, 2))
    assert list(vocabulary_of(part).names) == ["heart", "lung"]
    assert len(vocabulary_of(sliced)) == 4


def test_names_that_need_their_case_all_stay_at_their_word() -> None:
    """'US' is found where the best name of the concept is 'us', and the other way round."""
    vocabulary = vocabulary_of(
        {"C0000001": ["us", "US", "Us"], "C0000002": ["US"], "C0000003": ["heart", "Hearts"]}
    )
    ends = vocabulary.ends(vocabulary.words.number("us"))
    assert [(place, vocabulary.names[name]) for place, name, _ in ends] == [
        (0, "us"),
        (1, "US"),
        (0, "US"),
        (0, "Us"),
    ]
    assert len(vocabulary.ends(vocabulary.words.number("heart"))) == 1


def test_words_with_a_prefix_are_taken_apart_where_there_is_room() -> None:
    name = "nonunion of " + "w " * 18
    vocabulary = vocabulary_of({"C0000001": [name], "C0000002": ["nonunion", "union"]})
    assert len(make_arrays(draft_of({"C0000001": [name]}))[0]["ends.node"]) == 1
    ends = vocabulary.ends(vocabulary.words.number("nonunion"))
    assert [place for place, _, _ in ends] == [1]
    assert vocabulary.stamp == STAMP
    assert make_arrays(draft_of({"C0000001": [name], "C0000002": ["nonunion", "union"]}))[1]["keys"] == 4
