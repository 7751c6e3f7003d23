"""Open the folder of a captioner, whatever kind it is.

Invariant: parts that do not fit each other are refused before an image is looked at.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

import torch

from radcap.captioning.base_models import language_model_folder
from radcap.captioning.building import make_top, put_kept
from radcap.captioning.generation.dmmcs import Guide
from radcap.captioning.models.eyes import Eyes
from radcap.captioning.models.folder import CaptionFolder
from radcap.captioning.models.members_opening import open_members
from radcap.captioning.models.plain_models import (
    FrequentModel,
    NearestModel,
    RandomModel,
    TemplateModel,
    WordsModel,
)
from radcap.captioning.models.recall import CAPTIONS, load_recall
from radcap.captioning.models.scribe import Scribe
from radcap.captioning.models.support import Judge
from radcap.captioning.models.writer_model import WriterModel
from radcap.captioning.pretrained import has_own_eyes, open_published, published_tokenizer
from radcap.captioning.pretrained.saving import saved_source
from radcap.captioning.prompting import make_prompter
from radcap.captioning.reranking import Source, make_reranker
from radcap.captioning.texts.concept_medians import load_medians
from radcap.captioning.tokens import open_tokenizer
from radcap.core import InputError
from radcap.detection.models.opening import open_network
from radcap.vision.backbones import make_backbone
from radcap.vision.folding import fold
from radcap.vision.heads import make_head
from radcap.vision.pictures import View
from radcap.vision.settings import HeadSettings
from radcap.vision.training.devices import pick_place
from radcap.vision.weight_files import read_weight_file
from radcap.zoo import find

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence
    from pathlib import Path

    from radcap.captioning.models.answers import CaptionAnswers
    from radcap.captioning.models.recall import Recall
    from radcap.captioning.network import Top
    from radcap.captioning.pretrained import Published
    from radcap.captioning.reranking import Reranker
    from radcap.captioning.system import CaptionSystem
    from radcap.captioning.texts.concept_medians import ConceptMedians
    from radcap.captioning.tokens import Tokenizer
    from radcap.core import Cui
    from radcap.datasets import Dataset
    from radcap.vision.backbones import Backbone
    from radcap.vision.training import Place

__all__ = ["PHRASES", "Captioner", "is_kept", "load_reranker", "make_model", "open_captioner"]

PHRASES, WORDS = "findings.json", "words.json"
_BACKBONE, _HEAD = "backbone.", "head."  # how the names of weights begin


class Captioner(Protocol):
    """What writes captions."""

    @property
    def labels(self) -> tuple[Cui, ...]: ...
    def answers(
        self, dataset: Dataset, progress: Callable[[str, int], None] | None = None
    ) -> CaptionAnswers: ...


def open_captioner(model: str | Path, device: str = "auto") -> Captioner:
    """A captioner by `zoo:NAME` or by its folder."""
    folder, place = CaptionFolder(find(model)), pick_place(device)
    folder.check()
    system = folder.system()
    captioner = _plain(folder, system, place, device)
    return captioner if system.refine.kind == "none" else _refined(captioner, folder, system, place)


def _plain(folder: CaptionFolder, system: CaptionSystem, place: Place, device: str) -> Captioner:
    """What writes, before a refiner has its word."""
    if system.member:
        return open_members(folder, system, place, lambda one: open_captioner(one, device))
    opened = {
        "template": _template,
        "nearest": _nearest,
        "frequent": _frequent,
        "random": _random,
        "words": _words,
        "chat": _chat,
    }
    return opened.get(system.decoder.kind, _writer)(folder, system, place)


def _refined(captioner: Captioner, folder: CaptionFolder, system: CaptionSystem, place: Place) -> Captioner:
    from radcap.captioning.refining.opening import NEAREST, needs_beside, open_refined

    beside = open_captioner(folder.path / NEAREST, str(place.device)) if needs_beside(system) else None
    return open_refined(captioner, folder, system, place, beside)


def is_kept(system: CaptionSystem) -> bool:
    """Whether the backbone's weights are a part of the captioner's own."""
    shared = system.detector.is_there and system.detector.share
    if shared or has_own_eyes(system):
        return False
    return not (system.backbone.frozen and system.backbone.weights == "package")


def make_model(
    system: CaptionSystem,
    eyes: Eyes,
    top: Top,
    tokenizer: Tokenizer,
    names: Mapping[Cui, str],
    *,
    phrases: Mapping[Cui, Sequence[str]] | None = None,
    recall: Recall | None = None,
    medians: ConceptMedians | None = None,
) -> WriterModel:
    """What writes, from its parts."""
    settings, labels = system.generate, tuple(names)
    prompter = make_prompter(system.condition, tuple(names.values()), tokenizer)
    judge = Judge.of(tokenizer, phrases or {}, system.post, names) if settings.supported else None
    guide = None if medians is None else Guide.of(medians, tokenizer, settings)
    scribe = Scribe(system, top.writer, tokenizer, labels, eyes.place, prompter, judge, guide)
    return WriterModel(eyes, scribe, names, recall)


def _eyes(
    folder: CaptionFolder,
    system: CaptionSystem,
    place: Place,
    weights: Mapping[str, torch.Tensor],
    published: Published | None = None,
) -> Eyes:
    """The detector's, or those of the captioner; its backbone is filled where its weights are given."""
    found = folder.detector(system)
    detector = None if found is None else open_network(found, place)
    if detector is not None and system.detector.share:
        return Eyes(place, detector.view, None, detector)
    backbone = _backbone(system, weights) if published is None else published.eyes.eval()
    fold(backbone)
    backbone.to(place.device, memory_format=torch.channels_last)  # type: ignore[call-overload]
    return Eyes(place, View(system.image), backbone, detector)


