"""Files of texts for a decoder that reads before it sees images: a caption a line, or a column of a table.

Invariant: a file is read as a stream, within bounds, and only UTF-8; what cannot be used is refused with a
sentence, and what is left out is counted as with the captions of a dataset.
"""

from __future__ import annotations

import csv
import gzip
import zlib
from contextlib import contextmanager
from itertools import chain
from typing import IO, TYPE_CHECKING, cast

from radcap.captioning.texts.learning import Sieve, Texts
from radcap.core import InputError

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

    from radcap.captioning.settings import CaptionDataSettings

__all__ = ["read_texts"]

_COLUMN = "caption"
_TABLES = {".csv": ",;\t|", ".tsv": "\t"}
_QUOTING = ",;"  # elsewhere a quote is a sign like others, unless it holds all of a cell
_LINE, _ALL = 1 << 20, 1 << 31  # letters of a line and of a file, unpacked
_ADVICE = "Give a text file in UTF-8, a caption a line, or a CSV with a column Caption; .gz may follow."


def read_texts(path: Path, settings: CaptionDataSettings) -> Texts:
    """The texts of a file; at least one is left, or the file is refused."""
    sieve = Sieve(settings)
    try:
        with _opened(path) as file:
            for number, text in _texts(path, _lines(path, file)):
                sieve.take(text, f"line {number}")
    except UnicodeDecodeError as error:
        raise _refused(path, f"it is no UTF-8 (byte {error.start:,} of a piece: {error.reason})") from error
    except (OSError, EOFError, zlib.error, csv.Error) as error:
        raise _refused(path, str(error)) from error
    texts = sieve.texts()
    if not texts.kept:
        raise _refused(path, " ".join(["no text is left to learn from", *texts.told()]).rstrip("."))
    return texts


def _refused(path: Path, why: str) -> InputError:
    return InputError(f"{path} cannot be used: {why}. {_ADVICE}", path=str(path))


@contextmanager
def _opened(path: Path) -> Generator[IO[str]]:
    if not path.is_file():  # reading a pipe could wait for ever
        raise _refused(path, "it is no regular file" if path.exists() else "there is no such file")
    opener = gzip.open if path.suffix.lower() == ".gz" else open
    with opener(path, "rt", encoding="utf-8-sig", newline="") as file:
        yield cast("IO[str]", file)


def _lines(path: Path, file: IO[str]) -> Iterator[str]:
    letters = 0
    while line := file.readline(_LINE):
        letters += len(line)
        if len(line) >= _LINE or letters > _ALL:
            raise _refused(path, f"a line has {_LINE:,} letters or more, or all lines more than {_ALL:,}")
        yield line


def _texts(path: Path, lines: Iterator[str]) -> Iterator[tuple[int, str]]:
    """Each text with the line that it ends on."""
    endings = [ending.lower() for ending in path.suffixes if ending.lower() != ".gz"]
    separators = _TABLES.get(endings[-1] if endings else "")
    return enumerate(lines, 1) if separators is None else _cells(path, lines, separators)


def _cells(path: Path, lines: Iterator[str], separators: str) -> Iterator[tuple[int, str]]:
    header = next(lines, "")
    separator, place = _column(path, header, separators)
    rows = _rows(chain([header], lines), separator)
    next(rows)
    for number, row in rows:
        yield number, row[place] if place < len(row) else ""


def _column(path: Path, header: str, separators: str) -> tuple[str, int]:
    """The sign that parts cells, and where the captions stand."""
    for separator in separators:
        names = [cell.strip().casefold() for _, row in _rows(iter([header]), separator) for cell in row]
        if _COLUMN in names:
            return separator, names.index(_COLUMN)
    raise _refused(path, f"the header {header[:80].strip()!r} names no column Caption")


def _rows(lines: Iterator[str], separator: str) -> Iterator[tuple[int, list[str]]]:
    """Rows with the line that they end on."""
    quoting = separator in _QUOTING
    rows = csv.reader(lines, delimiter=separator, quoting=csv.QUOTE_MINIMAL if quoting else csv.QUOTE_NONE)
    for row in rows:
        yield rows.line_num, row if quoting else list(map(_unquoted, row))


def _unquoted(cell: str) -> str:
    """A cell less the quotes around all of it."""
    held = len(cell) > 1 and cell[0] == cell[-1] == '"'
    return cell[1:-1].replace('""', '"') if held else cell
