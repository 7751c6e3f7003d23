"""Broken indexes and odd captions: refused or answered in bounds of time, and never the end of Python."""

from __future__ import annotations

import random
import time
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from vocabulary_samples import draft_of, vocabulary_of, write_vocabulary

from radcap.core import InputError
from radcap.vocabulary.linking.linker import Linker
from radcap.vocabulary.searching import search
from radcap.vocabulary.vocabulary import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

DRAFT = draft_of(
    {
        "C0000001": ["Superior mesenteric artery structure", "superior mesenteric artery"],
        "C0000002": ["Spinal muscular atrophy", "SMA"],
        "C0000003": ["Heart", "cor", "heart's", "HE"],
        "C0000004": ["x-ray", "Non-union", "nonunion", "union"],
        "C0000005": ["b c", "c b", "b c b c b c b c b c", "no", "CT", "X"],
        "C0000006": ["肺炎", "हृदय", "e\u0301t\u0301", "1.2.3"],
    },
    types=[("C0000001", 23), ("C0000003", 23), ("C0000006", 47)],
    parents=[
        ("C0000001", "C0000003"),
        ("C0000003", "C0000004"),
        ("C0000004", "C0000001"),
        ("C0000002", "C0000006"),
    ],
    codes=[("C0000001", 0, "80891009"), ("C0000002", 1, "x")],
    retired=[("C0000009", "SY", 1)],
)
TEXT = "No heart, SMA (superior mesenteric artery), X-ray, nonunion of b c b c and CT. 肺炎"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return write_vocabulary(tmp_path_factory.mktemp("whole") / "x.vocab", DRAFT).read_bytes()


def ask(path: Path) -> str:
    """How a vocabulary takes everything it can be asked: refused with a sentence, broken, or answered."""
    try:
        vocabulary = Vocabulary.open(path)
    except InputError as refused:
        told = str(path) in str(refused) and "Compile it again with `radcap vocab build`." in str(refused)
        return "refused" if told else str(refused)
    questions: list[Callable[[], object]] = [
        lambda: Linker([vocabulary]).link(TEXT, trace=True),
        lambda: [vocabulary.concept(cui) for cui in (*vocabulary, "C0000001")],
        lambda: [vocabulary.ancestors(f"C000000{i}") for i in range(1, 7)],
        lambda: [vocabulary.children(f"C000000{i}") for i in range(1, 7)],
        lambda: list(vocabulary.of_type("T023")),
        lambda: [vocabulary.by_code("test", "80891009"), vocabulary.retired("C0000009")],
        lambda: list(vocabulary.names),
        lambda: search(vocabulary, "hart of mesenteric"),
    ]
    broken = 0
    for question in questions:
        try:
            question()
        except (InputError, IndexError, ValueError):
            broken += 1
    return "broken" if broken else "answered"


