"""Captions that nobody should write, and the libraries that say what they score.

Nothing here is taken from radcap: texts are prepared and compared by NLTK and rouge-score, or word by word
as the specification has it.
"""

from __future__ import annotations

import math
import re
import string
import warnings
from collections import Counter
from functools import cache
from importlib.resources import files
from itertools import takewhile
from typing import TYPE_CHECKING

from nltk.stem import SnowballStemmer
from nltk.tokenize import TreebankWordTokenizer
from nltk.translate.bleu_score import sentence_bleu
from rouge_score.rouge_scorer import RougeScorer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

PLAIN = "Axial CT of the chest shows a 3.5 cm mass, left upper lobe (arrow)."
CAPTIONS: Mapping[str, str] = {
    "nothing": "",
    "one blank": " ",
    "blanks of many kinds": " \u00a0\u2003\u3000 ",
    "a full stop": ".",
    "a hyphen": "-",
    "signs only": "!?;:()[]{}<>\"'`~^*/\\|&%$#@_=+-.,",
    "one letter": "a",
    "stop words only": "this is not the one that it was",
    "digits": "123 45.6 7,890 1e400",
    "no number": "NaN null None inf -0",
    "tabs and line ends": "a\tmass\nin the\r\nleft lung\rhere",
    "a blank line": "a mass\n\nin the lung",
    "quotes": "a \"mass\" in 'the' ``lung'' \u201cleft\u201d \u2018upper\u2019 \u00ablobe\u00bb",
    "an open quote": '"a mass',
    "commas": "CT, chest, mass,, left,",
    "bars": "CT | chest || mass",
    "semicolons": "CT; chest;; mass;",
    "contractions": "cannot gonna wanna gotta lemme gimme don't it's the patient's wanna",
    "control characters": "a\x07 mass\x1b[2J \x1b]0;title\x07of\x08 the\x7f lung\x0b\x0c",
    "separators of files": "a\x1cmass\x1din\x1ethe\x1flung",
    "line separators": "a mass\u2028in\u2029the\x85lung",
    "a NUL": "a mass\0 in the lung",
    "Arabic": "كتلة في الفص العلوي الأيسر ٣٫٥ سم CT",  # noqa: RUF001, that is the point
    "Chinese": "胸部CT显示左上叶肿块，3.5厘米。",  # noqa: RUF001, that is the point
    "Hindi": "छाती का CT बाएँ ऊपरी भाग में पिंड",
    "digits of other scripts": "٣٤ ３５ ३६ ²³ ½ Ⅳ",  # noqa: RUF001, that is the point
    "emoji": "CT 🫁 mass 👩🏽‍⚕️ 🇩🇪 arrow ➡️",
    "combining marks": "ma\u0301ss le\u0301sion Z\u0351\u036b\u0343algo",
    "capitals that grow": "İSTANBUL ISS STRASSE Straße ŒDEMA ΟΔΟΣ ǅ",
    "letters that look alike": "СТ оf thе сhеst",  # noqa: RUF001, that is the point
    "no width": "ma\u200bss le\u200dft \ufeffCT\u00adscan",
    "from right to left": "\u202egpj.tsehc\u202c \u2066CT\u2069",
    "beyond the first plane": "𝐂𝐓 of 𝒕𝒉𝒆 chest 𠀀",  # noqa: RUF001, that is the point
    "half a character": "a mass \ud800 in the \udfff lung",
    "a formula": "=SUM(A1)",
    "a link as a formula": '=HYPERLINK("http://x.example","mass")',
    "an at sign": "@x",
    "plus one": "+1",
    "minus one": "-1",
    "markup": "<script>alert('mass')</script><img src=x onerror=alert(1)> &lt;b&gt; &amp;",
    "commands": "$(touch x) `touch x` %s %n {0} {code} \\n \\u0041",
    "a header": "ID,Caption",
    "a path": "../../etc/passwd",
}
# What no text file holds, so that no run with it is read.
UNREADABLE = frozenset({"a NUL", "half a character"})

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ORDERS = 4


def as_2017_does(text: str) -> str:
    stem = SnowballStemmer("english").stem
    return " ".join(filter(None, map(stem, _content_words(text))))


def as_2022_does(text: str) -> str:
    return " ".join(_content_words(text))


def as_2023_does(text: str) -> str:
    return re.sub(r"\d+", "number", text.lower()).translate(_PUNCTUATION)


def _content_words(text: str) -> list[str]:
    words = TreebankWordTokenizer().tokenize(text.lower().translate(_PUNCTUATION))
    return [word for word in words if word not in _stop_words()]


@cache
def _stop_words() -> frozenset[str]:
    """NLTK keeps them in an archive of their own, which is not installed; the list is the same."""
    listed = files("radcap").joinpath("data", "words", "stopwords_english.txt").read_text("utf-8")
    return frozenset(listed.split())


PREPARED: Mapping[str, Callable[[str], str]] = {
    **dict.fromkeys(("2017", "2018", "2021"), as_2017_does),
    "2022": as_2022_does,
    **dict.fromkeys(("2023", "2024", "2025", "2026", "rocov2", "radcap"), as_2023_does),
}


def rouge1(said: str, true: str) -> float:
    return RougeScorer(["rouge1"]).score(true, said)["rouge1"].fmeasure


def vanishing_bleu(said: str, true: str) -> float:
    """As the NLTK of today has it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns wherever an order has no match
        return float(sentence_bleu([true.split()], said.split()))  # pyright: ignore[reportArgumentType]


def truncating_bleu(said: str, true: str) -> float:
    """Section 5 of the specification: stop at the first order without a match."""
    ours, theirs = said.split(), true.split()
    if not ours:
        return 0.0
    shares = [_share(ours, theirs, n) for n in range(1, _ORDERS + 1)]
    kept = list(takewhile(bool, shares))
    brevity = 1.0 if len(ours) > len(theirs) else math.exp(1 - len(theirs) / len(ours))
    return brevity * math.exp(sum(0.25 * math.log(share) for share in kept)) if kept else 0.0


def _share(ours: Sequence[str], theirs: Sequence[str], n: int) -> float:
    both = [Counter(zip(*(words[start:] for start in range(n)), strict=False)) for words in (ours, theirs)]
    return (both[0] & both[1]).total() / max(1, both[0].total())
