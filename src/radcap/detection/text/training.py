"""Make a model that goes by words, from a dataset to a model folder.

Only the classifier learns: from the captions of the training split and their concepts, wherever the words for
other images come from. Every reader is judged on the held-out split. The card comes last.
"""

from __future__ import annotations

import shutil
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from radcap.core import UsageError
from radcap.core.counts import counted
from radcap.detection.examples import label_matrix
from radcap.detection.text.classifier import TextClassifier, fit_classifier, save_classifier
from radcap.detection.text.extraction import check_extractor
from radcap.detection.text.judging import judge_words
from radcap.detection.text.readers import plain_reader
from radcap.detection.text.tellers import DATASET, Captions, check_teller, open_teller, settled
from radcap.detection.text.told import Told
from radcap.detection.training.cards import model_card
from radcap.detection.training.held_answers import keep_held

if TYPE_CHECKING:
    from collections.abc import Mapping

    from radcap.datasets import Dataset
    from radcap.detection.models.answers import Answers
    from radcap.detection.text.config import Text
    from radcap.detection.text.readers import Reader
    from radcap.detection.training.judging import Judged
    from radcap.detection.training.one_model import ModelMaker

__all__ = ["check_text_model", "make_text_model"]


def check_text_model(maker: ModelMaker) -> None:
    """Refuse captions, captioners, models and extractors that cannot be had, before anything is trained."""
    text, data, parts = _settings(maker), maker.system.data, maker.parts
    if text.reader == "extractor":
        check_extractor(text.extractor, text.options)
    if text.reader == "classifier":
        Captions(text.captions).check(parts.learnt, data.fit)
    if text.reader == "parser" and not any(maker.names.get(cui) for cui in parts.labels):
        maker.talk.tell("The dataset names none of its labels: the parser finds them by their CUIs alone")
    if text.words == DATASET and parts.held is not None:
        Captions(text.captions).check(parts.held, data.held)
    check_teller(text, maker.place)


def make_text_model(maker: ModelMaker) -> Answers | None:
    """Write the folder; what the model says about the held-out images, out of fold."""
    check_text_model(maker)
    started, text, parts = time.monotonic(), _settings(maker), maker.parts
    reader = _reader(maker, parts.learnt)
    told = _told(maker)
    judged = None if parts.held is None else judge_words(maker.system, parts, told, reader.read(told.texts))
    if text.reader == "classifier" and maker.system.train.refit and parts.held is not None:
        reader = _reader(maker, parts.both)
    if maker.place.is_first:
        facts: dict[str, Any] = {
            "data": {**parts.to_json(), "refused": dict(told.refused)},
            "training": _training_facts(maker, time.monotonic() - started),
            "search": [],
            "text": {
                "words": text.words,
                "reader": text.reader,
                "without_words": int((~told.has_words).sum()),
            },
        }
        _write(maker, reader, judged, facts)
    return None if judged is None else judged.answers


def _settings(maker: ModelMaker) -> Text:
    text = maker.system.text
    assert text is not None  # noqa: S101 - others are made of networks
    return replace(text, words=settled(text.words))


def _reader(maker: ModelMaker, dataset: Dataset) -> Reader:
    """What reads; a classifier learns from the captions of a dataset first."""
    text, labels = _settings(maker), maker.parts.labels
    if text.reader != "classifier":
        return plain_reader(text, {cui: maker.names.get(cui, "") for cui in labels})
    told = Captions(text.captions).tell(dataset)
    rows = np.flatnonzero(told.has_words).tolist()
    maker.talk.tell(f"{counted(len(rows), 'caption')} to learn from, {counted(len(labels), 'label')}")
    return fit_classifier([told.texts[row] for row in rows], label_matrix(dataset.take(rows), labels))


def _told(maker: ModelMaker) -> Told:
    """The words for the held-out images."""
    held = maker.parts.held
    if held is None:
        split = maker.system.data.held
        maker.talk.tell(f"There is no split {split!r} to judge the words on")
        return Told((), ())
    told = open_teller(_settings(maker), maker.place).tell(held, maker.talk.progress)
    if not told.has_words.any():
        raise UsageError(
            f"{_settings(maker).words} has no word for any of {counted(len(held))} of the split"
            f" {maker.system.data.held!r}. Look at the images with radcap dataset check, and at [text]."
        )
    return told


def _training_facts(maker: ModelMaker, seconds: float) -> dict[str, Any]:
    """What cards of networks say, of a training without epochs."""
    place = maker.place
    return {
        "epochs": 0,
        "kept_epoch": 0,
        "stopped": "epochs",
        "last_loss": None,
        "seconds": round(seconds, 1),
        "device": place.device.type,
        "precision": place.precision,
        "processes": place.world,
    }


def _write(maker: ModelMaker, reader: Reader, judged: Judged | None, facts: Mapping[str, Any]) -> None:
    folder, parts = maker.folder, maker.parts
    folder.write_system(replace(maker.system, text=_settings(maker)))
    folder.write_labels(parts.labels, maker.names)
    folder.write_decision(*(None, None) if judged is None else judged.fitted)
    if isinstance(reader, TextClassifier):
        save_classifier(reader, folder)
    if judged is not None:
        keep_held(folder, judged.answers, judged.dataset)
    folder.write_card(model_card(maker.system, parts.labels, facts, judged))
    shutil.rmtree(folder.training, ignore_errors=True)