def test_a_file_that_ends_too_early(tmp_path: Path, whole: bytes) -> None:
    path = tmp_path / "x.vocab"
    for length in (*range(0, len(whole), 64), len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(InputError, match="is no compiled vocabulary: it"):
            Vocabulary.open(path)


def test_bytes_behind_the_end_do_no_harm(tmp_path: Path, whole: bytes) -> None:
    (tmp_path / "x.vocab").write_bytes(whole + b"more")
    assert len(Vocabulary.open(tmp_path / "x.vocab")) == 6


@pytest.mark.parametrize("seed", range(4))
def test_bits_that_fell_over(tmp_path: Path, whole: bytes, seed: int) -> None:
    """Wrong answers or a refusal, but an answer: 400 files with one or more bits turned."""
    chance = random.Random(seed)  # noqa: S311
    path = tmp_path / "x.vocab"
    taken: Counter[str] = Counter()
    for _ in range(100):
        data = bytearray(whole)
        for _ in range(chance.choice((1, 1, 8, 64))):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        path.write_bytes(data)
        taken[ask(path)] += 1
    assert set(taken) <= {"refused", "broken", "answered"}
    assert taken["refused"] > 0
    assert taken["answered"] > taken["broken"]


@pytest.mark.parametrize("filling", [b"\0", b"\xff", b"\x7f"])
def test_a_body_of_one_byte_again_and_again(tmp_path: Path, whole: bytes, filling: bytes) -> None:
    """As of a disk that lost what it was given."""
    start = 8 + int.from_bytes(whole[:8], "little")
    path = tmp_path / "x.vocab"
    for place in (start, start + 1000, len(whole) - 1000):
        path.write_bytes(whole[:place] + filling * (len(whole) - place))
        assert ask(path) in {"refused", "broken", "answered"}
    path.write_bytes(whole)
    assert ask(path) == "answered"


def test_an_index_whose_nodes_lead_in_circles() -> None:
    vocabulary = vocabulary_of({"C0000001": ["b c", "c b"]})
    arrays = {name: np.array(one) for name, one in vocabulary._arrays.items()}
    words = len(vocabulary.words)
    word = vocabulary.words.number("b")
    arrays["trie.edges"] = np.array([word << 32 | word, words << 32 | word], np.uint64)
    arrays["trie.marks"] = np.full(words + 2, 3, np.uint8)
    linker = Linker([Vocabulary(arrays, vocabulary.stamp)])
    assert linker.link("b " * 2000)


# Long captions of every unpleasant kind, made of one piece again and again.
PIECES = {
    "blanks": " ",
    "line ends": "\n",
    "nothing to see": "\u200b",
    "zeros": "\0",
    "zeros between words": "heart\0",
    "parentheses that open": "(",
    "parentheses": "()",
    "letters that open": "B(",
    "hyphens": "-",
    "letters and hyphens": "b-c-",
    "slashes": "heart/",
    "full stops": ".",
    "initials": "B. ",
    "numbers": "1.2.3.4 ",
    "apostrophes": "'s",
    "owners": "heart's ",
    "letters": "q ",
    "names of letters": "b c ",
    "articles": "the ",
    "one word": "x",
    "one accent": "e\u0301",
    "accents": "\u0301",
    "a word of accents": "heart\u0301\u200b\u00ad",
    "LaTeX": r"\frac{\alpha_{1}}{\beta^{2}} $x_i$ ",
    "markup": "<b>heart</b><a href='x'>",
    "triggers": "no ",
    "triggers and findings": "no heart and possible heart or heart, ",
    "questions": "heart? ",
    "an abbreviation of itself": "X (X) ",
    "a definition": "superior mesenteric artery (SMA) ",
    "nested definitions": "heart (HE (HE (",
    "a legend": "; HE, heart",
    "a legend with colons": "HE: heart, ",
    "abbreviations": "CT SMA ",
    "Chinese": "肺炎",
    "Devanagari": "हृदय ",
    "hearts": "🫀",
    "halves of characters": "\ud800",
}
LETTERS, CPU_S = 100_000, 8


def caption(piece: str, letters: int = LETTERS) -> str:
    return (piece * (letters // len(piece) + 1))[:letters]


LINKER = Linker([vocabulary_of(DRAFT)])


@pytest.mark.parametrize("name", PIECES)
def test_long_captions_take_their_time_and_no_more(name: str) -> None:
    assert_quick(caption(PIECES[name]), CPU_S)


@pytest.mark.slow
@pytest.mark.parametrize("name", PIECES)
def test_captions_of_a_million_letters(name: str) -> None:
    assert_quick(caption(PIECES[name], 10 * LETTERS), 10 * CPU_S)


EXPLAINED = {
    "a concept": "superior mesenteric artery (SMA) ",
    "something else": "surface mapping array (SMA) ",
    "many things": "".join(f"alpha beta{i} (AB{i}), " for i in range(2000)),
}


@pytest.mark.parametrize("name", EXPLAINED)
def test_abbreviations_that_are_used_again_and_again(name: str) -> None:
    assert_quick(EXPLAINED[name] + caption("SMA heart "), CPU_S)


def assert_quick(text: str, cpu_s: float) -> None:
    """What grows with the square of the text would take minutes."""
    started = time.process_time()
    mentions = LINKER.link(text, trace=True)
    assert time.process_time() - started < cpu_s
    assert all(text[one.start : one.end] == one.text for one in mentions)
    kept = [one for one in mentions if one.kept]
    assert all(before.end <= after.start for before, after in pairwise(kept))


def test_a_concept_with_many_names_is_not_read_for_each_mention() -> None:
    names = ["SMA", *(f"name {i} of it" for i in range(10_000))]
    linker = Linker([vocabulary_of({"C0000001": names})])
    started = time.process_time()
    assert linker.link("surface mapping array (SMA) " + "SMA " * 20_000) == ()
    assert time.process_time() - started < CPU_S
