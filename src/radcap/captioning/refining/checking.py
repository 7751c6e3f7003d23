"""What cannot be in `[refine]`, found out when a system file is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.captioning.refining.prompts import SLOTS, slots_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from radcap.captioning.system import CaptionModel

__all__ = ["CONSENSUS", "refine_contradictions"]

CONSENSUS = "consensus"  # the model that is none: the text that agrees most with the others
_SEVERAL = {"summarise", "fuse"}
_ONE_DRAFT = {"words", "frequent", "template", "random"}  # kinds that weigh no captions against each other


def refine_contradictions(system: CaptionModel, *, has_members: bool = False) -> Iterator[tuple[str, str]]:
    """What has to change, by its table."""
    wanted = system.refine
    if wanted.kind == "none":
        return
    if system.generate.supported:
        why = "supported lets nothing be named that the detector does not support, and a language model may"
        yield "refine", f"{why}. Set kind to 'none', or [generate] supported to false."
    if wanted.kind == "fuse" and system.decoder.kind in _ONE_DRAFT and not has_members:
        yield "refine", f"A captioner of the kind {system.decoder.kind!r} has no drafts to fuse. Use rewrite."
    yield from _about_the_model(system)
    yield from _about_the_prompt(system)


def _about_the_model(system: CaptionModel) -> Iterator[tuple[str, str]]:
    wanted = system.refine
    is_consensus = wanted.model == CONSENSUS and not wanted.endpoint
    if is_consensus and wanted.kind not in _SEVERAL:
        yield "refine", f"{CONSENSUS!r} chooses among several texts, and {wanted.kind} has one. Name a model."
    if wanted.epochs and (is_consensus or wanted.endpoint):
        yield "refine", "epochs trains a local model, and none is named. Name its folder, or set epochs to 0."
    if wanted.similar and wanted.kind != "rewrite":
        yield "refine", f"similar is for rewrite, and kind is {wanted.kind!r}. Set it to 0."


def _about_the_prompt(system: CaptionModel) -> Iterator[tuple[str, str]]:
    prompt = system.refine.prompt
    if not prompt:
        return
    slots = slots_of(prompt)
    known = ", ".join(f"{{{one}}}" for one in SLOTS)
    unknown = [one for one in slots if one not in SLOTS]
    if unknown:
        yield "refine", f"The prompt has the slot {{{unknown[0]:.40}}}. Known: {known}."
    elif not slots:
        yield "refine", f"The prompt says nothing of the image. Write one of {known} where a text belongs."
    told = [one for one in ("concepts", "modality") if one in slots]
    if told and not (system.detector.model or system.detector.system):
        yield "refine", f"The prompt names {{{told[0]}}}, and nothing finds them. Give [detector] model."
