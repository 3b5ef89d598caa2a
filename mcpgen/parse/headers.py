"""The header names of the generated package's `headers.py`: one list for both."""

from __future__ import annotations

import re
import runpy
from typing import Final

from ..render.environment import template_root

_NAMES = runpy.run_path(str(template_root() / "src" / "package" / "headers.py"))
TOKEN: Final[re.Pattern[str]] = _NAMES["TOKEN"]
FORBIDDEN_HEADERS: Final[frozenset[str]] = _NAMES["FORBIDDEN_HEADERS"]
CREDENTIAL_HEADERS: Final[frozenset[str]] = _NAMES["CREDENTIAL_HEADERS"]
