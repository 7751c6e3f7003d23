"""What a refiner is told, what is taken of its answer, and what a caption is without it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radcap.captioning.generation import consensus
from radcap.captioning.joining_settings import RefineSettings
from radcap.captioning.language import Reply
from radcap.captioning.models import CaptionAnswers, Draft, Line, NeighbourCaption
from radcap.captioning.refining.prompts import BARE, INSTRUCTIONS, SLOTS, Material, filled, slots_of
from radcap.captioning.refining.refined_model import RefinedModel
from radcap.captioning.refining.refiner import Agreed, Refiner, Told, prompt_of
from radcap.captioning.settings import PostSettings
from radcap.captioning.system_reading import read_caption_system
from radcap.core import NAMES, InputError
from radcap.core.tables import parse_toml
from radcap.datasets.synthetic import synthetic

POST = PostSettings(words=12)
CT = "C0040405"


@dataclass(frozen=True)
class Parrot:
    """A language model whose answers are made of what it is asked."""

    say: Callable[[str], Reply]
    is_instructed: bool = True
    asked: list[str] = field(default_factory=list)

    name = "parrot"

    def replies(self, prompts: Sequence[str], progress: Any = None) -> list[Reply]:
        self.asked.extend(prompts)
        return [self.say(one) for one in prompts]


@dataclass(frozen=True)
class Given:
    """A captioner whose lines are known."""

    lines: tuple[Line, ...]
    labels = (CT,)

    def answers(self, dataset: object, progress: Any = None) -> CaptionAnswers:
        if progress is not None:
            progress("images", len(self.lines))
        return CaptionAnswers(self.lines, "Radiology image.", {"z": "IMG101"}, unrefined={"y": "before"})


def line(image: str, *drafts: str, near: Sequence[tuple[float, str]] = (), **more: Any) -> Line:
    neighbours = tuple(NeighbourCaption(f"n{n}", one, text) for n, (one, text) in enumerate(near))
    held = tuple(Draft(one, 0.0) for one in drafts)
    caption = f"{drafts[0]}." if drafts else "Radiology image."
    return Line(image, caption, "beam", held, neighbours=neighbours, **more)


def refined(
    lines: Sequence[Line], refiner: Refiner, beside: Any = None, progress: Any = None, **settings: Any
) -> CaptionAnswers:
    keys: dict[str, Any] = {"kind": "rewrite"}
    wanted = RefineSettings(**keys | settings)
    model = RefinedModel(Given(tuple(lines)), refiner, wanted, POST, {"C1": "Mass"}, beside)
    assert model.labels == (CT,)
    return model.answers(synthetic(1), progress)


def upper(prompt: str) -> Reply:
    return Reply(prompt.upper())


@given(
    texts=st.lists(st.text(max_size=30), min_size=5, max_size=5),
    template=st.lists(st.sampled_from([*(f"{{{one}}}" for one in SLOTS), " and ", "\n"]), max_size=9),
)
def test_texts_stand_in_a_prompt_as_they_are(texts: list[str], template: list[str]) -> None:
    """Whatever is spelled in a caption, braces too, it stays text: as replacing part by part has it."""
    one, two, three, concept, modality = texts
    plain = {
        "{caption}": one,
        "{captions}": f"{' '.join(two.split())}\n{' '.join(three.split())}",
        "{neighbours}": " ".join(three.split()),
        "{concepts}": concept or "unknown",
        "{modality}": modality or "unknown",
    }
    material = Material(one, (two, three), (three,), (concept,), modality)
    assert filled("".join(template), material) == "".join(plain.get(part, part) for part in template)


@pytest.mark.parametrize("kind", INSTRUCTIONS)
def test_our_prompts_have_the_slot_of_their_kind_alone(kind: str) -> None:
    wanted = {"rewrite": "caption", "align": "caption", "summarise": "neighbours", "fuse": "captions"}
    assert slots_of(INSTRUCTIONS[kind]) == slots_of(BARE[kind]) == (wanted[kind],)
    settings = RefineSettings(kind=kind)  # type: ignore[arg-type]
    assert prompt_of(settings, Parrot(upper)) == INSTRUCTIONS[kind]
    assert prompt_of(settings, Parrot(upper, is_instructed=False)) == BARE[kind]
    assert prompt_of(RefineSettings(kind="fuse", prompt="{captions}!"), Parrot(upper)) == "{captions}!"


HEAD = 'name = "mine"\ntask = "captions"\n'
REFUSED = [
    ("prompt = 'Say {captoin}'", "The prompt has the slot {captoin}. Known: {caption}, {captions}, "),
    ("prompt = 'Say {}'", "The prompt has the slot {}. Known: "),
    ("prompt = '{image}'", "The prompt has the slot {image}. "),
    ("prompt = 'Say it better'", "The prompt says nothing of the image. Write one of {caption}, "),
    (
        "prompt = '{caption} {concepts}'",
        "The prompt names {concepts}, and nothing finds them. Give [detector]",
    ),
    ("prompt = '{modality}'", "The prompt names {modality}, and nothing finds them."),
    ("model = 'consensus'", "'consensus' chooses among several texts, and rewrite has one. Name a model."),
    ("epochs = 2\nendpoint = 'https://host'", "epochs trains a local model, and none is named."),
    ("similar = 1.5", "similar is 1.5. Give a number from 0 to 1."),
]
OTHERS = [
    ("[refine]\nkind = 'fuse'\nmodel = 'consensus'\nepochs = 1\n", "epochs trains a local model"),
    ("[refine]\nkind = 'fuse'\nsimilar = 0.5\n", "similar is for rewrite, and kind is 'fuse'. Set it to 0."),
    (
        "[refine]\nkind = 'fuse'\n[decoder]\nkind = 'words'\n",
        "kind 'words' has no drafts to fuse. Use rewrite.",
    ),
    (
        "[detector]\nmodel = 'zoo:concepts'\n[generate]\nsupported = true\n[refine]\nkind = 'align'\n",
        "supported lets nothing be named that the detector does not support, and a language model may.",
    ),
]


@pytest.mark.parametrize(
    ("text", "told"), [*((f"[refine]\nkind = 'rewrite'\n{one}\n", told) for one, told in REFUSED), *OTHERS]
)
def test_what_cannot_be_refined_is_refused_when_the_file_is_read(text: str, told: str) -> None:
    with pytest.raises(InputError) as caught:
        read_caption_system(parse_toml(HEAD + text))
    (found,) = caught.value.issues
    assert (found.code, told in found.message) == ("SYS205", True), found.message


@pytest.mark.parametrize(
    "text",
    [
        "kind = 'none'\nprompt = 'anything {at} all'\nsimilar = 0.5",
        "kind = 'rewrite'\nprompt = 'As {caption}, {captions} or {neighbours}'",
        "kind = 'fuse'\nmodel = 'consensus'\nendpoint = 'https://host'",  # somebody's name of a model
        "kind = 'summarise'\nmodel = 'consensus'",
        "kind = 'rewrite'\nprompt = '{caption} {modality}'\n[detector]\nmodel = 'zoo:concepts'",
        "kind = 'align'\nepochs = 3",
    ],
)
def test_what_goes_together_is_read(text: str) -> None:
    assert read_caption_system(parse_toml(f"{HEAD}[refine]\n{text}\n")).refine.kind != ""


def test_a_caption_is_rewritten_and_post_processed_and_the_log_says_how() -> None:
    parrot, told = Parrot(upper), list[tuple[str, int]]()
    first = line("a", "ct of the chest", raw="figure 1. ct of the chest")
    found = refined([first], Told(parrot, "{caption}"), progress=lambda *one: told.append(one))
    (one,) = found.lines
    assert parrot.asked == ["figure 1. ct of the chest"]  # as it was before [post]
    assert (one.caption, one.by) == ("CT OF THE CHEST.", "beam, rewrite")
    assert one.to_json()["refined"] == {
        "kind": "rewrite",
        "model": "parrot",
        "from": ["figure 1. ct of the chest"],
    }
    assert (dict(found.refused), dict(found.unrefined)) == ({"z": "IMG101"}, {"y": "before"})
    assert told == [("images", 1)]
    assert "unrefined" in found.to_json()
    assert "refined" not in first.to_json()


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (Reply(failed="it was late"), "it was late"),
        (Reply("\u2026 !!"), "it answered without words"),
        (Reply("Figure 1."), "it answered without words"),
    ],
)
def test_without_an_answer_the_draft_stays_and_is_listed(reply: Reply, told: str) -> None:
    lines = [line("a", "ct"), line("b")]
    found = refined(lines, Told(Parrot(lambda _: reply), "{caption}"))
    assert found.captions() == {"a": "ct.", "b": "Radiology image."}
    assert dict(found.unrefined) == {"y": "before", "a": told, "b": told}
    assert found.lines[0].by == "beam"
    assert found.lines[0].to_json()["refined"]["failed"] == told


@given(st.lists(st.text(max_size=20), min_size=1, max_size=6))
def test_no_caption_is_ever_empty(answers: list[str]) -> None:
    lines = [line(str(n), "ct") for n in range(len(answers))]
    replies = iter(answers)
    found = refined(lines, Told(Parrot(lambda _: Reply(next(replies))), "{caption}"))
    assert all(one.caption.strip() for one in found.lines)


def test_equal_prompts_are_asked_once() -> None:
    parrot = Parrot(upper)
    found = refined([line("a", "ct"), line("b", "mri"), line("c", "ct")], Told(parrot, "{caption}"))
    assert parrot.asked == ["ct.", "mri."]
    assert list(found.captions().values()) == ["CT.", "MRI.", "CT."]


def test_a_caption_like_the_nearest_gives_way_to_it() -> None:
    """The Synthesizer: from a cosine on, the neighbour's caption is rewritten."""
    near = [(0.8, "a mass"), (0.7, "a cyst")]
    for similar, wanted in ((0.0, "ct."), (0.8, "a mass"), (0.81, "ct.")):
        parrot = Parrot(upper)
        found = refined([line("a", "ct", near=near)], Told(parrot, "{caption}"), similar=similar)
        assert parrot.asked == [wanted]
        assert found.lines[0].to_json()["refined"]["from"] == [wanted]
    parrot = Parrot(upper)
    refined([line("a", "ct")], Told(parrot, "{caption}"), similar=0.1)
    assert parrot.asked == ["ct."]


