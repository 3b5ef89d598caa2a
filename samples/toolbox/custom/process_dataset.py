"""The tool `process_dataset`: long work that says how far it is, and ends when the caller
cancels.
"""

from __future__ import annotations

import hashlib
import itertools
from typing import TYPE_CHECKING, BinaryIO

import anyio.to_thread

from .. import Context
from .places import inside

if TYPE_CHECKING:
    from .. import models


async def process_dataset(
    context: Context, *, filepath: str, chunk_lines: int = 100, pause: float = 0
) -> models.ProcessDatasetAnswer:
    """Go through a dataset chunk by chunk and tell how far it is."""
    path = inside(filepath)
    total = path.stat().st_size
    digest = hashlib.sha256()
    lines = chunks = done = 0
    with path.open("rb") as file:
        while chunk := await anyio.to_thread.run_sync(_chunk, file, chunk_lines):
            chunks += 1
            lines += len(chunk)
            for line in chunk:
                digest.update(line)
                done += len(line)
            await context.progress(done, total, f"{lines:,} lines")
            await anyio.sleep(pause)
    return {"lines": lines, "chunks": chunks, "sha256": digest.hexdigest()}


def _chunk(file: BinaryIO, count: int) -> list[bytes]:
    """The next lines; a line without end is taken in pieces."""
    return list(itertools.islice(iter(lambda: file.readline(1_000_000), b""), count))
