"""Write a run as an edition wants it; the default passes the strictest check there is, that of 2026.

Invariant: a file appears whole or not at all, and the same run gives the same bytes.
"""

from __future__ import annotations

import os
import tempfile
import zipfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from radcap.core import Run, Task, UsageError
from radcap.formats.cells import clean_caption, clean_concepts
from radcap.formats.dialects import Dialect, Header, dialect
from radcap.formats.packing import SUBMISSION

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

__all__ = ["format_cells", "format_header", "format_row", "replacing", "write_lines", "write_run"]

_BREAKS = "\r\n"
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest date a zip can hold


def write_run(
    run: Run, path: Path | str, *, edition: str = "2026", order: Iterable[str] | None = None
) -> Path:
    """Write a run in an edition's dialect, as a zip if the name ends so, in the order of the truth if given.

    Ids of `order` that the run does not have are not written: no prediction is invented.
    """
    form = dialect(edition, run.task)
    wanted = dict.fromkeys(order or ())
    ids = [*(one for one in wanted if one in run.cells), *(one for one in run.cells if one not in wanted)]
    rows = (format_row(image_id, run.cells[image_id], form) for image_id in ids)
    return write_lines([*format_header(form), *rows], Path(path))


def format_header(form: Dialect) -> list[str]:
    """The header line, where the dialect has one."""
    return [] if form.header is Header.NONE else [form.separators[0].join(form.columns)]


def format_row(image_id: str, cell: str | None, form: Dialect) -> str:
    """One line of a run file: id and cell, the latter tidied."""
    tidy = clean_concepts if form.task is Task.CONCEPTS else clean_caption
    return format_cells((image_id, tidy(cell or "")), form)


def format_cells(cells: Iterable[str], form: Dialect) -> str:
    """Cells as one row; a separator or line break inside is quoted, or made a blank where none quotes."""
    separator = form.separators[0]
    if form.quoting:
        return separator.join(_quote(one, separator) for one in cells)
    blanks = str.maketrans(dict.fromkeys((separator, *_BREAKS), " "))
    return separator.join(one.translate(blanks) for one in cells)


def _quote(cell: str, separator: str) -> str:
    if any(sign in cell for sign in (separator, '"', *_BREAKS)):
        doubled = cell.replace('"', '""')
        return f'"{doubled}"'
    return cell


def write_lines(lines: Iterable[str], path: Path) -> Path:
    """Write lines to a file, or as the only member of a zip."""
    # bytes that were no UTF-8 go out as they came in
    encoded = (f"{line}\n".encode("utf-8", "surrogateescape") for line in lines)
    with replacing(path) as temporary:
        if path.suffix.lower() == ".zip":
            _write_zip(temporary, encoded)
        else:
            with temporary.open("wb") as file:
                file.writelines(encoded)
    return path


def _write_zip(path: Path, lines: Iterable[bytes]) -> None:
    member = zipfile.ZipInfo(SUBMISSION, date_time=_EPOCH)
    member.compress_type = zipfile.ZIP_DEFLATED
    member.external_attr = 0o644 << 16
    with zipfile.ZipFile(path, "w") as archive, archive.open(member, "w") as file:
        file.writelines(lines)


@contextmanager
def replacing(path: Path) -> Generator[Path]:
    """A temporary file beside `path` that takes its place when the block ends well, and goes when not."""
    if path.exists() and not path.is_file():
        raise UsageError(f"{path} is no regular file. It is not replaced. Choose another name.")
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=".radcap-", dir=path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o644)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
