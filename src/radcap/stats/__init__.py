"""Statistics over scores: ranks."""

from radcap.stats.ranks import ranks

__all__ = ["ranks"]
