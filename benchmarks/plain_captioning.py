"""Captioning as one would write it without radcap: a loop to learn, and beam search an image at a time.

Invariant: network, optimiser, loss and rules are those of radcap. What is left out is what radcap adds:
features that stay on the device, half precision, keys and values that are kept, images side by side.
"""

from __future__ import annotations

import time
from statistics import median
from typing import TYPE_CHECKING

import torch
from torch.nn import functional as F  # noqa: N812 - as everybody names it
from torch.utils.data import DataLoader, TensorDataset

if TYPE_CHECKING:
    from radcap.captioning.generation import Marks
    from radcap.captioning.network import Top
    from radcap.captioning.settings import CaptionTrainSettings, GenerateSettings
    from radcap.captioning.writer import Writer

__all__ = ["learn_plainly", "write_plainly"]

WORKERS = 4  # of the DataLoader beside a GPU


def learn_plainly(
    top: Top,
    features: torch.Tensor,
    tokens: torch.Tensor,
    settings: CaptionTrainSettings,
    device: torch.device,
    *,
    pad: int,
    smoothing: float,
) -> tuple[float, float]:
    """Images a second of the median epoch after the first, and the mean loss of the last."""
    on_gpu = device.type == "cuda"
    loader = DataLoader(
        TensorDataset(features, tokens),
        settings.batch,
        shuffle=True,
        num_workers=WORKERS if on_gpu else 0,
        pin_memory=on_gpu,
        persistent_workers=on_gpu,
    )
    adam = torch.optim.AdamW(top.parameters(), settings.lr, weight_decay=settings.weight_decay)
    speeds, mean = [], 0.0
    top.train()
    for _ in range(settings.epochs):
        started, losses = time.perf_counter(), torch.zeros((), device=device)
        for images, rows in loader:
            shown, said = images.to(device, non_blocking=True), rows.to(device, non_blocking=True)
            logits = top(shown, said[:, :-1])["caption"]
            loss = F.cross_entropy(
                logits.flatten(0, 1), said[:, 1:].flatten(), ignore_index=pad, label_smoothing=smoothing
            )
            adam.zero_grad()
            loss.backward()
            adam.step()
            losses += loss.detach()
        mean = losses.item() / len(loader)  # waits for the device
        speeds.append(len(features) / (time.perf_counter() - started))
    return median(speeds[1:]), mean


@torch.no_grad()
def write_plainly(
    writer: Writer, features: torch.Tensor, settings: GenerateSettings, marks: Marks
) -> list[tuple[int, ...]]:
    """The best caption of each image, by beam search that reads the whole caption for every token."""
    return [_caption(writer, features[place : place + 1], settings, marks) for place in range(len(features))]


def _caption(
    writer: Writer, image: torch.Tensor, settings: GenerateSettings, marks: Marks
) -> tuple[int, ...]:
    beams, memory = settings.beams, writer.memory(image, rows=1)
    running: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
    finished: list[tuple[float, tuple[int, ...]]] = []
    for step in range(settings.longest + 1):
        tokens = torch.tensor([[marks.begin, *written] for _, written in running], device=image.device)
        logits = writer.decoder(memory.repeated(len(running)), tokens)[:, -1].float()
        values = _ruled(logits.log_softmax(dim=1), [written for _, written in running], settings, marks)
        sums = values + torch.tensor([one for one, _ in running], device=image.device)[:, None]
        best, places = sums.flatten().topk(2 * beams)
        longer: list[tuple[float, tuple[int, ...]]] = []
        for rank, (value, place) in enumerate(zip(best.tolist(), places.tolist(), strict=True)):
            row, token = divmod(place, sums.shape[1])
            if token == marks.end and rank < beams:
                finished.append((value / (step + 1) ** settings.length_penalty, running[row][1]))
            elif token != marks.end and len(longer) < beams and value > float("-inf"):
                longer.append((value, (*running[row][1], token)))
        finished = sorted((one for one in finished if one[0] > float("-inf")), key=lambda one: -one[0])
        finished, running = finished[:beams], longer
        if not running or (len(finished) == beams and _is_over(running, finished, step, settings)):
            break
    return finished[0][1]


def _is_over(
    running: list[tuple[float, tuple[int, ...]]],
    finished: list[tuple[float, tuple[int, ...]]],
    step: int,
    settings: GenerateSettings,
) -> bool:
    """The best that runs would not come before the last that is kept."""
    return running[0][0] / (step + 1) ** settings.length_penalty <= finished[-1][0]


def _ruled(
    values: torch.Tensor, written: list[tuple[int, ...]], settings: GenerateSettings, marks: Marks
) -> torch.Tensor:
    """No mark inside, no run of tokens twice, not too short and not too long."""
    never, ends = float("-inf"), values[:, marks.end].clone()
    values[:, list(marks.never)] = never
    n = settings.no_repeat
    for row, said in enumerate(written):
        runs = [said[place : place + n] for place in range(len(said) - n + 1)] if n else []
        values[row, [run[-1] for run in runs if run[:-1] == said[len(said) - n + 1 :]]] = never
        if len(said) < settings.shortest:
            values[row, marks.end] = never
        if len(said) >= settings.longest:
            values[row] = never
        if len(said) >= settings.longest or bool(values[row].isneginf().all()):
            values[row, marks.end] = ends[row]
    return values
