"""Published explainers that ask another model for boxes, behind one protocol.

Invariant: what they say is about the picture, and never about the model that wrote the caption; all evidence
of theirs says so.
"""

from radcap.explanation.external.provider import PROVIDERS, BoxProvider, FoundBox, make_provider

__all__ = ["PROVIDERS", "BoxProvider", "FoundBox", "make_provider"]
