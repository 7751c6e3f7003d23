"""Models of the Hugging Face library: one tags entities, one turns names into vectors, one reranks.

Vectors have length one, so their product is the cosine. Those of all names lie in a file of half floats, row
by row in the order in which the names came; a file that is not whole goes on where it ended.
Invariant: nothing is downloaded unless the options say so.
"""

from __future__ import annotations

import hashlib
import os
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

_MODELS = ("ner", "linker", "reranker")
_HASHED = (".json", ".txt", ".model", ".safetensors", ".bin")  # what a vector depends on
_CHUNK = 1 << 16  # rows of the file that are multiplied at once
_HALF = 2  # bytes of a half float
_OVERLAP = 8  # the part of a long text's window that the next one repeats


def absent(options: dict[str, Any]) -> list[str]:
    """What is not installed, and which models are neither folders nor kept by the hub's library."""
    missing = [name for name in ("torch", "transformers") if find_spec(name) is None]
    if missing:
        return missing
    _stay_offline(options)
    models = [options[name] for name in _MODELS if options[name] and not options["download"]]
    return ["model:" + name for name in models if not _is_here(name)]


def _stay_offline(options: dict[str, Any]) -> None:
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    if not options["download"]:
        os.environ["HF_HUB_OFFLINE"] = os.environ["TRANSFORMERS_OFFLINE"] = "1"


def _hide_broken_torchvision() -> None:
    """A torchvision that was built for another torch cannot be imported, and transformers would try to."""
    try:
        import_module("torchvision")
    except (ImportError, RuntimeError):
        sys.modules["torchvision"] = None  # type: ignore[assignment] - as absent; texts do not need it


def _is_here(name: str) -> bool:
    if Path(name).is_dir():
        return True
    hub = import_module("huggingface_hub")
    try:
        return isinstance(hub.try_to_load_from_cache(name, "config.json"), str)
    except ValueError:  # no name the hub could have
        return False


def open_tool(options: dict[str, Any]) -> Tool:
    _stay_offline(options)
    return Tool(options)


class Tool:
    """The opened models."""

    def __init__(self, options: dict[str, Any]) -> None:
        self._torch: Any = import_module("torch")
        _hide_broken_torchvision()
        transformers: Any = import_module("transformers")
        self._batch = options["batch"]
        self._most = options["max_tokens"]
        self._pooling = options["pooling"]
        self._device = options["device"] or ("cuda" if self._torch.cuda.is_available() else "cpu")
        folders = {name: _folder(options[name], options["download"]) for name in _MODELS if options[name]}
        self._ner = self._tagger(transformers, folders["ner"])
        self._tokenizer, self._encoder = self._model(transformers, "AutoModel", folders["linker"])
        self._reranker: Any = None
        if "reranker" in folders:
            kind = "AutoModelForSequenceClassification"
            self._reranker = self._model(transformers, kind, folders["reranker"])
        self._names: Any = None
        self.about: dict[str, Any] = {
            "name": "neural",
            "version": "transformers " + transformers.__version__,
            "notes": [],
            "fingerprint": self._fingerprint(folders["linker"]),
            "width": int(self._encoder.config.hidden_size),
            "device": str(self._device),
        }

    def _model(self, transformers: Any, kind: str, folder: str) -> tuple[Any, Any]:
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        model, loading = getattr(transformers, kind).from_pretrained(folder, output_loading_info=True)
        # the library fills what is absent with random numbers; an encoder's pooling layer is not used here
        absent = [name for name in loading["missing_keys"] if kind != "AutoModel" or "pooler" not in name]
        if absent:
            raise ValueError(f"{folder} has no weights for {min(absent)}: it is no model for this")
        longest = getattr(model.config, "max_position_embeddings", 512)
        # two less, for models that number their places from two on
        tokenizer.model_max_length = max(8, min(tokenizer.model_max_length, longest - 2))
        return tokenizer, model.eval().to(self._device)

    def _tagger(self, transformers: Any, folder: str) -> Any:
        tokenizer, model = self._model(transformers, "AutoModelForTokenClassification", folder)
        return transformers.TokenClassificationPipeline(
            model=model,
            tokenizer=tokenizer,
            device=self._device,
            aggregation_strategy="first",
            stride=tokenizer.model_max_length // _OVERLAP,
        )

    def _fingerprint(self, folder: str) -> str:
        """What a vector depends on: the files of the model, and how it is used."""
        seen = hashlib.sha256(f"{self._pooling} {self._most}".encode())
        for path in sorted(Path(folder).iterdir()):
            if path.suffix in _HASHED:
                seen.update(path.name.encode())
                with path.open("rb") as file:
                    for block in iter(lambda: file.read(1 << 20), b""):
                        seen.update(block)
        return seen.hexdigest()

    def entities(self, texts: list[str]) -> list[list[dict[str, Any]]]:
        """The spans the tagger marks in each text."""
        with self._torch.inference_mode():
            tagged = self._ner(texts, batch_size=self._batch)
        return [[_entity(one) for one in found] for found in tagged]

    def open_names(self, given: dict[str, Any]) -> int:
        """How many names have a vector in the file; nobody else may write to it meanwhile."""
        self._names = NameVectors(Path(given["path"]), given["rows"], self.about["width"])
        return self._names.done

    def add_names(self, names: list[str]) -> int:
        """Give the next names their vectors, and say how many have one now."""
        self._names.add(self._encode(names).numpy())
        return self._names.done

    def nearest(self, given: dict[str, Any]) -> list[list[list[Any]]]:
        """For each text the rows of the nearest names, and how near they are."""
        torch = self._torch
        asked = self._encode(given["texts"]).float().to(self._device)
        values = torch.empty((len(asked), 0), device=self._device)
        rows = torch.empty((len(asked), 0), dtype=torch.int64, device=self._device)
        for start, chunk in self._names.chunks(_CHUNK):
            scores = asked @ torch.from_numpy(chunk).to(self._device).float().T
            top, places = scores.topk(min(given["count"], scores.shape[1]))
            values, rows = torch.cat([values, top], 1), torch.cat([rows, places + start], 1)
            values, kept = values.topk(min(given["count"], values.shape[1]))
            rows = rows.gather(1, kept)
        return [
            [[row, value] for row, value in zip(*both)]  # noqa: B905 - zip has no `strict` before Python 3.10
            for both in zip(rows.tolist(), values.tolist())  # noqa: B905 - as above
        ]

    def rerank(self, pairs: list[list[str]]) -> list[float]:
        """How likely each pair of a mention and a name belongs together."""
        tokenizer, model = self._reranker
        likely: list[float] = []
        for start in range(0, len(pairs), self._batch):
            some = pairs[start : start + self._batch]
            tokens = tokenizer(
                [one[0] for one in some],
                [one[1] for one in some],
                padding=True,
                truncation="longest_first",
                max_length=tokenizer.model_max_length,
                return_tensors="pt",
            ).to(self._device)
            with self._torch.inference_mode():
                logits = model(**tokens).logits.float()
            one_class = logits.shape[1] == 1
            likely += (logits.sigmoid()[:, 0] if one_class else logits.softmax(1)[:, 1]).tolist()
        return likely

    def _encode(self, texts: list[str]) -> Any:
        """The vectors of texts, as half floats; texts of alike lengths are taken together."""
        torch = self._torch
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        vectors = torch.empty((len(texts), self.about["width"]), dtype=torch.float16)
        for start in range(0, len(order), self._batch):
            places = order[start : start + self._batch]
            tokens = self._tokenizer(
                [texts[place] for place in places],
                padding=True,
                truncation=True,
                max_length=min(self._most, self._tokenizer.model_max_length),
                return_tensors="pt",
            ).to(self._device)
            with torch.inference_mode():
                states = self._encoder(**tokens).last_hidden_state.float()
            pooled = states[:, 0] if self._pooling == "cls" else _mean(states, tokens["attention_mask"])
            vectors[places] = torch.nn.functional.normalize(pooled, dim=1).half().cpu()
        return vectors


