"""A small grammar of radiology English: facts into sentences, concepts into facts.

>>> from radcap.captioning.grammar import Facts, sentence
>>> sentence(Facts("MRI", sequence="T2-weighted", plane="sagittal", region="spine", findings=("ependymoma",)))
'Sagittal T2-weighted MRI of the spine showing an ependymoma.'
"""

from radcap.captioning.grammar.concepts import Role, facts_of, joined, phrase_of, role_of
from radcap.captioning.grammar.facts import Contrast, Facts
from radcap.captioning.grammar.plain_words import LEADING_WORDS, plain_words, words_of
from radcap.captioning.grammar.sentences import sentence

__all__ = [
    "LEADING_WORDS",
    "Contrast",
    "Facts",
    "Role",
    "facts_of",
    "joined",
    "phrase_of",
    "plain_words",
    "role_of",
    "sentence",
    "words_of",
]
