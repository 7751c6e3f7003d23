"""Where a command may write.

Invariant: an output never takes the place of a file that the command reads; it is refused before any work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.core import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["check_output", "check_page"]

_PAGE = (".html", ".htm")


def check_output(output: Path | None, inputs: Iterable[Path | None]) -> None:
    """Refuse to write over an input, or over a file of a folder that is one."""
    if output is None or not output.exists():
        return
    for path in inputs:
        if path is not None and path.exists() and (output.samefile(path) or output.parent.samefile(path)):
            raise UsageError(f"{output} belongs to what is read. It is not replaced. Choose another name.")


def check_page(page: Path | None, inputs: Iterable[Path | None]) -> None:
    """The same for a page, which also says by its name what it is."""
    if page is not None and page.suffix.lower() not in _PAGE:
        raise UsageError(f"The page cannot go to {page.name}. Name a file ending in .html.")
    check_output(page, inputs)
