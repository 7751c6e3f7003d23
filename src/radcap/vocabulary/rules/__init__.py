"""What an edition keeps of the concepts that were found: types, blacklist, remaps, negation, frequency.

>>> from radcap.vocabulary.rules import read_rules, rules_names
>>> rules_names()
('imageclef-2017', 'imageclef-2022', 'imageclef-2025', 'none', 'rocov2-2023')
>>> read_rules("rocov2-2023").frequency.needed, read_rules("imageclef-2025").frequency.needed
(11, 10)
"""

from radcap.vocabulary.rules.applying import apply_rules
from radcap.vocabulary.rules.concept_rules import Blacklisted, ConceptRules, Fate, FrequencyCut, Remap, Unit
from radcap.vocabulary.rules.manual import merge_manual
from radcap.vocabulary.rules.rarity import cut_rare, frequencies
from radcap.vocabulary.rules.reading import read_rules, rules_names

__all__ = [
    "Blacklisted",
    "ConceptRules",
    "Fate",
    "FrequencyCut",
    "Remap",
    "Unit",
    "apply_rules",
    "cut_rare",
    "frequencies",
    "merge_manual",
    "read_rules",
    "rules_names",
]
