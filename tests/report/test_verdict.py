"""Sentences about a comparison, and p-values as text."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report_values import SIXTY, THREE, compared, metric

from radcap.report import probability, summary
from radcap.report.verdict import between, pairs_of, percent
from radcap.stats import sign_flip_test
from radcap.stats.comparison import Interval, Procedure

LEADS = "a leads in f1 with 0.588840 [0.576340, 0.593007] on 1,200 images."


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (1.0, "1.000"),
        (0.5, "0.5000"),
        (0.02134567, "0.02135"),
        (1 / 10_001, "0.00009999"),
        (1 / 1_000_001, "0.000001000"),
        (0.99999, "1.000"),
    ],
)
def test_p_has_four_significant_digits_in_plain_writing(p: float, text: str) -> None:
    assert probability(p) == text


@settings(max_examples=200, deadline=None)
@given(st.floats(1e-9, 1), st.integers(2, 6))
def test_p_is_read_back_to_its_digits(p: float, digits: int) -> None:
    text = probability(p, digits)
    assert float(text) == float(f"{p:.{digits}g}") > 0
    assert set(text) <= set("0123456789.")


@pytest.mark.parametrize(("level", "text"), [(0.95, "95 %"), (0.999, "99.9 %"), (0.5, "50 %")])
def test_levels_are_percents(level: float, text: str) -> None:
    assert percent(level) == text


def test_an_interval_that_could_not_be_formed_is_none() -> None:
    assert between(Interval(0.1, 2 / 3)) == "[0.100000, 0.666667]"
    assert between(Interval(math.nan, math.nan)) == "no interval"


def test_separable_is_below_alpha_as_the_letters_have_it() -> None:
    tests = pairs_of(THREE, "b")
    assert list(tests) == ["a", "c"]
    assert [Procedure().separates(test) for test in tests.values()] == [True, False]
    assert not Procedure(alpha=tests["a"].p_holm).separates(tests["a"])


ALL = {("a", "b"): 0.0213, ("a", "c"): 0.0003}
VALUES = {"a": 0.58884, "b": 0.5766, "c": 0.566}


@pytest.mark.parametrize(
    ("given_p", "said"),
    [
        (ALL, "It is separable from every other run (largest corrected p 0.02130)."),
        ({}, "It is not separable from any other run (smallest corrected p 0.5000)."),
        ({("a", "c"): 0.01}, "It is not separable from b; it is separable from the other run."),
    ],
    ids=["from all", "from none", "from some"],
)
def test_who_leads_and_from_whom_it_can_be_told_apart(
    given_p: dict[tuple[str, str], float], said: str
) -> None:
    assert summary(compared(metric(VALUES, p=given_p))) == f"{LEADS} {said}"


def test_many_runs_are_counted() -> None:
    values = {f"r{number}": 1 - number / 10 for number in range(10)}
    apart = {("r0", f"r{number}"): 0.001 for number in range(6, 10)}
    said = summary(compared(metric(values, p=apart)))
    assert said.endswith(
        "It is not separable from r1, r2, r3 and 2 more; it is separable from the other 4 runs."
    )


@pytest.mark.parametrize(("p", "word"), [(0.0104, "separable"), (0.104, "not separable")])
def test_two_runs_have_their_difference(p: float, word: str) -> None:
    said = summary(compared(metric({"a": 0.58884, "b": 0.5766}, p={("a", "b"): p})))
    difference = f"the difference is 0.012240 [0.005140, 0.020540], p = {probability(p)}."
    assert said == f"{LEADS} It is {word} from b: {difference}"


def test_one_run_has_nothing_to_be_compared_with() -> None:
    assert summary(compared(metric({"only": 0.5}, n=1))) == (
        "only has f1 0.500000 [0.487500, 0.504167] on 1 image. One run has nothing to be compared with."
    )


def test_a_shared_first_rank_is_said() -> None:
    said = summary(compared(metric({"a": 0.5, "b": 0.5, "c": 0.1}, p={("a", "b"): 1.0, ("a", "c"): 0.01})))
    assert said.startswith("a and b share the first rank in f1 with 0.500000 [0.487500, 0.504167]")
    assert said.endswith("a is not separable from b; it is separable from the other run.")


def test_other_metrics_may_have_another_leader() -> None:
    others = [
        metric({"a": 0.1, "b": 0.2, "c": 0.0}, "recall"),
        metric({"a": 0.2, "b": 0.2, "c": 0.1}, "precision"),
        metric({"a": 0.1, "b": 0.0, "c": 0.3}, "f1_manual"),
    ]
    said = summary(compared(THREE, *others))
    assert said.endswith("Other metrics have another run first: b in recall; c in f1_manual.")


def test_too_few_draws_for_so_many_pairs_are_said_with_the_number_that_is_enough() -> None:
    said = summary(compared(SIXTY))
    assert (
        "with 10,000 draws and 1,770 pairs no corrected p lies below 0.1770. Make 35,400 draws or more."
        in said
    )
    assert "could be" not in summary(compared(SIXTY, procedure=Procedure(permutations=35_401)))


def test_too_few_images_are_said() -> None:
    said = summary(compared(metric(VALUES, n=5)))
    assert said.endswith("with 5 images and 3 pairs no corrected p lies below 0.1875. Only more images help.")


@pytest.mark.parametrize(("images", "permutations", "least"), [(5, 10_000, "0.06250"), (200, 9, "0.1000")])
def test_the_bound_is_what_the_permutation_test_gives_for_runs_as_far_apart_as_can_be(
    images: int, permutations: int, least: str
) -> None:
    values = np.stack([np.ones((images, 1)), np.zeros((images, 1))], axis=2)
    assert probability(float(sign_flip_test(values, permutations=permutations, seed=1).p[0, 0, 1])) == least
    procedure = Procedure(permutations=permutations)
    said = summary(compared(metric({"a": 1.0, "b": 0.0}, n=images), procedure=procedure))
    assert f"and 1 pair no corrected p lies below {least}." in said


def test_too_few_groups_are_said() -> None:
    said = summary(replace(compared(metric(VALUES, n=500)), groups=5))
    assert said.endswith("with 5 groups and 3 pairs no corrected p lies below 0.1875. Only more groups help.")
