"""The reason why an operation cannot become a tool."""

from __future__ import annotations


class Unsupported(Exception):
    """The operation cannot become a tool: `code` of the problem and the reason; `pointer` is where,
    when that is not the operation itself, `hint` what to do.
    """

    def __init__(self, code: str, reason: str, pointer: str = "", hint: str = "") -> None:
        self.code, self.reason, self.pointer, self.hint = code, reason, pointer, hint
        super().__init__(reason)
