"""Tables of a system file that nobody would look at, or that cannot stand together."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import NoReturn

import pytest

from radcap.core import InputError, UsageError
from radcap.core.tables import parse_toml
from radcap.detection import members
from radcap.detection.calibration import Calibration
from radcap.detection.decisions.config import Decision
from radcap.detection.ensembles import Ensemble
from radcap.detection.learners.config import Learner
from radcap.detection.members import resolve
from radcap.detection.retrieval.config import Retrieval
from radcap.detection.system import ConceptSystem, Member, SearchSettings
from radcap.detection.system_reading import read_concept_system, system_toml

HEAD = 'name = "mine"\ntask = "concepts"\n'
PAIR = "[[member]]\nname = 'a'\n[[member]]\nname = 'b'\n"


def nobody(name: str) -> NoReturn:
    raise UsageError(f"There is no {name}.")


def read(text: str) -> ConceptSystem:
    return resolve(read_concept_system(parse_toml(HEAD + text)), nobody, text=HEAD + text)


def problems(text: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        read(text)
    return [f"{one.line}: {one.code} {one.message}" for one in caught.value.issues]


BOTH = "[retrieval] and [learner] both answer in place of the head. Keep one of them."
IDLE = "[text] trains no network, and [search] would do nothing. Keep one or the other."
ELSEWHERE = "Members answer each in its own way. Write [member.{0}] below each that wants it."


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[retrieval]\n[learner]", [f"4: SYS205 [learner]: {BOTH}"]),
        ("[learner]\n[retrieval]", [f"4: SYS205 [retrieval]: {BOTH}"]),
        ("[retrieval]\nk = 0\n[learner]", ["3: SYS205 [retrieval]: The retrieval cannot work."]),
        ("[[member]]\n[member.retrieval]\n[member.learner]", [f"3: SYS205 [member] of member 1: {BOTH}"]),
        ("[text]\n[search]\nlr = [0.1]", [f"3: SYS205 [text]: {IDLE}"]),
        (
            "[text]\n[search]\nlr = [0.1]\n[teacher]\nmodels = ['m']\nweight = 0.5",
            ["3: SYS205 [text]: [text] trains no network, and [search] and [teacher] would do nothing."],
        ),
        (
            "[[member]]\n[member.text]\n[member.search]\nlr = [0.1]",
            [f"3: SYS205 [member] of member 1: {IDLE}"],
        ),
        ("[learner]\n" + PAIR, [f"3: SYS205 [learner]: {ELSEWHERE.format('learner')}"]),
        ("[retrieval]\n" + PAIR, [f"3: SYS205 [retrieval]: {ELSEWHERE.format('retrieval')}"]),
        ("[text]\n" + PAIR, [f"3: SYS205 [text]: {ELSEWHERE.format('text')}"]),
        (
            "[ensemble]\nvotes = 1\n" + PAIR,
            ["4: SYS205 [ensemble]: votes is of the rule 'votes', and the rule here is 'mean-logit'."],
        ),
        (
            "[ensemble]\nexpression = 'a'\n" + PAIR,
            ["4: SYS205 [ensemble]: expression is of the rule 'partial-intersection'"],
        ),
        (
            "[ensemble]\nrule = 'union'\nweights = [1, 1]\n" + PAIR,
            ["5: SYS205 [ensemble]: weights is of the rule 'weighted', and the rule here is 'union'."],
        ),
        ("[[train]]\nepochs = 1", ["3: SYS205 [[train]]: One such table is read. Write [train], and once."]),
        ("[[train]]\n[[train]]\n[[learner]]", ["3: SYS205 [[train]]", "5: SYS205 [[learner]]"]),
        ("[[member]]\n[[member.head]]", ["4: SYS205 [[member.head]]: One such table is read."]),
        ("[[member]]\nseed = -1", ["3: SYS205 [member] of member 1: seed is -1. Give a whole number from 0"]),
        ("[teacher]\nmodels = ['m']", ["3: SYS205 [teacher]: It names models, and their weight is 0."]),
    ],
)
def test_what_nobody_would_look_at_is_told_with_its_line(text: str, told: list[str]) -> None:
    found = problems(text)
    assert len(found) == len(told)
    assert all(one.startswith(start) for one, start in zip(found, told, strict=True)), found


def test_what_members_share_for_their_networks_is_not_meant_for_one_that_goes_by_words() -> None:
    text = f"[search]\nlr = [0.1]\n{PAIR}[member.text]\nwords = 'dataset'\n"
    system = read(text)
    assert [one.search.lr for one in system.member] == [(0.1,), ()]
    for full in (False, True):
        assert read_concept_system(parse_toml(system_toml(system, full=full))) == system


def test_a_rule_from_elsewhere_may_look_at_any_key(monkeypatch: pytest.MonkeyPatch) -> None:
    system = replace(read(PAIR), ensemble=Ensemble("union", votes=2))
    monkeypatch.setattr(members, "ENSEMBLES", SimpleNamespace(table={}))
    assert resolve(system, nobody) == system


@pytest.mark.parametrize(
    ("schema", "wrong", "why"),
    [
        (Learner, {"trees": 10**12}, "trees is 1000000000000. Give 1 to 10,000."),
        (Learner, {"depth": 10**12}, "depth is 1000000000000. Give 1 to 1,000."),
        (Learner, {"leaf": 10**30}, "Give 1 to 1,000,000,000."),
        (Learner, {"rounds": 10**12}, "Give 1 to 10,000."),
        (Learner, {"rate": 1e30}, "rate is 1e+30. Give a number above 0, and 1 at most."),
        (Learner, {"strength": 1e30}, "strength is 1e+30. Give 0.000001 to 1,000,000."),
        (Learner, {"seed": -1}, "seed is -1. Give a whole number from 0 to 4,294,967,295."),
        (Learner, {"seed": 2**32}, "Give a whole number from 0 to 4,294,967,295."),
        (Member, {"seed": 2**32}, "Give a whole number from 0 to 4,294,967,295."),
        (Decision, {"step": 1e-9}, "step = 1e-09 is neither 0 nor from 0.0001 on"),
        (Calibration, {"shrinkage": 1e30}, "Give 0 to 1,000,000,000."),
        (Retrieval, {"temperature": 1e-30}, "temperature is 1e-30: give 0.0001 to 10,000"),
        (Retrieval, {"smoothing": 1e30}, "smoothing is 1e+30: give more than 0, at most 1,000,000,000"),
        (SearchSettings, {"lr": (1e30,)}, "lr holds 1e+30. Give a number above 0, and 1,000 at most."),
    ],
)
def test_numbers_have_an_end(schema: type[object], wrong: dict[str, object], why: str) -> None:
    with pytest.raises(UsageError) as caught:
        schema(**wrong)
    assert why in str(caught.value)


def test_no_step_and_the_least_are_fine() -> None:
    assert [Decision(step=one).step for one in (0, 1e-4)] == [0, 1e-4]
