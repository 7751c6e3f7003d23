"""A concept system from its file and back, and what is refused in one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from system_texts import HEAD, system_of

from radcap.core import InputError, UsageError
from radcap.core.tables import parse_toml
from radcap.detection.calibration import Calibration
from radcap.detection.decisions.config import Decision
from radcap.detection.ensembles import Ensemble
from radcap.detection.retrieval.config import Retrieval
from radcap.detection.system import (
    ConceptModel,
    ConceptSystem,
    DataSettings,
    Member,
    SearchSettings,
    models,
    tables,
)
from radcap.detection.system_reading import read_concept_system, system_toml
from radcap.vision.settings import BackboneSettings, HeadSettings, TrainSettings


def problems(text: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        system_of(text)
    return [f"{one.line}: {one.code} {one.message}" for one in caught.value.issues]


def test_a_file_that_says_nothing_has_every_default():
    assert system_of("") == ConceptSystem(name="mine", task="concepts")


def test_a_member_goes_on_from_the_tables_of_its_file():
    system = system_of(
        (
            "[train]\nepochs = 5\nlr = 0.1\n[head]\npool = 'gem'\n[retrieval]\nk = 3\n"
            "[[member]]\nname = 'a'\n[[member]]\n[member.train]\nlr = 0.2\n[member.retrieval]\n"
        ),
    )
    first, second = system.member
    assert first == Member(name="a", train=TrainSettings(epochs=5, lr=0.1), head=HeadSettings(pool="gem"))
    assert second.train == TrainSettings(epochs=5, lr=0.2)
    assert second.retrieval == Retrieval()
    assert system.retrieval == Retrieval(k=3)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("epochs = 3", "3: SYS201 The file has no key 'epochs'. It belongs into [train]."),
        ("[train]\nlearning_rate = 1", "4: SYS201 [train] has no key 'learning_rate'. Nearest is 'lr'."),
        ("[train]\nneeds = []", "4: SYS201 [train] has no key 'needs'. It belongs into the top of the file."),
        ("[head]\nkind = 'linera'", "4: SYS204 [head] kind is 'linera'. Nearest is 'linear'."),
        ("[head]\npool = 'gme'", "4: SYS204 [head] pool is 'gme'. Nearest is 'gem'."),
        ("[loss]\nname = 'bse'", "4: SYS204 [loss] name is 'bse'. Nearest is 'bce'."),
        (
            "[decision]\nrule = 'expected'",
            "4: SYS204 [decision] rule is 'expected'. Nearest is 'expected-f1'.",
        ),
        ("[ensemble]\nrule = 'unoin'", "4: SYS204 [ensemble] rule is 'unoin'. Nearest is 'union'."),
        ("[retrieval]\nrule = 'mean'", "4: SYS204 [retrieval] rule is 'mean'. Nearest is 'mean-at-k'."),
        ("head = 1", "3: SYS203 head is 1. A table is needed."),
        ("[loss]\nname = 1", "4: SYS203 [loss] name is 1. A text in quotes is needed."),
        ("member = 1", "3: SYS203 member is 1. An array of tables is needed."),
        ("member = [1]", "3: SYS203 member[1] is 1. A table is needed."),
        (
            "[[member]]\n[[member]]\n[member.head]\nkind = 'x'",
            "6: SYS204 [member.head] of member 2 kind is 'x'.",
        ),
        (
            "[[member]]\nfile = 'a'\n[member.train]\n[member.head]",
            (
                "3: SYS301 Member 1 names the file 'a' and has tables of its own: [head], [train]. "
                "It is one or the other."
            ),
        ),
        ("[data]\ntop = -1", "3: SYS205 [data]: top is -1. It counts labels: give 1 or more, or 0 for all."),
        ("[search]\noptimiser = ['sdg']", "4: SYS204 [search] optimiser[1] is 'sdg'. Nearest is 'sgd'."),
    ],
)
def test_a_wrong_file_is_told_where_and_how(text, told):
    assert problems(text) == [told]


def test_all_problems_are_told_even_where_nothing_can_be_built():
    told = problems("edition = 2025\n[head]\nkind = 'x'\n[[member]]\n[member.loss]\nname = 'y'\nz = 1\n")
    assert [one.split()[1] for one in told] == ["SYS203", "SYS204", "SYS204", "SYS201"]


def test_name_and_task_must_be_said():
    with pytest.raises(InputError) as caught:
        read_concept_system(parse_toml("", "a.toml"))
    assert [one.message for one in caught.value.issues] == [
        "The file lacks the key 'name'.",
        "The file lacks the key 'task'.",
    ]
    assert caught.value.path == "a.toml"


@pytest.mark.parametrize(
    ("schema", "wrong", "why"),
    [
        (DataSettings, {"min_count": 0}, "min_count is 0"),
        (DataSettings, {"top": -1}, "top is -1"),
        (DataSettings, {"held": "train"}, "both 'train'"),
        (SearchSettings, {"lr": (0.1, 0.0)}, "lr holds 0"),
        (SearchSettings, {"lr": (float("inf"),)}, "lr holds inf"),
    ],
)
def test_values_out_of_range(schema, wrong, why):
    with pytest.raises(UsageError, match=why):
        schema(**wrong)


rates = st.floats(1e-6, 1.0)
words = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
parts = {
    "data": st.builds(
        DataSettings, top=st.integers(0, 9), without_sources=st.lists(words, max_size=2).map(tuple)
    ),
    "backbone": st.builds(BackboneSettings, name=words, frozen=st.booleans()),
    "head": st.builds(HeadSettings, kind=st.sampled_from(["linear", "mlp"]), drop=rates),
    "train": st.builds(TrainSettings, lr=rates, seed=st.integers(0, 2**32 - 1)),
    "search": st.builds(SearchSettings, lr=st.lists(rates, max_size=2).map(tuple)),
    "calibration": st.builds(Calibration, method=st.sampled_from(["none", "platt"])),
    "decision": st.builds(Decision, rule=st.sampled_from(["fixed", "gfm"]), threshold=rates),
    "retrieval": st.none() | st.builds(Retrieval, k=st.integers(1, 9)),
}
members = st.builds(
    Member, name=words, seed=st.none() | st.integers(0, 2**32 - 1), weight=st.none() | rates, **parts
).filter(lambda one: not one.file)
whole = st.builds(
    ConceptSystem,
    name=words,
    task=st.just("concepts"),
    published=st.dictionaries(words, rates, max_size=2),
    differs=words,
    ensemble=st.builds(Ensemble, rule=st.sampled_from(["union", "votes"]), votes=st.integers(0, 3)),
    member=st.lists(members, max_size=3).map(tuple),
    **parts,
)


@given(whole, st.booleans())
def test_a_system_is_written_and_read_again(system, full):
    text = system_toml(system, full=full)
    assert read_concept_system(parse_toml(text)) == system


def test_a_member_of_a_file_is_written_as_one():
    text = HEAD + '\n[train]\nepochs = 5\n\n[[member]]\nfile = "a"\nseed = 1\n'
    assert system_toml(read_concept_system(parse_toml(text))) == text


def test_what_is_trained_is_the_system_or_its_members():
    alone, both = system_of(""), system_of("[[member]]\nname = 'a'\n[[member]]\nname = 'b'")
    assert models(alone) == {"mine": alone}
    assert models(both) == {"a": both.member[0], "b": both.member[1]}
    assert ConceptModel(**tables(alone)) == ConceptModel()
