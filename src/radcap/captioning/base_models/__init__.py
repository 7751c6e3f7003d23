"""Weights of others that models of ours begin with: which there are, where they lie, how they are had.

Nothing heavy is loaded by listing and finding them.
"""

from radcap.captioning.base_models.catalogue import BASES, NEEDS, Base
from radcap.captioning.base_models.finding import find_base, language_model_folder
from radcap.captioning.base_models.getting import Got, get
from radcap.captioning.base_models.states import ModelState, model_states, model_table

__all__ = [
    "BASES",
    "NEEDS",
    "Base",
    "Got",
    "ModelState",
    "find_base",
    "get",
    "language_model_folder",
    "model_states",
    "model_table",
]
