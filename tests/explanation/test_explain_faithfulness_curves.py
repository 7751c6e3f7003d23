"""Deletion, insertion, ROAD and infidelity, against brute force and other libraries."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch
from explain_lens_samples import SIZE, TinyLens, concepts, grad_cam, picture_of, planted, shown, trained

from radcap.core import UsageError
from radcap.explanation.faithfulness.baselines import edge_map, noise_map
from radcap.explanation.faithfulness.curves import curves
from radcap.explanation.faithfulness.fills import grey
from radcap.explanation.faithfulness.imputing import impute, imputed
from radcap.explanation.faithfulness.infidelity import infidelity, squares
from radcap.explanation.faithfulness.masks import cells_of
from radcap.explanation.faithfulness.measuring import Level, Measuring, measure, with_truth
from radcap.explanation.faithfulness.perturbing import Audience, alone
from radcap.explanation.faithfulness.road import road
from radcap.explanation.faithfulness.sensitivity import noisy_pixels, sensitivity
from radcap.explanation.lenses.frame import Frame
from radcap.vision.torchvision_ops import ensure_torchvision

WHOLE = torch.ones(1, 1, SIZE, SIZE, dtype=torch.bool)

OLD_TORCH = pytest.mark.filterwarnings("ignore:__array_wrap__")  # numpy says it of a tensor in their code


def lens() -> TinyLens:
    return TinyLens(trained(), shown()[0])


def maps_of(seen: TinyLens) -> list[np.ndarray]:
    return list(Frame().over_picture(grad_cam(seen, concepts()).maps, SIZE, SIZE).numpy())


class Counted:
    """Counts what an audience is asked."""

    def __init__(self, audience: Audience) -> None:
        self.audience, self.images = audience, 0

    def __call__(self, keep: torch.Tensor) -> torch.Tensor:
        self.images += len(keep)
        return self.audience(keep)


def test_curves_are_those_of_a_walk_pixel_by_pixel() -> None:
    seen, steps = lens(), 4
    picture = picture_of(seen.pixels)
    found = curves(alone(seen, concepts()).through(grey), maps_of(seen), picture, steps=steps, seed=5)
    pixels = seen.pixels[0].numpy()
    mean = pixels.mean((1, 2), keepdims=True)
    named = {"edges": edge_map(picture), "noise": noise_map(SIZE, SIZE, 5)}
    for place, (cam, one) in enumerate(zip(maps_of(seen), found, strict=True)):

        def chance(keep: np.ndarray, place: int = place) -> float:
            left = torch.from_numpy(np.where(keep, pixels, mean))[None]
            return float(seen.chances(left, concepts())[0, place])

        def walks(values: np.ndarray, chance: Any = chance) -> tuple[list[float], list[float]]:
            cuts = np.sort(values.ravel())[::-1]
            tops = [values >= cuts[SIZE * SIZE * step // steps - 1] for step in range(1, steps)]
            none, every = np.zeros_like(tops[0]), np.ones_like(tops[0])
            gone = [chance(~top) for top in (none, *tops, every)]
            return gone, [chance(top) for top in (none, *tops, every)]

        gone, came = walks(cam)
        assert np.allclose(one.deletion.values, gone, atol=1e-4)
        assert np.allclose(one.insertion.values, came, atol=1e-4)
        edges = [np.trapezoid(values, dx=1 / steps) for values in walks(named["edges"])]
        assert np.allclose([one.edge_deletion, one.edge_insertion], edges, atol=2e-3)  # edges have ties
        noise = np.trapezoid(walks(named["noise"])[1], dx=1 / steps)
        assert np.allclose([one.random_insertion, one.random_deletion], noise, atol=1e-4)


@pytest.mark.parametrize(("targets", "steps"), [(1, 8), (3, 8), (2, 2)])
def test_curves_cost_what_they_say(targets: int, steps: int) -> None:
    seen = lens()
    counted = Counted(alone(seen, concepts(targets)))
    found = curves(counted, maps_of(seen)[:targets], picture_of(seen.pixels), steps=steps)
    assert counted.images == 2 + (2 * targets + 3) * (steps - 1)
    assert {len(one.deletion.values) for one in found} == {steps + 1}


def test_a_faithful_map_beats_noise_and_its_own_opposite() -> None:
    seen = lens()
    true = maps_of(seen)[:2]
    picture = picture_of(seen.pixels)
    audience = alone(seen, concepts(2))
    own = curves(audience, true, picture)
    opposite = curves(audience, [-one for one in true], picture)
    for good, bad in zip(own, opposite, strict=True):
        assert good.insertion.area - good.deletion.area > 0.5
        assert bad.gain < 0
        assert good.random_deletion == pytest.approx(good.random_insertion)


@OLD_TORCH
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_imputation_is_that_of_pytorch_grad_cam(share: float) -> None:
    ensure_torchvision()
    from pytorch_grad_cam.metrics.road import NoisyLinearImputer

    pixels = torch.cat([shown()[0][:, :1, :30, :40], torch.rand(1, 2, 30, 40) * 255], dim=1)
    gone = torch.from_numpy(np.random.default_rng(0).permutation(1200).reshape(30, 40) < share * 1200)
    gone[4:20, 4:20] |= share < 0.9  # a hole, not dust alone
    theirs = NoisyLinearImputer(noise=0)(pixels[0], (~gone).float())
    ours = impute(pixels, gone[None, None], WHOLE[..., :30, :40], steps=60)
    assert torch.allclose(ours[0], theirs, atol=0.02)
    assert (impute(pixels, gone[None, None], WHOLE[..., :30, :40])[0] - theirs).abs().mean() < 0.3


def test_imputation_knows_no_border_and_keeps_what_is_there() -> None:
    pixels = shown()[0]
    inside = torch.zeros(SIZE, SIZE, dtype=torch.bool)
    inside[:, 16:48] = True
    removed = torch.zeros(2, SIZE, SIZE)
    removed[0, 20:40, 16:30] = 1
    loud = torch.where(inside, pixels, 9000.0)
    first, second = (imputed(one, inside, noise=0)(removed) for one in (pixels, loud))
    assert torch.allclose(first[..., 16:48], second[..., 16:48], atol=1e-3)
    assert torch.equal(first[1], pixels[0])
    assert first[0, :, 20:40, 16:30].std() < pixels.std()


def test_imputation_of_everything_is_finite_and_noise_is_seeded() -> None:
    pixels = shown()[0]
    gone = torch.ones(1, SIZE, SIZE)
    assert torch.isfinite(imputed(pixels, WHOLE[0, 0])(gone)).all()
    same = [imputed(pixels, WHOLE[0, 0], noise=5, seed=seed)(gone) for seed in (1, 1, 2)]
    assert torch.equal(same[0], same[1])
    assert not torch.equal(same[0], same[2])


def test_grey_and_coloured_images_are_imputed_alike() -> None:
    pixels = shown()[0]
    removed = (torch.rand(2, SIZE, SIZE, generator=torch.Generator().manual_seed(0)) < 0.5).float()
    nearly = pixels.clone()
    nearly[0, 1, 0, 0] += 1e-3
    ours, theirs = (imputed(one, WHOLE[0, 0], noise=0)(removed) for one in (pixels, nearly))
    assert torch.allclose(ours, theirs, atol=0.01)


@OLD_TORCH
def test_road_is_twice_that_of_pytorch_grad_cam(monkeypatch: pytest.MonkeyPatch) -> None:
    ensure_torchvision()
    from pytorch_grad_cam.metrics import road as theirs

    monkeypatch.setattr(theirs.NoisyLinearImputer.__init__, "__defaults__", (0.0, theirs.neighbors_weights))
    side = 40  # so that percentiles fall between pixels and both remove the same ones
    seen = TinyLens(trained(), shown()[0][..., :side, :side].contiguous())
    cams = Frame().over_picture(grad_cam(seen, concepts()).maps, side, side).numpy()
    cams = (cams - cams.min()) / (cams.max() - cams.min())
    shares = (0.2, 0.5, 0.8)
    ours = road(
        alone(seen, concepts()).through(partial(imputed, noise=0)), list(cams), (side, side), shares=shares
    )
    for place, cam in enumerate(cams):
        judged = theirs.ROADCombined([100 - round(100 * share) for share in shares])(
            seen.pixels, cam[None], [lambda out, place=place: torch.sigmoid(out[place])], seen.network
        )
        assert ours[place] == pytest.approx(2 * float(judged[0]), abs=0.02)


def test_infidelity_is_that_of_captum() -> None:
    from captum.metrics import infidelity as theirs

    seen, grid = lens(), (16, 16)
    audience = alone(seen, concepts())
    maps = maps_of(seen)
    ours = infidelity(audience, maps, grid, draws=12, seed=4)
    removed = squares(grid, 12, 4)
    for place, cells in enumerate(cells_of(maps, grid)):
        judged = theirs(
            lambda keep, place=place: audience(keep)[:, place],
            lambda keep: (removed, keep - removed),
            torch.ones(1, *grid),
            cells[None],
            n_perturb_samples=12,
            normalize=True,
        )
        assert ours[place] == pytest.approx(float(judged[0]), rel=1e-3, abs=1e-7)
    scaled = infidelity(audience, [1000 * one for one in maps], grid, draws=12, seed=4)
    assert scaled == pytest.approx(ours, rel=1e-3, abs=1e-7)


@pytest.mark.parametrize("grid", [(1, 1), (3, 64), (64, 48)])
def test_squares_lie_in_the_grid(grid: tuple[int, int]) -> None:
    drawn = squares(grid, 50, 0)
    assert drawn.shape == (50, *grid)
    rows, columns = drawn.amax(2).sum(1), drawn.amax(1).sum(1)
    assert torch.equal(rows, columns)
    assert rows.min() >= 1
    assert rows.max() <= max(1, 0.5 * min(grid) + 1)
    assert torch.equal(rows * columns, drawn.sum((1, 2)))


def test_sensitivity_is_that_of_captum() -> None:
    from captum.metrics import sensitivity_max

    seen, draws = lens(), 3
    noisy = torch.cat([noisy_pixels(seen, seed=seed) for seed in range(draws)])

    def explain(pixels: Any, place: int) -> Any:
        with torch.enable_grad():
            images = pixels[0] if isinstance(pixels, tuple) else pixels
            maps = [grad_cam(seen.over(one[None]), concepts()).maps[place] for one in images]
        return (torch.stack(maps),)

    ours = sensitivity(
        list(grad_cam(seen, concepts()).maps.numpy()),
        lambda seed: list(grad_cam(seen.over(noisy[seed : seed + 1]), concepts()).maps.numpy()),
        draws=draws,
    )
    for place in range(3):
        judged = sensitivity_max(
            lambda pixels, place=place: explain(pixels, place),
            seen.pixels,
            perturb_func=lambda _: noisy,
            n_perturb_samples=draws,
        )
        assert ours[place] == pytest.approx(float(judged[0]), rel=1e-4)


def test_noise_stays_small_and_on_the_picture() -> None:
    seen = replace(lens(), frame=Frame(top=0.5))
    apart = noisy_pixels(seen, radius=0.01, seed=1) - seen.pixels
    assert apart[..., : SIZE // 2, :].abs().max() == 0
    assert 2 < apart.abs().max() <= 2.55 + 1e-4
    assert sensitivity([np.zeros((2, 2))], lambda _: [np.ones((2, 2))], draws=1) == [2.0]


def test_measuring_quickly_and_fully() -> None:
    seen = lens()
    audience, picture, maps = alone(seen, concepts()), picture_of(seen.pixels), maps_of(seen)
    quick = measure(audience, picture, maps, Measuring(most=1), seed=3)
    assert quick[0] is not None
    assert (quick[0].road, quick[0].infidelity, quick[0].sensitivity) == (None, None, None)
    assert quick[1:] == [None, None]
    full = measure(audience, picture, maps, Measuring(Level.FULL, most=2), seed=3, again=lambda _: maps)
    assert full[0] == replace(
        quick[0],
        edge_deletion=pytest.approx(quick[0].edge_deletion, abs=1e-6),  # type: ignore[arg-type]
        edge_insertion=pytest.approx(quick[0].edge_insertion, abs=1e-6),  # type: ignore[arg-type]
        road=full[0].road if full[0] else None,
        infidelity=full[0].infidelity if full[0] else None,
        sensitivity=0.0,
    )
    assert full[1] is not None
    assert full[1].road is not None
    assert full[1].road > 0.5
    without = measure(audience, picture, maps, Measuring(Level.FULL, most=1))[0]
    assert without is not None
    assert without.sensitivity is None
    assert measure(audience, picture, maps, Measuring(most=0)) == [None] * 3
    assert all(measure(audience, picture, maps))


def test_measuring_refuses_what_does_not_fit() -> None:
    seen = lens()
    with pytest.raises(UsageError, match="There are 1 maps for 3 targets"):
        measure(alone(seen, concepts()), picture_of(seen.pixels), maps_of(seen)[:1])
    with pytest.raises(UsageError, match="A curve of 1 steps has nothing between its ends"):
        Measuring(steps=1)


def test_truth_is_added_where_it_is_known() -> None:
    seen = lens()
    (found, *_), truth = curves(alone(seen, concepts()), maps_of(seen), picture_of(seen.pixels)), shown()[1]
    known = with_truth(found, maps_of(seen)[0], truth[0])
    assert known.pointing is True
    assert known.overlap is not None
    assert known.overlap > 0.2
    assert with_truth(found, maps_of(seen)[0], truth[1]).pointing is False


def test_the_small_network_has_learned_its_patterns() -> None:
    pixels, labels, _ = planted(64, seed=7)
    assert bool(((trained()(pixels) > 0) == labels.bool()).float().mean() > 0.95)
