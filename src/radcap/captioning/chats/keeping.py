"""What is kept of a chat: adapters alone, the whole model, or nothing but the name of its base.

Invariant: what learnt is in the folder, as transformers and peft lay it out, and what did not is not.
"""

# transformers is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from radcap.captioning.chats.adapters import save_adapter
from radcap.detection.text.transformers_library import transformers_module
from radcap.vision.transformers_library import quiet

if TYPE_CHECKING:
    from radcap.captioning.chats.opening import BaseChat
    from radcap.captioning.models.folder import CaptionFolder
    from radcap.captioning.system import CaptionSystem

__all__ = ["keep_chat"]


def keep_chat(begun: BaseChat, folder: CaptionFolder, system: CaptionSystem) -> None:
    """Write what is the captioner's own."""
    for old in (folder.adapter, folder.pretrained):
        shutil.rmtree(old, ignore_errors=True)
    with quiet(transformers_module()):
        if begun.adapted is not None:
            save_adapter(begun.adapted, folder.adapter)
        elif system.pretrained.train:
            begun.chat.model.save_pretrained(folder.pretrained)
            begun.chat.vlm.processor.save_pretrained(folder.pretrained)
