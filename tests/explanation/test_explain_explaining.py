"""From a model of any kind and images to explanations."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from dataset_samples import png
from explain_model_samples import (
    CHEST,
    EFFUSION,
    NAMES,
    PNEUMONIA,
    XRAY,
    detector,
    photo,
    retrieving,
    some_images,
    writer,
)
from explain_pipeline_samples import add_methods, ensemble, images, saying
from external_samples import Told

from radcap.captioning.models.plain_models import FrequentModel
from radcap.captioning.settings import PostSettings
from radcap.core import UsageError
from radcap.explanation import Box, Case, Explainer, Failure, Kind, Origin, Settings, explaining
from radcap.explanation.external import FoundBox
from radcap.explanation.gathering import _merged
from radcap.explanation.methods import METHODS
from radcap.explanation.system import BoxSettings, ExplainSettings, ExplainSystem

torch.set_num_threads(1)  # networks this small only wait for threads

EXTERNAL = ExplainSystem(name="a/b-explain", task="explain", explain=ExplainSettings("external"))
QUIET = Settings("grad-cam", faithfulness="none")


def explained(model: Any, data: Any = None, **settings: Any) -> list[Any]:
    asked = replace(QUIET, **settings)
    return made(Explainer(model, "mine", asked), some_images() if data is None else data)


def made(explainer: Explainer, *given: Any) -> list[Any]:
    return list(explainer(*given))


def checked(one: Any) -> None:
    """What holds for every explanation."""
    keys = [each.key for each in one.evidence]
    assert len(set(keys)) == len(keys)
    for each in one.evidence:
        assert each.map is not None or each.note
        assert not each.boxes or each.localisable
        if each.map is not None:
            assert each.map.shape == one.picture.shape[:2]
            assert np.isfinite(each.map).all()
            assert np.abs(each.map).sum() == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize(
    ("model", "kinds"),
    [
        (detector, {Kind.CONCEPT}),
        (retrieving, {Kind.CONCEPT, Kind.NEIGHBOUR}),
        (ensemble, {Kind.CONCEPT}),
        (lambda: writer(reads=detector(), concepts="all"), {Kind.CONCEPT, Kind.WORD}),
        (lambda: writer("lstm"), {Kind.WORD}),
    ],
    ids=["network", "neighbours", "ensemble", "writer with a detector", "writer alone"],
)
def test_every_image_of_every_kind_of_model_is_explained(model: Any, kinds: set[Kind]) -> None:
    seen: list[tuple[str, int]] = []
    data = some_images()
    found = made(Explainer(model(), "mine", QUIET), data, lambda *done: seen.append(done))
    assert [one.image for one in found] == data.ids
    assert [done for name, done in seen if name == "explained"] == [1, 2, 3]
    for one in found:
        checked(one)
        assert (one.model, one.method, one.origin, one.sanity) == ("mine", "grad-cam", Origin.MODEL, None)
        assert kinds <= {each.kind for each in one.evidence} <= kinds | {Kind.SPAN}
        assert any(each.map is not None for each in one.evidence)
        assert not any(each.faithfulness for each in one.evidence)
        assert one.rationale
        assert one.attribution


def test_paths_of_members_are_told_by_name() -> None:
    first, *_ = explained(ensemble(), targets=(PNEUMONIA,))
    ((_, a), (_, b)) = first.evidence[0].paths
    assert [name for name, _ in first.evidence[0].paths] == ["the member a", "the member b"]
    assert a + b == pytest.approx(1)
    assert _merged([("x", 0.25), ("y", 0.5), ("x", 0.25)]) == (("x", 0.5), ("y", 0.5))


def test_boxes_are_of_what_has_a_place() -> None:
    (one, *_) = explained(detector(), boxes=BoxSettings(threshold=0.01, most=1))
    marked = {each.cui: len(each.boxes) for each in one.evidence}
    assert marked[XRAY] == 0
    assert max(marked.values()) == 1


# images that cannot be explained


def test_what_cannot_be_read_or_has_no_places_is_told() -> None:
    data = images(
        fine=photo(),
        broken=b"GIF89a no",
        dot=png(np.zeros((1, 1), np.uint8)),
        strip=png(np.zeros((3, 5000), np.uint8)),
    )
    fine, broken, dot, strip = explained(detector(), data, faithfulness="quick")
    checked(fine)
    assert fine.sanity is not None
    assert isinstance(broken, Failure)
    assert "cannot be read (IMG1" in broken.why
    assert (dot.image, "1 x 1 pixels" in dot.why) == ("dot", True)
    assert "5000 x 3 pixels, and no place" in strip.why


def test_a_file_that_goes_away_after_the_answers_is_a_failure() -> None:
    data: Any = images(one=photo(), two=photo())
    found = Explainer(detector(), "mine", QUIET)(data)
    first = next(found)
    data.images.files.pop("two.png")
    assert first.image == "one"
    (second,) = found
    assert isinstance(second, Failure)


def test_refused_without_a_code() -> None:
    model = detector()
    data = images(one=photo())
    explainer = Explainer(model, "mine", QUIET)
    answers = replace(model.answers(data), refused={})
    found = explainer._one(answers, data[0], None, None)  # type: ignore[arg-type]
    assert found == Failure("one", "The image cannot be read (refused).")


def test_a_score_that_nothing_changes_is_silence_and_no_error() -> None:
    """A black image, or a head of zeros: one such image must not end a run of a thousand."""
    model = detector()
    with torch.no_grad():
        model.network.head.get_parameter("linear.weight").zero_()
    for one in explained(model):
        assert all(each.map is None and "finds nothing" in each.note for each in one.evidence)
        assert "The model said nothing of this image that could be explained." in one.notes
        assert one.method == "grad-cam"


def test_a_model_that_says_nothing_has_nothing_to_show() -> None:
    for one in explained(detector(bias=-9.0), faithfulness="quick"):
        assert (one.evidence, one.sanity) == ((), None)
        assert one.method == "grad-cam"


def test_neighbours_that_lack_a_concept_are_noted_and_the_run_goes_on() -> None:
    found = explained(retrieving(), targets=(f"{CHEST}:{EFFUSION}",))
    assert len(found) == 3
    assert all("do not have both" in one.evidence[0].note for one in found)


# what is refused before any image


@pytest.mark.parametrize(
    ("model", "targets", "told"),
    [
        (detector, ("C0032284",), "Nearest is 'C0032285'"),
        (detector, ("Pnuemonia",), "Nearest is 'Pneumonia'"),
        (detector, ("a:b:c",), "is no contrast"),
        (detector, (f"{PNEUMONIA}:chets",), "Nearest is 'Chest'"),
        (detector, (f"chets:{PNEUMONIA}",), "Nearest is 'Chest'"),
        (lambda: writer(reads=detector()), ("C0032284",), "Nearest is 'C0032285'"),
        (lambda: writer("lstm"), ("notaword",), "no concept or word of a caption 'notaword'"),
        (lambda: writer("lstm"), ("notaword:chest",), "'notaword'"),
    ],
)
def test_what_no_image_can_have_is_refused(model: Any, targets: tuple[str, ...], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        explained(model(), targets=targets)


def test_words_and_contrasts_of_words_that_a_caption_has(monkeypatch: pytest.MonkeyPatch) -> None:
    saying(monkeypatch)
    (one, *_) = explained(writer("lstm"), targets=("SHOWING", "showing:without"))
    assert [(each.kind, each.label) for each in one.evidence] == [
        (Kind.WORD, "showing"),
        (Kind.CONTRAST, "showing rather than without"),
    ]


def test_a_method_that_does_not_suit_is_refused_by_its_own_sentence() -> None:
    with pytest.raises(UsageError, match="this model has none"):
        explained(detector(), method="csra-map", faithfulness="quick")
    with pytest.raises(UsageError, match="Nearest is 'rollout'"):
        explained(detector(), method="rolout")


def test_auto_takes_what_suits_each_network() -> None:
    (one, *_) = explained(detector(), method="auto", targets=(PNEUMONIA,))
    assert one.method in METHODS.names


def test_a_model_that_does_not_look_is_refused() -> None:
    with pytest.raises(UsageError, match="looks at none"):
        Explainer(FrequentModel("Chest.", PostSettings()), "mine")


# sanity


def test_a_method_that_does_not_look_at_the_model_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    add_methods(monkeypatch)
    for one in explained(detector(), method="edges", faithfulness="quick", targets=(PNEUMONIA,)):
        assert one.sanity is not None
        assert not one.sanity.passed
        assert one.sanity.likeness[-1] == pytest.approx(1, abs=1e-3)


def test_sanity_is_tried_once_over_images_that_can_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []
    real: Any = getattr(explaining, "sanity_of")  # noqa: B009, not among its exports

    def counted(*given: Any, seed: int, **more: Any) -> Any:
        tried.append(seed)
        return real(*given, seed=seed, **more)

    monkeypatch.setattr(explaining, "sanity_of", counted)
    files = {f"bad{place}": b"" for place in range(3)} | {f"good{place}": photo() for place in range(4)}
    found = explained(detector(), images(**files), faithfulness="quick", targets=(PNEUMONIA,))
    assert [isinstance(one, Failure) for one in found] == [True] * 3 + [False] * 4
    assert tried == list(range(explaining._CHECKED["quick"][0]))
    assert len({id(one.sanity) for one in found[3:]}) == 1
    assert found[3].sanity.stages[0] == "head"
    tried.clear()
    explained(detector(), images(**files), method="occlusion", faithfulness="quick", targets=(PNEUMONIA,))
    assert tried == [0]  # one image of a method that takes long


def test_figures_are_measured_where_they_are_asked_for() -> None:
    (one,) = explained(detector(), images(one=photo()), faithfulness="quick")
    assert [each.faithfulness is None for each in one.evidence] == [each.map is None for each in one.evidence]
    assert all(each.faithfulness.road is None for each in one.evidence if each.faithfulness)


# cases


def test_near_cases_are_asked_for_with_what_was_said() -> None:
    asked: list[dict[str, Any]] = []

    def finder(vector: Any, k: int = 3, **more: Any) -> tuple[Case, ...]:
        asked.append({"k": k, "size": len(vector), **more})
        return (Case("train-1", 0.5),)

    data = some_images()[:1]
    near = Explainer(detector(), "mine", QUIET, finder)
    (one,) = made(near, data)
    assert [case.image for case in one.cases] == ["train-1"]
    assert "train-1" in one.rationale
    (told,) = asked
    assert (told["k"], told["size"], told["image"], told["group"]) == (3, 6, data.ids[0], data[0].group)
    assert set(told["said"]) == set(NAMES)
    (one,) = made(replace(near, settings=replace(QUIET, cases=0)), data)
    assert one.cases == ()
    (one,) = made(Explainer(ensemble(), "mine", QUIET, finder), data)  # no one network to compare by
    assert (one.cases, len(asked)) == ((), 1)


# boxes of another model


@pytest.mark.parametrize("reads", [None, detector()], ids=["a writer alone", "a writer with a detector"])
def test_boxes_of_another_model_are_marked_and_put_to_the_same_test(
    reads: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    saying(monkeypatch)
    provider = Told((FoundBox("pneumonia", Box(0.1, 0.1, 0.5, 0.5, 0), 0.8),))
    settings = Settings(external=EXTERNAL, faithfulness="quick")
    (one,) = made(Explainer(writer(reads=reads), "mine", settings, provider=provider), some_images()[:1])
    assert (one.origin, one.method, one.sanity) == (Origin.EXTERNAL, "a/b-explain", None)
    (shown,) = [each for each in one.evidence if each.map is not None]
    assert (shown.label, shown.probability) == ("pneumonia", None)
    assert "Not of the model that wrote the caption" in shown.note
    assert shown.faithfulness is not None
    assert len(provider.asked) == 1


def test_a_model_without_captions_has_no_words_to_draw_boxes_for() -> None:
    with pytest.raises(UsageError, match="draws boxes for the words of a caption"):
        explained(detector(), external=EXTERNAL)


def test_the_package_gives_what_it_names_and_nothing_else():
    import radcap.explanation as package

    assert all(getattr(package, name) is not None for name in package.__all__)
    with pytest.raises(AttributeError, match="has no 'Explained'"):
        _ = package.Explained