def _folder(name: str, download: bool) -> str:
    """Where a model lies: the folder that is named, else the hub's copy of it."""
    if Path(name).is_dir():
        return name
    return str(import_module("huggingface_hub").snapshot_download(name, local_files_only=not download))


def _mean(states: Any, mask: Any) -> Any:
    weights = mask.unsqueeze(-1).float()
    return (states * weights).sum(1) / weights.sum(1).clamp(min=1)


def _entity(found: dict[str, Any]) -> dict[str, Any]:
    return {
        "start": int(found["start"]),
        "end": int(found["end"]),
        "name": str(found["entity_group"]),
        "score": float(found["score"]),
    }


class NameVectors:
    """The file of vectors, and its first part while it is written."""

    def __init__(self, path: Path, rows: int, width: int) -> None:
        self._path, self._rows, self._width = path, rows, width
        self._part = path.with_name(path.name + ".part")
        self.done = rows
        if not self._is_whole():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._part.open("ab")
            _lock(self._file, self._part)
            self.done = min(rows, self._file.tell() // (width * _HALF))
            self._file.truncate(self.done * width * _HALF)  # half a row, of a process that was killed
            self._close_when_whole()

    def _is_whole(self) -> bool:
        return self._path.is_file() and self._path.stat().st_size == self._rows * self._width * _HALF

    def add(self, vectors: Any) -> None:
        self._file.write(vectors.tobytes())
        self.done += len(vectors)
        self._close_when_whole()

    def _close_when_whole(self) -> None:
        if self.done >= self._rows:
            self._file.close()
            self._part.replace(self._path)

    def chunks(self, rows: int) -> Any:
        """The vectors, some rows at a time, each with the number of its first row."""
        numpy: Any = import_module("numpy")
        for start in range(0, self._rows, rows):
            count = min(rows, self._rows - start) * self._width
            offset = start * self._width * _HALF
            yield start, numpy.fromfile(self._path, "<f2", count, offset=offset).reshape(-1, self._width)


def _lock(file: Any, path: Path) -> None:
    """Keep others from writing, where the system can; the lock goes with the process."""
    if find_spec("fcntl") is None:
        return
    fcntl: Any = import_module("fcntl")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise RuntimeError(f"another process is writing {path}; wait for it") from None
