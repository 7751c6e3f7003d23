"""Networks side by side as one backbone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn import functional as F  # noqa: N812 - as everybody names it

from radcap.core import InputError, UsageError
from radcap.core.tables import parse_toml, read_table, to_toml
from radcap.vision.backbones import make_backbone
from radcap.vision.settings import BackboneSettings

torch.set_num_threads(1)

LITE = BackboneSettings()
SCALES = BackboneSettings(name="residual-scales", width=6)
WORDS = BackboneSettings(name="visual-words", words=7)
RESTORED = BackboneSettings(name="auto-encoder", width=5)
SIZE = 64


def joined(*parts: BackboneSettings, **more: Any) -> BackboneSettings:
    return BackboneSettings(name="joined", part=parts, **more)


def made(one: BackboneSettings, **more: Any) -> Any:
    torch.manual_seed(0)
    return make_backbone(one, size=SIZE, **more).eval()


def images(count: int = 6) -> torch.Tensor:
    return 255 * torch.rand(count, 3, SIZE, SIZE, generator=torch.Generator().manual_seed(1))


def views(seen: torch.Tensor) -> Any:
    return lambda: iter(torch.split(seen, 4))


def cosines(vectors: torch.Tensor) -> torch.Tensor:
    """Of each with each, by torch."""
    return F.cosine_similarity(vectors[:, None], vectors[None], dim=2)


@torch.no_grad()
@pytest.mark.parametrize("parts", [(LITE, SCALES), (SCALES, RESTORED, WORDS), (LITE, LITE)])
def test_the_cosine_of_two_codes_is_the_mean_of_the_cosines_of_the_parts(parts):
    backbone = made(joined(*parts))
    backbone.learn(views(images()), 0)
    found = backbone(images())
    alone = [one(images()).mean(dim=(2, 3)) for one in backbone.body.backbones]
    expected = torch.stack([cosines(one) for one in alone]).mean(dim=0)
    codes = found.mean(dim=(2, 3))
    assert codes.shape == (6, backbone.width) == (6, sum(one.shape[1] for one in alone))
    torch.testing.assert_close(cosines(codes), expected, atol=1e-4, rtol=0)
    torch.testing.assert_close(codes.norm(dim=1), torch.full((6,), backbone.width**0.5), rtol=1e-3, atol=0)


@torch.no_grad()
@settings(max_examples=15, deadline=None)
@given(st.integers(16, 90), st.integers(16, 90))
def test_maps_of_any_size_come_to_the_finest_grid(high, wide):
    backbone = made(joined(SCALES, RESTORED))
    seen = 255 * torch.rand(2, 3, high, wide)
    maps = [one(seen).shape[-2:] for one in backbone.body.backbones]
    assert backbone(seen).shape[-2:] == tuple(max(sizes) for sizes in zip(*maps, strict=True))


@torch.no_grad()
def test_a_place_of_a_part_stays_where_it_is():
    """Maps of one grid are only made longer or shorter, so a heat map of the whole is one of its parts."""
    backbone = made(joined(LITE, LITE))
    first, second = (one(images(1)) for one in backbone.body.backbones)
    found = backbone(images(1))
    for part, ours in ((first, found[:, : first.shape[1]]), (second, found[:, first.shape[1] :])):
        ratio = ours[part != 0] / part[part != 0]
        torch.testing.assert_close(ratio, ratio[:1].expand_as(ratio), rtol=1e-3, atol=0)


@torch.no_grad()
def test_a_part_that_gives_nothing_leaves_the_others_alone():
    backbone = made(joined(SCALES, WORDS))  # before it has learnt, no word is near
    found = backbone(torch.zeros(1, 3, SIZE, SIZE))
    assert bool(found.isfinite().all())


def test_weights_of_a_part_are_those_it_names_and_parts_without_learn(tmp_path):
    from safetensors.torch import save_file

    first = made(RESTORED)
    first.learn(views(images()), 3)
    save_file(first.body.state_dict(), tmp_path / "part.safetensors")
    known = replace(RESTORED, weights=str(tmp_path / "part.safetensors"))
    backbone = made(joined(known, RESTORED, WORDS))
    held, fresh, _ = backbone.body.backbones
    before = [{name: value.clone() for name, value in one.state_dict().items()} for one in (held, fresh)]
    backbone.learn(views(images()), 0)
    assert all(torch.equal(value, first.state_dict()[name]) for name, value in held.state_dict().items())
    assert all(torch.equal(value, before[0][name]) for name, value in held.state_dict().items())
    assert not all(torch.equal(value, before[1][name]) for name, value in fresh.state_dict().items())


def test_weights_of_all_parts_from_one_file(tmp_path):
    from safetensors.torch import save_file

    first = made(joined(SCALES, RESTORED))
    save_file(first.body.state_dict(), tmp_path / "all.safetensors")
    second = made(joined(SCALES, RESTORED, weights=str(tmp_path / "all.safetensors")))
    assert all(torch.equal(value, first.state_dict()[name]) for name, value in second.state_dict().items())
    with pytest.raises(InputError, match="does not fit the backbone"):
        made(joined(SCALES, SCALES, weights=str(tmp_path / "all.safetensors")))


def test_a_trained_one_is_built_without_the_weights_its_parts_began_with():
    gone = replace(SCALES, weights="gone.safetensors")
    with pytest.raises(UsageError, match=r"weights is 'gone\.safetensors', which is no file"):
        made(joined(gone, LITE))
    assert made(joined(gone, LITE), weights=False).width == 6 + 1280


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"name": "joined"}, "'joined' has no part. Write [[backbone.part]] twice or more."),
        ({"name": "joined", "part": (LITE,)}, "'joined' has one part alone. Write [[backbone.part]] twice"),
        ({"part": (LITE, SCALES)}, "It has parts, and its name is 'tf_efficientnet_lite0'. Write 'joined'."),
        (
            {"name": "joined", "part": (LITE, joined(LITE, LITE))},
            "A part is 'joined' itself. Name its parts here.",
        ),
        (
            {"name": "joined", "part": (LITE, replace(LITE, frozen=True))},
            "A part is frozen. All are, or none: write frozen in [backbone].",
        ),
    ],
)
def test_parts_that_make_no_backbone_are_refused(given, told):
    with pytest.raises(UsageError) as refused:
        BackboneSettings(**given)
    assert told in str(refused.value)


def test_an_unknown_key_of_a_part_is_told_with_its_line():
    toml = 'name = "joined"\n[[part]]\nname = "residual-scales"\n[[part]]\nwidht = 3\n'
    with pytest.raises(InputError) as refused:
        read_table(BackboneSettings, parse_toml(toml).values, text=toml)
    (issue,) = refused.value.issues
    assert (issue.line, issue.code) == (5, "SYS201")
    assert issue.message == "[part] of part 2 has no key 'widht'. Nearest is 'width'."


def test_parts_are_written_and_read_again():
    given = joined(replace(LITE, weights="package"), SCALES, frozen=True)
    text = to_toml(given)
    assert text.count("[[part]]") == 2
    assert read_table(BackboneSettings, parse_toml(text).values) == given
    full = to_toml(given, full=True)
    assert read_table(BackboneSettings, parse_toml(full).values) == given


@pytest.mark.parametrize(
    ("one", "drawn", "nothing"),
    [
        (LITE, True, True),
        (replace(LITE, weights="package"), False, False),
        (joined(LITE, SCALES), True, True),
        (joined(replace(LITE, weights="package"), SCALES), True, False),
        (joined(replace(LITE, weights="timm"), replace(LITE, weights="x.pth")), False, False),
        (joined(LITE, SCALES, weights="x.pth"), False, False),
    ],
)
def test_what_begins_with_weights(one, drawn, nothing):
    assert (one.is_drawn, one.is_from_nothing) == (drawn, nothing)