def _backbone(system: CaptionSystem, weights: Mapping[str, torch.Tensor]) -> Backbone:
    """With the weights of the folder, or with those of its package."""
    backbone = make_backbone(system.backbone, size=system.image.size, weights=not is_kept(system))
    if is_kept(system):
        backbone.load_state_dict(_part(weights, _BACKBONE))
    return backbone.eval()


@contextmanager
def _fitting(folder: CaptionFolder) -> Generator[None]:
    """Weights that are none of these parts are refused with the first that does not fit."""
    try:
        yield
    except (InputError, RuntimeError) as error:
        if isinstance(error, InputError) and error.path:
            raise
        why = _last_line(str(error)).rstrip(".")
        raise folder.broken(folder.weights.name, f"it does not fit the files beside it: {why}") from error


def _last_line(text: str) -> str:
    """Of several, as torch writes them, the last one names a weight."""
    return text.strip().splitlines()[-1].strip()


def _tokenizer_path(folder: CaptionFolder, system: CaptionSystem) -> Path:
    """Its own, or that of the language model it writes with."""
    if system.decoder.kind == "lm" and not folder.has("tokenizer.json"):
        return language_model_folder(system.decoder.model)
    return folder.tokenizer


def _published(folder: CaptionFolder, system: CaptionSystem) -> tuple[Published | None, Tokenizer]:
    """The published captioner that was begun with, where there is one, and what reads and writes words."""
    if not has_own_eyes(system):
        return None, open_tokenizer(_tokenizer_path(folder, system))
    source = saved_source(folder, system)
    return open_published(system, source), published_tokenizer(system, source)


