"""What keeps one system from being trained, told apart from what stops the whole board.

Invariant: whatever one system ends of, the others go on, but where no time or no room is left.
"""

from __future__ import annotations

import errno
import re

import torch

from radcap.core import RadcapError

__all__ = ["TimeUp", "is_of_one", "is_unforeseen", "spoils_process", "told"]

_FULL = (errno.ENOSPC, errno.EDQUOT)
_NUMBER = re.compile(r"\(os error (\d+)\)")  # safetensors has it in its text alone
_NO_MEMORY = (MemoryError, torch.OutOfMemoryError)


class TimeUp(Exception):
    """The time that was given is over; the next call goes on."""


def is_of_one(error: Exception) -> bool:
    """Whether the next system may fare better."""
    return not isinstance(error, TimeUp) and not _is_full(error)


def _is_full(error: Exception) -> bool:
    if not isinstance(error, OSError):
        return False
    number = _NUMBER.search(str(error))
    return (int(number[1]) if error.errno is None and number else error.errno) in _FULL


def is_unforeseen(error: Exception) -> bool:
    """Whether nobody wrote a sentence for it."""
    return not isinstance(error, (RadcapError, *_NO_MEMORY))


def spoils_process(error: Exception) -> bool:
    """After some errors of a GPU nothing can be done with it any more in the same process."""
    if not isinstance(error, RuntimeError):
        return False
    return type(error).__name__ == "AcceleratorError" or "CUDA error" in str(error)


def told(error: Exception, jobs: int, log: str) -> str:
    """Why a system could not be trained; `log` is where more is written of what nobody foresaw."""
    if isinstance(error, RadcapError):
        return str(error)
    if isinstance(error, _NO_MEMORY):
        return f"It needs more memory than there is. Try {'fewer jobs, or ' * (jobs > 1)}a smaller scale."
    line = str(error).partition("\n")[0].rstrip(".")
    return f"It ended in a way that nobody foresaw: {type(error).__name__}: {line}. {log} says where."
