"""Captions on one line: what is made one, and what stays."""

from __future__ import annotations

from unicodedata import category, normalize

import pytest
from captioning_samples_texts import real_captions, texts
from hypothesis import given

from radcap.captioning.texts.cleaning import cleaned

CASES = [
    ("", ""),
    (" CT  of\tthe\r\nchest\x00\x7f ", "CT of the chest"),
    ("2\u00a0mm\u2009\u00d7\u20033\u202fmm", "2 mm \u00d7 3 mm"),
    ("line\u2028break\u2029s\x85\x0b\x0c\x1c", "line break s"),
    ("80 cm², 2½, 10⁻³, H₂O, ①, ™", "80 cm², 2½, 10⁻³, H₂O, ①, ™"),
    ("5 \u00b5m and 5 \u03bcm", "5 \u03bcm and 5 \u03bcm"),
    ("120\u00ba, 39\u00b0 C, 38.1\u2103, 99\u2109, 500 \u2218C", "120°, 39° C, 38.1°C, 99°F, 500 °C"),
    (
        "\u201cground-glass\u201d \u2018a\u2019 \u201eb\u201d Bruch\u00b4s",
        '"ground-glass" \'a\' "b" Bruch\'s',
    ),
    ("T1\u2010weighted \u2011 \u2212", "T1-weighted - -"),
    ("L5\u2013S1 \u2014 x", "L5\u2013S1 \u2014 x"),
    ("\ufb01xation o\ufb03ce", "fixation office"),
    ("\uff23\uff34 \U0001d54d", "CT V"),
    ("soft\u00adhyphen zero\u200bwidth \ufeffmark \u202eturned", "softhyphen zerowidth mark turned"),
    ("private \ue000 half \ud800 broken \ufffd none \u0378", "private half broken none"),
    ("fe\u0301mur", "fémur"),
    ("fe\u200b\u0301mur", "fémur"),
    ("\u223c90% T2\u2217 \u2026", "~90% T2* ..."),
    ("\u0645\u062f", "\u0645\u062f"),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_cases(text: str, expected: str) -> None:
    assert cleaned(text) == expected


@given(texts)
def test_the_result_is_plain_and_stays(text: str) -> None:
    result = cleaned(text)
    assert cleaned(result) == result
    assert result == " ".join(result.split(" ")).strip()
    assert "  " not in result
    assert not any(category(sign)[0] == "C" or (category(sign)[0] == "Z" and sign != " ") for sign in result)
    assert normalize("NFC", result) == result
    result.encode()


def test_every_sign_alone_is_plain_and_stays() -> None:
    for code in range(0x20000):
        result = cleaned(f"a{chr(code)}b")
        assert cleaned(result) == result, hex(code)


def test_real_captions_keep_their_words() -> None:
    plain = [text for text in real_captions() if text.isascii()]
    assert len(plain) > 100
    assert [cleaned(text).split() for text in plain] == [text.split() for text in plain]
