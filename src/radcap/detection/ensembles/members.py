"""Members brought to one order of images and labels.

Invariant: every member answers for the same images, or none is combined. A label that a member does not know
gets the logit of a very small probability from it, and no vote.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from radcap.core import InputError, counted
from radcap.detection.ensembles.values import ABSENT, Names, Values

__all__ = ["Aligned", "Member", "align", "placed"]

_AXES = 2
_SHOWN = 5


@dataclass(frozen=True, slots=True, eq=False)
class Member:
    """What one member says: rows are images, columns are labels; logits or decisions."""

    name: str
    ids: tuple[str, ...]
    labels: tuple[str, ...]
    values: Values


@dataclass(frozen=True, slots=True, eq=False)
class Aligned:
    """All members over the images of the first and the labels of all, those of the first in front."""

    names: Names
    ids: tuple[str, ...]
    labels: tuple[str, ...]
    values: Values  # (member, image, label)


def align(members: Sequence[Member], *, apart: bool = False) -> Aligned:
    """Raises InputError with everything that keeps the members from being combined. `apart`: members may
    have no label in common."""
    if not members:
        raise InputError("No member was given. Nothing can be combined. Give at least one.")
    problems = _repeated("member", "The ensemble", [one.name for one in members])
    for member in members:
        problems += _own_problems(member)
    _refuse(problems or _shared_problems(members, apart))
    labels = tuple(dict.fromkeys(label for member in members for label in member.labels))
    values = np.stack([_placed(member, members[0].ids, labels) for member in members])
    return Aligned(tuple(one.name for one in members), members[0].ids, labels, values)


def placed(member: Member, ids: tuple[str, ...], labels: tuple[str, ...]) -> Values:
    """One member over images that it answered and over labels of all, to add up members one by one."""
    _refuse(_own_problems(member))
    return _placed(member, ids, labels)


def _refuse(problems: Sequence[str]) -> None:
    if problems:
        raise InputError("The members cannot be combined.\n" + "\n".join(f"- {one}" for one in problems))


def _own_problems(member: Member) -> list[str]:
    """What is wrong with a member whatever the others say."""
    found = _repeated("image", f"Member {member.name}", member.ids)
    found += _repeated("label", f"Member {member.name}", member.labels)
    values, wanted = member.values, (len(member.ids), len(member.labels))
    if values.ndim != _AXES or values.shape != wanted:
        found.append(
            f"Member {member.name} has an array of shape {values.shape}; its ids and labels ask for {wanted}."
        )
    elif values.dtype != np.bool_ and not np.issubdtype(values.dtype, np.floating):
        found.append(f"Member {member.name} holds {values.dtype}. Give logits (float) or decisions (bool).")
    elif values.dtype != np.bool_ and np.isnan(values).any():
        rows = np.flatnonzero(np.isnan(values).any(axis=1))
        found.append(f"Member {member.name} has no number for {_some([member.ids[row] for row in rows])}.")
    return found


def _shared_problems(members: Sequence[Member], apart: bool) -> list[str]:
    """What keeps members that are each in order from being combined."""
    found: list[str] = []
    kinds = {member.values.dtype == np.bool_ for member in members}
    if len(kinds) > 1:
        decided = ", ".join(one.name for one in members if one.values.dtype == np.bool_)
        found.append(f"Some members give logits and others ({decided}) decisions. Give one kind.")
    images = dict.fromkeys(one for member in members for one in member.ids)
    for member in members:
        lacking = images.keys() - set(member.ids)
        if lacking:
            found.append(
                f"Member {member.name} lacks {len(lacking):,} of {counted(len(images))}: "
                f"{_some(sorted(lacking))}. Let it predict them, or leave it out."
            )
        if not apart and not set(member.labels) & set(members[0].labels):
            found.append(
                f"Member {member.name} shares none of its {counted(len(member.labels), 'label')} with member "
                f"{members[0].name}. It was trained on another label set."
            )
    return found


def _repeated(what: str, where: str, names: Sequence[str]) -> list[str]:
    twice = sorted(name for name, times in Counter(names).items() if times > 1)
    return [f"{where} names {_some(twice)} more than once. Each {what} may stand once."] if twice else []


def _some(names: Sequence[str]) -> str:
    rest = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + rest


def _placed(member: Member, ids: tuple[str, ...], labels: tuple[str, ...]) -> Values:
    if member.ids == ids and member.labels == labels:
        return member.values
    row = {one: place for place, one in enumerate(member.ids)}
    column = {one: place for place, one in enumerate(labels)}
    decided = member.values.dtype == np.bool_
    values = (
        np.zeros((len(ids), len(labels)), bool)
        if decided
        else np.full((len(ids), len(labels)), ABSENT, np.float32)
    )
    values[:, [column[one] for one in member.labels]] = member.values[[row[one] for one in ids]]
    return values
