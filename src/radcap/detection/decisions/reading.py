"""Rules read back from the JSON of a card.

Invariant: what is read decides as what was written.
"""

from __future__ import annotations

from dataclasses import fields as fields_of
from typing import Any, cast

from radcap.core.errors import InputError, UsageError
from radcap.detection.calibration.fields import Fields
from radcap.detection.decisions.config import Decision
from radcap.detection.decisions.rule import Rule
from radcap.detection.decisions.rules import RULES

__all__ = ["rule_from_json"]

_LATER = ("heads",)  # fields that rules written by earlier versions do not have: the default is meant
_KINDS: dict[type, str] = {bool: "true or false", int: "a whole number", float: "a number", str: "a name"}


def rule_from_json(value: object) -> Rule:
    """The rule; anything malformed is refused by an InputError that says all that is wrong."""
    outer = Fields(value, "rule")
    labels = outer.words("labels")
    decision, fitted = outer.take("decision"), outer.take("fitted")
    outer.close()
    config = _decision(decision)
    try:
        maker = RULES.factory(config.rule)
    except UsageError as unknown:
        raise InputError(f"This rule cannot be used: {unknown}") from unknown
    inner = Fields(fitted, f"fitted rule {config.rule!r}")
    found = maker.read(inner, config, len(labels))
    inner.close()
    return Rule(config, labels, found)


def _decision(value: object) -> Decision:
    given = Fields(value, "decision")
    read: dict[str, Any] = {}
    for field in fields_of(Decision):
        if field.name in _LATER and field.name not in given:
            continue
        one, kind = given.take(field.name), cast("type", type(field.default))
        if kind is float and type(one) is int:
            one = float(one)
        if type(one) is not kind:
            given.refuse(field.name, one, _KINDS[kind])
        read[field.name] = one
    given.close()
    try:
        return Decision(**read)
    except UsageError as wrong:
        raise InputError(str(wrong)) from wrong
