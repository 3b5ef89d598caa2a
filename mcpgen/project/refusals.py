"""A run that ends before anything is written."""

from __future__ import annotations

from ..ir import Server
from ..problems import DocumentError, UsageError

CODE = "E0432"


def end_if_empty(server: Server) -> None:
    """Raise when there is no tool to write: UsageError (exit code 2) when the operations were all
    filtered, DocumentError (exit code 1) when there are none or none could be read.
    """
    if server.tools or server.has_functions:
        return
    skipped = [skip for skip in server.skips if not skip.filtered]
    if skipped:
        raise DocumentError.of(
            CODE,
            f"none of the {len(server.skips):,} operations of the document became a tool: nothing"
            " was written",
            "the problems above say why; mend the document, or give the files it refers to",
        )
    if server.skips:
        raise UsageError.of(
            CODE,
            f"all {len(server.skips):,} operations of the document are filtered: nothing was"
            " written",
            "loosen the filters on the command line or under `[select]` in `mcpgen.toml`",
        )
    raise DocumentError.of(
        CODE,
        "the document has no operations: nothing was written",
        "give the document that has the API's `paths`; this one may be a part of it",
    )
