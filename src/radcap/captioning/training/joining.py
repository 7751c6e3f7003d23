"""Train a caption system with members: each of them, then what joins their captions.

Invariant: what can be refused is refused before anything is trained. Members are trained one after another,
each into a folder of its own, so a kill costs no more than the member at work. What joins them learns from
the training split, and is judged on held-out images that no member has learnt from.
"""

from __future__ import annotations

import hashlib
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from radcap.captioning.members import choice, goes_by_images
from radcap.captioning.models.folder import CaptionFolder
from radcap.captioning.models.members_model import MembersModel
from radcap.captioning.models.members_opening import PARTS, eyes_of, part_digests
from radcap.captioning.models.opening import open_captioner
from radcap.captioning.system import alone
from radcap.captioning.training.cards import plain_card
from radcap.captioning.training.choosing import check_reranker, fit_reranker
from radcap.captioning.training.detector_systems import concept_file, read_detector
from radcap.captioning.training.finishing import settled
from radcap.captioning.training.judging import judged
from radcap.captioning.training.maker import CaptionMaker
from radcap.captioning.training.parts import CaptionParts
from radcap.captioning.training.routing import check_router, fit_router
from radcap.captioning.training.system_training import check_captioner, make_captioner
from radcap.detection.learners import save_learner
from radcap.detection.talk import SILENT
from radcap.detection.training.beginning import begin, check_names
from radcap.vision.training import pick_place

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from radcap.captioning.system import CaptionSystem
    from radcap.datasets import Dataset
    from radcap.detection.system import ConceptSystem
    from radcap.detection.talk import Talk

__all__ = ["members_told", "train_members"]

_SAW = "A member was trained again on both splits, so there are no images left to judge the whole on."


def train_members(
    system: CaptionSystem,
    dataset: Dataset,
    out: Path,
    talk: Talk,
    read: Callable[[str], ConceptSystem] = concept_file,
) -> CaptionFolder:
    """Train a resolved system into a folder, which may hold what an earlier try left there; `read` gives the
    concept systems that [detector] system names."""
    folder, place = CaptionFolder(out), pick_place(system.train.device, system.train.precision)
    talk = talk if place.is_first else SILENT
    check_names(system.name, [one.name for one in system.member], folder)
    known: dict[Any, CaptionParts] = {}

    def maker(model: CaptionSystem, where: CaptionFolder) -> CaptionMaker:
        if model.data not in known:
            known[model.data] = CaptionParts.of(dataset, model.data)
        return CaptionMaker(model, known[model.data], where, place, talk, dataset.names)

    def member(n: int) -> CaptionMaker:
        one = alone(system.member[n])
        return replace(maker(one, folder.member(one.name)), concepts=read_detector(one, read))

    whole, numbers = maker(system, folder), range(len(system.member))
    _check(whole)
    for n in numbers:
        if not member(n).folder.is_whole:
            check_captioner(member(n))
    if place.is_first:
        begin(folder, _fingerprint(whole, member))
    for n in numbers:
        one = member(n)
        talk.tell(f"Member {n + 1} of {len(numbers)}: {one.system.name}")
        if not one.folder.is_whole:
            _lend_detector(one, [member(k) for k in range(n)])
            make_captioner(one, dataset)
    if place.is_first:
        _Joiner(whole).join()
    return folder


def _check(whole: CaptionMaker) -> None:
    captions = whole.parts.fit.captions
    check_reranker(choice(whole.system), captions, whole.place)
    if whole.system.join.rule == "router":
        check_router(whole.system, captions)


def _fingerprint(whole: CaptionMaker, member: Callable[[int], CaptionMaker]) -> str:
    """Of everything that is trained, in order, and of what joins it."""
    system = whole.system
    bare = replace(system, member=())
    digest = hashlib.sha256(whole.parts.fingerprint(bare).encode())
    for n, one in enumerate(system.member):
        digest.update(f"{one.name}\n{member(n).fingerprint}\n".encode())
    return digest.hexdigest()


def _lend_detector(maker: CaptionMaker, earlier: list[CaptionMaker]) -> None:
    """A detector that an earlier member made of the same system is not made again."""
    wanted = maker.system.detector.system
    lenders = [one.folder.concepts for one in earlier if wanted and one.system.detector.system == wanted]
    if not lenders:
        return
    if maker.place.is_first:
        begin(maker.folder, maker.fingerprint)
        shutil.copytree(lenders[0].path, maker.folder.concepts.path, dirs_exist_ok=True)
    maker.place.agreed(0.0)  # the first has written what all of them open


class _Joiner:
    """Joins members that are trained."""

    def __init__(self, whole: CaptionMaker) -> None:
        self.whole = whole
        device = str(whole.place.device)
        self.members = {
            one.name: open_captioner(whole.folder.member_path(one.name), device)
            for one in whole.system.member
        }

    def join(self) -> None:
        """Write what joins them, the settings, and the card."""
        whole, folder, system = self.whole, self.whole.folder, self.whole.system
        model, facts = self._model()
        facts |= self._judged(model)
        if model.reranker is not None:
            model.reranker.save(folder.reranker)
        if model.router is not None:
            folder.router.parent.mkdir(parents=True, exist_ok=True)
            save_learner(model.router.learner, folder.router)
        folder.write_system(settled(system))
        about = {"join": system.join.rule, "data": whole.parts.to_json(), **members_told(folder)}
        folder.write_card(plain_card(whole, {**about, PARTS: part_digests(folder), **facts}))
        shutil.rmtree(folder.training, ignore_errors=True)

    def _model(self) -> tuple[MembersModel, dict[str, Any]]:
        whole, system = self.whole, self.whole.system
        eyes = eyes_of(system, self.members) if goes_by_images(system) else None
        chooser = replace(whole, system=replace(system, rerank=choice(system)))
        reranker = fit_reranker(chooser, whole.parts.fit, eyes)
        router, told = None, None
        if system.join.rule == "router":
            assert eyes is not None  # noqa: S101 - a router goes by images
            router, told = fit_router(system, whole.parts, eyes, whole.talk)
        return MembersModel(system, self.members, reranker, router, eyes), {"router": told}

    def _judged(self, model: MembersModel) -> dict[str, Any]:
        """How good the whole is, where there are images that it has not seen."""
        whole, held = self.whole, self.whole.parts.held
        if held is None or not any(one.train.refit for one in whole.system.member):
            return judged(whole, model, held)
        whole.talk.tell(_SAW)
        return {**judged(whole, model, None), "held_out_why": _SAW}


def members_told(folder: CaptionFolder) -> dict[str, Any]:
    """What the card of the whole says of each member, and how their trainings ended."""
    cards = {one.name: folder.member(one.name).card() for one in folder.system().member}
    stopped = {str(card["training"]["stopped"]) for card in cards.values()}
    ended = "no number" if "no number" in stopped else "all members are trained"
    members = {name: {key: card[key] for key in ("decoder", "held_out")} for name, card in cards.items()}
    return {"members": members, "training": {"stopped": ended}}
