"""Attribution methods, one a file, over one protocol."""

from radcap.explanation.methods.method import METHODS, Method, Relevance, make_method

__all__ = ["METHODS", "Method", "Relevance", "make_method"]
