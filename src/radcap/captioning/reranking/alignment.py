"""How well image and text go together: by a dual encoder, or by a small one that is learnt here.

AI Stat Lab 2025 reranked by BiomedCLIP, AUEB by MedCLIP.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.captioning.reranking.learnt_alignment import fit_alignment, load_alignment

if TYPE_CHECKING:
    from radcap.captioning.reranking.reranker import Reranker, Source

__all__ = ["make_alignment"]


def make_alignment(source: Source) -> Reranker:
    """The dual encoder that the settings name; else one that is learnt, or was."""
    if source.settings.model:
        from radcap.captioning.reranking.dual_encoder import open_dual_encoder

        return open_dual_encoder(source.settings.model, source.place)
    return load_alignment(source) if source.lessons is None else fit_alignment(source, source.lessons)