def test_concepts_are_told_by_name_and_the_modality_too() -> None:
    parrot = Parrot(upper)
    about = {"C1": 0.9, CT: 0.8, "C404": 0.7}
    refined([line("a", "ct", concepts=about), line("b", "x")], Told(parrot, "{concepts}; {modality}"))
    assert parrot.asked == [f"Mass, {NAMES[CT]}; {NAMES[CT]}", "unknown; unknown"]


def test_neighbours_are_summarised_and_where_there_are_none_it_is_told() -> None:
    parrot = Parrot(upper)
    lines = [line("a", "ct", near=[(0.9, "one"), (0.8, "two")]), line("b", "ct")]
    found = refined(lines, Told(parrot, BARE["summarise"]), kind="summarise")
    assert parrot.asked == ["one\ntwo"]
    assert found.captions() == {"a": "ONE TWO.", "b": "ct."}
    assert found.unrefined["b"] == "no neighbour was found to summarise"
    assert refined([line("b", "ct")], Told(Parrot(upper), "x"), kind="summarise").captions() == {"b": "ct."}


def test_drafts_are_fused_unless_there_is_one_alone() -> None:
    parrot = Parrot(upper)
    found = refined(
        [line("a", "ct", "mri", "ct", " "), line("b", "ct", "ct")], Told(parrot, "{captions}"), kind="fuse"
    )
    assert parrot.asked == ["ct\nmri"]
    assert found.unrefined["b"] == "there is one draft alone, and nothing to fuse it with"


def test_the_stand_in_takes_what_agrees_most() -> None:
    drafts = ("left lung mass", "a mass of the left lung", "liver")
    found = refined([line("a", *drafts)], Agreed("fuse"), kind="fuse")
    best = max(zip(consensus(drafts), drafts, strict=True))[1]
    assert found.captions() == {"a": f"{best[0].upper()}{best[1:]}."}
    assert found.lines[0].to_json()["refined"]["model"] == "consensus"
    near = [(0.9, one) for one in drafts]
    assert (
        refined([line("a", "x", near=near)], Agreed("summarise"), kind="summarise").captions()
        == found.captions()
    )


def test_what_the_captioner_does_not_know_is_told_by_the_one_beside() -> None:
    beside = Given((line("a", near=[(0.9, "a mass")], concepts={"C1": 0.5}),))
    own = line("a", "ct", concepts={CT: 0.9})
    parrot, told = Parrot(upper), list[str]()
    refined(
        [own, line("b", "mri")],
        Told(parrot, "{caption} {concepts}"),
        beside,
        lambda name, _: told.append(name),
        similar=0.5,
    )
    assert parrot.asked == [f"a mass {NAMES[CT]}", "mri. unknown"]
    assert told == ["images", "neighbours"]
