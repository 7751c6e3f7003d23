"""Found concepts beside manual labels."""

from __future__ import annotations

from dataclasses import replace

import pytest

from radcap.vocabulary.linking.mentions import Mention
from radcap.vocabulary.rules import ConceptRules, Fate, merge_manual

CT, CHEST = "C0040405", "C0817096"
DROPS = ConceptRules("mine", 1, "us", automatic_modality=Fate.DROP)


def mention(cui: str) -> Mention:
    return Mention(0, 2, "CT", cui, "CT")


@pytest.mark.parametrize(
    ("manual", "rules", "combined", "kept"),
    [
        ({"C0024485"}, DROPS, False, [False, True]),
        ({CT}, DROPS, False, [False, True]),
        (set(), DROPS, False, [True, True]),  # nobody said anything
        ({"C0024485"}, DROPS, True, [True, True]),  # DRCO has no concept of its own
        (set(), DROPS, True, [True, True]),
        ({"C0024485"}, replace(DROPS, automatic_modality=Fate.KEEP), False, [True, True]),
    ],
)
def test_manual_labels_win(manual: set[str], rules: ConceptRules, combined: bool, kept: list[bool]):
    found = merge_manual([mention(CT), mention(CHEST)], manual, rules, combined=combined)
    assert [one.kept for one in found] == kept
    assert all(one.kept or one.why == "modality: the manual label counts" for one in found)


def test_what_was_dropped_before_keeps_its_reason():
    before = replace(mention(CT), kept=False, why="negated")
    assert merge_manual([before], {CT}, DROPS) == (before,)
