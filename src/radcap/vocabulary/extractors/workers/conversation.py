"""The program of a tool's process: `python -I conversation.py TOOL.py`. It answers lines of JSON with lines.

The first line holds the options; the answer is `ready`, `missing` or `failed`. Every further line asks the
tool to do something; the answer is `answer` or `failed`. TOOL.py has `absent(options)`, which names what is
not installed, and `open_tool(options)`, whose result has `about` and a method for everything it can do.
Invariant: only answers go to where the parent listens. Whatever the tool prints goes to the error stream, and
the process ends with its parent.
"""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from queue import Queue
from typing import IO, Any

_SAID = 2_000  # letters of an error


def main(arguments: list[str], leave: Callable[[int], Any] = os._exit) -> None:
    """Serve the tool in a file until the parent is gone."""
    heard, spoken = _apart()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent is interrupted, and ends this process
    asked: Queue[bytes | None] = Queue(1)
    threading.Thread(target=_listen, args=(heard, asked, leave), daemon=True).start()
    with spoken:
        converse(_load(arguments[1]), asked, spoken)


def _apart() -> tuple[IO[bytes], IO[bytes]]:
    """The two ends of the conversation, out of reach of what the tool reads and prints."""
    heard, spoken = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return heard, spoken


def _listen(heard: IO[bytes], asked: Queue[bytes | None], leave: Callable[[int], Any]) -> None:
    """Pass lines on. Their end means that the parent is gone, even while the tool is at work."""
    with heard:
        for line in heard:
            asked.put(line)
    leave(0)
    asked.put(None)


def _load(path: str) -> Any:
    spec = importlib.util.spec_from_file_location("radcap_tool", path)
    if spec is None or spec.loader is None:
        raise ImportError(path + " is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    kept, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # nothing is left beside radcap's files
    spec.loader.exec_module(module)
    sys.dont_write_bytecode = kept
    return module


def converse(module: Any, asked: Queue[bytes | None], spoken: IO[bytes]) -> None:
    """Greet, then answer until there is nothing more to hear."""
    tool = None
    for line in iter(asked.get, None):
        said = json.loads(line)
        if tool is None:
            tool, answer = _greet(module, said)
        else:
            answer = _answer(tool, said)
        spoken.write(_line(answer))
        spoken.flush()
        if tool is None:
            return


def _greet(module: Any, said: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The opened tool and what is said of it; no tool where it cannot be opened, or was only asked for."""
    try:
        absent = module.absent(said["options"])
        if absent:
            return None, {"missing": absent}
        if said["check"]:
            return None, {"ready": {}}
        tool = module.open_tool(said["options"])
    except ImportError as error:
        traceback.print_exc()
        return None, {"missing": [error.name or _words(error)]}
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a tool raises is told to the parent
        traceback.print_exc()
        return None, {"failed": _words(error)}
    return tool, {"ready": tool.about}


def _answer(tool: Any, said: dict[str, Any]) -> dict[str, Any]:
    try:
        if said["do"] == "entities":
            return {"answer": _entities(tool, said["given"])}
        return {"answer": getattr(tool, said["do"])(said["given"])}
    except (Exception, SystemExit) as error:  # noqa: BLE001 - as above
        traceback.print_exc()
        return {"failed": _words(error)}


def _entities(tool: Any, texts: list[str]) -> list[Any]:
    """What is found in each text; one text that the tool cannot take does not spoil the others."""
    try:
        return list(tool.entities(texts))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - as above
        traceback.print_exc()
        if len(texts) == 1:
            return [{"failed": _words(error)}]
    return [found for text in texts for found in _entities(tool, [text])]


def _line(answer: dict[str, Any]) -> bytes:
    try:
        return json.dumps(answer).encode("ascii") + b"\n"
    except (TypeError, ValueError, RecursionError) as error:  # what the tool gave is no JSON
        return json.dumps({"failed": _words(error)}).encode("ascii") + b"\n"


def _words(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"[:_SAID]


if __name__ == "__main__":
    main(sys.argv)
