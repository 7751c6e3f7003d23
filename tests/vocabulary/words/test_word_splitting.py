from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radcap.vocabulary.words import APART, joins, split

WORDS = [
    ("", []),
    ("   ", []),
    ("...", []),
    ("Chest X-ray", ["Chest", "X", "ray"]),
    ("snake_case", ["snake", "case"]),
    ("T2-weighted, 3.5 mm", ["T2", "weighted", "3", "5", "mm"]),
    ("Crohn's disease", ["Crohn's", "disease"]),
    ("Crohn\u2019s", ["Crohn\u2019s"]),
    ("CROHN'S DISEASE", ["CROHN'S", "DISEASE"]),
    ("patients' hearts", ["patients", "hearts"]),
    ("it'so", ["it", "so"]),
    ("O'Brien", ["O", "Brien"]),
    ("'s", ["s"]),
    ("soft\u00adhyphen", ["soft\u00adhyphen"]),
    ("zero\u200bwidth \u200cword", ["zero\u200bwidth", "word"]),
    ("\ufeffheart", ["heart"]),
    (unicodedata.normalize("NFD", "Sjögren façade"), ["Sjo\u0308gren", "fac\u0327ade"]),
    ("\u0301heart", ["heart"]),
    ("左肺上叶 结节", ["左肺上叶", "结节"]),
    ("قلب كبير", ["قلب", "كبير"]),
    ("قَلْب", ["قَلْب"]),
    ("हृदय की विफलता।", ["हृदय", "की", "विफलता"]),
    ("が\u304b\u3099", ["が\u304b\u3099"]),
    ("heart🫀lung", ["heart", "lung"]),
    ("🫀", []),
    ("10² cm²", ["10²", "cm²"]),
    ("half\ud800word", ["half", "word"]),
    (f"one{APART}two", ["one", "two"]),
]


@pytest.mark.parametrize(("text", "words"), WORDS)
def test_words_of_any_script(text: str, words: list[str]) -> None:
    assert split(text)[1::2] == words


@given(st.text(st.characters(codec=None)) | st.text("ab\u0301\u00ad's\u2019 -_\0.9ß\ud800"))
def test_words_and_gaps_are_the_text(text: str) -> None:
    parts = split(text)
    assert "".join(parts) == text
    assert len(parts) % 2 == 1
    for word in parts[1::2]:
        assert word[0].isalnum()
        assert not any(sign.isspace() or sign in "_-,.\0" for sign in word)
    for gap in parts[::2]:
        assert not any(map(str.isalnum, gap))


JOINING = [
    "",
    " ",
    "  ",
    "\n",
    "\u00a0",
    "\t",
    "-",
    " - ",
    "\u2010",
    "\u2011",
    "\u2012",
    " \u2013 ",
    "/",
    " / ",
]
JOINING += ["+", "'", "\u2019", "' ", "\u200b", " \u200b ", "-\u200d", "\u200e \u200f", "\ufe0f"]
PARTING = [
    ".",
    ". ",
    ",",
    ", ",
    ";",
    ":",
    "(",
    ") ",
    "--",
    "- -",
    "\u2014",
    "_",
    "\0",
    " \0 ",
    "&",
    "=",
    "//",
    "\ud800",
]


@pytest.mark.parametrize("gap", JOINING)
def test_a_name_goes_on_over(gap: str) -> None:
    assert joins(gap)


@pytest.mark.parametrize("gap", PARTING)
def test_a_name_ends_at(gap: str) -> None:
    assert not joins(gap)
