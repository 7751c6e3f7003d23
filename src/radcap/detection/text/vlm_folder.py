"""The folder of a vision-language model, looked through before it is opened."""

from __future__ import annotations

from pathlib import Path

from radcap.core import InputError, Missing
from radcap.vision.model_folders import check_folder

__all__ = ["NAMED", "check_vlm_folder", "refused"]

NAMED = "[text] words names it as the folder of a vision-language model."


def check_vlm_folder(named: str, why: str = NAMED) -> tuple[Path, str]:
    """The folder, and the type of model that its config.json names; `why` says who wants it."""
    folder = Path(named)
    if not named or not folder.is_dir():
        raise Missing(
            named or "The folder of vlm:",
            why,
            "Put the model there, or name another folder; nothing is fetched.",
        )
    return folder, str(check_folder(folder)["model_type"])


def refused(folder: Path, why: str, how: str) -> InputError:
    """The refusal of a folder."""
    return InputError(f"{folder} cannot be used: {why}. {how}.", path=str(folder))
