"""A system at a scale: what stands in for what cannot be had, what is cut, and that all of it is told."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from board_samples import TINY, member, tiny
from hypothesis import given, settings
from hypothesis import strategies as st

from radcap.core import UsageError
from radcap.detection.ensembles import Ensemble
from radcap.detection.learners.config import Learner
from radcap.detection.retrieval import Retrieval
from radcap.detection.system import ConceptModel, ConceptSystem, SearchSettings
from radcap.detection.text import Text
from radcap.systems import read_concepts, systems_of
from radcap.systems.board.fitting import fit_system
from radcap.systems.board.scales import SCALES, Scale, scale_of, stand_in
from radcap.vision.backbones.weights import PACKAGED
from radcap.vision.settings import (
    AugmentSettings,
    BackboneSettings,
    ImageSettings,
    TeacherSettings,
    TrainSettings,
)
from radcap.vision.training import check_augment

SMALL, LARGE, PUBLISHED = (SCALES[name] for name in ("small", "large", "published"))
FEW = Scale("few", 128, 20, 4, True, 64, 1e-3, 64, 8)
MORE = Scale("more", 192, 12, 8, False, 64, 1e-4, 128, 30)
SYSTEMS = [one for one in systems_of("concepts") if isinstance(one, ConceptSystem)]
NAMES = [one.name for one in SYSTEMS]
HUB = ("hugging-face", "open-clip")


def trained_models(system: ConceptSystem) -> tuple[ConceptModel, ...]:
    return system.member or (system,)


def looking(system: ConceptSystem) -> list[ConceptModel]:
    """The models that look at images."""
    return [one for one in trained_models(system) if one.text is None]


def from_timm(name: str) -> BackboneSettings:
    return BackboneSettings(name=name, weights="timm")


def test_a_scale_is_had_by_its_name_and_an_unknown_one_is_refused_with_the_nearest() -> None:
    assert scale_of("small") is SMALL
    with pytest.raises(UsageError, match=r"There is no scale 'smal'\. Nearest is 'small'"):
        scale_of("smal")


def test_every_published_network_of_the_catalogue_has_a_stand_in_that_is_a_package() -> None:
    names = {
        one.backbone.name
        for system in SYSTEMS
        for one in looking(system)
        if one.backbone.weights == "timm" or one.backbone.name in HUB
    }
    assert len(names) > 15
    assert {stand_in(one) for one in names} == set(PACKAGED)  # all three, so that members differ


@pytest.mark.parametrize(
    ("published", "expected"),
    [
        ("tf_efficientnet_lite0.in1k", "tf_efficientnet_lite0"),
        ("tf_efficientnet_lite1", "tf_efficientnet_lite1"),
        ("tf_efficientnet_lite4.in1k", "tf_efficientnet_lite2"),
        ("resnet50.a1_in1k", "tf_efficientnet_lite0"),
        ("efficientnet_b0.ra_in1k", "tf_efficientnet_lite0"),
        ("tf_efficientnetv2_b0.in1k", "tf_efficientnet_lite0"),
        ("densenet121.ra_in1k", "tf_efficientnet_lite1"),
        ("tf_efficientnetv2_s.in21k_ft_in1k", "tf_efficientnet_lite1"),
        ("vit_base_patch16_224.augreg_in21k", "tf_efficientnet_lite2"),
        ("open-clip", "tf_efficientnet_lite2"),
    ],
)
def test_stand_ins_by_size(published: str, expected: str) -> None:
    assert stand_in(published) == expected


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("scale", [SMALL, LARGE], ids=["small", "large"])
def test_a_fitted_system_of_the_catalogue_needs_nothing_from_a_hub(name: str, scale: Scale) -> None:
    system = read_concepts(name)
    fitted = fit_system(system, scale)
    for one in looking(fitted.system):
        assert one.backbone.weights in ("none", "package")
        assert one.backbone.weights == "none" or one.backbone.name in PACKAGED
        assert one.backbone.name not in HUB
        assert one.teacher == TeacherSettings()
    words = [one.text for one in trained_models(fitted.system) if one.text is not None]
    assert all(one.words in ("dataset", "zoo:captions") for one in words)
    assert fitted.borrowed == any(one.words == "zoo:captions" for one in words)
    assert bool(fitted.changes) or replace(fitted.system, train=system.train) == system


@pytest.mark.parametrize("name", NAMES)
def test_as_published_nothing_changes_but_the_search(name: str) -> None:
    system = read_concepts(name)
    fitted = fit_system(system, PUBLISHED)
    members = tuple(replace(one, search=SearchSettings()) for one in system.member)
    assert fitted.system == replace(system, search=SearchSettings(), member=members)
    assert set(fitted.changes) <= {"no search over settings"}


def test_a_search_over_settings_is_left_out_and_told() -> None:
    search = SearchSettings(lr=(1e-3, 1e-4))
    for system in (tiny(search=search), tiny(member=(member("a", search=search), member("b")))):
        fitted = fit_system(system, PUBLISHED)
        assert fitted.changes == ("no search over settings",)
        assert all(one.search == SearchSettings() for one in (fitted.system, *fitted.system.member))
    assert fit_system(tiny(), PUBLISHED).changes == ()


def test_members_are_cut_in_turns_by_what_they_are() -> None:
    members = (
        *(member(f"b0-{n}", backbone=from_timm("efficientnet_b0")) for n in range(5)),
        *(member(f"dense-{n}", backbone=from_timm("densenet121")) for n in range(2)),
        member("neighbours", backbone=from_timm("densenet121"), retrieval=Retrieval()),
    )
    fitted = fit_system(tiny(member=members, ensemble=Ensemble(rule="votes", votes=4)), FEW)
    assert [one.name for one in fitted.system.member] == ["b0-0", "b0-1", "dense-0", "neighbours"]
    assert fitted.system.ensemble.votes == 2
    assert fitted.changes[0] == "4 of 8 members"
    assert "2 votes, as many for its members" in fitted.changes


def test_a_single_vote_stays_where_few_members_do() -> None:
    many = tuple(member(f"m{n}") for n in range(24))
    fitted = fit_system(tiny(member=many, ensemble=Ensemble(rule="votes", votes=5)), TINY)
    assert fitted.system.ensemble.votes == 1
    assert fitted.changes == ("2 of 24 members", "1 vote, as many for its members")


def test_votes_stay_where_members_do() -> None:
    fitted = fit_system(
        tiny(member=(member("a"), member("b")), ensemble=Ensemble(rule="votes", votes=2)), TINY
    )
    assert fitted.system.ensemble.votes == 2
    assert fitted.changes == ()


@pytest.mark.parametrize(
    "ensemble",
    [
        Ensemble(rule="weighted", weights=(1.0, 2.0, 3.0)),
        Ensemble(rule="partial-intersection", expression="(a & b) | c"),
    ],
    ids=["weights", "expression"],
)
def test_members_that_a_rule_speaks_of_one_by_one_are_not_cut(ensemble: Ensemble) -> None:
    fitted = fit_system(tiny(member=tuple(map(member, "abc")), ensemble=ensemble), TINY)
    assert [one.name for one in fitted.system.member] == ["a", "b", "c"]
    assert fitted.system.ensemble == ensemble


def test_what_a_system_is_changed_in_is_told_in_order() -> None:
    system = tiny(
        backbone=from_timm("densenet121.ra_in1k"),
        image=ImageSettings(size=224),
        train=TrainSettings(epochs=40, batch=16, lr=1e-4, compile=True),
        teacher=TeacherSettings(models=("zoo:detector",), weight=0.5),
    )
    fitted = fit_system(system, FEW)
    assert fitted.changes == (
        "no teacher",
        "Lite1 for densenet121",
        "frozen",
        "128 pixels for 224",
        "20 epochs for 40",
        "rate 0.001 for 0.0001",
        "batches of 64 for 16",
    )
    made = fitted.system
    assert (made.backbone.name, made.backbone.weights) == ("tf_efficientnet_lite1", "package")
    assert made.backbone.frozen
    assert (made.train.batch, made.train.lr, made.train.compile) == (64, 1e-3, False)


VARIED = ImageSettings(size=100, augment=AugmentSettings(rotate=20.0, mixup=0.2))
FROZEN_CHANGES = ("Lite1 for densenet121", "frozen", "no augmentation")


@pytest.mark.parametrize(("scale", "changes"), [(FEW, FROZEN_CHANGES), (MORE, FROZEN_CHANGES[:1])])
def test_images_of_a_network_that_is_frozen_here_are_not_varied(
    scale: Scale, changes: tuple[str, ...]
) -> None:
    train = TrainSettings(batch=64, lr=1e-3, epochs=10)
    fitted = fit_system(tiny(backbone=from_timm("densenet121"), image=VARIED, train=train), scale)
    assert fitted.changes == changes
    is_varied = "no augmentation" not in changes
    assert fitted.system.image == (VARIED if is_varied else ImageSettings(size=100))
    check_augment(fitted.system.image, fitted.system.backbone)


@pytest.mark.parametrize("scale", SCALES.values(), ids=SCALES)
@pytest.mark.parametrize("system", SYSTEMS, ids=NAMES)
def test_no_frozen_network_of_the_catalogue_has_varied_images(system: ConceptSystem, scale: Scale) -> None:
    for one in (system, *fit_system(system, scale).system.member, fit_system(system, scale).system):
        check_augment(one.image, one.backbone)


@pytest.mark.parametrize(
    ("lr", "fitted_lr", "told"), [(3e-5, 1e-4, ("rate 0.0001 for 3e-05",)), (1e-2, 1e-2, ())]
)
def test_at_the_large_scale_stand_ins_learn_whole_and_quicker(
    lr: float, fitted_lr: float, told: tuple[str, ...]
) -> None:
    system = tiny(
        backbone=from_timm("densenet121"), train=TrainSettings(lr=lr, epochs=10), image=ImageSettings()
    )
    fitted = fit_system(system, MORE)
    assert fitted.changes == ("Lite1 for densenet121", "192 pixels for 224", *told)
    assert not fitted.system.backbone.frozen
    assert fitted.system.train.lr == fitted_lr


def test_the_large_scale_leaves_networks_whose_weights_are_packaged_as_they_are() -> None:
    packaged = BackboneSettings(name="tf_efficientnet_lite0", weights="package")
    long = TrainSettings(epochs=90, batch=8, lr=1e-5)
    plain = {"backbone": packaged, "train": long, "image": ImageSettings(size=260)}
    system = tiny(search=SearchSettings(lr=(1e-3, 1e-4)), **plain)
    fitted = fit_system(system, replace(MORE, spares_packaged=True))
    assert fitted.changes == ("no search over settings",)
    assert (fitted.system.image, fitted.system.train) == (system.image, system.train)
    assert "12 epochs for 90" in fit_system(system, MORE).changes


def test_a_network_from_nothing_has_limits_of_its_own_and_is_not_frozen() -> None:
    plain = {"image": ImageSettings(size=299), "train": TrainSettings(epochs=60)}
    fitted = fit_system(tiny(backbone=BackboneSettings(name="inception_v3"), **plain), FEW)
    assert fitted.changes == ("Lite0 from nothing for inception_v3", "64 pixels for 299", "8 epochs for 60")
    assert fitted.system.backbone == BackboneSettings(name="tf_efficientnet_lite0")
    kept = fit_system(tiny(backbone=BackboneSettings(name="visual-words", frozen=True), **plain), FEW)
    assert kept.changes == ("128 pixels for 299", "20 epochs for 60")


def test_a_rate_is_not_told_where_nothing_is_learnt_by_it() -> None:
    frozen = BackboneSettings(weights="package", frozen=True)
    still = tiny(backbone=frozen, learner=Learner(), train=TrainSettings(epochs=0, lr=1e-5, batch=8))
    assert fit_system(still, FEW).changes == ()


@pytest.mark.parametrize("name", HUB)
def test_the_towers_of_a_hub_have_a_stand_in_of_the_same_kind_as_others(name: str) -> None:
    tower = BackboneSettings(name=name, weights="BiomedCLIP", geometry="{}", pooled=True)
    fitted = fit_system(tiny(backbone=tower), FEW)
    assert fitted.system.backbone.name == "tf_efficientnet_lite2"
    assert fitted.system.backbone.geometry == ""
    assert fitted.changes[:2] == ("Lite2 for BiomedCLIP", "frozen")


@pytest.mark.parametrize(
    ("text", "expected", "changes", "borrowed"),
    [
        (
            Text("vlm:LLaVA", "parser", prompt="What?"),
            Text("zoo:captions", "parser"),
            ("words of zoo:captions for vlm:LLaVA",),
            True,
        ),
        (
            Text("dataset", "extractor", "neural", {"model": "x"}),
            Text("dataset"),
            ("the free vocabulary for neural",),
            False,
        ),
        (
            Text("mine/captioner", "extractor", "neural"),
            Text("zoo:captions"),
            ("words of zoo:captions for mine/captioner", "the free vocabulary for neural"),
            True,
        ),
        (Text("zoo:captions", "classifier"), Text("zoo:captions", "classifier"), (), True),
        (Text("dataset", "parser", "neural"), Text("dataset", "parser", "neural"), (), False),
    ],
    ids=["vlm", "extractor", "both", "shipped", "reads no vocabulary"],
)
def test_words_and_readers_that_everybody_has(
    text: Text, expected: Text, changes: tuple[str, ...], borrowed: bool
) -> None:
    fitted = fit_system(tiny(text=text), FEW)
    assert fitted.system.text == expected
    assert fitted.changes == changes
    assert fitted.borrowed == borrowed
    among = fit_system(tiny(member=(member("a"), member("b", text=text))), FEW)
    assert among.borrowed == borrowed
    assert among.system.member[1].text == expected


networks = st.sampled_from(("efficientnet_b0", "densenet121", "swin_base", "visual-words", "open-clip"))
backbones = st.builds(
    BackboneSettings,
    name=networks,
    weights=st.sampled_from(("none", "timm", "package")),
    frozen=st.booleans(),
)
models: Any = {
    "backbone": backbones,
    "image": st.builds(ImageSettings, size=st.integers(16, 512)),
    "train": st.builds(
        TrainSettings, epochs=st.integers(0, 500), batch=st.integers(1, 256), lr=st.floats(1e-6, 1.0)
    ),
}
model_tables = st.fixed_dictionaries(models)


@st.composite
def any_system(draw: st.DrawFn) -> ConceptSystem:
    many = draw(st.integers(0, 12))
    members = tuple(member(f"m{n}", **_without_train(draw(model_tables))) for n in range(many))
    votes = draw(st.integers(0, many))
    rule = Ensemble(rule="votes", votes=votes) if votes else Ensemble()
    return tiny(member=members, ensemble=rule, **draw(model_tables))


def _without_train(given: dict[str, Any]) -> dict[str, Any]:
    return {key: one for key, one in given.items() if key != "train"}


@settings(max_examples=40)
@given(any_system(), st.sampled_from((SMALL, LARGE, PUBLISHED, TINY)))
def test_a_fitted_system_never_grows(system: ConceptSystem, scale: Scale) -> None:
    fitted = fit_system(system, scale).system
    assert len(fitted.member) == min(len(system.member), scale.members)
    assert fitted.ensemble.votes <= system.ensemble.votes
    assert fitted.ensemble.votes <= len(fitted.member)
    assert bool(fitted.ensemble.votes) == bool(system.ensemble.votes)
    before = {one.name: one for one in system.member}
    pairs: list[tuple[ConceptModel, ConceptModel]] = [(system, fitted)]
    for old, new in [*pairs, *((before[one.name], one) for one in fitted.member)]:
        if scale.spares_packaged and old.backbone.weights == "package" and old.text is None:
            assert (new.image, new.train, new.backbone) == (old.image, old.train, old.backbone)
            continue
        assert new.image.size <= min(old.image.size, max(scale.size, scale.scratch_size))
        assert new.train.epochs <= min(old.train.epochs, max(scale.epochs, scale.scratch_epochs))
        assert (new.data, new.head, new.loss) == (old.data, old.head, old.loss)
    assert fit_system(fitted, scale).system == fitted  # once is enough


def test_networks_side_by_side_have_different_stand_ins() -> None:
    """Two that look with the same eyes would say nothing that one does not."""
    for name, wanted in {
        "2023/ssn-mlrg-concepts": ["lite1", "lite2", "lite0"],
        "2022/morgan-concepts": ["lite2", "lite1"],
        "2023/cs-morgan-concepts": ["lite1", "lite2"],
    }.items():
        fitted = fit_system(read_concepts(name), LARGE)
        parts = [one.name.removeprefix("tf_efficientnet_") for one in fitted.system.backbone.part]
        assert parts == wanted
        assert {one.weights for one in fitted.system.backbone.part} == {"package"}
        assert all(
            any(text.startswith(f"{one.capitalize()} for") for text in fitted.changes) for one in parts
        )


def test_a_fourth_network_side_by_side_is_one_of_the_three() -> None:
    sizes = [f"tf_efficientnet_lite{number}" for number in range(3)]
    assert stand_in("densenet201.tv_in1k", sizes) == "tf_efficientnet_lite2"
    assert stand_in("resnet50.tv_in1k", sizes[:1]) == "tf_efficientnet_lite1"
