"""A captioner that is told concepts: what it is told reaches it, and nothing else changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
import torch
from captioning_samples_models import real

from radcap.captioning.grammar import facts_of, sentence
from radcap.captioning.models import open_captioner
from radcap.captioning.models.plain_models import TemplateModel
from radcap.captioning.models.told import ToldEyes, with_told
from radcap.captioning.models.writer_model import WriterModel
from radcap.captioning.texts import finished

if TYPE_CHECKING:
    from captioning_samples_models import CaptionFolder

TEST = real().split("test")
TRUTH: dict[str, list[str]] = dict(zip(TEST.ids, TEST.column("cui").to_pylist(), strict=True))


@pytest.fixture(scope="module")
def template(captioners: dict[str, CaptionFolder]) -> TemplateModel:
    opened = open_captioner(captioners["template"].path, "cpu")
    assert isinstance(opened, TemplateModel)
    return opened


@pytest.fixture(scope="module")
def writer(captioners: dict[str, CaptionFolder]) -> WriterModel:
    opened = open_captioner(captioners["writer"].path, "cpu")
    assert isinstance(opened, WriterModel)
    return opened


def test_a_template_says_what_it_is_told(template: TemplateModel) -> None:
    told = with_told(template, TRUTH).answers(TEST)
    for line in told.lines:
        known = [cui for cui in template.labels if cui in TRUTH[line.image]]
        assert line.caption == finished(sentence(facts_of(known, template.names)), template.post)
        assert dict(line.concepts) == dict.fromkeys(known, 1.0)


def test_nothing_is_told_of_an_image_that_nobody_names(template: TemplateModel) -> None:
    first, second = TEST.ids[:2]
    lines = with_told(template, {first: TRUTH[first]}).answers(TEST[:2]).lines
    assert [bool(one.concepts) for one in lines] == [True, False]
    assert lines[1].image == second
    assert with_told(template, {}).answers(TEST[:0]).lines == ()


def test_grounds_are_what_is_told_and_eyes_and_neighbours_stay(writer: WriterModel) -> None:
    [seen] = writer.eyes.look(TEST)
    for told in ({}, TRUTH):
        model = with_told(writer, told)
        [sight] = model.eyes.look(TEST)
        assert torch.equal(sight.features, seen.features)
        page, before = model.page(sight), writer.page(seen)
        assert page.near == before.near
        for one, grounds in zip(page.ids, page.grounds, strict=True):
            assert set(grounds.decided) == set(told.get(one, ())) & set(writer.labels)
            assert set(grounds.supported.values()) <= {1.0}


def test_a_writer_that_is_told_what_was_decided_is_told_the_same(writer: WriterModel) -> None:
    [seen] = writer.eyes.look(TEST)
    assert seen.answers is not None
    said = dict(zip(seen.ids, seen.answers.concepts(), strict=True))
    [again] = with_told(writer, said).eyes.look(TEST)
    before, after = (writer.scribe.hints(writer.page(one)).concepts for one in (seen, again))
    assert before is not None
    assert after is not None
    assert torch.equal(before, after)
    other = with_told(with_told(writer, {}), said)
    assert isinstance(other.eyes, ToldEyes)
    assert other.eyes.told is said


@dataclass(frozen=True)
class Several:
    """As captioners of several members may hold them."""

    members: Any
    words: tuple[str, ...] = ("a", "b")
    kind: type = TemplateModel


@pytest.mark.parametrize("held", [tuple, dict])
def test_members_are_told_too(
    held: type, template: TemplateModel, captioners: dict[str, CaptionFolder]
) -> None:
    frequent = open_captioner(captioners["frequent"].path, "cpu")
    members = [frequent, template]
    model = Several(tuple(members) if held is tuple else {"a": frequent, "b": template})
    told = with_told(model, TRUTH)
    assert told.words is model.words
    inside = list(told.members if held is tuple else told.members.values())
    assert inside[0] is frequent  # which has no eyes
    assert isinstance(inside[1].eyes, ToldEyes)
    assert type(template.eyes) is not ToldEyes  # the model itself is as it was


def test_a_captioner_without_eyes_is_itself(captioners: dict[str, CaptionFolder]) -> None:
    frequent = open_captioner(captioners["frequent"].path, "cpu")
    assert with_told(frequent, TRUTH) is frequent
    model = Several({"a": frequent})
    assert with_told(model, TRUTH) is model
