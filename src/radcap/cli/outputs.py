"""Where a command may write, and what is said where it cannot.

Invariant: an output never takes the place of a file that the command reads; it is refused before any work.
"""

from __future__ import annotations

import errno
import re
from typing import TYPE_CHECKING

from radcap.core import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["check_output", "check_page", "refusal"]

_PAGE = (".html", ".htm")
_ACCESS = "Check its path and rights."
_ROOM = "Make room, and give the same command again."
_NUMBER = re.compile(r"\(os error (\d+)\)")
_FULL = (errno.ENOSPC, errno.EDQUOT)


def check_output(output: Path | None, inputs: Iterable[Path | None]) -> None:
    """Refuse a folder, and to write over an input or over a file of a folder that is one."""
    if output is None or not output.exists():
        return
    if output.is_dir():
        raise UsageError(f"{output} is a folder, and a file is to be written. Name a file in it, or another.")
    for path in inputs:
        if path is not None and path.exists() and (output.samefile(path) or output.parent.samefile(path)):
            raise UsageError(f"{output} belongs to what is read. It is not replaced. Choose another name.")


def check_page(page: Path | None, inputs: Iterable[Path | None]) -> None:
    """The same for a page, which also says by its name what it is."""
    if page is not None and page.suffix.lower() not in _PAGE:
        raise UsageError(f"The page cannot go to {page.name}. Name a file ending in .html.")
    check_output(page, inputs)


def refusal(error: OSError) -> str:
    """The sentence on a file that cannot be read or written.

    >>> refusal(OSError(errno.ENOSPC, "No space left on device", "run.csv"))
    'run.csv cannot be used: No space left on device. Make room, and give the same command again.'
    """
    why = f"{error.filename or 'The output'} cannot be used: {error.strerror or error}"
    return f"{why}. {_ROOM if _is_full(error) else _ACCESS}"


def _is_full(error: OSError) -> bool:
    """Whether there is no room; what safetensors could not write has the number in its text alone."""
    told = _NUMBER.search(str(error))
    return (int(told[1]) if error.errno is None and told else error.errno) in _FULL
