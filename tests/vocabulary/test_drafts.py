from __future__ import annotations

import pyarrow as pa
import pytest
from vocabulary_samples import draft_of

from radcap.core import InputError
from radcap.vocabulary.drafts import (
    CODES,
    NAMES,
    PARENTS,
    PREFERRED,
    RETIRED,
    SYNONYM,
    TYPES,
    Draft,
    join_drafts,
    make_draft,
)
from radcap.vocabulary.stamps import Source

TABLES = {"names": NAMES, "types": TYPES, "parents": PARENTS, "codes": CODES, "retired": RETIRED}


def test_tables_have_the_columns_of_their_schemas() -> None:
    empty = Draft((), NAMES.empty_table())
    rich = draft_of(
        {"C0000001": ["heart"]},
        types=[("C0000001", 1)],
        parents=[("C0000001", "C0000002")],
        codes=[("C0000001", 0, "x")],
        retired=[("C0000003", "DEL", 0)],
    )
    for draft in (empty, rich, join_drafts([empty, rich]), join_drafts([])):
        assert {name: getattr(draft, name).schema for name in TABLES} == TABLES
    assert [len(getattr(rich, name)) for name in TABLES] == [1] * 5
    assert rich.retired.to_pylist() == [{"cui": 3, "relation": "DEL", "now": 0}]


def test_an_earlier_draft_is_better_and_sources_move_along() -> None:
    first = make_draft([Source("a"), Source("b")], [(1, "x", 1, SYNONYM)], codes=[(1, 1, "c")])
    second = make_draft([Source("c")], [(1, "y", 0, PREFERRED)], types=[(1, 5)], codes=[(1, 0, "d")])
    joined = join_drafts([first, second])
    assert [one.name for one in joined.sources] == ["a", "b", "c"]
    assert joined.names.select(["name", "source", "rank"]).to_pylist() == [
        {"name": "x", "source": 1, "rank": 100},
        {"name": "y", "source": 2, "rank": 1_000_000},
    ]
    assert joined.codes.column("source").to_pylist() == [1, 2]
    assert joined.types.to_pylist() == [{"cui": 1, "type": 5}]


@pytest.mark.parametrize("rows", [[(1, "x", 0)], [(1, "x", 0, 0, 0)], [(1, "x", 0, 0), (1, "x")]])
def test_rows_of_another_width(rows: list[tuple[int, str, int, int]]) -> None:
    with pytest.raises(ValueError, match="zip"):
        make_draft([Source("a")], rows)


def test_half_a_character_is_refused_in_words() -> None:
    with pytest.raises(InputError, match=r"The text 'he\\ud800art' holds half a character"):
        make_draft([Source("a")], [(1, "he\ud800art", 0, 0)])


def test_numbers_that_do_not_fit() -> None:
    with pytest.raises((pa.ArrowInvalid, OverflowError)):
        make_draft([Source("a")], [(-1, "x", 0, 0)])
