"""Features of frozen backbones on a shelf: no more than so many, and never another network's."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from training_samples import drawn, in_one_process, tiny

from radcap.detection.system import ConceptModel
from radcap.detection.talk import SILENT
from radcap.detection.training import networks, train_system
from radcap.detection.training.networks import Trainer
from radcap.detection.training.shelf import Shelf
from radcap.detection.training.starting import start_network
from radcap.vision.network import Network
from radcap.vision.settings import AugmentSettings, BackboneSettings, HeadSettings, ImageSettings
from radcap.vision.training import FeatureFeed, PictureFeed, pick_place, predicted
from radcap.vision.weight_files import read_weight_file

PACKAGED = BackboneSettings(weights="package", frozen=True)
LABELS = ("C0040405", "C0024485")
CPU = pick_place("cpu")
LARGE = ImageSettings(size=64)  # a map of two by two


def four(value: float = 0.0) -> torch.Tensor:
    """Four bytes."""
    return torch.tensor([value])


def test_what_is_on_the_shelf_is_not_made_again() -> None:
    shelf, make = Shelf(8), mock.Mock(side_effect=four)
    first = shelf.get("a", ("1",), make)
    assert shelf.get("a", ("1",), make) is first
    assert make.call_count == 1
    assert shelf.get("b", ("1",), make) is not first
    assert make.call_count == 2


def test_the_oldest_goes_first_and_looking_makes_young() -> None:
    shelf = Shelf(8)
    for key in ("a", "b"):
        shelf.get(key, ("1",), four)
    shelf.get("a", ("1",), four)
    shelf.get("c", ("1",), four)
    assert [maker for maker, _ in shelf.held] == ["a", "c"]


@pytest.mark.parametrize("most", [0, 3])
def test_what_is_too_large_for_the_shelf_is_given_and_not_held(most: int) -> None:
    shelf = Shelf(most)
    assert shelf.get("a", ("1",), lambda: four(7.0)).item() == 7
    assert not shelf.held


def test_what_is_too_large_drives_nothing_off_the_shelf() -> None:
    shelf, never = Shelf(8), mock.Mock(side_effect=AssertionError)
    for key in ("a", "b"):
        shelf.get(key, ("1",), four)
    assert shelf.get("c", ("1", "2", "3"), lambda: torch.ones(3)).tolist() == [1, 1, 1]
    assert [maker for maker, _ in shelf.held] == ["a", "b"]
    assert shelf.get("b", ("1",), never).item() == 0


@given(st.integers(0, 40), st.lists(st.tuples(st.integers(0, 5), st.integers(0, 6)), max_size=20))
def test_a_shelf_holds_no_more_than_its_bytes_and_gives_what_was_asked(
    most: int, asked: list[tuple[int, int]]
) -> None:
    shelf = Shelf(most)
    for key in asked:
        ids = tuple(map(str, range(key[1])))
        made = shelf.get(key[0], ids, lambda key=key: torch.full((key[1],), float(key[0])))
        assert made.tolist() == [key[0]] * key[1]
        assert sum(one.nbytes for one in shelf.held.values()) <= most


def test_rows_are_gathered_from_what_is_held() -> None:
    shelf, never = Shelf(1000), mock.Mock(side_effect=AssertionError)
    shelf.get("a", ("1", "2"), lambda: torch.tensor([1.0, 2.0]))
    shelf.get("a", ("3",), lambda: torch.tensor([3.0]))
    assert shelf.get("a", ("3", "1", "2"), never).tolist() == [3, 1, 2]
    assert shelf.get("a", ("2",), never).tolist() == [2]
    assert shelf.get("b", ("1",), lambda: torch.tensor([7.0])).tolist() == [7]  # of another maker
    assert shelf.get("a", ("1", "4"), lambda: torch.tensor([8.0, 9.0])).tolist() == [8, 9]


def trainer(shelf: Shelf, **tables: Any) -> Trainer:
    given: dict[str, Any] = {"backbone": PACKAGED} | tables
    model: ConceptModel = tiny(**given)
    return Trainer(model, LABELS, CPU, SILENT, Path(), "", shelf)


def seen(one: Trainer, part: slice = slice(6)) -> tuple[torch.Tensor, Network, PictureFeed]:
    """The features that a trainer shows a head, of a few images."""
    torch.manual_seed(0)
    network, _ = start_network(one.model, LABELS)
    with in_one_process():
        feed = one.feed(drawn()[part])
    shown = one._learnt(network.eval(), feed, None)[1]
    assert isinstance(shown, FeatureFeed)
    return shown.features, network, feed


def whole_maps(network: Network, feed: PictureFeed) -> torch.Tensor:
    """By the backbone itself, all at once."""
    with torch.inference_mode():
        return network.backbone(feed.batch(torch.arange(len(feed)), None)[0])


@pytest.mark.parametrize(
    ("head", "pooled", "weights"),
    [
        (HeadSettings(), True, "package"),
        (HeadSettings(), True, "none"),
        (HeadSettings(kind="mlp", hidden=(8,)), True, "package"),
        (HeadSettings(pool="gem"), False, "package"),
        (HeadSettings(pool="gem"), False, "none"),
        (HeadSettings(pool="max"), False, "package"),
        (HeadSettings(kind="csra"), False, "package"),
    ],
    ids=["linear", "linear-none", "mlp", "gem", "gem-none", "max", "csra"],
)
def test_a_head_is_shown_means_where_it_wants_no_more(head: HeadSettings, pooled: bool, weights: str) -> None:
    shelf = Shelf(2**24)
    backbone = replace(PACKAGED, weights=weights)
    features, network, feed = seen(trainer(shelf, head=head, image=LARGE, backbone=backbone))
    maps = whole_maps(network, feed)
    assert maps.shape[2:] == (2, 2)
    wanted = maps.mean(dim=(2, 3), keepdim=True) if pooled else maps
    torch.testing.assert_close(features, wanted, atol=1e-3, rtol=1e-3)
    score = network.head.score
    with torch.inference_mode():
        torch.testing.assert_close(score(features), score(maps), atol=1e-3, rtol=1e-3)
    # weights of a seed are no other network's: nothing of them is kept
    assert len(shelf.held) == (weights != "none")


def test_heads_over_one_backbone_share_its_maps() -> None:
    shelf, heads = Shelf(2**24), (HeadSettings(kind="csra"), HeadSettings(pool="gem"), HeadSettings())
    with mock.patch.object(networks, "predicted", wraps=predicted) as looked:
        shown = [seen(trainer(shelf, head=head, image=LARGE))[0] for head in heads]
    assert looked.call_count == 1
    alone, _, _ = seen(trainer(Shelf(0), image=LARGE))
    assert torch.equal(shown[2], alone)  # to the last bit, whoever looked


def test_where_means_are_wanted_no_whole_maps_are_held() -> None:
    made: list[tuple[int, ...]] = []

    def looked(*given: Any) -> torch.Tensor:
        made.append(tuple((answers := predicted(*given)).shape))
        return answers

    shelf = Shelf(2**24)
    with mock.patch.object(networks, "predicted", looked):
        for head in (HeadSettings(), HeadSettings(kind="mlp", hidden=(8,)), HeadSettings(kind="csra")):
            seen(trainer(shelf, head=head, image=LARGE))
    assert [one[2:] for one in made] == [(1, 1), (2, 2)]
    assert {one.dtype for one in shelf.held.values()} == {torch.float32}


@pytest.mark.parametrize(
    ("other", "part"),
    [
        ({"image": ImageSettings(size=48)}, slice(6)),
        ({"image": ImageSettings(size=32, grey=True)}, slice(6)),
        ({"backbone": replace(PACKAGED, drop=0.1)}, slice(6)),
        ({}, slice(1, 7)),
    ],
    ids=["size", "colours", "network", "images"],
)
def test_other_settings_and_other_images_have_maps_of_their_own(other: dict[str, Any], part: slice) -> None:
    shelf = Shelf(2**24)
    seen(trainer(shelf))
    held = len(shelf.held)
    features, network, feed = seen(trainer(shelf, **other), part)
    assert len(shelf.held) == 2 * held
    wanted = whole_maps(network, feed).mean(dim=(2, 3), keepdim=True)
    torch.testing.assert_close(features, wanted, atol=1e-3, rtol=1e-3)


def test_another_precision_has_maps_of_its_own() -> None:
    shelf = Shelf(2**24)
    full, _, _ = seen(trainer(shelf))
    rough, _, _ = seen(replace(trainer(shelf), place=pick_place("cpu", "bf16")))
    assert rough is not full
    assert (rough != full).any()
    assert seen(trainer(shelf))[0] is full


def test_what_is_done_to_training_images_by_lot_is_not_in_the_features() -> None:
    shelf = Shelf(2**24)
    plain, _, _ = seen(trainer(shelf))
    image = ImageSettings(size=32, augment=AugmentSettings(rotate=20.0))
    assert seen(trainer(shelf, image=image))[0] is plain


def test_a_shelf_changes_no_model(tmp_path: Path) -> None:
    shelf, system = Shelf(2**26), tiny(backbone=PACKAGED)
    with in_one_process():
        folders = [
            train_system(system, drawn(), tmp_path / f"{number}", SILENT, one)
            for number, one in enumerate((Shelf(0), shelf, shelf))
        ]
    assert shelf.held
    first, *others = (read_weight_file(one.weights) for one in folders)
    for other in others:
        assert all(torch.equal(first[name], other[name]) for name in first)
    assert len({(one.path / "decision.json").read_text() for one in folders}) == 1
