from __future__ import annotations

import pytest
from dataset_samples import dataset_of, row

from radcap.core import UsageError
from radcap.datasets.selection import Concepts, Selection, concepts_named, select

CT, CHEST, AP = "C0040405", "C0817096", "C1999039"
TABLE = dataset_of(
    [
        row("a", cui=[CT, CHEST, AP, "C0000009"], cui_manual=[CT, CHEST, AP]),
        row("b", cui=[CT], cui_manual=[CT]),
        row("c", cui=["C0000009", CHEST], cui_manual=[]),
        row("d"),
    ],
    {},
).table


@pytest.mark.parametrize(
    ("wanted", "cui", "manual"),
    [
        (
            Selection(),
            [[CT, CHEST, AP, "C0000009"], [CT], ["C0000009", CHEST], []],
            [[CT, CHEST, AP], [CT], [], []],
        ),
        (Selection(Concepts.MANUAL), [[CT, CHEST, AP], [CT], [], []], [[CT, CHEST, AP], [CT], [], []]),
        (
            Selection(Concepts.AUTOMATIC),
            [["C0000009"], [], ["C0000009", CHEST], []],
            [[CT, CHEST, AP], [CT], [], []],
        ),
        (
            Selection(direction=False),
            [[CT, CHEST, "C0000009"], [CT], ["C0000009", CHEST], []],
            [[CT, CHEST], [CT], [], []],
        ),
        (Selection(Concepts.MANUAL, direction=False, min_concepts=2), [[CT, CHEST]], [[CT, CHEST]]),
        (Selection(Concepts.AUTOMATIC, min_concepts=2), [["C0000009", CHEST]], [[]]),
        (Selection(min_concepts=9), [], []),
    ],
)
def test_what_is_wanted_stays(wanted: Selection, cui: list[list[str]], manual: list[list[str]]) -> None:
    table = select(TABLE, wanted)
    assert table["cui"].to_pylist() == cui
    assert table["cui_manual"].to_pylist() == manual
    assert table.column_names == TABLE.column_names


def test_fewer_concepts_than_none_cannot_be_wanted() -> None:
    with pytest.raises(UsageError, match="min_concepts is -1"):
        Selection(min_concepts=-1)


def test_choices_go_by_name() -> None:
    assert [concepts_named(name) for name in ("all", "automatic", "manual")] == list(Concepts)
    with pytest.raises(UsageError, match="no choice of concepts 'manuel'"):
        concepts_named("manuel")
