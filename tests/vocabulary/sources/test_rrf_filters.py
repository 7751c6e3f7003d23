"""The choice of what is taken from a release."""

from __future__ import annotations

import pytest

from radcap.core import UsageError
from radcap.vocabulary.sources import UmlsFilters


def test_the_default_is_the_rule_of_2022() -> None:
    assert UmlsFilters().to_text() == {
        "languages": "ENG",
        "suppress": "N",
        "sources": "all",
        "restriction_levels": "0;1;2;9",
        "types": "all",
        "code_sources": "SNOMEDCT_US",
        "hierarchy": "yes",
    }
    assert UmlsFilters(hierarchy=False).to_text()["hierarchy"] == "no"


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        ({"languages": ()}, "The filter languages is empty"),
        ({"sources": ()}, "The filter sources is empty"),
        ({"languages": ("eng",)}, "'eng' is no language"),
        ({"suppress": ("N", "no")}, "'no' is no value of SUPPRESS"),
        ({"types": ("T029", "29")}, "'29' is no semantic type. It has to be T and three digits"),
    ],
)
def test_a_choice_that_cannot_be_meant_is_refused(chosen, said) -> None:
    with pytest.raises(UsageError, match=said):
        UmlsFilters(**chosen)
