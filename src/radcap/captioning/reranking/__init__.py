"""What chooses among drafts: one way a file, over one protocol."""

from radcap.captioning.reranking.reranker import Lessons, Reranker, Source, make_reranker

__all__ = ["Lessons", "Reranker", "Source", "make_reranker"]
