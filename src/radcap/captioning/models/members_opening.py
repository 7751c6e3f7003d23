"""Open captioners that answer together, from the folder that holds all of them.

Invariant: a member, a router or a reranker other than those that the card was written for is refused.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, cast

from radcap.captioning.members import choice, goes_by_images
from radcap.captioning.models.members_model import MembersModel
from radcap.captioning.models.routing import load_router
from radcap.captioning.reranking import Source, make_reranker
from radcap.captioning.system import sees

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from radcap.captioning.models.eyes import Eyes
    from radcap.captioning.models.folder import CaptionFolder
    from radcap.captioning.models.opening import Captioner
    from radcap.captioning.reranking import Reranker
    from radcap.captioning.system import CaptionSystem
    from radcap.vision.training import Place

__all__ = ["PARTS", "eyes_of", "open_members", "part_digests"]

PARTS = "parts"  # of the card: files by their path below the folder, with their digests


def open_members(
    folder: CaptionFolder, system: CaptionSystem, place: Place, open_one: Callable[[Path], Captioner]
) -> MembersModel:
    """The members of a system, each by `open_one`, and what joins them."""
    _check_parts(folder, system)
    members = {one.name: open_one(folder.member_path(one.name)) for one in system.member}
    eyes = eyes_of(system, members) if goes_by_images(system) else None
    wanted = choice(system)
    reranker: Reranker | None = None
    if wanted.by != "none":
        reranker = make_reranker(Source(wanted, place, folder.reranker))
    router = None
    if system.join.rule == "router":
        assert eyes is not None  # noqa: S101 - a router goes by images
        router = load_router(system, folder.router, eyes.gist_width)
    return MembersModel(system, members, reranker, router, eyes)


def eyes_of(system: CaptionSystem, members: Mapping[str, Captioner]) -> Eyes:
    """Those of the first member that has some."""
    model: Any = next(members[one.name] for one in system.member if sees(one))
    return cast("Eyes", model.eyes)


def part_digests(folder: CaptionFolder) -> dict[str, str]:
    """Of the cards and weights of all parts."""
    parts = (folder.path / "members", folder.router.parent, folder.reranker)
    files = [one for part in parts for name in ("card.json", "*.safetensors") for one in part.rglob(name)]
    return {one.relative_to(folder.path).as_posix(): _digest(one) for one in sorted(files)}


def _digest(file: Path) -> str:
    with file.open("rb") as held:
        return hashlib.file_digest(held, "sha256").hexdigest()


def _check_parts(folder: CaptionFolder, system: CaptionSystem) -> None:
    """Refuse what is gone, and what is another."""
    for one in system.member:
        card = folder.member_path(one.name) / "card.json"
        if not card.is_file():
            raise folder.broken(card.relative_to(folder.path).as_posix(), "it is not there")
    told = folder.card().get(PARTS)
    known = cast("dict[str, object]", told) if isinstance(told, dict) else {}
    found = part_digests(folder)
    for name in sorted(known.keys() | found.keys()):
        if known.get(name) != found.get(name):
            why = "it is not the file that card.json was written for"
            raise folder.broken(name, why if name in found else "it is not there")
