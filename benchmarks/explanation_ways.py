"""Seconds of maps by radcap and by the packages of others, over images of the bundled set, in one process.

    python benchmarks/explanation_ways.py --images 24 --times 3 --occluded 4 --explained 16 --threads 2

Prints one JSON value. Every way gets the same network with the same pixels before it, decoded and fitted
already, and the same targets. Invariant: what is compared are whole answers, so every map of Grad-CAM is
brought to the size of the pixels and to 0 to 1, as the grad-cam package does it; `gap` is the largest
difference of any value.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812 - as everybody names it

from radcap.datasets import load_dataset
from radcap.explanation.lenses.frame import Frame
from radcap.explanation.methods.grad_cam import GradCam
from radcap.explanation.methods.occlusion import Occlusion
from radcap.explanation.targets import Concept
from radcap.vision.torchvision_ops import ensure_torchvision

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from radcap.explanation.lenses.network_lens import NetworkLens

LIKELY = 0.05  # of a label that is mapped though it may not be decided
GRID, PATCH = 10, 2  # covers of whole pixels: the default grid of 8 does not divide 260
BATCH = 8  # looks at once, by both ways
MODELS = ("zoo:captions", "zoo:concepts")


@dataclass(frozen=True, slots=True)
class Seen:
    """An image before the network, and the labels to map."""

    lens: NetworkLens
    labels: tuple[str, ...]

    @property
    def targets(self) -> list[Concept]:
        return [Concept(one) for one in self.labels]

    @property
    def places(self) -> list[int]:
        return [self.lens.places[one] for one in self.labels]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--images", type=int, default=24)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--occluded", type=int, default=4, help="images whose parts are covered")
    parser.add_argument("--explained", type=int, default=16, help="images that are explained part by part")
    parser.add_argument("--threads", type=int, default=2)
    asked = parser.parse_args()
    torch.set_num_threads(asked.threads)
    decided, likely = seen_images(asked.images)
    told = {
        "decided": grad_cams(decided, asked.times),
        "likely": grad_cams(likely, asked.times),
        "occlusion": occlusions(decided[: asked.occluded]),
        "parts": {name: parts(name, asked.explained) for name in MODELS},
        "threads": torch.get_num_threads(),
        "versions": {name: version(name) for name in ("torch", "grad-cam", "captum")},
    }
    print(json.dumps(told))


def seen_images(count: int) -> tuple[list[Seen], list[Seen]]:
    """The first images of the test split with the labels decided, and with all that are likely."""
    from radcap.detection.models import open_model
    from radcap.explanation.subjects.concept_lenses import concept_lens

    data = load_dataset("radiology-open", "test")[:count]
    model: Any = open_model("zoo:concepts", "cpu")
    answers = model.answers(data)
    names = np.array(answers.labels)
    decided, likely = list[Seen](), list[Seen]()
    for row, record in enumerate(data):
        lens: Any = concept_lens(model, record.image.bytes, record.image.name)
        for found, chosen in (
            (decided, answers.decided[row]),
            (likely, answers.probabilities[row] >= LIKELY),
        ):
            found.append(Seen(lens, tuple(names[chosen].tolist())))
    return [one for one in decided if one.labels], [one for one in likely if one.labels]


def grad_cams(images: Sequence[Seen], times: int) -> dict[str, Any]:
    """All maps of all images: by radcap so many times, by the package once."""
    for way in (radcap_maps, package_batch):
        way(images[0])  # imports, and the first look of a network
    one, one_took = worked(package_one_by_one, images)
    batch, batch_took = worked(package_batch, images)
    runs = [worked(radcap_maps, images) for _ in range(times)]
    ours = runs[-1][0]
    middle = {unit: median(took[unit] for _, took in runs) for unit in ("wall", "cpu")}
    return {
        "images": len(images),
        "maps": sum(len(one.labels) for one in images),
        "gap": max(gap(ours, one), gap(ours, batch)),
        "seconds": {"one": one_took, "batch": batch_took, "radcap": middle},
    }


def radcap_maps(seen: Seen) -> np.ndarray:
    """One look and one way back for all labels."""
    maps = GradCam()(seen.lens, seen.targets).maps
    side = seen.lens.pixels.shape[-1]
    over = Frame().over_picture(maps, side, side)
    over = over - over.amin(dim=(1, 2), keepdim=True)
    return (over / (over.amax(dim=(1, 2), keepdim=True) + 1e-7)).numpy()


def package_one_by_one(seen: Seen) -> np.ndarray:
    """The way its documentation shows: the image and a target."""
    cam, target = _package(seen)
    with cam:
        return np.concatenate([cam(seen.lens.pixels, [target(place)]) for place in seen.places])


def package_batch(seen: Seen) -> np.ndarray:
    """The same image once for each target, as a batch."""
    cam, target = _package(seen)
    rows = seen.lens.pixels.repeat(len(seen.places), 1, 1, 1)
    with cam:
        return cam(rows, [target(place) for place in seen.places])


def _package(seen: Seen) -> tuple[Any, Any]:
    ensure_torchvision()
    from pytorch_grad_cam import GradCAM
    from pytorch_grad_cam.utils.model_targets import ClassifierOutputTarget

    network: Any = seen.lens.network
    return GradCAM(model=network, target_layers=[network.backbone.body]), ClassifierOutputTarget


def occlusions(images: Sequence[Seen]) -> dict[str, Any]:
    """The loss of each score under the same covers, by both ways once."""
    radcap_occlusion(images[0])  # the first look of a network
    theirs, their_took = worked(captum_occlusion, images)
    ours, our_took = worked(radcap_occlusion, images)
    return {
        "images": len(images),
        "maps": sum(len(one.labels) for one in images),
        "covers": (GRID + PATCH - 1) ** 2,
        "gap": gap(ours, theirs),
        "seconds": {"captum": their_took, "radcap": our_took},
    }


def radcap_occlusion(seen: Seen) -> np.ndarray:
    """All labels share the looks."""
    return Occlusion(grid=GRID, patch=PATCH, batch=BATCH)(seen.lens, seen.targets).maps.numpy()


@torch.no_grad()
def captum_occlusion(seen: Seen) -> np.ndarray:
    """One label after another. A border around the image lets covers reach over its edge, as ours do."""
    from captum.attr import Occlusion as Theirs

    pixels = seen.lens.pixels
    side = pixels.shape[-1]
    cell = side // GRID
    border = (PATCH - 1) * cell
    around = (border,) * 4
    network: Any = seen.lens.network
    inner = _Inner(network, border, side)
    fill = F.pad(_blurred(pixels), around)
    found: list[torch.Tensor] = []
    for place in seen.places:
        told = Theirs(inner).attribute(
            F.pad(pixels, around),
            sliding_window_shapes=(3, PATCH * cell, PATCH * cell),
            strides=(3, cell, cell),
            baselines=fill,
            target=place,
            perturbations_per_eval=BATCH,
        )
        found.append(told[0, 0, border : border + side : cell, border : border + side : cell])
    return torch.stack(found).float().numpy()


def _blurred(pixels: torch.Tensor) -> torch.Tensor:
    """What lies under a cover by default: the image in six by six cells, smoothly."""
    return F.interpolate(F.adaptive_avg_pool2d(pixels, 6), pixels.shape[-1], mode="bilinear")


class _Inner(nn.Module):
    """A network that sees what lies within a border."""

    def __init__(self, network: nn.Module, border: int, side: int) -> None:
        super().__init__()
        self.network, self.border, self.side = network, border, side

    def forward(self, pixels: torch.Tensor) -> torch.Tensor:
        inside = slice(self.border, self.border + self.side)
        return self.network(pixels[..., inside, inside])


def parts(name: str, count: int) -> dict[str, float]:
    """Seconds of the parts of `radcap explain`, as the explainer comes to them."""
    from radcap.explanation import explaining
    from radcap.explanation.writing import write_explanations
    from radcap.reading.explaining import chosen_images, make_explainer

    data = chosen_images(["radiology-open"], "test", count)
    explainer, opened = timed(lambda: make_explainer(name, device="cpu"))
    _, answers = timed(lambda: explainer.model.answers(data))
    inside = {"maps": "mapped", "faithfulness": "audited", "sanity": "sanity_of"}
    spent = dict.fromkeys(inside, 0.0)
    with ExitStack() as stack:
        for part, work in inside.items():
            watched = _watched(getattr(explaining, work), spent, part)
            stack.enter_context(patch.object(explaining, work, watched))
        explained, whole = timed(lambda: list(explainer(data)))
    with tempfile.TemporaryDirectory() as folder:
        _, files = timed(lambda: write_explanations(explained, Path(folder) / "explained"))
    rest = whole - answers - sum(spent.values())
    return {"opening": opened, "answers": answers, **spent, "rest": rest, "files": files}


def _watched(work: Callable[..., Any], spent: dict[str, float], part: str) -> Callable[..., Any]:
    """The same work; its seconds are added to those of a part."""

    def done(*args: object, **named: object) -> object:
        found, took = timed(lambda: work(*args, **named))
        spent[part] += took
        return found

    return done


def worked(
    way: Callable[[Seen], np.ndarray], images: Sequence[Seen]
) -> tuple[list[np.ndarray], dict[str, float]]:
    """The maps of each image, and what they took in all."""
    cpu = time.process_time()
    maps, wall = timed(lambda: [way(one) for one in images])
    return maps, {"wall": wall, "cpu": time.process_time() - cpu}


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    started = time.perf_counter()
    done = work()
    return done, time.perf_counter() - started


def gap(ours: Sequence[np.ndarray], theirs: Sequence[np.ndarray]) -> float:
    """The largest difference. Maps of another shape are no maps of the same; all zero, they show nothing."""
    pairs = list(zip(ours, theirs, strict=True))
    if any(one.shape != other.shape for one, other in pairs) or not any(one.any() for one in ours):
        return float("inf")
    return max(float(np.abs(one - other).max()) for one, other in pairs)


if __name__ == "__main__":
    main()
