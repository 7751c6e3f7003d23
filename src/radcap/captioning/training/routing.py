"""The router of a system with members: from the training images to whose captions are as long as theirs.

Invariant: it learns from the training split alone. A caption whose length no member learns from has no part.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from radcap.captioning.members import asked, holds
from radcap.captioning.models.routing import Router, router_settings
from radcap.captioning.training.choosing import seen_vectors
from radcap.core import UsageError
from radcap.detection.learners import fit_learner

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.captioning.models.eyes import Eyes
    from radcap.captioning.system import CaptionSystem
    from radcap.captioning.training.parts import Captioned, CaptionParts
    from radcap.detection.talk import Talk

__all__ = ["check_router", "fit_router"]


def check_router(system: CaptionSystem, captions: Sequence[str]) -> None:
    """Refuse buckets that no training caption falls into, and learners that cannot be had."""
    found = Counter(_whose(system, captions))
    for place, one in enumerate(asked(system)):
        if not found[place]:
            data = one.data
            most = f"{data.most:,}" if data.most else "any number of"
            raise UsageError(
                f"No training caption has {data.least:,} to {most} words, as the member {one.name!r} wants,"
                " so the router could never ask it. Change [member.data] least and most."
            )
    fit_learner(router_settings(system), np.eye(2, dtype=np.float32), np.eye(2, dtype=np.bool_))


def fit_router(
    system: CaptionSystem, parts: CaptionParts, eyes: Eyes, talk: Talk
) -> tuple[Router, dict[str, Any]]:
    """The router, and what the card says of it."""
    names = tuple(one.name for one in asked(system))
    seen, vectors = seen_vectors(eyes, parts.fit, talk)
    whose = np.array(_whose(system, seen.captions))
    known = whose >= 0
    truth = np.eye(len(names), dtype=np.bool_)[whose[known]]
    router = Router(fit_learner(router_settings(system), vectors[known], truth), names)
    counts = dict(zip(names, truth.sum(axis=0).tolist(), strict=True))
    held = None if parts.held is None else _held(system, router, parts.held, eyes, talk)
    told = {"learner": system.join.learner, "learnt_from": counts, "in_no_bucket": int((~known).sum())}
    return router, {**told, "held_out": held}


def _whose(system: CaptionSystem, captions: Sequence[str]) -> list[int]:
    """The member that learns from captions as long as each; -1 where none does."""
    among = asked(system)
    lengths = [len(one.split()) for one in captions]
    return [
        next((place for place, one in enumerate(among) if holds(one.data, words)), -1) for words in lengths
    ]


def _held(system: CaptionSystem, router: Router, held: Captioned, eyes: Eyes, talk: Talk) -> dict[str, Any]:
    """How often the member is asked whose captions are as long as the true one."""
    seen, vectors = seen_vectors(eyes, held, talk)
    places = [router.names.index(one) for one in router.choose(vectors)]
    right = [ours == true for ours, true in zip(places, _whose(system, seen.captions), strict=True)]
    return {"n": len(right), "right": float(np.mean(right))}
