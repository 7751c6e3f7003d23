"""What needs more than Python: a Java runtime, a model folder.

Invariant: importing a provider loads nothing heavy; `Missing` says what is absent and how to get it.
"""

from radcap.metrics.providers.java import JavaFailed, find_java
from radcap.metrics.providers.lemmas import Lemmatiser, check_lemmas, load_lemmatiser
from radcap.metrics.providers.meteor import MeteorScores, check_meteor, meteor_scores
from radcap.metrics.providers.spice import check_spice, spice_scores

__all__ = [
    "JavaFailed",
    "Lemmatiser",
    "MeteorScores",
    "check_lemmas",
    "check_meteor",
    "check_spice",
    "find_java",
    "load_lemmatiser",
    "meteor_scores",
    "spice_scores",
]
