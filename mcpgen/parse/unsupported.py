"""Why an operation cannot become a tool."""

from __future__ import annotations


class Unsupported(Exception):
    """The operation cannot become a tool: `code` of the problem and the reason; `pointer` is where,
    when that is not the operation itself.
    """

    def __init__(self, code: str, reason: str, pointer: str = "") -> None:
        self.code, self.reason, self.pointer = code, reason, pointer
        super().__init__(reason)
