"""Boxes asked of a vision model behind any OpenAI-compatible endpoint.

Invariant: one question for all phrases of a picture; the picture is sent as it is shown here, made smaller
where it is large. The answer is text of a stranger: it is read for boxes and for nothing else.
"""

from __future__ import annotations

import base64
import io
import json
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from PIL import Image

from radcap.core import Missing, ToolFailed
from radcap.core.posting import Poster, written
from radcap.explanation.external.answers import read_answer
from radcap.explanation.external.endpoints import find_endpoint
from radcap.explanation.external.settings import PHRASES
from radcap.explanation.external.strongest import strongest

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from radcap.explanation.external.provider import FoundBox
    from radcap.explanation.external.settings import ProviderSettings
    from radcap.explanation.system import ExplainSystem

__all__ = ["OpenAiBoxes", "make_openai"]

_LOG = logging.getLogger(__name__)
_SHOWN = 5  # problems that a message names
_PROMPT = f"""This is a radiology image. For each phrase of the list, find where it is seen in the image.
{PHRASES}
Leave out what you do not see. Coordinates are pixels, from the upper left corner."""
_FORM = """
The image is {width} pixels wide and {height} pixels high. Answer with JSON alone:
{{"width": {width}, "height": {height}, "boxes": [{{"phrase": "...", "box": [left, top, right, bottom], \
"score": 0.0 to 1.0}}]}}"""


@dataclass(frozen=True, slots=True)
class OpenAiBoxes:
    """Whom to ask, and how."""

    poster: Poster
    settings: ProviderSettings

    def boxes(self, picture: NDArray[np.uint8], phrases: Sequence[str]) -> list[FoundBox]:
        sent = Image.fromarray(picture)
        sent.thumbnail((self.settings.side, self.settings.side))
        text, _ = written(self.poster.post(self._question(sent, phrases)), self.poster.endpoint.url)
        answer = read_answer(text, phrases, *sent.size)
        if answer.problems and not answer.boxes:
            raise ToolFailed(
                f"The answer of {self.settings.model!r} cannot be used: {_told(answer.problems)}."
            )
        if answer.problems:
            _LOG.warning("%d boxes were left out: %s", len(answer.problems), _told(answer.problems))
        return strongest(answer.boxes, self.settings.threshold, self.settings.most)

    def _question(self, sent: Image.Image, phrases: Sequence[str]) -> dict[str, Any]:
        listed = json.dumps(list(phrases), ensure_ascii=False)
        prompt = (self.settings.prompt or _PROMPT).replace(PHRASES, listed)
        form = _FORM.format(width=sent.width, height=sent.height)
        content = [
            {"type": "text", "text": prompt + form},
            {"type": "image_url", "image_url": {"url": _data_url(sent)}},
        ]
        messages = [{"role": "user", "content": content}]
        return {"model": self.settings.model, "messages": messages, "temperature": 0}


def make_openai(system: ExplainSystem) -> OpenAiBoxes:
    """The provider; what it lacks is told before anything is sent."""
    settings = system.provider
    endpoint = find_endpoint(settings)
    if not settings.model:
        how = "Write [provider] model = 'NAME', as the endpoint calls it."
        raise Missing("The name of a vision model", "The endpoint has to know which one is asked.", how)
    return OpenAiBoxes(Poster(endpoint, settings.timeout_s, settings.retries), settings)


def _data_url(sent: Image.Image) -> str:
    held = io.BytesIO()
    cast("Any", sent).save(held, "PNG")
    return f"data:image/png;base64,{base64.b64encode(held.getvalue()).decode()}"


def _told(problems: Sequence[str]) -> str:
    more = f" and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
    return "; ".join(problems[:_SHOWN]) + more
