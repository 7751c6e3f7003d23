from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radcap.vocabulary.index.keys import DERIVED, GUARDED, LONGEST, Keys, is_guarded, surfaces, taken_apart
from radcap.vocabulary.words import normal


def keys_of(name: str) -> list[tuple[str, int]]:
    keys = Keys()
    made = [(numbers, mark) for numbers, mark in keys.of(name)]
    words = list(keys.words)
    return [(" ".join(words[one] for one in numbers), mark) for numbers, mark in made]


TABLE = [
    ("Pleural effusions", [("pleural effusion", 0)]),
    ("the Heart", [("heart", 0)]),
    ("The Heart", [("heart", 0)]),
    ("Vitamin A", [("vitamin a", 0)]),
    ("A fib", [("a fib", 0)]),
    ("Left, hip", [("left hip", 0), ("hip left", DERIVED)]),
    ("Entire left ovary", [("entire left ovary", 0), ("left ovary", DERIVED)]),
    ("X-ray", [("x ray", 0), ("xray", 0)]),
    ("Non\u2010union in the X-ray", [("non union in x ray", 0), ("nonunion in xray", 0)]),
    ("re-re-union", [("re re union", 0), ("re reunion", 0)]),
    ("X-A", [("x a", 0)]),
    ("well-known", [("well known", 0)]),
    ("US", [("us", GUARDED)]),
    ("(US)", [("us", GUARDED)]),
    ("the US.", [("us", GUARDED)]),
    ("CTs", [("ct", GUARDED)]),
    ("Rib", [("rib", GUARDED)]),
    ("AIDS", [("aid", GUARDED)]),
    ("NSTEMI", [("nstemi", GUARDED)]),
    ("NSTEMIX", [("nstemix", 0)]),
    ("chILD", [("child", GUARDED)]),
    ("Lung", [("lung", 0)]),
    ("US, NOS", [("us nos", 0), ("us", DERIVED | GUARDED), ("nos us", DERIVED)]),
    ("22q11.2 deletion", [("22q11 2 deletion", 0)]),
    # no keys at all
    ("", []),
    ("a", []),
    ("the", []),
    ("B", []),
    ("7", []),
    ("2026", []),
    ("12's", []),
    ("B+", []),
    ("(5)", []),
    ("a 5%", []),
    ("+-?", []),
    ("_", []),
    ("🫀", []),
    ("肺", []),
    ("e\u0301", []),
    (" ".join(["w"] * (LONGEST + 1)), []),
    # just enough
    (" ".join(["w"] * LONGEST), [(" ".join(["w"] * LONGEST), 0)]),
    ("5 6", [("5 6", 0)]),
    ("肺炎", [("肺炎", GUARDED)]),
    ("قلب كبير", [("قلب كبير", 0)]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "keys"), TABLE, ids=lambda one: one[:20] if isinstance(one, str) else None)
def test_keys_of_a_name(name: str, keys: list[tuple[str, int]]) -> None:
    assert keys_of(name) == keys


@given(st.text(st.characters(codec=None)) | st.text("aB-1 ,'.\u0301"))
def test_any_name_has_keys_of_one_to_twenty_words(name: str) -> None:
    for key, mark in keys_of(name):
        assert 0 < len(key.split(" ")) <= LONGEST
        assert mark in range(4)


def test_words_are_numbered_once() -> None:
    keys = Keys()
    assert [numbers for name in ("heart", "Hearts heart", "left heart") for numbers, _ in keys.of(name)] == [
        [0], [0, 0], [1, 0],
    ]  # fmt: skip
    assert keys.words == {"heart": 0, "left": 1}


def test_names_without_keys_bring_no_words() -> None:
    keys = Keys()
    assert list(keys.of(" ".join(f"word{i}" for i in range(100_000)))) == []
    assert keys.words == {}


@pytest.mark.parametrize(
    ("words", "pairs"),
    [
        (["nonunion", "union"], {"nonunion": ("non", "union")}),
        (["nonunion", "union", "non"], {"nonunion": ("non", "union")}),
        (["nonunion"], {}),
        (["xray", "ray"], {"xray": ("x", "ray")}),
        (["xry", "ry"], {}),  # too little is left
        (["union", "non"], {}),
        (["prexray", "xray", "ray"], {"prexray": ("pre", "xray"), "xray": ("x", "ray")}),
        ([], {}),
    ],
)  # fmt: skip
def test_words_that_are_a_prefix_and_a_word(words: list[str], pairs: dict[str, tuple[str, str]]) -> None:
    numbers = {word: place for place, word in enumerate(words)}
    found = taken_apart(numbers)
    names = list(numbers)
    assert {names[one]: (names[pre], names[rest]) for one, (pre, rest) in found.items()} == pairs


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("CT", ("CT",)),
        ("CTs", ("CT",)),
        ("the CT.", ("CT",)),
        ("CT scan", ()),
        ("CT (procedure)", ("CT",)),
        ("Structure of hip", ("hip",)),
    ],
)
def test_words_that_tell_the_case(name: str, written: tuple[str, ...]) -> None:
    assert surfaces(name) == written


@pytest.mark.parametrize("form", ["US", "us", "Rib", "a CT", "CTs", "COVID", "pH", "(MRI)"])
def test_names_that_need_their_case(form: str) -> None:
    assert is_guarded(form)


@pytest.mark.parametrize("form", ["", "the", "lung", "CT scan", "X-ray", "RADIUSX", "ribcage"])
def test_names_that_do_not(form: str) -> None:
    assert not is_guarded(form)


def test_guarded_words_meet_in_one_normal_form() -> None:
    assert {normal(word) for word in ("US", "us", "Us")} == {"us"}


def test_a_word_of_another_meaning_is_no_key_by_itself() -> None:
    keys = Keys()
    assert not list(keys.of("T1"))
    assert len(list(keys.of("T1 vertebra"))) == 1
