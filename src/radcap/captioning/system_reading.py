"""A caption system from the keys of its file, and back.

Invariant: reading loads no torch, and what is written reads as the same value. Tables that cannot go together
are refused here, before anything is trained: those of each member, where there are members.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

from radcap.captioning.blocks import CAPTIONERS, DECODERS, FAMILIES, ONE_DRAFT, RERANKERS
from radcap.captioning.chats.checking import CHAT, chat_contradictions
from radcap.captioning.chats.instruction import template_of
from radcap.captioning.pretrained_settings import PRETRAINED, PretrainedSettings
from radcap.captioning.refining import refine_contradictions
from radcap.captioning.settings import CONCEPTS, NEIGHBOURS
from radcap.captioning.system import (
    CaptionMember,
    CaptionModel,
    CaptionSystem,
    caption_tables,
    sees,
    shared,
)
from radcap.core.tables import (
    TableFindings,
    TableReader,
    are_tables,
    check_blocks,
    note_both,
    single_tables,
    spot_name,
    to_toml,
)
from radcap.detection.decisions.rules import RULES
from radcap.detection.learners.registry import LEARNERS
from radcap.vision.blocks import HEADS, POOLINGS
from radcap.vision.settings import AugmentSettings, BackboneSettings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from radcap.core.registry import Registry
    from radcap.core.tables import Spot, TomlText

__all__ = ["OWN_DETECTOR", "caption_toml", "read_caption_system", "read_caption_tables"]

M = TypeVar("M", CaptionSystem, CaptionMember)
OWN_DETECTOR = "concepts"  # the folder inside of a captioner's, and its name in [detector] model

_UNPROMPTED = ("encoder-decoder", "blip")  # published captioners without a language model that reads prompts

_BLOCKS: tuple[tuple[str, str, Registry], ...] = (
    ("decoder", "kind", CAPTIONERS),
    ("head", "kind", HEADS),
    ("head", "pool", POOLINGS),
    ("decision", "rule", RULES),
    ("join", "learner", LEARNERS),
    ("rerank", "by", RERANKERS),
)
_TABLES = {"join", *caption_tables(CaptionModel())}


def read_caption_system(toml: TomlText) -> CaptionSystem:
    """The system of a file, refused with all that is wrong with it; its members are still to be resolved."""
    system = read_caption_tables(toml)
    findings = TableFindings(toml.text)
    for at, model in _models(system):
        for table, why in _contradictions(model):
            spot = (*at, table)
            findings.note("SYS205", spot, place=spot_name(spot), why=why)
    for table, why in refine_contradictions(system, has_members=True) if system.member else ():
        findings.note("SYS205", (table,), place=f"[{table}]", why=why)
    findings.refuse(toml.path)
    return system


def read_caption_tables(toml: TomlText) -> CaptionSystem:
    """The same, without a look at how the tables go together."""
    findings = TableFindings(toml.text)
    system = _system(toml.values, findings)
    findings.refuse(toml.path)
    return cast("CaptionSystem", system)


def caption_toml(system: CaptionSystem, *, full: bool = False) -> str:
    """The file of a system: the keys that differ from the defaults, or all of them."""
    told = _resolved(system) if full else system
    base = shared(told)
    parts = [to_toml(told, full=full, without=("member",))]
    parts += [f"\n[[member]]\n{to_toml(one, base, full=full, at=('member',))}" for one in told.member]
    return "".join(parts)


def _resolved(system: CaptionSystem) -> CaptionSystem:
    """With what a chat is asked where its file names no prompt."""
    member = tuple(_asking_in_words(one) for one in system.member)
    return replace(_asking_in_words(system), member=member)


def _asking_in_words(model: M) -> M:
    if model.decoder.kind != CHAT:
        return model
    return replace(model, condition=replace(model.condition, prompt=template_of(model.condition)))


def _models(system: CaptionSystem) -> list[tuple[Spot, CaptionModel]]:
    """Those that write, and where they stand; the file of a member is looked at by itself."""
    inside = [(("member", n), one) for n, one in enumerate(system.member) if not one.file]
    return [*inside] if system.member else [((), system)]


def _system(values: Mapping[str, Any], findings: TableFindings) -> CaptionSystem | None:
    reader, given = TableReader(findings, CaptionSystem), values.get("member")
    own = {key: one for key, one in values.items() if key != "member" or not are_tables(one)}
    system = reader.read(CaptionSystem, single_tables(own, _TABLES, (), findings))
    check_blocks(values, _BLOCKS, (), findings)
    if not are_tables(given):
        return system
    common = shared(system) if system else CaptionMember()
    found = [_member(reader, one, n, common, findings) for n, one in enumerate(given)]
    return replace(system, member=tuple(one for one in found if one)) if system else None


def _member(
    reader: TableReader, given: dict[str, Any], n: int, common: CaptionMember, findings: TableFindings
) -> CaptionMember | None:
    at = ("member", n)
    member = reader.read(CaptionMember, single_tables(given, _TABLES, at, findings), at, common)
    note_both(given, n, caption_tables(common), findings)
    check_blocks(given, _BLOCKS, at, findings)
    return member


def _contradictions(system: CaptionModel) -> Iterator[tuple[str, str]]:
    """What cannot be, by the table that has to change."""
    has_detector = system.detector.is_there
    if not has_detector:
        yield from _asking(system)
    if system.detector.model and system.detector.system:
        yield "detector", "It names a model, and a system that one is made of first. Keep one of them."
    yield from _alone(system)
    own = system.detector.model == OWN_DETECTOR  # which joint training made
    if has_detector and not own:
        yield from _beside_detector(system)
    yield from _published(system, shares=has_detector and not own and system.detector.share)
    yield from _untold(system)
    yield from _bridged(system)
    yield from _unchosen(system)
    yield from chat_contradictions(system)
    yield from refine_contradictions(system)
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


def _asking(system: CaptionModel) -> Iterator[tuple[str, str]]:
    """What is asked of a detector that is not there."""
    if system.condition.asks:
        yield "condition", "It tells what a detector says, and there is none. Give [detector] model."
    if system.generate.supported:
        yield "generate", "supported asks a detector, and there is none. Give [detector] model."
    if system.generate.dmmcs:
        yield "generate", "dmmcs weighs decided concepts, and nothing decides. Give [detector] model."
    if system.decoder.kind == "template":
        yield "decoder", "A template says what a detector found. Give [detector] model."


def _beside_detector(system: CaptionModel) -> Iterator[tuple[str, str]]:
    """Joint tasks that a detector leaves no room for."""
    if system.detector.share and _is_joint(system):
        yield "joint", "The encoder is the detector's, and is not trained. Delete [joint], or [detector]."
    elif system.joint.concepts:
        yield (
            "joint",
            "concepts makes a detector, and there is one already. Set it to 0, or delete [detector].",
        )


def _bridged(system: CaptionModel) -> Iterator[tuple[str, str]]:
    """A bridge where there is none to build, or a second one."""
    if system.decoder.bridge == "linear":
        return
    if system.decoder.kind not in DECODERS.table:
        kinds = ", ".join(DECODERS.names)
        yield "decoder", f"bridge is for the kinds {kinds}. Delete it, or write another kind."
    if system.head.bridge.queries:
        yield "head", "Its heads look at the queries of [decoder] bridge already. Delete [head.bridge]."


def _untold(system: CaptionModel) -> Iterator[tuple[str, str]]:
    """A prompt that names what is not told, or does not name what is."""
    told = system.condition
    if CONCEPTS in told.prompt and told.concepts == "none":
        yield "condition", f"The prompt names {CONCEPTS}, and concepts is 'none'. Set it to 'all'."
    if told.prompt and (NEIGHBOURS in told.prompt) != (told.neighbours > 0):
        why = f"neighbours is {told.neighbours}, and the prompt names {NEIGHBOURS} or not"
        yield "condition", f"{why}. Give both, or neither."


def _published(system: CaptionModel, *, shares: bool) -> Iterator[tuple[str, str]]:
    """What cannot be with a captioner that others published, or without one."""
    given, kind = system.pretrained, system.decoder.kind
    if kind not in PRETRAINED:
        if given != PretrainedSettings():
            yield "pretrained", f"A decoder of kind {kind!r} begins with no published captioner. Delete it."
        return
    if not given.model and not given.geometry:
        why = f"The kind {kind!r} begins with a published captioner, and none is named"
        yield "pretrained", f"{why}. Give model, its folder, or geometry for one with random weights."
    yield from _parts_of_published(system)
    if given.geometry:
        return
    if kind in FAMILIES.table and system.backbone != BackboneSettings():
        yield "backbone", "The published captioner has eyes of its own. Delete [backbone]."
    if kind in FAMILIES.table and shares:
        yield "detector", "The published captioner has eyes of its own. Write share = false."
    if system.tokenizer.file:
        yield "tokenizer", "The published captioner has a tokenizer of its own. Delete file."
    if not given.train:
        yield from _as_it_is(system)


def _parts_of_published(system: CaptionModel) -> Iterator[tuple[str, str]]:
    given, kind = system.pretrained, system.decoder.kind
    if given.eyes and (kind != "encoder-decoder" or not given.model):
        why = "eyes is the image encoder under the language model that model names, in an encoder-decoder"
        yield "pretrained", f"{why}. Give model and that kind, or delete eyes."
    if given.geometry and (given.lora or given.freeze or not given.train):
        yield "pretrained", "Random weights have to learn. Delete lora, freeze and train, or give a model."
    if given.lora and given.freeze and kind in _UNPROMPTED:
        yield "pretrained", "With lora none of the model's own weights learn. Delete freeze."
    if given.lora_layers and system.joint.concepts:
        why = "concepts makes a detector of the eyes, and lora_layers may put weights beside them"
        yield "joint", f"{why}. Set it to 0, or delete lora_layers."


def _as_it_is(system: CaptionModel) -> Iterator[tuple[str, str]]:
    """A model that is asked as it is learns nothing, so nothing can be wanted that has to be learnt."""
    given, told = system.pretrained, system.condition
    if given.lora or given.freeze or given.eyes:
        what = "which has new cross-attention to learn" if given.eyes else "which are about what learns"
        key = "eyes" if given.eyes else "lora and freeze"
        yield "pretrained", f"train is false, and nothing learns. Delete {key}, {what}, or train."
    if _is_joint(system):
        yield "joint", "[pretrained] train is false, and nothing learns. Delete [joint]."
    if system.scst.epochs or system.language.epochs:
        table = "scst" if system.scst.epochs else "language"
        yield table, f"[pretrained] train is false, and nothing learns. Delete [{table}]."
    asks = told.concepts != "none" or told.neighbours or told.prompt
    if asks and system.decoder.kind in _UNPROMPTED:
        why = "A published captioner of this kind was never told anything, and [pretrained] train is false"
        yield "condition", f"{why}. Delete [condition], or let it learn."


def _unchosen(system: CaptionModel) -> Iterator[tuple[str, str]]:
    """Drafts that cannot be chosen from."""
    kind, wanted = system.decoder.kind, system.rerank
    if wanted.by != "none" and kind in ONE_DRAFT:
        yield "rerank", f"A captioner of the kind {kind!r} has one draft, and none to choose. Delete it."
    elif wanted.by == "alignment" and not wanted.model and not sees(system):
        yield "rerank", f"The kind {kind!r} has no vector of an image to learn from. Give [rerank] model."


def _alone(system: CaptionModel) -> Iterator[tuple[str, str]]:
    """Settings that mean nothing by themselves."""
    if system.data.memory and system.decoder.kind != "nearest":
        yield "data", "memory is what the kind 'nearest' remembers. Delete it, or change [decoder] kind."
    if system.condition.by_concepts and not system.condition.neighbours:
        yield "condition", "alike and clusters choose neighbours, and neighbours is 0. Give neighbours."


def _is_joint(system: CaptionModel) -> bool:
    joint = system.joint
    return any((joint.concepts, joint.types, joint.modality, joint.region, joint.direction))