def _writer(folder: CaptionFolder, system: CaptionSystem, place: Place) -> WriterModel:
    held = read_weight_file(folder.weights)
    published, tokenizer = _published(folder, system)
    names = folder.names() if folder.has("labels.csv") else {}
    with _fitting(folder):
        eyes = _eyes(folder, system, place, held, published)
        top = make_top(system, tokenizer, tuple(names), eyes.width, published)
        kept = {name: one for name, one in held.items() if not name.startswith(_BACKBONE)}
        put_kept(kept, top, published=published)
    top.writer.merge()
    if published is not None:
        published.merge()
    recall = None
    if system.condition.neighbours:
        assert eyes.detector is not None  # noqa: S101 - a system without is refused when it is read
        width, told = eyes.detector.network.backbone.width, eyes.detector.labels
        recall = load_recall(folder, width, system.condition, told)
    phrases = folder.read_phrases(PHRASES) if folder.has(PHRASES) else {}
    model = make_model(
        system,
        eyes,
        top.eval().to(place.device),
        tokenizer,
        names,
        phrases=phrases,
        recall=recall,
        medians=load_medians(folder.path) if system.generate.dmmcs else None,
    )
    return model.choosing(load_reranker(folder, system, place))


def load_reranker(folder: CaptionFolder, system: CaptionSystem, place: Place) -> Reranker | None:
    """What chooses among drafts, where the system names it."""
    if system.rerank.by == "none":
        return None
    return make_reranker(Source(system.rerank, place, folder.reranker))


def _chat(folder: CaptionFolder, system: CaptionSystem, place: Place) -> Captioner:
    from radcap.captioning.chats.opening import open_chat

    found = folder.detector(system)
    detector, recall = None if found is None else open_network(found, place), None
    if system.condition.neighbours:
        assert detector is not None  # noqa: S101 - a system without is refused when it is read
        recall = load_recall(folder, detector.network.backbone.width, system.condition, detector.labels)
    medians = load_medians(folder.path) if system.generate.dmmcs else None
    model = open_chat(folder, system, detector, recall, place, medians)
    return model.choosing(load_reranker(folder, system, place))


def _template(folder: CaptionFolder, system: CaptionSystem, place: Place) -> TemplateModel:
    eyes = _eyes(folder, replace(system, detector=replace(system.detector, share=True)), place, {})
    assert eyes.detector is not None  # noqa: S101 - a system without is refused when it is read
    return TemplateModel(eyes, eyes.detector.names, system.post)


def _nearest(folder: CaptionFolder, system: CaptionSystem, place: Place) -> NearestModel:
    with _fitting(folder):
        eyes = _eyes(folder, system, place, read_weight_file(folder.weights) if is_kept(system) else {})
    pool, width = None, eyes.width
    if eyes.detector is None:
        pool = make_head(HeadSettings(pool=system.head.pool), width, 1).eval().to(place.device)
    else:
        width = eyes.detector.network.backbone.width
    model = NearestModel(eyes, load_recall(folder, width), system.decoder.neighbours, system.post, pool)
    return model.choosing(load_reranker(folder, system, place), system.rerank.by)


def _frequent(folder: CaptionFolder, system: CaptionSystem, place: Place) -> FrequentModel:  # noqa: ARG001
    return FrequentModel(_captions(folder)[0], system.post)


def _random(folder: CaptionFolder, system: CaptionSystem, place: Place) -> RandomModel:  # noqa: ARG001
    return RandomModel(_captions(folder), system.train.seed, system.post)


def _captions(folder: CaptionFolder) -> tuple[str, ...]:
    """Those that are remembered; one at least."""
    captions = folder.read_list(CAPTIONS)
    if not captions:
        raise folder.broken(CAPTIONS, "it holds no caption")
    return captions


def _words(folder: CaptionFolder, system: CaptionSystem, place: Place) -> WordsModel:
    held, words = read_weight_file(folder.weights), folder.read_list(WORDS)
    if not words:
        raise folder.broken(WORDS, "it holds no word")
    with _fitting(folder):
        eyes = _eyes(folder, system, place, held)
        head = make_head(system.head, eyes.width, len(words))
        head.load_state_dict(_part(held, _HEAD))
    return WordsModel(eyes, head.eval().to(place.device), words, system.decoder.words, system.post)


def _part(weights: Mapping[str, torch.Tensor], prefix: str) -> dict[str, torch.Tensor]:
    return {name.removeprefix(prefix): one for name, one in weights.items() if name.startswith(prefix)}
