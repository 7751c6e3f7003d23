"""Which endpoint is asked for boxes: the one of the system file, else that of the environment."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from radcap.core import Missing, endpoints
from radcap.core.endpoints import KEY

if TYPE_CHECKING:
    from radcap.core.endpoints import Endpoint
    from radcap.explanation.external.settings import ProviderSettings

__all__ = ["ADDRESS", "find_endpoint"]

ADDRESS = "RADCAP_ENDPOINT"


def find_endpoint(settings: ProviderSettings) -> Endpoint:
    """The endpoint that the settings or the environment name."""
    address = settings.endpoint or os.environ.get(ADDRESS, "")
    if not address:
        why = "Boxes are asked of a vision model at an OpenAI-compatible address, and none is named."
        how = f"Write [provider] endpoint = 'https://...', or set {ADDRESS}; its key goes into {KEY}."
        raise Missing("The endpoint", why, how)
    return endpoints.find_endpoint(address, "provider", "the picture", plain_http=settings.plain_http)
