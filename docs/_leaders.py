"""The picture of the board page: the best system of each edition.

Invariant: every value is one that ships with the catalogue.
"""

from __future__ import annotations

__all__ = ["leaders_picture"]


def leaders_picture() -> str:
    from radcap.report.row_chart import NARROW, WIDE
    from radcap.systems.board.leaders import leaders, leaders_chart

    best = leaders()
    drawn = {"wide": leaders_chart(best, WIDE), "narrow": leaders_chart(best, NARROW)}
    return "".join(f'<div class="drawing {name}">{chart}</div>' for name, chart in drawn.items())
