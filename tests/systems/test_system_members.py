"""Members of an ensemble, expanded: files, seeds, names, weights, and a rule that fits them."""

from __future__ import annotations

import pytest
from system_texts import HEAD, system_of

from radcap.core import InputError, Missing, unknown_name
from radcap.detection.ensembles import Ensemble
from radcap.detection.members import resolve
from radcap.detection.retrieval.config import Retrieval
from radcap.detection.system import tables

KNOWN = {
    "other": "[train]\nepochs = 3\n[retrieval]\n",
    "joined": "[[member]]\n[[member]]\n",
}


def find(name: str):
    if name == "far":
        raise Missing("It", "Why.", "How.")
    if name not in KNOWN:
        raise unknown_name("system", name, KNOWN)
    return system_of(KNOWN[name])


def resolved(text: str):
    return resolve(system_of(text), find, text=HEAD + text, path="a.toml")


def problems(text: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        resolved(text)
    assert caught.value.path == "a.toml"
    return [f"{one.line}: {one.code} {one.message}" for one in caught.value.issues]


def test_a_system_without_members_stays_what_it_is():
    assert resolved("[train]\nepochs = 3") == system_of("[train]\nepochs = 3")


def test_a_file_gives_its_tables_and_its_name():
    (first, second) = resolved(
        "[train]\nlr = 0.5\n[[member]]\nfile = 'other'\nseed = 7\n[[member]]\nfile = 'other'\nname = 'b'"
    ).member
    assert (first.name, first.file, first.seed, first.train.seed) == ("mine", "", None, 7)
    assert (second.name, second.train.epochs, second.train.lr) == ("b", 3, 1e-3)
    assert tables(second) == tables(system_of(KNOWN["other"]))
    assert second.retrieval == Retrieval()


def test_members_without_a_name_are_called_by_their_backbone():
    text = "[[member]]\n[[member]]\nname = 'x-2'\n[[member]]\n[[member]]\n[member.backbone]\nname = 'y'"
    names = [one.name for one in resolved("[backbone]\nname = 'x'\n" + text).member]
    assert names == ["x", "x-2", "x-3", "y"]


def test_weights_of_members_become_those_of_the_rule():
    system = resolved("[ensemble]\nrule = 'weighted'\n[[member]]\nweight = 2\n[[member]]")
    assert system.ensemble == Ensemble("weighted", (2.0, 1.0))
    assert [one.weight for one in system.member] == [None, None]


def test_weights_may_wait_to_be_fitted():
    assert resolved("[ensemble]\nrule = 'weighted'\n[[member]]\n[[member]]").ensemble.weights == ()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "[[member]]\nfile = 'othr'",
            [
                (
                    "4: SYS302 Member 1 cannot be had: There is no system 'othr'. Nearest is 'other'. "
                    "Known: other, joined."
                ),
            ],
        ),
        ("[[member]]\nfile = 'far'", ["4: SYS302 Member 1 cannot be had: It is missing. Why. How."]),
        (
            "[[member]]\n[[member]]\nfile = 'joined'",
            ["5: SYS303 Member 2 is 'joined', which has members itself. One level of them is read."],
        ),
        (
            "[[member]]\nname = 'a'\n[[member]]\nname = 'a'",
            ["6: SYS205 Member 2: Its name 'a' is that of another. Give each member a name of its own."],
        ),
        (
            "[ensemble]\nrule = 'votes'\nvotes = 3\n[[member]]\n[[member]]",
            [
                ("3: SYS205 [ensemble]: votes is 3 and there are 2 members."),
            ],
        ),
        (
            "[ensemble]\nrule = 'weighted'\nweights = [1]\n[[member]]\n[[member]]",
            ["3: SYS205 [ensemble]: There are 1 weights and 2 members."],
        ),
        (
            "[ensemble]\nrule = 'weighted'\nweights = [1, 2]\n[[member]]\nweight = 1\n[[member]]",
            ["5: SYS205 [ensemble]: It has weights, and members have some too. Write them in one place."],
        ),
        (
            "[ensemble]\nrule = 'weighted'\n[[member]]\nweight = -1\n[[member]]",
            [
                ("5: SYS205 [member]: weights is (-1.0, 1.0)."),
            ],
        ),
        (
            "[ensemble]\nrule = 'union'",
            ["3: SYS205 [ensemble]: There is no [[member]] to join. Write members, or delete the table."],
        ),
    ],
)
def test_what_would_fail_after_training_is_refused_before(text, told):
    found = problems(text)
    assert len(found) == len(told)
    assert all(one.startswith(start) for one, start in zip(found, told, strict=True)), found


def test_an_expression_must_name_members():
    (told,) = problems(
        (
            "[ensemble]\nrule = 'partial-intersection'\nexpression = 'a & c'\n"
            "[[member]]\nname = 'a'\n[[member]]\nname = 'b'"
        ),
    )
    assert "There is no member 'c'" in told
