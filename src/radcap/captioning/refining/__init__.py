"""A language model has the last word: what it is told, what is taken of its answer, and what happens without.

Nothing heavy is loaded here: system files are checked with it.
"""

from radcap.captioning.refining.checking import refine_contradictions
from radcap.captioning.refining.prompts import SLOTS, slots_of

__all__ = ["SLOTS", "refine_contradictions", "slots_of"]
