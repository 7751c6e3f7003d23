# As in the package: the contents as Any.
# ruff: noqa: ANN401
from typing import Any

def __getattr__(name: str) -> Any: ...
