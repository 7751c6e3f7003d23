"""The parser of set expressions, against Python's own sets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from radcap.core import UsageError
from radcap.detection.ensembles.expression import Every, Some, evaluate, parse

NAMES = ("a", "b", "densenet-121", "x.y:z")
PYTHON = {"densenet-121": "c", "x.y:z": "d"}


def _joined(parts: tuple[str, str, str]) -> str:
    left, sign, right = parts
    return f"{left}{sign}{right}"


TEXTS = st.recursive(
    st.sampled_from(NAMES),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["&", " & ", "|", " |  "]), inner).map(_joined),
        inner.map(lambda text: f"( {text})"),
    ),
    max_leaves=12,
)


@given(TEXTS, st.lists(st.sets(st.integers(0, 9)), min_size=4, max_size=4))
def test_it_means_what_python_means(text, sets):
    decided = {name: np.isin(np.arange(10), list(one)) for name, one in zip(NAMES, sets, strict=True)}
    found = evaluate(parse(text, NAMES), decided)
    python = text
    for name, letter in PYTHON.items():
        python = python.replace(name, letter)
    wanted = eval(python, {}, dict(zip("abcd", sets, strict=True)))  # noqa: S307 - the text was made above
    assert set(np.flatnonzero(found).tolist()) == wanted


def test_and_binds_tighter():
    assert parse("a | b & a", NAMES) == Some(("a", Every(("b", "a"))))
    assert parse("(a | b) & a", NAMES) == Every((Some(("a", "b")), "a"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "column 1: it ends where a member"),
        ("a & ", "column 5: it ends where a member"),
        ("a b", "column 3: 'b' stands where '&', '|' or the end"),
        ("& a", "column 1: '&' stands where a member"),
        ("a | )", "column 5: ')' stands where a member"),
        ("(a & b", "column 7: the bracket of column 1 is not closed"),
        ("a)", "column 2: ')' stands where '&'"),
        ("a ^ b", "column 3: '^' is no part"),
        ("a & q", "column 5: There is no member 'q'"),
        ("a & densenet-12", "Nearest is 'densenet-121'"),
        ("__import__('os')", "column 1: There is no member '__import__'"),
        ("(" * 51 + "a", "column 51: more than 50 brackets"),
        ("(" * 100_000, "more than 50 brackets"),
    ],
)
def test_what_it_does_not_understand_has_a_column(text, said):
    with pytest.raises(UsageError) as refused:
        parse(text, NAMES)
    assert said in str(refused.value)


@given(st.text(max_size=30))
def test_any_text_is_parsed_or_refused(text):
    try:
        tree = parse(text, NAMES)
    except UsageError:
        return
    assert evaluate(tree, {name: np.ones(1, bool) for name in NAMES}).all()
