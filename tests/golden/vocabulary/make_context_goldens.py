"""What medspacy's ConText says of the findings in our sentences. No radcap here.

python3.11 -m venv DIR && DIR/bin/pip install "numpy<2" medspacy==1.3.1
cd tests/golden/vocabulary && DIR/bin/python make_context_goldens.py > context_medspacy.json
"""

from __future__ import annotations

import json
import platform
import re
import sys
from importlib.metadata import version
from pathlib import Path

COMMAND = "DIR/bin/python make_context_goldens.py > context_medspacy.json"
FINDING = re.compile(r"\[([^|\]]+)\|([pnux])\]")


def sentences() -> list[str]:
    lines = (Path(__file__).parent / "context_sentences.txt").read_text("utf-8").splitlines()
    return [line for line in lines if line and line[0] not in "#="]


def bare(marked: str) -> tuple[str, list[tuple[int, int]]]:
    """The sentence without marks, and where its findings stand."""
    text, places, last = "", [], 0
    for match in FINDING.finditer(marked):
        text += marked[last : match.start()]
        places.append((len(text), len(text) + len(match[1])))
        text += match[1]
        last = match.end()
    return text + marked[last:], places


def main() -> None:
    import medspacy  # pyright: ignore[reportMissingImports]
    from loguru import logger  # pyright: ignore[reportMissingImports]

    logger.remove()
    tool = medspacy.load(medspacy_enable=["medspacy_pyrush", "medspacy_context"])
    cases = []
    for marked in sentences():
        text, places = bare(marked)
        document = tool.make_doc(text)
        for name, part in tool.pipeline:
            if name == "medspacy_context":
                spans = [document.char_span(*one, label="finding", alignment_mode="expand") for one in places]
                document.set_ents(spans)
            document = part(document)
        codes = ["pnux"[one._.is_negated + 2 * one._.is_uncertain] for one in document.ents]
        if len(codes) != len(places):
            raise SystemExit(f"{text!r} has findings that its tokens do not part")
        cases.append({"sentence": marked, "codes": codes})
    found = {
        "tool": f"medspacy {version('medspacy')}",
        "command": COMMAND,
        "python": platform.python_version(),
        "cases": cases,
    }
    json.dump(found, sys.stdout, indent=1)
    sys.stdout.write("\n")


main()
