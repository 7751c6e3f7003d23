"""Members in one order, and every reason why they cannot be."""

from __future__ import annotations

import numpy as np
import pytest

from radcap.core import InputError
from radcap.detection.ensembles import ABSENT, Ensemble, Member, align, combine


def member(name, ids, labels, values=None, kind: type = np.float32):
    if values is None:
        values = np.arange(len(ids) * len(labels)).reshape(len(ids), len(labels))
    return Member(name, tuple(ids), tuple(labels), np.asarray(values, kind))


def test_rows_and_columns_follow_the_first():
    one = member("one", "xy", "AB", [[1, 2], [3, 4]])
    other = member("other", "yx", "BCA", [[5, 6, 7], [8, 9, 10]])
    both = align([one, other])
    assert (both.names, both.ids, both.labels) == (("one", "other"), ("x", "y"), ("A", "B", "C"))
    np.testing.assert_array_equal(both.values[0], [[1, 2, ABSENT], [3, 4, ABSENT]])
    np.testing.assert_array_equal(both.values[1], [[10, 8, 9], [7, 5, 6]])


def test_a_label_that_a_member_does_not_know_gets_no_vote():
    one = member("one", "x", "AB", [[1, 0]], bool)
    other = member("other", "x", "AC", [[1, 1]], bool)
    both = align([one, other])
    assert combine(Ensemble("votes", votes=2), both.values).tolist() == [[True, False, False]]
    assert combine(Ensemble("union"), both.values).tolist() == [[True, False, True]]


def test_an_unknown_label_is_unlikely_in_the_mean_probability():
    both = align([member("one", "x", "AB", [[0, 0]]), member("other", "x", "A", [[0]])])
    found = combine(Ensemble("mean-probability"), both.values)
    assert found[0, 1] == pytest.approx(np.log(0.25 / 0.75), abs=1e-5)


def test_equal_members_are_not_copied_around():
    one, other = member("one", "xy", "AB"), member("other", "xy", "AB")
    assert (align([one, other]).values == one.values).all()


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ([], ["No member was given"]),
        ([member("a", "x", "A"), member("a", "x", "A")], ["The ensemble names a more than once"]),
        (
            [member("a", "xx", "A"), member("b", "x", "BB")],
            ["Member a names x more than once", "Member b names B"],
        ),
        (
            [member("a", "xyz", "A"), member("b", "wx", "A")],
            ["a lacks 1 of 4 images: w", "b lacks 2 of 4 images: y, z"],
        ),
        (
            [member("a", "abcdefghij", "A"), member("b", "a", "A")],
            ["lacks 9 of 10", "b, c, d, e, f and 4 more"],
        ),
        ([member("a", "x", "A"), member("b", "x", "B")], ["b shares none of its 1 label with member a"]),
        ([member("a", "x", "A"), member("b", "x", "A", [[1]], bool)], ["others (b) decisions"]),
        (
            [member("a", "x", "A", [[1, 2]])],
            ["a has an array of shape (1, 2); its ids and labels ask for (1, 1)"],
        ),
        ([member("a", "x", "A", [1])], ["shape (1,)"]),
        ([member("a", "x", "A", [[1]], np.int64)], ["a holds int64"]),
        ([member("a", "xyz", "A", [[1], [np.nan], [np.nan]])], ["a has no number for y, z"]),
    ],
)
def test_every_problem_is_said(members, said):
    with pytest.raises(InputError) as refused:
        align(members)
    for one in said:
        assert one in str(refused.value)
