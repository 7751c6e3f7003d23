"""The benchmark of near duplicates: both ways find the same, and its pictures hold what they should."""

from __future__ import annotations

import pytest
from bench_files import run_script


def test_both_ways_find_the_same_pairs(script) -> None:
    search = script("near_hashes")
    hashes = search.synthetic_hashes(3000)
    found = search.banded(hashes)
    assert found.tolist() == search.pairwise(hashes).tolist()
    assert len(found) > 3000 // 50


def test_planted_copies_are_found_among_pictures(script) -> None:
    search = script("near_hashes")
    assert search.whole(search.synthetic_survey(500)).tolist() == [[i, 490 + i] for i in range(10)]


@pytest.mark.slow
def test_the_report_names_sizes_and_goal() -> None:
    done = run_script("bench_duplicates.py", "--quick")
    assert done.returncode == 0, done.stderr
    assert "| 200 |" in done.stdout
    assert "not at this size" in done.stdout
