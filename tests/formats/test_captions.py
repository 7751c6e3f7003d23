"""The caption cell: what is said about it, in words a participant can act on."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from radcap.formats.captions import most_frequent

if TYPE_CHECKING:
    from collections.abc import Callable

    from radcap.formats import Validation

TEN = [f"a{number}" for number in range(10)]


def messages(check: Callable[..., Validation], cell: str, edition: str) -> list[str]:
    """What is said about the caption of the first image, the second one being faultless."""
    found = check(f"ID,Caption\na1,{cell}\na2,y\n", edition, "captions")
    return [f"{one.code} {one.message} {one.hint}" for one in found.issues if one.line == 2]


SENTENCES = [
    ("2026", "x", ""),
    ("2026", '"x, y"', ""),
    ("2026", '"x ""y"", z"', ""),
    (
        "2025",
        "",
        (
            "RUN401 The caption of a1 is empty. Text metrics give 0, AlignScore (2025-26) fails on it. "
            "Write a caption."
        ),
    ),
    (
        "2026",
        "x, y",
        (
            "RUN402 Line 2 has a bare comma in the caption. It splits the cell. "
            "Put the caption in double quotes."
        ),
    ),
    (
        "2025",
        "x, y",
        "RUN403 Line 2: only 'x' of the caption is scored. An unquoted comma cut it. Quote it.",
    ),
    (
        "2025",
        '"x",y',
        "RUN202 Line 2 has 3 cells. Two are allowed, the rest would be dropped. Quote the second cell.",
    ),
    (
        "2025",
        '"x\ny"',
        "RUN404 The caption of a1 spans lines 2-3. Line-wise checks break. Use one line.",
    ),
    (
        "2025",
        "?!",
        "RUN405 The caption '?!' has no letters or digits. Text metrics give 0. Rewrite it.",
    ),
    (
        "2025",
        "x ",
        (
            "RUN408 The caption of a1 starts or ends with blanks. "
            "They are scored as written by raw-text metrics. Trim it."
        ),
    ),
    ("2025", "日本", ""),
    ("2025", "²", ""),
]


@pytest.mark.parametrize(("edition", "cell", "said"), SENTENCES)
def test_what_is_said_about_a_caption(
    edition: str, cell: str, said: str, check: Callable[..., Validation]
) -> None:
    assert messages(check, cell, edition) == ([said] if said else [])


@pytest.mark.parametrize(("edition", "sign", "name"), [("2018", "\t", "a tab"), ("2021", "|", "'|'")])
def test_a_separator_in_an_unquoted_caption_drops_the_rest(
    edition: str, sign: str, name: str, check: Callable[..., Validation]
) -> None:
    found = check(f"a1{sign}x{sign}y\na2{sign}y\n", edition, "captions")
    assert [f"{one.code} {one.message} {one.hint}" for one in found.issues] == [
        f"RUN406 Line 1 has {name} in the caption. The rest is dropped. Remove it."
    ]


def test_a_long_caption_is_told_its_number_of_words(check: Callable[..., Validation]) -> None:
    found = check("ID,Caption\na1," + " ".join(["x"] * 600) + "\na2,y\n", "2025", "captions")
    (issue,) = [one for one in found.issues if one.code == "RUN407"]
    assert issue.message == "The caption of a1 has 600 tokens. BLEURT reads 512."


def test_a_caption_row_without_caption_is_told_what_to_add(check: Callable[..., Validation]) -> None:
    found = check("ID,Caption\na1\na2,y\n", "2025", "captions")
    assert [f"{one.code} {one.message} {one.hint}" for one in found.issues if one.line] == [
        "RUN203 Line 2 has 1 cell. A caption is missing. Add the separator and a caption."
    ]


@pytest.mark.parametrize(
    ("same", "rows", "said"),
    [(6, 10, "One caption stands on 60 % of rows. A constant run is likely."), (5, 10, None), (9, 9, None)],
)
def test_a_constant_run_is_suspected_from_ten_rows_on(
    same: int, rows: int, said: str | None, check: Callable[..., Validation]
) -> None:
    captions = ["constant"] * same + [f"caption {number}" for number in range(rows - same)]
    text = "".join(f"{one},{caption}\n" for one, caption in zip(TEN, captions, strict=False))
    found = check(text, "2024", "captions", ids=TEN[:rows])
    assert [one.message for one in found.issues] == ([] if said is None else [said])


@given(st.lists(st.integers(0, 2), max_size=20))
@settings(max_examples=100, deadline=None)
def test_the_vote_finds_a_majority_wherever_there_is_one(values: list[int]) -> None:
    commonest = max(Counter(values).values(), default=0)
    found = most_frequent(values)
    assert found <= commonest
    assert found == commonest or 2 * commonest <= len(values)
