"""What the network is shown: frames, light, mixtures and their lots."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from PIL import Image
from torch.nn import functional

from radcap.vision.pictures import Chance, View, mix
from radcap.vision.pictures.framing import frames, sampled, varied
from radcap.vision.pictures.light import relit
from radcap.vision.settings import AugmentSettings, ImageSettings

CPU = torch.device("cpu")
LOTS = np.random.default_rng(5)


def chance(seed: int = 0, epoch: int = 0) -> Chance:
    return Chance.of(seed, epoch, CPU)


def squares(n: int = 2, side: int = 40, channels: int = 1) -> torch.Tensor:
    return torch.from_numpy(LOTS.integers(0, 256, (n, side, side, channels), dtype=np.uint8))


def whole(n: int = 2, side: int = 40) -> torch.Tensor:
    return torch.tensor([0.0, 0.0, side, side]).expand(n, 4)


def shown(
    settings: ImageSettings, held: torch.Tensor, boxes: torch.Tensor, lots: Chance | None = None
) -> np.ndarray:
    """n x size x size x 3."""
    images = View(settings)(held, boxes, lots)
    assert images.is_contiguous(memory_format=torch.channels_last)
    assert images.dtype == torch.float32
    return images.permute(0, 2, 3, 1).numpy()


# frames


@pytest.mark.parametrize("fit", ["pad", "squash", "crop"])
def test_the_centre_crop_is_one_of_pixels(fit):
    held = squares()
    images = shown(ImageSettings(size=32, load=1.25, fit=fit), held, whole())
    for one, image in zip(held.numpy(), images, strict=True):
        cropped = np.asarray(Image.fromarray(one[:, :, 0]).crop((4, 4, 36, 36)))
        np.testing.assert_allclose(image, np.repeat(cropped[:, :, None], 3, 2), atol=1e-3)


def test_a_square_is_shown_as_it_is():
    held = squares(side=32, channels=3)
    view = View(ImageSettings(size=32))
    assert np.array_equal(shown(view.settings, held, whole(side=32)), held.numpy().astype(np.float32))
    assert (view.side, view.channels) == (32, 3)
    assert (
        View(ImageSettings(size=224, load=1.25, grey=True)).side,
        View(ImageSettings(grey=True)).channels,
    ) == (280, 1)
    half = view(held, whole(side=32), half=True)
    assert half.dtype == torch.float16
    assert torch.equal(half.float(), view(held, whole(side=32)))


@pytest.mark.parametrize(
    ("augment", "turned"),
    [
        (AugmentSettings(flip_horizontal=1.0), lambda one: one[:, ::-1]),
        (AugmentSettings(flip_vertical=1.0), lambda one: one[::-1]),
        (AugmentSettings(flip_horizontal=1.0, flip_vertical=1.0), lambda one: one[::-1, ::-1]),
        (AugmentSettings(), lambda one: one),
    ],
    ids=["across", "down", "both", "none"],
)
def test_flips_are_exact(augment, turned):
    held = squares(side=32, channels=3)
    images = shown(ImageSettings(size=32, augment=augment), held, whole(side=32), chance())
    for one, image in zip(held.numpy(), images, strict=True):
        np.testing.assert_allclose(image, turned(one), atol=2e-3)


def test_flips_are_tossed_for_each_image():
    held = squares(400, 16)
    images = shown(
        ImageSettings(size=16, augment=AugmentSettings(flip_horizontal=0.3)), held, whole(400, 16), chance()
    )
    same = [
        np.allclose(image[:, :, :1], one, atol=1e-2) for image, one in zip(images, held.numpy(), strict=True)
    ]
    assert 0.6 < np.mean(same) < 0.8


def test_a_quarter_turn_is_exact():
    held = squares(side=32)
    frame = frames(whole(side=32), 32, "pad")
    cx, cy, hx, hy = frame.unbind(1)
    zero = torch.zeros_like(cx)
    maps = torch.stack([zero, -hx, cx, hy, zero, cy], 1).view(-1, 2, 3)  # by hand: 90 degrees
    turned = sampled(held.permute(0, 3, 1, 2).float(), maps, 32)
    for one, image in zip(held.numpy(), turned[:, 0].numpy(), strict=True):
        np.testing.assert_allclose(image, np.rot90(one[:, :, 0], 1), atol=2e-2)


@pytest.mark.parametrize("kind", [torch.float32, torch.float16])
def test_pixels_are_taken_from_where_torch_takes_them(kind):
    images = squares(6, 24).permute(0, 3, 1, 2).double()
    lots = torch.Generator().manual_seed(3)
    maps = torch.rand(6, 2, 3, generator=lots) * 1.6 - 0.8
    grid = functional.affine_grid(maps.double(), [6, 1, 17, 17], align_corners=False)
    there = functional.grid_sample(images, grid, align_corners=False)
    here = sampled(images.to(kind), maps, 17)
    torch.testing.assert_close(here.double(), there, rtol=0, atol=1e-3 if kind is torch.float32 else 6)


def test_turns_are_drawn_within_the_angle_and_keep_sizes():
    frame = frames(whole(500, 32), 32, "pad")
    maps = varied(frame, 1.0, AugmentSettings(rotate=30), chance())
    angles = torch.rad2deg(torch.atan2(maps[:, 1, 0], maps[:, 0, 0]))
    assert 25 < float(angles.abs().max()) <= 30
    torch.testing.assert_close(torch.linalg.det(maps[:, :, :2]), torch.ones(500))


def test_zoom_and_shift_stay_in_their_ranges():
    frame = frames(whole(800, 32), 32, "pad")
    augment = AugmentSettings(zoom=(0.8, 1.25), stretch=0.2, shift=0.1)
    maps = varied(frame, 1.0, augment, chance())
    across, down = maps[:, 0, 0], maps[:, 1, 1]
    zoom = 1 / (across * down).sqrt()
    assert (zoom >= 0.8 - 1e-5).all()
    assert (zoom <= 1.25 + 1e-5).all()
    assert float(zoom.max() - zoom.min()) > 0.4
    assert 0.15 < float(maps[:, :, 2].abs().max()) <= 0.2  # a tenth of the size, which is 2


def test_a_side_is_stretched_by_its_factor_at_most_and_the_ratio_of_both_sides_by_its_square():
    frame = frames(whole(800, 32), 32, "pad")
    maps = varied(frame, 1.0, AugmentSettings(stretch=0.2), chance())
    across, down = maps[:, 0, 0], maps[:, 1, 1]
    torch.testing.assert_close(across * down, torch.ones(800))  # as much longer as the other is shorter
    for factors, most in ((across, 1.2), (down, 1.2), (across / down, 1.2**2)):
        assert 0.99 * most < float(factors.max()) <= most + 1e-5
        assert 0.99 * most < float(1 / factors.min()) <= most + 1e-5


def test_a_random_crop_lies_within_what_was_loaded():
    frame = frames(whole(500, 40), 40, "pad")
    maps = varied(frame, 1.25, AugmentSettings(), chance())
    torch.testing.assert_close(maps[:, 0, 0], torch.full((500,), 0.8))
    edge = maps[:, :, 2].abs() + 0.8
    assert 0.99 < float(edge.max()) <= 1 + 1e-6
    assert float(maps[:, 0, 2].min()) < -0.15 < 0.15 < float(maps[:, 0, 2].max())


def test_squashing_is_interpolation():
    held = squares(1, 40)
    held[:, :8] = held[:, 32:] = 0
    box = torch.tensor([[8.0, 0.0, 24.0, 40.0]])
    image = shown(ImageSettings(size=40, fit="squash", trim=True), held, box)[0, :, :, 0]
    picture = held[:, 8:32, :, 0].float()[None]
    expected = functional.interpolate(picture, size=(40, 40), mode="bilinear", align_corners=False)[
        0, 0
    ].numpy()
    np.testing.assert_allclose(image[2:-2], expected[2:-2], atol=1e-2)  # its edges meet the black around it


def test_cropping_takes_the_middle_of_the_longer_side():
    held = squares(1, 40)
    box = torch.tensor([[10.0, 0.0, 20.0, 40.0]])
    image = shown(ImageSettings(size=20, fit="crop"), held, box)[0, :, :, 0]
    np.testing.assert_allclose(image, held[0, 10:30, 10:30, 0].numpy(), atol=1e-3)


def test_a_trimmed_picture_fills_its_square_again():
    held = squares(1, 40)
    box = torch.tensor([[10.0, 10.0, 20.0, 20.0]])
    image = shown(ImageSettings(size=20, trim=True), held, box)[0, :, :, 0]
    np.testing.assert_allclose(image, held[0, 10:30, 10:30, 0].numpy(), atol=1e-3)


# lots


def test_without_chance_a_view_is_always_the_same():
    held, settings = (
        squares(),
        ImageSettings(size=32, load=1.25, augment=AugmentSettings(rotate=90, mixup=1, noise=0.5)),
    )
    assert np.array_equal(shown(settings, held, whole()), shown(settings, held, whole()))


def test_lots_depend_on_seed_and_epoch_alone():
    def drawn(lots):
        parts = (
            lots.uniform(5, -1, 1),
            lots.coin(5, 0.5).float(),
            lots.normal(torch.zeros(5)),
            lots.beta(5, 0.4),
        )
        return torch.cat([*parts, lots.order(5).float()])

    assert torch.equal(drawn(chance(1, 2)), drawn(chance(1, 2)))
    others = [drawn(chance(*pair)) for pair in ((1, 2), (2, 1), (1, 3), (0, 0), (-1, 2), (2**64 + 5, 2))]
    assert not any(torch.equal(one, other) for place, one in enumerate(others) for other in others[:place])


def test_lots_follow_their_laws():
    lots = chance(3)
    uniform, beta = lots.uniform(20_000, -2, 4), lots.beta(20_000, 0.4)
    assert (float(uniform.min()), float(uniform.max())) == pytest.approx((-2, 4), abs=0.01)
    assert float(lots.coin(20_000, 0.2).float().mean()) == pytest.approx(0.2, abs=0.01)
    assert float(beta.mean()) == pytest.approx(0.5, abs=0.01)
    assert float(beta.var()) == pytest.approx(1 / (4 * (2 * 0.4 + 1)), abs=0.01)
    assert float(lots.normal(torch.zeros(20_000)).std()) == pytest.approx(1, abs=0.02)
    assert sorted(lots.order(50).tolist()) == list(range(50))


# light


GREY = torch.full((300, 3, 8, 8), 100.0)


def test_nothing_asked_for_leaves_images_as_they_are():
    assert relit(GREY, AugmentSettings(), chance()) is GREY


def test_brightness_adds_the_same_to_all_of_an_image():
    images = relit(GREY, AugmentSettings(brightness=0.2), chance())
    moved = (images - 100).flatten(1)
    assert torch.equal(moved.amin(1), moved.amax(1))
    assert 45 < float(moved.max()) <= 51 + 1e-3
    assert -51 - 1e-3 <= float(moved.min()) < -45


def test_contrast_turns_about_the_mean():
    held = torch.tensor([80.0, 120.0]).repeat(300, 3, 8, 4)
    images = relit(held, AugmentSettings(contrast=0.5), chance())
    torch.testing.assert_close(images.mean((1, 2, 3)), torch.full((300,), 100.0))
    spread = (images.amax((1, 2, 3)) - images.amin((1, 2, 3))) / 40
    assert 0.5 <= float(spread.min()) < 0.55
    assert 1.45 < float(spread.max()) <= 1.5


def test_gamma_is_a_power_of_the_share_of_white():
    images = relit(GREY, AugmentSettings(gamma=0.5), chance())[:, 0, 0, 0]
    exponents = (images / 255).log() / np.log(100 / 255)
    assert float(exponents.log().abs().max()) <= 0.5 + 1e-4
    assert float(exponents.log().max()) > 0.45
    ends = torch.tensor([0.0, 255.0]).expand(1, 3, 1, 2)
    torch.testing.assert_close(relit(ends, AugmentSettings(gamma=0.5), chance()), ends)


def test_noise_has_a_strength_of_its_own_in_each_image():
    images = relit(torch.full((300, 3, 32, 32), 128.0), AugmentSettings(noise=0.1), chance())
    spread = images.flatten(1).std(1)
    assert float(spread.max()) <= 27
    assert float(spread.min()) < 3
    assert float(spread.max()) > 20
    assert float(images.mean()) == pytest.approx(128, abs=0.2)


def test_pixels_stay_in_their_range():
    everything = AugmentSettings(brightness=1, contrast=1, gamma=1, noise=0.5)
    images = relit(torch.rand(50, 3, 8, 8) * 255, everything, chance())
    assert 0 <= float(images.min()) <= float(images.max()) <= 255


def test_a_grey_box_covers_a_part_of_some_images():
    held = torch.zeros(600, 3, 50, 50)
    images = relit(held, AugmentSettings(erase=0.5), chance())
    covered = (images == 127.5)[:, 0]
    areas = covered.flatten(1).float().mean(1)
    hit = areas > 0
    assert float(hit.float().mean()) == pytest.approx(0.5, abs=0.07)
    assert 0.01 < float(areas[hit].min()) <= float(areas[hit].max()) < 0.23
    for one in covered[hit][:20]:  # each is a rectangle
        rows, columns = one.any(1), one.any(0)
        assert torch.equal(one, rows[:, None] & columns[None])


# mixtures


def labelled(n: int = 40):
    """Each image is as bright as its only label says."""
    return torch.arange(n).float().view(n, 1, 1, 1).expand(n, 3, 10, 10).clone(), torch.arange(n).float()[
        :, None
    ]


def test_neither_leaves_a_batch_as_it_is():
    images, labels = labelled()
    assert mix(images, labels, AugmentSettings(), chance()) == (images, labels)


@pytest.mark.parametrize(
    "augment", [AugmentSettings(mixup=0.5), AugmentSettings(cutmix=1.0)], ids=["mixup", "cutmix"]
)
def test_labels_are_mixed_by_the_parts_of_pixels(augment):
    images, labels = labelled()
    mixed, wanted = mix(images, labels, augment, chance(2))
    torch.testing.assert_close(mixed.mean((1, 2, 3)), wanted[:, 0], rtol=1e-4, atol=1e-4)
    assert not torch.equal(mixed, images)


def test_mixup_blends_and_cutmix_cuts():
    images, labels = labelled()
    blended, _ = mix(images, labels, AugmentSettings(mixup=0.5), chance(2))
    assert torch.equal(blended.amin((1, 2, 3)), blended.amax((1, 2, 3)))
    cut, _ = mix(images, labels, AugmentSettings(cutmix=1.0), chance(2))
    changed = (cut != images)[:, 0]
    box = changed.any(0)
    assert torch.equal(box, box.any(1)[:, None] & box.any(0)[None])
    assert all(torch.equal(one, box) for one in changed if one.any())
    assert set(cut.unique().tolist()) == set(range(40))


def test_with_both_each_batch_draws_one():
    images, labels = labelled()
    lots = chance(4)
    kinds = [mix(images, labels, AugmentSettings(mixup=0.5, cutmix=1.0), lots)[0] for _ in range(60)]
    blended = [torch.equal(one.amin((1, 2, 3)), one.amax((1, 2, 3))) for one in kinds]
    assert 15 < sum(blended) < 50
