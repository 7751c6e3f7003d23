"""F1 of decisions as arrays: against the concept metric of the editions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from radcap.core import UsageError
from radcap.detection.decisions import sample_f1
from radcap.detection.decisions.f1 import mean_f1
from radcap.metrics.concept_f1 import set_f1

PAIRS = st.tuples(st.integers(0, 6), st.integers(0, 6)).flatmap(lambda shape: arrays(np.bool_, (2, *shape)))


@given(PAIRS)
def test_as_the_metric(pair: np.ndarray) -> None:
    decided, truth = pair
    sets = [[{str(place) for place in np.flatnonzero(row)} for row in one] for one in (decided, truth)]
    wanted = [set_f1(mine, theirs) for mine, theirs in zip(*sets, strict=True)]
    assert sample_f1(decided, truth).tolist() == wanted
    assert mean_f1(decided, truth) == pytest.approx(np.mean(wanted) if wanted else 0)


def test_shapes_must_agree() -> None:
    with pytest.raises(UsageError, match="2 rows, predictions have 3"):
        sample_f1(np.ones((2, 2), bool), np.ones((3, 2), bool))
