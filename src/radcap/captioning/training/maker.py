"""All that one captioner is made of, and where it goes."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from radcap.captioning.chats.bases import base_digest, base_folder
from radcap.captioning.models.folder import OWN_DETECTOR, weights_digest
from radcap.captioning.pretrained import has_own_eyes, published_tokenizer
from radcap.captioning.pretrained.saving import source_digests
from radcap.captioning.texts import read_texts
from radcap.captioning.tokens import open_tokenizer, tokenizer_digest, train_bpe
from radcap.captioning.training.memories import Memory
from radcap.core import UsageError
from radcap.core.counts import counted
from radcap.datasets import load_dataset
from radcap.detection.models.folder import ModelFolder
from radcap.detection.models.opening import open_network
from radcap.detection.training.fingerprints import training_fingerprint
from radcap.zoo import find

if TYPE_CHECKING:
    from collections.abc import Mapping

    from radcap.captioning.models.folder import CaptionFolder
    from radcap.captioning.system import CaptionSystem
    from radcap.captioning.texts import Texts
    from radcap.captioning.tokens import Tokenizer
    from radcap.captioning.training.parts import CaptionParts
    from radcap.core import Cui
    from radcap.detection.models.network_model import NetworkModel
    from radcap.detection.system import ConceptSystem
    from radcap.detection.talk import Talk
    from radcap.vision.training import Place

__all__ = ["CaptionMaker"]


@dataclass(frozen=True)
class CaptionMaker:
    """Settings, data, place and listener; what is opened or learnt once for all stages."""

    system: CaptionSystem
    parts: CaptionParts
    folder: CaptionFolder
    place: Place
    talk: Talk
    names: Mapping[Cui, str]
    concepts: ConceptSystem | None = None  # what [detector] system names: the detector is made of it first

    @cached_property
    def detector_folder(self) -> ModelFolder | None:
        model = self.system.detector.model
        if self.concepts is not None:
            return self.folder.concepts
        if not model:
            return None
        if model == OWN_DETECTOR:
            raise UsageError(
                f"[detector] model is {model!r}, the detector inside of a trained captioner. To train anew,"
                " name its folder, or delete [detector] where [joint] makes one."
            )
        folder = ModelFolder(find(model))
        if folder.system().member:
            raise UsageError(
                f"The detector {folder.path} is an ensemble. A captioner leans on one network: name a member."
            )
        return folder

    @cached_property
    def detector(self) -> NetworkModel | None:
        return None if self.detector_folder is None else open_network(self.detector_folder, self.place)

    @cached_property
    def labels(self) -> tuple[Cui, ...]:
        """The concepts that can be told or answered: the detector's, where there is one."""
        return self.parts.labels if self.detector is None else self.detector.labels

    @cached_property
    def label_names(self) -> Mapping[Cui, str]:
        theirs: Mapping[Cui, str] = {} if self.detector is None else self.detector.names
        return {cui: theirs.get(cui) or self.names.get(cui, "") for cui in self.labels}

    @cached_property
    def memory(self) -> Memory | None:
        """What is remembered in place of the training split."""
        name = self.system.data.memory
        return None if not name else Memory.of(load_dataset(name), self.parts, self.system.data)

    @cached_property
    def language(self) -> Texts | None:
        """The text that is read before images are seen."""
        wanted = self.system.language
        if not wanted.epochs:
            return None
        if not wanted.text:  # a system may leave the text to whoever trains it
            self.talk.tell("[language] names no text, so none is read before the captions")
            return None
        texts = read_texts(Path(wanted.text), self.system.data)
        for sentence in texts.told():
            self.talk.tell(f"{wanted.text}: {sentence}")
        return texts

    @cached_property
    def tokenizer(self) -> Tokenizer:
        """The one that is named, or one that is learnt from all that is read."""
        if self.system.tokenizer.file and not has_own_eyes(self.system):
            return open_tokenizer(Path(self.system.tokenizer.file))
        if self.system.decoder.kind == "lm":
            from radcap.captioning.base_models import language_model_folder

            return open_tokenizer(language_model_folder(self.system.decoder.model))
        if has_own_eyes(self.system):
            return published_tokenizer(self.system)
        read = () if self.language is None else self.language.kept.values()
        return train_bpe([*self.parts.fit.captions, *read], self.system.tokenizer.size)

    @cached_property
    def fingerprint(self) -> str:
        """Of settings and data, and of the files that settings name, to know an unfinished training again."""
        digest = hashlib.sha256(self.parts.fingerprint(self.system).encode())
        if self.concepts is not None:
            digest.update(training_fingerprint(self.concepts, "").encode())
        elif self.detector_folder is not None:
            digest.update(weights_digest(self.detector_folder).encode())
        if self.language is not None:
            digest.update("\n".join(self.language.kept.values()).encode())
        if self.memory is not None:
            digest.update("\n".join([*self.memory.kept.images.ids, *self.memory.kept.captions]).encode())
        if self.system.tokenizer.file:
            digest.update(tokenizer_digest(Path(self.system.tokenizer.file)).encode())
        if has_own_eyes(self.system):
            digest.update("".join(source_digests(self.system).values()).encode())
        if self.system.decoder.kind == "chat" and self.system.pretrained.model:
            digest.update(base_digest(base_folder(self.system.pretrained)).encode())
        return digest.hexdigest()

    def tell_data(self) -> None:
        """What is learnt from, and what was left out."""
        self.talk.tell(f"{counted(len(self.parts.fit))} with captions to learn from")
        for sentence in (*self.parts.fit.told, *(self.memory.told() if self.memory else ())):
            self.talk.tell(sentence)
        if self.parts.held is None:
            self.talk.tell(f"There is no split {self.system.data.held!r} to choose on")
