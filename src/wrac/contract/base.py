"""JSON as it is printed."""

from __future__ import annotations

import json
from typing import Any

Json = dict[str, Any]

_ENCODER = json.JSONEncoder(ensure_ascii=False)


def dumps(value: Json) -> str:
    """One line of JSON; non-ASCII text stands as it is."""
    return _ENCODER.encode(value)
