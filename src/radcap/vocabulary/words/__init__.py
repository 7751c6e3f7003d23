"""How text and names become comparable: words, their normal forms, variants of names."""

from radcap.vocabulary.words.normal import ARTICLES, cased, normal
from radcap.vocabulary.words.splitting import APART, HYPHENS, joins, split
from radcap.vocabulary.words.tables import data_file, digest, not_names, prefixes
from radcap.vocabulary.words.variants import variants

__all__ = [
    "APART",
    "ARTICLES",
    "HYPHENS",
    "cased",
    "data_file",
    "digest",
    "joins",
    "normal",
    "not_names",
    "prefixes",
    "split",
    "variants",
]
