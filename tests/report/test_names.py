"""Names where room is scarce, lists of names, counts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report_values import HOSTILE

from radcap.report.names import counted, several, shortened


@pytest.mark.parametrize("name", ["", "run", "run_17.csv", "i" * 40])
def test_a_name_that_fits_stays(name: str) -> None:
    assert shortened(name, 25) == name


@pytest.mark.parametrize("name", ["team_7_" + "x" * 60 + "_v2", "W" * 60, "\u653e" * 60, "<" * 60])
def test_a_long_name_keeps_its_start_and_its_end(name: str) -> None:
    short = shortened(name, 25)
    head, tail = short.split("\u2026")
    assert name.startswith(head)
    assert name.endswith(tail)
    assert head
    assert tail
    assert len(short) < 27


def test_broad_letters_need_more_room() -> None:
    lengths = [len(shortened(char * 200, 25)) for char in "iaA\u653e"]
    assert lengths == sorted(lengths, reverse=True)
    assert len(set(lengths)) == 4


@settings(max_examples=100, deadline=None)
@given(st.text(st.characters(), max_size=80) | st.sampled_from(HOSTILE), st.integers(4, 40))
def test_any_name_is_printable_and_short(name: str, room: int) -> None:
    short = shortened(name, room)
    assert short.isprintable()
    assert len(short) <= room / 0.6 + 1


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["a"], "a"),
        (["a", "b"], "a and b"),
        (["a", "b", "c", "d"], "a, b, c and d"),
        (["a", "b", "c", "d", "e"], "a, b, c and 2 more"),
    ],
)
def test_several_names(names: list[str], said: str) -> None:
    assert several(names) == said


@pytest.mark.parametrize(("n", "said"), [(0, "0 pairs"), (1, "1 pair"), (1_770, "1,770 pairs")])
def test_counts(n: int, said: str) -> None:
    assert counted(n, "pair") == said
