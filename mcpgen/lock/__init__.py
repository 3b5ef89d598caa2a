"""`mcpgen.lock`: the record of a run's input and output.

It holds no time and no absolute path: an unchanged document gives an unchanged lock. Hashes are
SHA-256 of LF-normalised text: line ends turned into CRLF are no edit.
"""

from .facts import config_hash, data_hash, facts, text_hash
from .model import FORMAT, HINTS, ArgumentKey, Former, Lock, Once, Operation, ToolLock
from .text import (
    NAME,
    PENDING,
    dump,
    integrity_holds,
    interruption,
    is_interrupted,
    owned,
    parse_lock,
    read_lock,
    read_pending,
    require_lock,
    salvaged_lock,
    with_files,
)

__all__ = [
    "FORMAT",
    "HINTS",
    "NAME",
    "PENDING",
    "ArgumentKey",
    "Former",
    "Lock",
    "Once",
    "Operation",
    "ToolLock",
    "config_hash",
    "data_hash",
    "dump",
    "facts",
    "integrity_holds",
    "interruption",
    "is_interrupted",
    "owned",
    "parse_lock",
    "read_lock",
    "read_pending",
    "require_lock",
    "salvaged_lock",
    "text_hash",
    "with_files",
]
