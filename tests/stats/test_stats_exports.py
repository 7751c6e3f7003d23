"""What the package offers, and what it costs to ask for ranks alone."""

from __future__ import annotations

import subprocess
import sys

import pytest

from radcap import stats


def test_dir_lists_the_public_names_in_order() -> None:
    assert dir(stats) == sorted(stats.__all__)
    assert stats.__all__ == sorted(stats.__all__)


def test_an_unknown_name_is_refused_with_the_choice() -> None:
    with pytest.raises(AttributeError, match="compare_scores"):
        _ = stats.no_such_thing  # pyright: ignore[reportAttributeAccessIssue]


def test_what_needs_no_numpy_loads_none() -> None:
    names = "Comparison, ConfusionMatrix, compact_letters, holm_adjusted, ranks"
    code = f"from radcap.stats import {names}; import sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "numpy" not in done.stdout.split()
