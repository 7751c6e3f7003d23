"""The tree of refusals, and what they say."""

from __future__ import annotations

import pytest

from radcap.core import InputError, Issue, Level, Missing, RadcapError, Task, UsageError, unknown_name


@pytest.mark.parametrize("kind", [UsageError, InputError, Missing])
def test_every_refusal_is_a_radcap_error(kind: type[RadcapError]) -> None:
    assert issubclass(kind, RadcapError)


def test_an_input_error_carries_the_issues_it_was_raised_for() -> None:
    issue = Issue("RUN201", Level.ERROR, 3, 1, "Line 3 is blank.", "Delete it.")
    assert InputError("run.csv cannot be scored.", (issue,)).issues == (issue,)
    assert InputError("No truth here.").issues == ()


def test_missing_says_what_why_and_how() -> None:
    error = Missing("pyarrow", "It writes Parquet.", "Run: pip install pyarrow.")
    assert str(error) == "pyarrow is missing. It writes Parquet. Run: pip install pyarrow."
    assert (error.what, error.why, error.how) == (
        "pyarrow",
        "It writes Parquet.",
        "Run: pip install pyarrow.",
    )


@pytest.mark.parametrize(
    ("name", "known", "message"),
    [
        ("2052", ["2022", "2025"], "There is no edition '2052'. Nearest is '2025'. Known: 2022, 2025."),
        (
            "rocov",
            ["2025", "rocov2"],
            "There is no edition 'rocov'. Nearest is 'rocov2'. Known: 2025, rocov2.",
        ),
        (
            "ROCOv2",
            ["2025", "rocov2"],
            "There is no edition 'ROCOv2'. Nearest is 'rocov2'. Known: 2025, rocov2.",
        ),
        ("zzzz", ["2022", "2025"], "There is no edition 'zzzz'. Known: 2022, 2025."),
        ("", ["2022"], "There is no edition ''. Known: 2022."),
        (
            "captoins",
            Task,
            "There is no edition 'captoins'. Nearest is 'captions'. Known: concepts, captions.",
        ),
    ],
    ids=[
        "a slip",
        "a lost letter",
        "capitals",
        "nothing near",
        "nothing given",
        "members of an enum read as names",
    ],
)
def test_an_unknown_name_is_refused_with_the_nearest_and_the_choice(
    name: str, known: list[str], message: str
) -> None:
    error = unknown_name("edition", name, known)
    assert isinstance(error, UsageError)
    assert str(error) == message


def test_of_many_names_those_most_like_it_are_told() -> None:
    known = [f"{year}/{team}" for year in range(2017, 2027) for team in ("one", "two", "three", "four")]
    told = str(unknown_name("system", "2019/thre", known))
    assert told.startswith("There is no system '2019/thre'. Nearest is '2019/three'. Known: 2017/")
    assert "2019/three, " in told
    assert told.endswith(" and 10 more.")
    assert told.count("/") == 2 + 30
    assert "more" not in str(unknown_name("system", "x", known[:30]))
