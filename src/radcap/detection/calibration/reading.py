"""Calibrators read back from the JSON of a card.

Invariant: what is read answers as what was written, to the last bit.
"""

from __future__ import annotations

from typing import cast

import numpy as np

from radcap.detection.calibration.calibrator import Calibrator, Curves, Lines
from radcap.detection.calibration.config import GROUPS, METHODS, Calibration, Groups, Method
from radcap.detection.calibration.fields import Fields
from radcap.detection.calibration.isotonic import Curve

__all__ = ["calibrator_from_json"]


def calibrator_from_json(value: object) -> Calibrator:
    """The calibrator; anything malformed is refused by an InputError that says all that is wrong."""
    fields = Fields(value, "calibrator")
    method = cast("Method", fields.choice("method", METHODS))
    groups = cast("Groups", fields.choice("groups", GROUPS))
    shrinkage = fields.number("shrinkage", 0, 1e12)
    labels = fields.words("labels")
    read = _curves if method == "isotonic" else _lines
    fitted = read(fields, len(labels))
    fields.close()
    return Calibrator(Calibration(method, groups, shrinkage), labels, fitted)


def _lines(fields: Fields, labels: int) -> Lines:
    return Lines(fields.numbers("slopes", labels), fields.numbers("offsets", labels))


def _curves(fields: Fields, labels: int) -> Curves:
    given = fields.objects("curves")
    curves = tuple(_curve(fields, one, place) for place, one in enumerate(given))
    last = max(len(curves) - 1, 0)
    own = fields.places("own", labels, 0, last)
    group = fields.places("group", labels, 0, last)
    if labels and not curves:
        fields.note("'curves' has none")
    return Curves(curves, own, group, fields.numbers("weights", labels, 0, 1))


def _curve(fields: Fields, value: object, place: int) -> Curve:
    inner = Fields(value, "curve")
    logits = inner.numbers("logits", None)
    probabilities = inner.numbers("probabilities", len(logits), 0, 1)
    if not len(logits) or np.any(np.diff(logits) <= 0):
        inner.note("'logits' do not ascend")
    if np.any(np.diff(probabilities) < 0):
        inner.note("'probabilities' fall")
    for problem in inner.all_problems():
        fields.note(f"curve {place}: {problem}")
    return Curve(logits, probabilities)
