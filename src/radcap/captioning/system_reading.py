"""A caption system from the keys of its file, and back.

Invariant: reading loads no torch, and what is written reads as the same value. Tables that cannot go together
are refused here, before anything is trained.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from radcap.captioning.blocks import CAPTIONERS, RERANKERS
from radcap.captioning.chats.checking import CHAT, chat_contradictions
from radcap.captioning.chats.instruction import template_of
from radcap.captioning.settings import CONCEPTS, NEIGHBOURS
from radcap.captioning.system import CaptionSystem
from radcap.core.tables import TableFindings, TableReader, to_toml
from radcap.detection.decisions.rules import RULES
from radcap.vision.blocks import HEADS, POOLINGS
from radcap.vision.settings import AugmentSettings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from radcap.core.registry import Registry
    from radcap.core.tables import TomlText

__all__ = ["OWN_DETECTOR", "caption_toml", "read_caption_system"]

OWN_DETECTOR = "concepts"  # the folder inside of a captioner's, and its name in [detector] model

_BLOCKS: tuple[tuple[str, str, Registry], ...] = (
    ("decoder", "kind", CAPTIONERS),
    ("head", "kind", HEADS),
    ("head", "pool", POOLINGS),
    ("decision", "rule", RULES),
    ("rerank", "by", RERANKERS),
)


def read_caption_system(toml: TomlText) -> CaptionSystem:
    """The system of a file, refused with all that is wrong with it."""
    findings = TableFindings(toml.text)
    system = TableReader(findings, CaptionSystem).read(CaptionSystem, toml.values)
    for table, key, known in _BLOCKS:
        held = toml.values.get(table)
        name = cast("dict[str, Any]", held).get(key) if isinstance(held, dict) else None
        if isinstance(name, str) and name not in known.table and name not in known.names:
            findings.note_choice((table, key), name, known.names)
    findings.refuse(toml.path)
    for table, why in _contradictions(cast("CaptionSystem", system)):
        findings.note("SYS205", (table,), place=f"[{table}]", why=why)
    findings.refuse(toml.path)
    return cast("CaptionSystem", system)


def caption_toml(system: CaptionSystem, *, full: bool = False) -> str:
    """The file of a system: the keys that differ from the defaults, or all of them."""
    return to_toml(_resolved(system) if full else system, full=full)


def _resolved(system: CaptionSystem) -> CaptionSystem:
    """With what a chat is asked where its file names no prompt."""
    if system.decoder.kind != CHAT:
        return system
    return replace(system, condition=replace(system.condition, prompt=template_of(system.condition)))


def _contradictions(system: CaptionSystem) -> Iterator[tuple[str, str]]:
    """What cannot be, by the table that has to change."""
    told, has_detector = system.condition, bool(system.detector.model)
    if not has_detector and told.asks:
        yield "condition", "It tells what a detector says, and there is none. Give [detector] model."
    if not has_detector and system.generate.supported:
        yield "generate", "supported asks a detector, and there is none. Give [detector] model."
    if not has_detector and system.decoder.kind == "template":
        yield "decoder", "A template says what a detector found. Give [detector] model."
    own = system.detector.model == OWN_DETECTOR  # which joint training made
    if has_detector and not own:
        yield from _beside_detector(system)
    yield from _untold(system)
    yield from chat_contradictions(system)
    looks = system.backbone.frozen or (has_detector and system.detector.share)
    if system.decoder.kind == "words" and looks and system.image.augment != AugmentSettings():
        yield "image", "A backbone that is not trained sees each image once. Delete [image.augment]."
    if system.joint.caption == 0:
        yield "joint", "caption is 0: nothing would learn to write. Give it a weight."
    if system.image.augment.mixup or system.image.augment.cutmix:
        yield "image", "Captions of mixed images would be lies. Delete mixup and cutmix."
    if system.generate.longest > system.decoder.longest:
        most = f"longest is {system.generate.longest}, and the decoder writes {system.decoder.longest} tokens"
        yield "generate", f"{most} at most. Lower it, or raise [decoder] longest."


def _beside_detector(system: CaptionSystem) -> Iterator[tuple[str, str]]:
    """Joint tasks that a detector leaves no room for."""
    if system.detector.share and _is_joint(system):
        yield "joint", "The encoder is the detector's, and is not trained. Delete [joint], or [detector]."
    elif system.joint.concepts:
        yield (
            "joint",
            "concepts makes a detector, and there is one already. Set it to 0, or delete [detector].",
        )


def _untold(system: CaptionSystem) -> Iterator[tuple[str, str]]:
    """A prompt that names what is not told, or does not name what is."""
    told = system.condition
    if CONCEPTS in told.prompt and told.concepts == "none":
        yield "condition", f"The prompt names {CONCEPTS}, and concepts is 'none'. Set it to 'all'."
    if told.prompt and (NEIGHBOURS in told.prompt) != (told.neighbours > 0):
        why = f"neighbours is {told.neighbours}, and the prompt names {NEIGHBOURS} or not"
        yield "condition", f"{why}. Give both, or neither."


def _is_joint(system: CaptionSystem) -> bool:
    joint = system.joint
    return any((joint.concepts, joint.modality, joint.region, joint.direction))
