"""The value: what a cut needs, what the whole says of itself as JSON."""

from __future__ import annotations

import json

import pytest

from radcap.vocabulary.rules import Blacklisted, ConceptRules, Fate, FrequencyCut, Remap, Unit


@pytest.mark.parametrize(("above", "needed"), [(True, 11), (False, 10)])
def test_needed(above: bool, needed: int):
    assert FrequencyCut(10, above, Unit.IMAGES).needed == needed


def test_types_are_those_a_paper_names_and_ours():
    rules = ConceptRules("mine", 1, "us", frozenset({"T023"}), frozenset({"T190"}))
    assert rules.types == {"T023", "T190"}


def test_to_json():
    rules = ConceptRules(
        "mine",
        2,
        "us",
        frozenset({"T029", "T023"}),
        negated=Fate.DROP,
        blacklist=(Blacklisted("C0439234", "Year", "time", ours=True),),
        remaps=(Remap("C0994894", "wrong", "patchy", "C0000002", "Patchy", ("T080",)),),
        frequency=FrequencyCut(10, True, Unit.MENTIONS),
    )
    assert json.loads(json.dumps(rules.to_json())) == {
        "name": "mine",
        "version": 2,
        "source": "us",
        "types": {"named": ["T023", "T029"], "inferred": [], "unknown": "keep"},
        "negated": "drop",
        "uncertain": "keep",
        "blacklist": [{"cui": "C0439234", "name": "Year", "reason": "time", "ours": True}],
        "remap": [
            {
                "from": "C0994894",
                "to": "C0000002",
                "name": "Patchy",
                "types": ["T080"],
                "word": "patchy",
                "reason": "wrong",
                "ours": False,
            }
        ],
        "frequency": {"threshold": 10, "compare": ">", "unit": "mentions"},
        "manual": {"automatic_modality": "keep"},
    }
    at_least = ConceptRules("mine", 2, "us", frequency=FrequencyCut(10, False, Unit.IMAGES)).to_json()
    assert at_least["frequency"] == {"threshold": 10, "compare": ">=", "unit": "images"}
    assert ConceptRules("mine", 2, "us").to_json()["frequency"] is None
