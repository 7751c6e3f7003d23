"""What is special about one kind of published captioner: how it is opened, and what its parts are.

Invariant: the weights stay in the modules of transformers; parts share them with the whole, so whatever is
learnt in a part is learnt in the model that is saved.
"""

# transformers is typed in part
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from radcap.captioning.base_models.pretrained import load_model
from radcap.captioning.blocks import FAMILIES
from radcap.vision.model_folders import read_table, refused_file

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from radcap.captioning.decoders import Decoder
    from radcap.captioning.generation import Marks
    from radcap.captioning.settings import DecoderSettings
    from radcap.captioning.tokens import Tokenizer
    from radcap.captioning.writer import AnyWriter

__all__ = ["Family", "Told", "Whole", "family_of"]

_CONFIG = "config.json"


@dataclass(frozen=True, slots=True, eq=False)
class Whole:
    """A model of transformers, and the names of weights that its folder does not hold: those were drawn."""

    model: Any
    fresh: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """What a folder says of a model: the files on generation and shape as they are, and its text side."""

    files: tuple[Mapping[str, Any], ...]
    text: Any

    def first(self, *names: str) -> int | None:
        """The first of these that is told, in the files before the text side; of several ends the first."""
        for name in names:
            for one in (*(file.get(name) for file in self.files), getattr(self.text, name, None)):
                held = one[0] if isinstance(one, list) and one else one
                if isinstance(held, int):
                    return held
        return None


class Family:
    """One kind. A subclass says which parts are what."""

    model_type: str  # of config.json
    architecture: str  # transformers' class
    attention: str | None = "sdpa"  # or a folder could name a kernel to be fetched
    tower: str  # where the eyes stand in the model
    idle: tuple[str, ...] = ()  # what weights are called that have no part in captions, and may be absent
    low_rank_part: str = ""  # weights so called do not learn where low-rank ones do; others learn in full
    low_rank: tuple[str, ...]  # layers that low-rank weights are put beside, where none are named
    folders: tuple[str, ...] = ()  # folders inside of a published one that belong to its layout

    def load(self, folder: Path) -> Whole:
        """The whole model of a folder, every weight of it from there."""
        what = f"a {self.model_type} model"
        model, fresh = load_model(folder, self.architecture, what, attention=self.attention, idle=self.idle)
        return Whole(model, fresh)

    def check(self, folder: Path) -> None:
        """Refuse the folder of another kind."""
        kind = str(read_table(folder / _CONFIG).get("model_type"))
        if kind != self.model_type:
            why = f"it describes a {kind[:60]!r}, and a {self.model_type!r} is wanted"
            raise refused_file(folder / _CONFIG, why, "Name the kind of [decoder] that it is of.")

    def check_processor(self, folder: Path) -> None:
        """Refuse a folder whose files on images and texts are those of another model."""

    def complete(self, writer: AnyWriter, folder: Path) -> None:
        """Give a writer what lies beside the weights."""

    def compose(self, eyes: Path, text: Path) -> Whole:
        """A whole of an image encoder and a language model."""
        raise NotImplementedError

    def eyes(self, model: Any) -> Any:  # noqa: ANN401 - transformers' own
        """The vision tower in a model."""
        return model.get_submodule(self.tower)

    def text(self, config: Any) -> Any:  # noqa: ANN401 - as above
        """The configuration of the text side in that of a whole; it may be given itself."""
        raise NotImplementedError

    def marks(self, told: Told, tokenizer: Tokenizer) -> Marks:
        """What begins, ends and fills up a caption, as the model has it, then its tokenizer."""
        raise NotImplementedError

    def mark(self, model: Any, marks: Marks) -> None:  # noqa: ANN401 - as above
        """Let transformers begin, end and fill up captions as radcap does."""
        told = model.generation_config
        told.decoder_start_token_id, told.eos_token_id = marks.begin, marks.end
        told.pad_token_id = marks.pad

    def decoder(self, model: Any) -> Decoder:  # noqa: ANN401 - as above
        """What writes, over the text side of a model."""
        raise NotImplementedError

    def writer(
        self,
        model: Any,  # noqa: ANN401 - as above
        decoder: Decoder,
        seen: int,
        labels: int,
        *,
        pad: int,
        grid: int,
    ) -> AnyWriter:
        """What makes the memory of the eyes' feature map, of width `seen`."""
        raise NotImplementedError

    def drawn(self, geometry: str, settings: DecoderSettings, tokenizer: Tokenizer) -> Decoder:
        """A decoder of the kind with random weights, over any backbone."""
        raise NotImplementedError


def family_of(kind: str) -> Family:
    """The family of a kind of decoder."""
    return cast("Family", FAMILIES.factory(kind)())
