"""Whoever answers a prompt with a text: one protocol, and the kinds by name.

Invariant: there is a reply for each prompt, in their order; it has a text, or says why there is none. Nothing
is fetched, and an endpoint is asked only where the settings name it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from radcap.captioning.base_models import BASES, find_base
from radcap.captioning.base_models.finding import way_to
from radcap.core import Missing
from radcap.core.registry import Registry
from radcap.vision.model_folders import read_table
from radcap.zoo import PREFIX

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from radcap.captioning.joining_settings import RefineSettings
    from radcap.vision.training import Place

__all__ = ["GENERATORS", "Question", "Reply", "TextGenerator", "make_generator", "text_model_folder"]

_HERE = "radcap.captioning.language"
GENERATORS = Registry(
    "text_generator",
    {
        "causal": f"{_HERE}.causal:make_causal",
        "seq2seq": f"{_HERE}.seq2seq:make_seq2seq",
        "endpoint": f"{_HERE}.endpoint:make_endpoint",
    },
)


@dataclass(frozen=True, slots=True)
class Reply:
    """A text, or why there is none."""

    text: str = ""
    failed: str = ""


class TextGenerator(Protocol):
    """Answers prompts; `progress` hears how many are answered."""

    @property
    def name(self) -> str:
        """What logs and cards call it."""
        ...

    @property
    def is_instructed(self) -> bool:
        """Whether it does what a prompt says; others go on from a text, or turn it into another."""
        ...

    def replies(
        self, prompts: Sequence[str], progress: Callable[[str, int], None] | None = None
    ) -> list[Reply]: ...


@dataclass(frozen=True, slots=True)
class Question:
    """Who is to be asked, and how; `folder` is that of a local model, `seed` is for what is drawn."""

    settings: RefineSettings
    place: Place
    seed: int = 0
    folder: Path = field(default_factory=Path)
    name: str = ""


def make_generator(
    settings: RefineSettings, place: Place, seed: int = 0, folder: Path | None = None
) -> TextGenerator:
    """The endpoint that is named, else the local model: the one of `folder`, or of the settings."""
    if settings.endpoint:
        return GENERATORS.factory("endpoint")(Question(settings, place, seed))
    found = text_model_folder(settings.model) if folder is None else folder
    kind = "seq2seq" if read_table(found / "config.json").get("is_encoder_decoder") is True else "causal"
    return GENERATORS.factory(kind)(Question(settings, place, seed, found, settings.model or found.name))


def text_model_folder(model: str) -> Path:
    """The folder of a language model: a base by its name, a folder here, or a repository that is cached."""
    name = model.removeprefix(PREFIX)
    base = BASES.get(name)
    if base is not None and base.form == "language model":
        found = find_base(base)
        if found is None:
            raise Missing(f"The language model {name}", "It is too large to ship inside.", way_to(name))
        return found
    if not model:
        known = ", ".join(one.name for one in BASES.values() if one.form == "language model")
        how = f"Give a folder as [refine] model, or {known}, or an address as [refine] endpoint."
        raise Missing("The language model of [refine]", "None is named.", how)
    if Path(model).is_dir():
        return Path(model)
    from radcap.vision.backbones.published_folder import find_folder

    try:
        return find_folder(model, "config.json")
    except Missing as error:
        how = f"{error.how.rstrip('.')}, or give the address of a server that has it as [refine] endpoint."
        raise Missing(f"The language model {model:.80}", "[refine] model names it.", how) from error
