"""Train every caption system of the catalogue on one dataset, and ask each about the test split.

Invariant: folder, order, time and faults are those of every board. A captioner that is told concepts is asked
three times: with those that its detector finds, which is its run, with none, and with the true ones.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from radcap.captioning.base_models import language_model_folder
from radcap.captioning.models import CaptionFolder, open_captioner
from radcap.captioning.models.told import with_told
from radcap.captioning.training import train_captions
from radcap.datasets.caption_parts import images_by_source
from radcap.formats import write_run
from radcap.systems.board.captions.fitting import detectors, fit_caption_system, has_eyes
from radcap.systems.board.captions.telling import is_told
from radcap.systems.board.parameters import numbers_in
from radcap.systems.board.results import digest_of
from radcap.systems.board.running import Reproduction, Worker
from radcap.vision.backbones.weights import check_weights
from radcap.vision.training import pick_place

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from radcap.captioning.system import CaptionModel, CaptionSystem
    from radcap.detection.system import Member
    from radcap.systems.board.accounts import Account
    from radcap.systems.board.fitting import Fitted
    from radcap.systems.board.results import Result

__all__ = ["CaptionReproduction", "CaptionWorker"]

_LEARNT, _TEST = "train", "test"
_HELD = ("rouge1", "cider", "concepts")  # figures of the held-out split
_SLOW = {"lm": 20, "chat": 20, "encoder-decoder": 2, "blip": 2, "q-former": 2}  # times an epoch of the others


@dataclass(frozen=True)
class CaptionReproduction(Reproduction):
    """The board of captions: all learn from captions of one source, the one that most images have."""

    @cached_property
    def source(self) -> str:
        """Of the captions that are learnt from, and ranked by."""
        counts = images_by_source(self.dataset.split(_LEARNT).column("captions"))
        return max(counts, key=lambda one: counts[one], default="original")

    def fitted(self, system: CaptionSystem) -> Fitted[CaptionSystem]:
        return fit_caption_system(system, self.scale, self.source)

    def check(self, system: CaptionSystem) -> None:
        for model in (*system.member, system) if not system.member else system.member:
            _check_model(model)
        for one in detectors(system, self.scale).values():
            Reproduction.check(self, one.system)

    def ordered(self, systems: Sequence[CaptionSystem]) -> list[tuple[CaptionSystem, Member | None]]:
        """The long ones first, so that none is left alone at the end."""
        return [(one, None) for one in sorted(systems, key=lambda one: -_steps(one))]

    def worker(self, of: int, jobs: int) -> CaptionWorker:
        return CaptionWorker(self, of, jobs, source=self.source)


@dataclass
class CaptionWorker(Worker):
    """Trains one caption system after another, and asks each."""

    source: str = ""  # of the captions that are learnt from

    def _trained(self, system: CaptionSystem, result: Result) -> Result:
        board, folder, name = self.board, self.board.folder, system.name
        self._share_cores()
        with folder.begun(name, result.fingerprint) as account:
            model = CaptionFolder(folder.model(name))
            if not model.is_whole:  # it is where a kill came before the result was written
                self._train(system, model.path, account)
        speed = self._asked(model, system)
        return replace(
            result,
            train_s=round(account.spent.seconds, 1),
            images_per_s=speed,
            device=str(pick_place(board.device).device.type),
            run_sha256=digest_of(folder.run(name)),
            told_sha256={what: digest_of(folder.told(what, name)) for what in self._tellings(system)},
            **self._figures(model, system),
        )

    def _train(self, system: CaptionSystem, out: Path, account: Account) -> None:
        """Detectors that it names are trained first, as they are fitted."""
        seeing = {name: self._placed(one.system) for name, one in detectors(system, self.board.scale).items()}
        read = {"read": seeing.__getitem__} if seeing else {}
        train_captions(self._placed(system), self.board.dataset, out, self._talk(account), **read)

    def _asked(self, model: CaptionFolder, system: CaptionSystem) -> float:
        """Its runs of the test split; the captions a second, as `radcap predict` writes them."""
        folder, test = self.board.folder, self.board.dataset.split(_TEST)
        captioner = open_captioner(model.path, self.board.device)
        began = time.monotonic()
        answers = captioner.answers(test, self._check_time)
        taken = time.monotonic() - began
        write_run(answers.run(test.ids, system.name), folder.run(system.name))
        for what, told in self._tellings(system).items():
            answers = with_told(captioner, told).answers(test, self._check_time)
            write_run(answers.run(test.ids, system.name), folder.told(what, system.name))
        return round(len(test) / max(taken, 1e-3), 1)

    def _tellings(self, system: CaptionSystem) -> dict[str, Mapping[str, Sequence[str]]]:
        """What it is told beside that which its detector finds: nothing, and the truth."""
        if not is_told(system):
            return {}
        test = self.board.dataset.split(_TEST)
        return {"none": {}, "true": dict(zip(test.ids, test.column("cui").to_pylist(), strict=True))}

    def _figures(self, model: CaptionFolder, system: CaptionSystem) -> dict[str, Any]:
        """What a finished model tells of itself."""
        weights = (one for one in model.path.rglob("*.safetensors") if one.name != "index.safetensors")
        return {
            "members": len(system.member) or 1,
            "parameters": sum(numbers_in(one) for one in weights),
            "held_out": _held(model.card().get("held_out"), self.source),
        }


def _held(told: Any, source: str) -> dict[str, float]:  # noqa: ANN401 - of a card
    """The figures of the held-out split that a card tells of captions of a source."""
    figures: Any = cast("dict[str, Any]", told or {}).get(source)
    return {"n": figures["n"], **{key: figures[key]["value"] for key in _HELD}} if figures else {}


def _check_model(model: CaptionModel) -> None:
    """Refuse weights and language models that are named and not here."""
    if has_eyes(model):
        check_weights(model.backbone)
    if model.decoder.kind == "lm":
        language_model_folder(model.decoder.model)


def _steps(system: CaptionSystem) -> float:
    """About how long it takes: by what is looked at, and by what writes."""
    models = system.member or (system,)
    return sum(
        (1 + one.train.epochs * (1 + one.train.refit) + 10 * one.scst.epochs)
        * one.image.size**2
        * _SLOW.get(one.decoder.kind, 1)
        for one in models
    )
