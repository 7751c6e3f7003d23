"""The picture of the board page: the best system of each edition.

Invariant: every value is one that ships with the catalogue.
"""

from __future__ import annotations

__all__ = ["leaders_picture"]


def leaders_picture() -> str:
    from radcap.systems.board.leaders import leaders, leaders_chart

    return f'<div class="drawing">{leaders_chart(leaders())}</div>'
