"""SPICE 1.0 through its own Java program and the Stanford CoreNLP 3.6 that a person has.

Invariant: nothing is left behind but the cache of parses that was asked for.
SPICE writes its results with the JavaScript engine that Java lost in release 15: it needs Java 8 to 14, or
the jars of Nashorn (nashorn-core and asm) in the CoreNLP folder. That is checked before hours of parsing.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from radcap.core import Missing, UsageError
from radcap.metrics.providers.java import (
    ENGLISH,
    JavaFailed,
    find_jar,
    find_java,
    java_release,
    last_words,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["CORENLP_VARIABLE", "check_spice", "spice_scores"]

CORENLP_VARIABLE = "RADCAP_CORENLP"

_JAR = "spice/spice-1.0.jar"
_MAIN = "edu.anu.spice.SpiceScorer"  # as the manifest of the jar says
_CORENLP_JARS = ("stanford-corenlp-3.6.0.jar", "stanford-corenlp-3.6.0-models.jar")  # as well
_LAST_JAVA = 14
_HOW = (
    "Download stanford-corenlp-full-2015-12-09.zip from the Stanford NLP group, unzip it and name the "
    f"folder, with --corenlp or in {CORENLP_VARIABLE}."
)


def check_spice(corenlp: Path | None = None) -> None:
    """Raise `Missing` where something is absent; parses nothing."""
    _class_path(find_java(), corenlp)


def spice_scores(
    candidates: Sequence[str],
    references: Sequence[str],
    *,
    corenlp: Path | None = None,
    cache: Path | None = None,
) -> list[float]:
    """The F score of each candidate against its reference; `cache` is a folder that keeps parses."""
    if len(candidates) != len(references):
        raise UsageError(
            f"SPICE was given {len(candidates):,} captions and {len(references):,} references. "
            "They cannot be paired. Give one reference for every caption."
        )
    java = find_java()
    command = [str(java), "-Xmx8G", *ENGLISH, "-cp", _class_path(java, corenlp), _MAIN]
    with tempfile.TemporaryDirectory(prefix="radcap-spice-") as folder:
        asked, answered = Path(folder, "captions.json"), Path(folder, "scores.json")
        asked.write_text(_question(candidates, references), encoding="ascii")
        options = [str(asked), "-out", str(answered), "-silent", *_cache_option(cache)]
        said = _run(java, [*command, *options])
        try:
            return _answer(answered.read_text(encoding="utf-8"), len(candidates))
        except (OSError, ValueError, LookupError, TypeError):
            raise JavaFailed("SPICE 1.0", java, f"its results cannot be read ({last_words(said)})") from None


def _class_path(java: Path, corenlp: Path | None) -> str:
    jar = find_jar(_JAR)
    library = jar.parent / "lib"
    folder = _corenlp_folder(corenlp, library)
    jars = [jar, *sorted(library.glob("*.jar")), *sorted(folder.absolute().glob("*.jar"))]
    has_nashorn = any(one.name.startswith("nashorn-core") for one in jars)
    if not has_nashorn and java_release(java) > _LAST_JAVA:
        raise Missing(
            "Java 8 to 14",
            f"{java} is newer, and SPICE writes its results with the JavaScript engine that Java 15 dropped.",
            f"Set JAVA_HOME to an older Java, or put nashorn-core and the asm jars it needs into {folder}.",
        )
    return os.pathsep.join(map(str, jars))


def _corenlp_folder(corenlp: Path | None, library: Path) -> Path:
    """The folder that was named, else that of the environment, else where pycocoevalcap puts a download."""
    named = corenlp or Path(os.environ.get(CORENLP_VARIABLE) or library)
    absent = [name for name in _CORENLP_JARS if not Path(named, name).is_file()]
    if not absent:
        return named
    if named == library:
        raise Missing("Stanford CoreNLP 3.6", "SPICE parses captions with it.", _HOW)
    raise Missing("Stanford CoreNLP 3.6", f"{named} does not hold {' or '.join(absent)}.", _HOW)


def _cache_option(cache: Path | None) -> list[str]:
    if cache is None:
        return []
    cache.mkdir(parents=True, exist_ok=True)
    return ["-cache", str(cache.absolute())]


def _question(candidates: Sequence[str], references: Sequence[str]) -> str:
    """What SPICE reads; ASCII alone, so that no character of a caption can be misread."""
    pairs = zip(candidates, references, strict=True)
    return json.dumps(
        [{"image_id": place, "test": test, "refs": [true]} for place, (test, true) in enumerate(pairs)]
    )


def _run(java: Path, command: Sequence[str]) -> str:
    """What SPICE said on its error stream; an interrupt ends it."""
    try:
        done = subprocess.run(command, capture_output=True, check=False)  # noqa: S603, the arguments are ours
    except OSError as error:
        raise JavaFailed("SPICE 1.0", java, str(error)) from None
    said = done.stderr.decode("utf-8", "replace")
    if done.returncode:
        raise JavaFailed("SPICE 1.0", java, last_words(said))
    return said


def _answer(text: str, n: int) -> list[float]:
    items: list[dict[str, Any]] = json.loads(text)
    found = {item["image_id"]: item["scores"]["All"]["f"] for item in items}
    return [_number(found[place]) for place in range(n)]


def _number(value: float | None) -> float:
    """SPICE writes null where there is nothing to divide by."""
    return 0.0 if value is None or math.isnan(value) else float(value)
