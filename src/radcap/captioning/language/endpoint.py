"""A language model behind an OpenAI-compatible endpoint that the settings name.

Invariant: a question that fails is a reply with its reason, and the others are asked all the same; after so
many failures one after another nobody is asked any more, and each reply says so. An answer that is empty, cut
short, much longer than was asked for or no text is a failure. The key stands in no reply.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any

from radcap.captioning.language.generator import Reply
from radcap.core import Missing, RadcapError
from radcap.core.endpoints import find_endpoint
from radcap.core.posting import Poster, written
from radcap.core.signs import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from radcap.captioning.joining_settings import RefineSettings
    from radcap.captioning.language.generator import Question

__all__ = ["GIVEN_UP", "EndpointModel", "make_endpoint"]

GIVEN_UP = 20  # failures one after another
_LETTERS = 40  # that a token may have, and some blanks
_CUT = {"length": "at {most} tokens", "content_filter": "by a filter"}
_THOUGHT = "</think>"  # what some models think aloud ends so


@dataclass(frozen=True, eq=False)
class EndpointModel:
    """Whom to ask, and how."""

    poster: Poster
    settings: RefineSettings
    seed: int = 0

    @property
    def name(self) -> str:
        return self.settings.model

    @property
    def is_instructed(self) -> bool:
        return True

    def replies(
        self, prompts: Sequence[str], progress: Callable[[str, int], None] | None = None
    ) -> list[Reply]:
        """So many at a time as the settings say."""
        asking, found = _Asking(self), list[Reply]()
        with ThreadPoolExecutor(self.settings.parallel) as pool:
            try:
                for reply in pool.map(asking, prompts):
                    found.append(reply)
                    if progress is not None:
                        progress("refined", len(found))
            finally:
                pool.shutdown(wait=False, cancel_futures=True)
        return found

    def question(self, prompt: str) -> dict[str, Any]:
        """The body of a request."""
        settings = self.settings
        drawn = {"seed": self.seed} if settings.temperature else {}
        return {
            "model": settings.model,
            "messages": [{"role": "user", "content": prompt}],
            "max_tokens": settings.longest,
            "temperature": settings.temperature,
            **drawn,
        }

    def reply(self, answer: str) -> Reply:
        """What is taken of an answer, and what is not."""
        text, stopped = written(answer, self.poster.endpoint.url)
        if stopped in _CUT:
            return Reply(failed=f"the answer was cut {_CUT[stopped].format(most=self.settings.longest)}")
        text = text.rpartition(_THOUGHT)[2].strip()
        if not text:
            return Reply(failed="the answer is empty")
        if len(text) > _LETTERS * self.settings.longest:
            return Reply(failed=f"the answer has {len(text):,} letters, and a caption was asked for")
        return Reply(self.poster.endpoint.hidden(text))


class _Asking:
    """Asks until it is of no use; several threads do it at once."""

    def __init__(self, model: EndpointModel) -> None:
        self._model, self._lock, self._failed = model, Lock(), 0

    def __call__(self, prompt: str) -> Reply:
        if self._failed >= GIVEN_UP:
            return Reply(failed=f"it was not asked: {GIVEN_UP} questions failed one after another")
        reply = self._asked(prompt)
        with self._lock:
            self._failed = self._failed + 1 if reply.failed else 0
        return reply

    def _asked(self, prompt: str) -> Reply:
        try:
            return self._model.reply(self._model.poster.post(self._model.question(prompt)))
        except RadcapError as error:
            return Reply(failed=visible(str(error)).rstrip("."))


def make_endpoint(question: Question) -> EndpointModel:
    """The model; what it lacks is told before anything is sent."""
    settings = question.settings
    endpoint = find_endpoint(settings.endpoint, "refine", "captions", plain_http=settings.plain_http)
    if not settings.model:
        how = "Write [refine] model = 'NAME', as the endpoint calls it."
        raise Missing("The name of a language model", "The endpoint has to know which one is asked.", how)
    poster = Poster(endpoint, settings.timeout_s, settings.retries, patient=True)
    return EndpointModel(poster, settings, question.seed)
