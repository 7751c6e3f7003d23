"""Captions and token lists that the caption tests share."""

from __future__ import annotations

import csv
from importlib.resources import files

from hypothesis import settings
from hypothesis import strategies as st

__all__ = ["CAPTION_TEXT", "TOKEN_PAIRS", "few", "real_captions"]

few = settings(max_examples=60, deadline=None)

# Few words, so that captions share n-grams and repeat them.
_WORD = st.sampled_from(["left", "lung", "mass", "ct", "chest", "of"])
_TOKENS = st.lists(_WORD, max_size=9)
TOKEN_PAIRS = st.lists(st.tuples(_TOKENS, _TOKENS), min_size=1, max_size=8)

_PIECES = [
    *("cannot", "Cannot", "gonna", "WANNA", "gimme", "g\u0131mme", "gotta", "lemme", "the", "of", "showing"),
    *("masses", "T2", "3.5", "1,000", "\u0663\u0664", "\u00b2", "mm", "\u212a", "\u0130", "\u017f", "\u00e9"),
    *(
        "\u2018",
        "\u2019",
        "\u201b",
        "\u201c",
        "\u201d",
        "'",
        "\u2019s",
        "\u2013",
        "\u2026",
        "-",
        ".",
        "(",
        "|",
    ),
    *(" ", " ", " ", " ", "  ", "\t", "\n", "\u00a0", "\u2003", "\x1c", "\u200b"),
]
CAPTION_TEXT = st.lists(st.sampled_from(_PIECES) | st.text(max_size=3), max_size=14).map("".join)


def real_captions() -> list[str]:
    """The captions that radcap ships, all under CC BY."""
    text = files("radcap").joinpath("data", "demo", "captions.csv").read_text("utf-8")
    return [row["Caption"] for row in csv.DictReader(text.splitlines())]
