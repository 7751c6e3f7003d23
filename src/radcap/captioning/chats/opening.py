"""A chat opened: from a folder of others, from a captioner's own, or drawn.

    pretrained/   the whole model as transformers saves it, where all of it learnt
    adapter/      the low-rank weights as peft saves them, where those learnt alone

Invariant: an adapter is put beside the base it was trained over; another base is refused.
"""

# transformers is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import torch
from torch import nn

from radcap.captioning.chats.adapters import add_adapter, load_adapter
from radcap.captioning.chats.bases import WHY, base_digest, base_folder
from radcap.captioning.chats.chat import Chat, chat_of
from radcap.captioning.chats.chat_scribe import ChatModel, ChatScribe
from radcap.captioning.chats.geometries import GEOMETRIES, drawn_chat
from radcap.captioning.chats.questions import questions_of
from radcap.captioning.generation.dmmcs import Guide as TagGuide
from radcap.captioning.models.eyes import Eyes
from radcap.captioning.models.support import Judge
from radcap.detection.text.vlm_opening import open_vlm
from radcap.vision.backbones import Backbone
from radcap.vision.pictures import View
from radcap.vision.settings import AugmentSettings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from radcap.captioning.models.editor import Guide
    from radcap.captioning.models.folder import CaptionFolder
    from radcap.captioning.models.recall import Recall
    from radcap.captioning.pretrained_settings import PretrainedSettings
    from radcap.captioning.system import CaptionSystem
    from radcap.captioning.texts.concept_medians import ConceptMedians
    from radcap.core import Cui
    from radcap.detection.models.network_model import NetworkModel
    from radcap.vision.training import Place

__all__ = ["BaseChat", "begin_chat", "chat_eyes", "make_chat_model", "open_chat"]


@dataclass(frozen=True, eq=False)
class BaseChat:
    """A chat, with its adapter where it has one, and what is noted of its base (nothing of a drawn one)."""

    chat: Chat
    adapted: Any = None  # of peft
    base: Mapping[str, str] | None = None


def begin_chat(system: CaptionSystem, place: Place, texts: Sequence[str]) -> BaseChat:
    """The chat that a system begins with; the words of a drawn one are learnt from texts."""
    wanted = system.pretrained
    if wanted.geometry:
        shape = GEOMETRIES[wanted.geometry]
        return BaseChat(chat_of(drawn_chat(shape, texts, system.tokenizer.size, place, system.train.seed)))
    folder = base_folder(wanted)
    whole = wanted.train and not wanted.lora
    chat = chat_of(open_vlm(str(folder), place, WHY, dtype=torch.float32 if whole else None))
    base = {"model": wanted.model, "digest": base_digest(folder)}
    return replace(_adapted(chat, wanted), base=base)


def _adapted(chat: Chat, wanted: PretrainedSettings) -> BaseChat:
    if not wanted.lora:
        return BaseChat(chat)
    adapted = add_adapter(chat.model, wanted)
    return BaseChat(chat.over(adapted.get_base_model().eval()), adapted)


def open_chat(
    folder: CaptionFolder,
    system: CaptionSystem,
    detector: NetworkModel | None,
    recall: Recall | None,
    place: Place,
    medians: ConceptMedians | None = None,
) -> ChatModel:
    """The captioner of a folder."""
    chat = _kept(folder, system, place)
    names = folder.names() if folder.has("labels.csv") else {}
    phrases = folder.read_phrases("findings.json") if folder.has("findings.json") else {}
    eyes = chat_eyes(system, place, detector)
    guide = None if medians is None else TagGuide.of(medians, chat.tokenizer, system.generate)
    return make_chat_model(system, eyes, chat, names, phrases=phrases, recall=recall, guide=guide)


def _kept(folder: CaptionFolder, system: CaptionSystem, place: Place) -> Chat:
    wanted = system.pretrained
    if folder.pretrained.is_dir():
        found: Path = folder.pretrained
    else:
        found = base_folder(wanted)
        _check_base(folder, found)
    begun = _adapted(chat_of(open_vlm(str(found), place, WHY)), wanted)
    if begun.adapted is not None:
        load_adapter(begun.adapted, folder.adapter)
    return begun.chat


def _check_base(folder: CaptionFolder, found: Path) -> None:
    noted = folder.card().get("base")
    told = cast("dict[str, object]", noted).get("digest") if isinstance(noted, dict) else None
    if told != base_digest(found):
        why = f"{found} is another model than the one it was made with"
        raise folder.broken("card.json", f"{why}: config, processor or weights were changed")


def chat_eyes(system: CaptionSystem, place: Place, detector: NetworkModel | None) -> Eyes:
    """Pixels as they are shown, for the chat's own processor; a detector looks beside them."""
    as_they_are = Backbone(nn.Identity(), 3, (0.0,) * 3, (1.0,) * 3).to(place.device)
    return Eyes(place, View(replace(system.image, augment=AugmentSettings())), as_they_are, detector)


def make_chat_model(
    system: CaptionSystem,
    eyes: Eyes,
    chat: Chat,
    names: Mapping[Cui, str],
    *,
    phrases: Mapping[Cui, Sequence[str]] | None = None,
    recall: Recall | None = None,
    guide: Guide | None = None,
) -> ChatModel:
    """What writes, from its parts."""
    supported = system.generate.supported
    judge = Judge.of(chat.tokenizer, phrases or {}, system.post, names) if supported else None
    scribe = ChatScribe(system, chat, tuple(names), questions_of(system.condition, names), judge, guide)
    return ChatModel(eyes, scribe, names, recall)
