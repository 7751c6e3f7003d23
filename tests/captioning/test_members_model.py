"""Captions of several captioners as one: pooled, routed, one after another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from captioning_samples_training import CPU, TINY, make_tiny
from dataset_samples import dataset_of, png, row
from hypothesis import given, settings
from hypothesis import strategies as st

from radcap.captioning.generation import consensus
from radcap.captioning.joining_settings import JoinSettings, RerankSettings
from radcap.captioning.models.answers import CaptionAnswers, Draft, Line, NeighbourCaption
from radcap.captioning.models.eyes import Eyes, Sight
from radcap.captioning.models.members_model import MembersModel
from radcap.captioning.models.routing import Router
from radcap.captioning.reranking import Source, make_reranker
from radcap.captioning.settings import CaptionDataSettings, DecoderSettings, PostSettings
from radcap.captioning.system import CaptionMember, CaptionSystem
from radcap.datasets import Dataset
from radcap.detection.learners import Learner, fit_learner
from radcap.vision.pictures import View
from radcap.vision.settings import BackboneSettings, ImageSettings

SIZE = 16
FALLBACK = "Radiology image."


def pictures(images: int = 3, broken: Sequence[str] = ()) -> Dataset:
    """The n-th image has the brightness 40 n + 20."""
    files = {f"{n}.png": png(np.full((SIZE, SIZE), 40 * n + 20, np.uint8)) for n in range(images)}
    return dataset_of(
        [row(str(n)) for n in range(images)], {**files, **{f"{one}.png": b"no" for one in broken}}
    )


@dataclass
class Teller:
    """Says what it is told to, draft by draft; an image without drafts has the fallback."""

    drafts: dict[str, Sequence[str | Draft]]
    labels: tuple[str, ...] = ()
    refuses: tuple[str, ...] = ()
    unlike: tuple[str, ...] = ()
    more: dict[str, Any] = field(default_factory=dict[str, Any])
    asked: list[tuple[str, ...]] = field(default_factory=list[tuple[str, ...]])

    def answers(self, dataset: Dataset, progress: Callable[[str, int], None] | None = None) -> CaptionAnswers:
        self.asked.append(tuple(dataset.ids))
        seen = [one for one in dataset.ids if one not in self.refuses]
        if progress is not None:
            progress("images", len(seen))
        lines = tuple(self._line(one, self.drafts.get(one, ())) for one in seen)
        return CaptionAnswers(lines, FALLBACK, dict.fromkeys(self.refuses, "why"), self.unlike)

    def _line(self, image: str, drafts: Sequence[str | Draft]) -> Line:
        held = [one if isinstance(one, Draft) else Draft(one, -n, -n - 0.5) for n, one in enumerate(drafts)]
        chosen = next((one.text for one in held if not one.refused), "") or FALLBACK
        return Line(image, chosen, "beam", tuple(held), **self.more)


def system(names: str, rule: str = "pool", append: Sequence[str] = (), **tables: Any) -> CaptionSystem:
    members = tuple(CaptionMember(name=one) for one in names)
    join = JoinSettings(rule, append=tuple(append))  # type: ignore[arg-type]
    return CaptionSystem(name="joined", task="captions", member=members, join=join, **tables)


def joined(wanted: CaptionSystem, *tellers: Teller, **parts: Any) -> MembersModel:
    names = [one.name for one in wanted.member]
    return MembersModel(wanted, dict(zip(names, tellers, strict=True)), **parts)


def reranker(by: str = "consensus") -> Any:
    return make_reranker(Source(RerankSettings(by), CPU, Path()))


def line_of(model: MembersModel, data: Dataset | None = None) -> Line:
    return model.answers(data or pictures(1)).lines[0]


TEXTS = ["Ct scan.", "Mri scan.", "Ct of the lung.", "A lung.", ""]


@settings(max_examples=40)
@given(st.lists(st.lists(st.sampled_from(TEXTS), max_size=4), min_size=1, max_size=3))
def test_a_pool_takes_the_draft_that_agrees_most(told: list[list[str]]) -> None:
    """Counted again: a text counts once for each member that wrote it."""
    wanted = system("abc"[: len(told)])
    line = line_of(joined(wanted, *(Teller({"0": one}) for one in told), reranker=reranker()))
    written = [list(dict.fromkeys(one for one in some if one)) for some in told]
    every = [one for some in written for one in some]
    if not every:
        assert line.caption == FALLBACK
        return
    scores = dict(zip(every, consensus(every), strict=True))
    assert {one.text: one.score for one in line.drafts} == pytest.approx(scores)
    assert scores[line.caption] == pytest.approx(max(scores.values()))
    assert line.by == "consensus"
    for draft in line.drafts:
        sources = [name for name, some in zip("abc", written, strict=False) if draft.text in some]
        assert draft.source == ", ".join(sources)
    assert max(Counter(one.text for one in line.drafts).values()) == 1


def test_drafts_keep_their_log_probability_and_are_as_they_would_be_handed_in() -> None:
    line = line_of(joined(system("a"), Teller({"0": ["ct of the lung, with a", "mri"]}), reranker=reranker()))
    # the caption came through [post] of the member
    assert [one.text for one in line.drafts] == ["ct of the lung, with a", "Ct of the lung.", "Mri."]


def test_what_nothing_supports_is_weighed_and_never_taken() -> None:
    wrong = Draft("Ct of the lung.", 0.0, refused=("C1",))
    told = Teller({"0": [wrong, "Ct of the chest."]}), Teller({"0": ["Ct of a lung."]})
    model = joined(system("ab"), *told, reranker=reranker())
    line = line_of(model)
    held = {one.text: one for one in line.drafts}
    assert held["Ct of the lung."].refused == ("C1",)
    assert line.caption != "Ct of the lung."
    agreeing = Teller({"0": ["Ct of the lung."]})  # who has grounds for it
    both = line_of(joined(system("ab"), told[0], agreeing, reranker=reranker()))
    assert {one.text: (one.refused, one.source) for one in both.drafts}["Ct of the lung."] == ((), "a, b")


def test_who_has_nothing_to_say_is_not_heard() -> None:
    silent = Teller({"1": ["Ct."]})
    model = joined(system("ab"), silent, Teller({"0": ["Mri."]}), reranker=reranker())
    lines = model.answers(pictures(3)).lines
    assert [one.caption for one in lines] == ["Mri.", "Ct.", FALLBACK]
    assert [len(one.drafts) for one in lines] == [1, 1, 0]


def test_words_that_a_member_chose_from_are_no_drafts() -> None:
    wanted = system("ab")
    words = replace(wanted.member[0], decoder=DecoderSettings(kind="words"))
    teller = Teller({"0": [Draft("ct", 0.9), Draft("lung", 0.8)]})
    line = line_of(joined(replace(wanted, member=(words, wanted.member[1])), teller, Teller({"0": ["Mri."]})))
    assert [one.text for one in line.drafts] == ["ct", "Mri."]


def test_captions_follow_each_other_up_to_the_words_of_post() -> None:
    first, second = Teller({"0": ["Ct scan.", "Other."]}), Teller({"0": ["A mass in the left lung."]})
    line = line_of(joined(system("ab", "concatenate"), first, second))
    assert (line.caption, line.by) == ("Ct scan. A mass in the left lung.", "concatenate")
    assert [(one.text, one.source) for one in line.drafts] == [
        ("Ct scan.", "a"),
        ("A mass in the left lung.", "b"),
    ]
    short = line_of(joined(system("ab", "concatenate", post=PostSettings(words=3)), first, second))
    assert short.caption == "Ct scan."
    same = line_of(joined(system("ab", "concatenate"), first, Teller({"0": ["Ct scan."]})))
    assert same.caption == "Ct scan."


def test_captions_of_some_members_follow_the_one_that_was_chosen() -> None:
    tellers = (Teller({"0": ["Near one."]}), Teller({"0": ["Ct."], "1": ["Mri."]}), Teller({"1": ["Last."]}))
    model = joined(system("abc", append=["c", "a"]), *tellers, reranker=reranker())
    first, second = model.answers(pictures(2)).lines
    assert (first.caption, second.caption) == ("Ct. Near one.", "Mri. Last.")
    assert [one.source for one in first.drafts] == ["b"]


def test_what_members_know_is_known() -> None:
    near = NeighbourCaption("x", 0.5, "Ct.")
    one = Teller({"0": ["Ct."]}, ("C1", "C2"), more={"concepts": {"C1": 0.5}, "neighbours": (near,)})
    other = Teller({"0": ["Ct."]}, ("C2", "C3"), unlike=("2", "0"), more={"concepts": {"C1": 0.1, "C3": 1.0}})
    model = joined(system("ab"), one, replace(other, more={**other.more, "neighbours": (near,)}))
    assert model.labels == ("C1", "C2", "C3")
    answers = model.answers(pictures(3))
    assert answers.lines[0].concepts == {"C1": 0.5, "C3": 1.0}
    assert answers.lines[0].neighbours == (near,)
    assert answers.not_radiology() == ["0", "2"]
    assert answers.fallback == FALLBACK


def test_an_image_that_a_member_refuses_is_refused() -> None:
    heard: list[tuple[str, int]] = []
    model = joined(system("ab"), Teller({}, refuses=("1",)), Teller({"1": ["Ct."]}), reranker=reranker())
    answers = model.answers(pictures(3), lambda name, done: heard.append((name, done)))
    assert answers.ids == ("0", "2")
    assert answers.refused == {"1": "why"}
    assert heard == [("a", 2), ("b", 3)]
    assert model.answers(pictures(0)).lines == ()


class ByBrightness:
    """A dark image has a short caption."""

    looks = True

    def __init__(self, eyes: Eyes | None) -> None:
        self.eyes = eyes
        self.seen: list[tuple[str, ...]] = []

    def scores(self, drafts: Any, sight: Sight | None) -> list[list[float]]:
        assert sight is not None
        self.seen.append(sight.ids)
        found = zip(drafts, sight.gist.mean(dim=1).tolist(), strict=True)
        return [[len(one) * (bright - 0.5) for one in some] for some, bright in found]

    def save(self, folder: Path) -> None:
        raise AssertionError(folder)


class Grey(torch.nn.Module):
    """The mean of an image, as a map of one place."""

    width = 1

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return images.mean(dim=(1, 2, 3))[:, None, None, None] / 255


def eyes() -> Eyes:
    return Eyes(CPU, View(ImageSettings(size=SIZE)), Grey())  # type: ignore[arg-type]


@pytest.mark.parametrize("own", [True, False])
def test_a_reranker_that_goes_by_images_is_shown_them(own: bool) -> None:
    by = ByBrightness(eyes() if own else None)
    told = Teller({one: ["A long caption.", "Short."] for one in "01234"}, refuses=("1",))
    wanted = system("a", rerank=RerankSettings("alignment", "x"))
    model = joined(wanted, told, reranker=by, eyes=None if own else eyes())
    answers = model.answers(pictures(5, broken=["3"]))
    # the third image is one that the member could look at, and the reranker could not
    assert answers.captions() == {"0": "Short.", "2": "Short.", "4": "A long caption."}
    assert list(answers.refused) == ["1", "3"]
    assert by.seen == [("0", "2", "4")]
    assert {one.by for one in answers.lines} == {"alignment"}
    nothing = joined(wanted, Teller({}, refuses=("0",)), reranker=by, eyes=eyes())
    assert nothing.answers(pictures(1)).lines == ()


def test_some_images_of_a_batch() -> None:
    maps = torch.arange(12.0).view(3, 2, 2, 1)
    whole = Sight(("a", "b", "c"), maps, None, torch.eye(3), {"x": "why"}, torch.ones(3, 1) * 7)
    part = whole.of(["c", "a"])
    assert (part.ids, part.refused) == (("c", "a"), {})
    assert torch.equal(part.features, maps[[2, 0]])
    assert torch.equal(part.gist, torch.eye(3)[[2, 0]])
    assert part.beside is not None
    assert part.beside.shape == (2, 1)
    bare = Sight(("a",), maps[:1], None, None, {}).of(["a"])
    assert (bare.vectors, bare.beside) == (None, None)
    assert torch.equal(bare.gist, maps[:1].mean(dim=(2, 3)))


def test_the_router_asks_one_member_and_those_that_follow() -> None:
    vectors = np.array([[0.1], [0.2], [0.8], [0.9]], np.float32)
    truth = np.array([[1, 0], [1, 0], [0, 1], [0, 1]], bool)
    router = Router(fit_learner(Learner("svm", strength=100.0), vectors, truth), ("a", "b"))
    assert router.choose(vectors) == ["a", "a", "b", "b"]
    told = [Teller({one: [name] for one in "01234"}) for name in ("Dark.", "Bright.", "More.")]
    model = joined(system("abc", "router", "c"), *told, router=router, eyes=eyes())
    answers = model.answers(pictures(5, broken=["1"]))
    assert answers.captions() == {
        "0": "Dark. More.",
        "2": "Dark. More.",
        "3": "Bright. More.",
        "4": "Bright. More.",
    }
    assert {one.by for one in answers.lines} == {"router"}
    assert [one.asked for one in told] == [[("0", "2")], [("3", "4")], [("0", "1", "2", "3", "4")]]
    assert list(answers.refused) == ["1"]
    dark = joined(system("abc", "router", "c"), *told, router=router, eyes=eyes()).answers(pictures(1))
    assert dark.ids == ("0",)  # nobody was asked about nothing
    assert len(told[1].asked) == 1


@pytest.mark.parametrize("kind", ["svm", "logistic", "perceptron"])
def test_a_router_that_learnt_from_one_member_alone_asks_it(kind: str) -> None:
    vectors = np.random.default_rng(0).normal(size=(9, 3)).astype(np.float32)
    truth = np.zeros((9, 3), bool)
    truth[:, 1] = True
    router = Router(fit_learner(Learner(kind), vectors, truth), ("a", "b", "c"))
    assert router.choose(vectors) == ["b"] * 9


def test_the_backbone_of_the_tests_gives_a_gist() -> None:
    backbone = make_tiny(BackboneSettings(TINY), size=SIZE).eval()
    other = Eyes(CPU, View(ImageSettings(size=SIZE)), backbone)
    (sight,) = other.look(pictures(2))
    assert sight.gist.shape == (2, other.gist_width)
    assert CaptionDataSettings().least == 0


@dataclass
class Remembering(Teller):
    """Says something else of the images that it remembers."""

    def apart(self) -> Teller:
        return Teller({image: ["another"] for image in self.drafts})


def test_members_that_remember_are_apart() -> None:
    model = joined(system("ab", rule="concatenate"), Remembering({"0": ["own"]}), Teller({"0": ["same"]}))
    assert line_of(model, pictures(1)).caption == "Own same."
    assert line_of(model.apart(), pictures(1)).caption == "Another same."
