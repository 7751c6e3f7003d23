"""Seconds of the shipped detector over images of the bundled set, by several ways in one process.

    python benchmarks/predict_ways.py --images 200 --times 3

Prints one JSON value. `bare` is the forward pass alone, over squares that lie in memory; `radcap` is opening
the files, decoding, looking, calibrating and deciding; `plain` is the loop a user would write: Pillow, one
image after the other, the same network of timm. Invariant: radcap's logits equal those of the bare pass.
"""

from __future__ import annotations

import argparse
import json
import time
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from PIL import Image

from radcap.datasets import Dataset, load_dataset
from radcap.detection.models import open_model
from radcap.vision.pictures.streaming import stream

if TYPE_CHECKING:
    from collections.abc import Callable

BATCH = 4  # the quickest for the bare pass


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--images", type=int, default=200)
    parser.add_argument("--times", type=int, default=3)
    asked = parser.parse_args()
    data = load_dataset("radiology-open", "test")[: asked.images]
    model: Any = open_model("zoo:concepts", "cpu")
    shots = list(stream(data, model.view, BATCH))
    squares = torch.cat([shot.squares for shot in shots])
    boxes = torch.cat([shot.boxes for shot in shots])
    ways: dict[str, Callable[[], np.ndarray]] = {
        "bare": lambda: bare(model, squares, boxes),
        "radcap": lambda: model.answers(data).logits,
        "plain": plain_way(model, data),
    }
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    found: dict[str, np.ndarray] = {}
    for _ in range(asked.times):
        for name, way in ways.items():
            started = time.perf_counter()
            found[name] = way()
            seconds[name].append(time.perf_counter() - started)
    gap = float(np.abs(found["bare"] - found["radcap"]).max())
    told = {name: median(values) for name, values in seconds.items()}
    print(json.dumps({**told, "images": len(data), "gap": gap, "threads": torch.get_num_threads()}))


@torch.inference_mode()
def bare(model: Any, squares: torch.Tensor, boxes: torch.Tensor) -> np.ndarray:  # noqa: ANN401
    """The network over batches that are ready."""
    images = model.view(squares, boxes)
    return torch.cat([model.network(one) for one in images.split(BATCH)]).numpy()


def plain_way(model: Any, data: Dataset) -> Callable[[], np.ndarray]:  # noqa: ANN401
    """The loop without radcap: timm's network with the same weights, not folded, one image at a time."""
    from radcap.detection.models.folder import ModelFolder
    from radcap.detection.models.opening import load_network
    from radcap.vision.backbones.timm_networks import timm_module
    from radcap.zoo import find

    folder = ModelFolder(find("zoo:concepts"))
    trained = load_network(folder, folder.system(), len(model.labels))
    network = timm_module().create_model("tf_efficientnet_lite2", num_classes=len(model.labels))
    weights = {name.removeprefix("backbone.body."): value for name, value in trained.state_dict().items()}
    head = {f"classifier.{part}": weights.pop(f"head.linear.{part}") for part in ("weight", "bias")}
    network.load_state_dict({**weights, **head})
    network.eval()
    side = model.view.side

    @torch.inference_mode()
    def loop() -> np.ndarray:
        found: list[np.ndarray] = []
        for record in data:
            picture = record.image.load().convert("RGB")
            picture.thumbnail((side, side))
            square = Image.new("RGB", (side, side))
            square.paste(picture, ((side - picture.width) // 2, (side - picture.height) // 2))
            pixels = torch.from_numpy(np.array(square)).permute(2, 0, 1)[None].float()
            found.append(network((pixels - 127) / 128).numpy())
        return np.concatenate(found)

    return loop


if __name__ == "__main__":
    main()
