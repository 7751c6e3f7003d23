from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radcap.vocabulary.stamps import Source, Stamp

SOURCES = st.builds(Source, *[st.text()] * 5)
STAMPS = st.builds(
    Stamp,
    *[st.text()] * 3,
    st.lists(SOURCES).map(tuple),
    filters=st.dictionaries(st.text(), st.text()),
    counts=st.dictionaries(st.text(), st.integers(0, 2**40)),
    radcap=st.text(),
    words=st.text(),
)


@given(STAMPS)
def test_a_stamp_comes_out_equal(stamp: Stamp) -> None:
    assert Stamp.from_text(stamp.to_text()) == stamp


def test_a_stamp_as_json() -> None:
    stamp = Stamp("free", "1", "CC0", (Source("HPO"),), {"language": "ENG"}, {"names": 3})
    assert stamp.to_json() == {
        "name": "free",
        "release": "1",
        "licence": "CC0",
        "sources": ({"name": "HPO", "title": "", "release": "", "licence": "", "attribution": ""},),
        "filters": {"language": "ENG"},
        "counts": {"names": 3},
        "radcap": "",
        "words": "",
    }


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "1", "{}", '{"sources": 1}', '{"sources": [{"x": 1}]}', '{"sources": []}']
)
def test_what_is_no_stamp(text: str) -> None:
    with pytest.raises((ValueError, TypeError, KeyError, AttributeError)):
        Stamp.from_text(text)
