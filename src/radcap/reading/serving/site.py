"""What can be asked of the local page, and what is answered.

    GET  /                     the page
    GET  /state                whether the model is open
    POST /read                 an image as body, its name in `X-Radcap-Name`; `?anyway=1`, `?example=NAME`
    GET  /reports/KEY.FORMAT   a reading as report: text, html, json, fhir

Invariant: an answer is the page, a file that was asked for, or JSON; an error is JSON with one sentence.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING

from radcap.core import RadcapError
from radcap.reading.serving.answers import Answer, Refused, json_answer, refusal
from radcap.reading.serving.examples import Examples
from radcap.reading.serving.local_page import local_page
from radcap.reading.telling import percent
from radcap.reading.values import Reading, Unread

if TYPE_CHECKING:
    from radcap.reading.serving.desk import Desk
    from radcap.reading.serving.gate import Gate
    from radcap.reading.serving.requests import Asked

__all__ = ["Site"]

_KINDS = {
    "text": "text/plain; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "json": "application/json; charset=utf-8",
    "fhir": "application/fhir+json; charset=utf-8",
}
_NOT_RADIOLOGY = "not-radiology"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Site:
    """The routes of one server."""

    gate: Gate
    desk: Desk
    examples: Examples

    def answer(self, asked: Asked) -> Answer:
        """An answer to anything; a fault of ours is told as one, its details to the log alone."""
        try:
            self.gate.check(asked)
            return self._routed(asked)
        except Refused as error:
            return refusal(error.status, error.why)
        except RadcapError as error:
            return refusal(HTTPStatus.UNPROCESSABLE_ENTITY, str(error))
        except Exception as error:  # noqa: BLE001 - one image that breaks us must not end the page
            _log.exception("the local page failed")
            why = f"radcap failed here ({type(error).__name__}). Its terminal tells more."
            return refusal(HTTPStatus.INTERNAL_SERVER_ERROR, why)

    def _routed(self, asked: Asked) -> Answer:
        match asked.method, asked.place.split("/")[1:]:
            case "GET", [""]:
                return local_page(self.gate.token, self.examples.all)
            case "GET", ["state"]:
                return json_answer(self.desk.state())
            case "POST", ["read"]:
                return self._read(asked)
            case "GET", ["reports", name]:
                return self._report(*name.rpartition(".")[::2])
            case _:
                raise Refused(HTTPStatus.NOT_FOUND, "There is nothing at this address. Open the page at /.")

    def _read(self, asked: Asked) -> Answer:
        anyway, example = asked.options.get("anyway") == "1", asked.options.get("example")
        with self.desk.place():
            if example is not None:
                return _told(self.desk, self.examples.read(self.desk, example))
            return _told(self.desk, self.desk.read(asked.body.read(), asked.name, anyway=anyway))

    def _report(self, key: str, form: str) -> Answer:
        from radcap.reading.structured import report_of

        if form not in _KINDS:
            why = f"There is no report of this form. Known: {', '.join(_KINDS)}."
            raise Refused(HTTPStatus.NOT_FOUND, why)
        text = report_of(self.desk.kept(key), form)
        return Answer(text.encode(), _KINDS[form], more={"Content-Disposition": "attachment"})


def _told(desk: Desk, found: Reading | Unread) -> Answer:
    if isinstance(found, Unread):
        return json_answer(_unread(found), HTTPStatus.UNPROCESSABLE_ENTITY)
    from radcap.reading.page import card

    number, key = desk.keep(found)
    told = {"number": number, "key": key, "card": card(found, number), "reading": found.to_json()}
    return json_answer(told)


def _unread(found: Unread) -> dict[str, object]:
    """Why an image was not read; the page has a button for what the command has an option for."""
    unlike = found.code == _NOT_RADIOLOGY
    why = f"{found.image} does not look like a radiology image (probability {percent(found.radiology)})."
    return {**found.to_json(), "error": why if unlike else found.why, "anyway": unlike}
