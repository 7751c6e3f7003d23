"""Whether a caption is English, by a rule that can be read.

Invariant: two things are looked at and nothing else. Letters: at least half are Latin, and nearly all are
Latin or Greek. Words: those of English are held against those of French, German, Spanish, Portuguese and
Italian, whichever has most; words that English shares (in, die, no, a) count for nobody. A telling word
counts twice; one with an accent counts once for all other languages, unless it is a name. A word counts once,
however often it stands there. A caption is refused where the others have two points and more than English;
one that says nothing either way passes.
>>> is_english("Radiographie du thorax de face"), is_english("Axial CT, mass")
(False, True)
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import cache
from unicodedata import name

__all__ = ["is_english"]

_POINTS = 2
_LONG = 3  # letters
_FEW = 10  # one letter in so many may be of another script: a name, a sign
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_NAMES = re.compile(
    r"\bet al\b|\bde novo\b|\ben (?:bloc|face)\b|\bin vitro\b|https?:\S+|www\.\S+", re.IGNORECASE
)

_ENGLISH = """
    the of and with without within is are was were be been has have had by for from to at this that these
    those which while as it its his her their our after before between through during into than not there
    showing shows showed shown show demonstrating demonstrates demonstrated revealed revealing reveals seen
    view views right left arrow arrows scan scans x-ray case old year years female white black one two both
"""
# (once, twice): the former are names and abbreviations of English captions too
_OTHERS: Mapping[str, tuple[str, str]] = {
    "French": (
        """le la les un de en et est au aux sur sous par pour qui que ce sa ses sans vers dans entre plusieurs
        bien vue où""",
        """une des du avec chez cette ces elle été être après avant montrant montre objectivant
        confirmant mettant coupe coupes gauche droit droite radiographie radiologique scannographique
        échographie échographique tdm irm thoracique cérébrale opératoire lésion patiente flèche""",
    ),
    "German": (
        "der das den dem des ein im von vom zum am auf aus bei",
        """und eine einer eines einem für über nach mit nicht ist sind wird wurde werden zeigt zur durch links
        rechts röntgenbild aufnahme patienten""",
    ),
    "Spanish": (
        "el los las del con por que se lo su sus como sin sobre desde entre de la en un",
        """una unos unas más muestra observa imagen radiografía tomografía resonancia izquierda izquierdo
        derecha derecho paciente lesión""",
    ),
    "Portuguese": (
        "da dos das na nas nos com em ao por que se um os sem sobre entre de são",
        """uma não pela pelo seu sua à imagem radiografia tomografia ressonância esquerda esquerdo direita
        direito paciente lesão mostrando""",
    ),
    "Italian": (
        "il lo di da dal con che si un la le del al alla",
        """della dello dei delle degli gli nel nella nelle una immagine radiografia ecografia destra destro
        sinistra sinistro paziente lesione mostra""",
    ),
}
_WEIGHTS: Mapping[str, Mapping[str, int]] = {
    language: {**dict.fromkeys(once.split(), 1), **dict.fromkeys(twice.split(), 2)}
    for language, (once, twice) in _OTHERS.items()
}
_ENGLISH_WORDS = frozenset(_ENGLISH.split())
_SHORT_FORMS = frozenset({"TDM", "IRM"})  # capitals that are words here; LA, LE or DES are parts of the body


def is_english(text: str) -> bool:
    """Whether a caption may be taken for English."""
    scripts = Counter(_script(sign) for sign in text if sign.isalpha())
    latin, greek, letters = scripts["LATIN"], scripts["GREEK"], scripts.total()
    if 2 * latin < letters or _FEW * (letters - latin - greek) > letters:
        return False
    found = _WORD.findall(_NAMES.sub(" ", text))
    words = {word.lower() for word in found if not word.isupper() or len(word) == 1 or word in _SHORT_FORMS}
    spelled = {word for place, word in enumerate(found) if place == 0 or word[0].islower()}
    accents = sum(map(_has_accent, spelled))
    other = max(sum(map(points.__getitem__, words & points.keys())) for points in _WEIGHTS.values())
    return accents + other < _POINTS or accents + other <= len(words & _ENGLISH_WORDS)


@cache
def _script(letter: str) -> str:
    """The first word of a letter's name: LATIN, GREEK, CYRILLIC, CJK ..."""
    return "LATIN" if letter.isascii() else name(letter, "").partition(" ")[0]


def _has_accent(word: str) -> bool:
    """Of a word that is long enough to be one, and no unit or sign: µm, Å, Greek letters."""
    return len(word) >= _LONG and any(not sign.isascii() and _script(sign) == "LATIN" for sign in word)
