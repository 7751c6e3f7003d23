"""A picture inside a terminal: by the protocol of kitty or of iTerm2, or as half blocks in true colour.

Invariant: unless it was asked for by name, nothing is drawn but on a terminal that says it can show it.
"""

from __future__ import annotations

import io
from base64 import b64encode
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    Pixels = NDArray[np.uint8]

__all__ = ["Way", "drawn", "side_by_side", "way_here"]

_PIECE = 4096  # letters of base64 that kitty takes at once
_ITERM = frozenset(("iTerm.app", "WezTerm"))
_TRUE_COLOUR = frozenset(("truecolor", "24bit"))
_GAP = 8  # pixels between two pictures
_HALF = "\u2580"  # the upper half of a cell in one colour, the lower in the other


class Way(StrEnum):
    """How a picture is shown."""

    AUTO = "auto"
    NEVER = "never"
    KITTY = "kitty"
    ITERM = "iterm"
    BLOCKS = "blocks"


def way_here(asked: Way, environment: Mapping[str, str], on_terminal: bool, encoding: str) -> Way:
    """What was asked for; under `auto`, what the terminal says it can do."""
    if asked is not Way.AUTO:
        return asked
    if not on_terminal or environment.get("TERM", "") in ("", "dumb"):
        return Way.NEVER
    inside = "TMUX" in environment or environment["TERM"].startswith(("screen", "tmux"))
    program = environment.get("TERM_PROGRAM", "")
    if not inside and _is_kitty(environment, program):
        return Way.KITTY
    if not inside and (program in _ITERM or environment.get("LC_TERMINAL") == "iTerm2"):
        return Way.ITERM
    return Way.BLOCKS if _has_blocks(environment, encoding) else Way.NEVER


def _is_kitty(environment: Mapping[str, str], program: str) -> bool:
    named = "kitty" in environment["TERM"] or "ghostty" in environment["TERM"]
    return named or "KITTY_WINDOW_ID" in environment or program == "ghostty"


def _has_blocks(environment: Mapping[str, str], encoding: str) -> bool:
    wide = encoding.lower().replace("-", "").startswith("utf")
    return wide and "NO_COLOR" not in environment and environment.get("COLORTERM", "") in _TRUE_COLOUR


def side_by_side(left: Pixels, right: Pixels) -> Pixels:
    """Two pictures of one height, with a gap that is dark as most of them are."""
    import numpy as np

    gap = np.zeros((left.shape[0], _GAP, 3), np.uint8)
    return np.concatenate([left, gap, right], axis=1)


def drawn(picture: Pixels, way: Way, columns: int) -> str:
    """A picture (height x width x 3) as what a terminal is sent, so many columns wide."""
    if way is Way.KITTY:
        return _kitty(_png(picture), columns)
    if way is Way.ITERM:
        return _iterm(_png(picture), columns)
    return _blocks(picture, columns)


def _png(picture: Pixels) -> bytes:
    from PIL import Image

    made = io.BytesIO()
    Image.fromarray(picture).save(made, "PNG")
    return made.getvalue()


def _kitty(png: bytes, columns: int) -> str:
    """Pieces, each but the last saying that more comes; q=2 keeps the terminal from answering on stdin."""
    letters = b64encode(png).decode()
    pieces = [letters[start : start + _PIECE] for start in range(0, len(letters), _PIECE)]
    heads = [f"a=T,f=100,q=2,c={columns},"] + [""] * (len(pieces) - 1)
    more = [1] * (len(pieces) - 1) + [0]
    told = zip(heads, more, pieces, strict=True)
    return "".join(f"\x1b_G{head}m={rest};{piece}\x1b\\" for head, rest, piece in told)


def _iterm(png: bytes, columns: int) -> str:
    told = f"inline=1;size={len(png)};width={columns};preserveAspectRatio=1"
    return f"\x1b]1337;File={told}:{b64encode(png).decode()}\x07"


def _blocks(picture: Pixels, columns: int) -> str:
    """Two rows of pixels in each row of cells, since a cell is about twice as high as wide."""
    import numpy as np
    from PIL import Image

    high, wide = picture.shape[:2]
    rows = max(1, round(columns * high / wide / 2))
    small = np.asarray(Image.fromarray(picture).resize((columns, 2 * rows), Image.Resampling.BOX))
    lines = ("".join(map(_cell, small[2 * row], small[2 * row + 1])) for row in range(rows))
    return "\n".join(f"{line}\x1b[0m" for line in lines)


def _cell(upper: Pixels, lower: Pixels) -> str:
    return f"\x1b[38;2;{_colour(upper)};48;2;{_colour(lower)}m{_HALF}"


def _colour(pixel: Pixels) -> str:
    return ";".join(map(str, pixel.tolist()))
