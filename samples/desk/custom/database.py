"""The tools `read_database` and `delete_record`: the SQLite database `DESK_DATABASE`."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from .. import ToolError, tool

SECONDS = 5.0
CELL = 2_000
"""Characters of one value that are returned."""
READING = (
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
)
BARRED = ("load_extension", "readfile", "writefile", "edit")
"""Functions that reach beyond the database."""


@dataclass
class Rows:
    """The names of the columns, the rows, and whether there are more than were asked for."""

    columns: list[str]
    rows: list[list[str | int | float | None]]
    more: bool


@dataclass
class Deleted:
    """The record's id, and whether there was one."""

    id: int
    deleted: bool


@tool(read_only=True, open_world=False)
def read_database(
    query: Annotated[
        str,
        Field(
            description="One SELECT statement in SQLite's SQL",
            min_length=1,
            max_length=10_000,
            examples=["select name, city from customers limit 5"],
        ),
    ],
    limit: Annotated[int, Field(description="Rows to return at most", ge=1, le=1_000)] = 100,
) -> Rows:
    """Read the server's database with one SQL query.

    Use it when a question is about the records: count, filter, join. It cannot change anything.
    `select name, sql from sqlite_master` lists the tables and their columns.
    """
    end = time.monotonic() + SECONDS
    try:
        with closing(_connected("ro")) as database:
            database.set_authorizer(_only_reads)
            database.set_progress_handler(lambda: time.monotonic() > end, 10_000)
            cursor = database.execute(query)
            rows = cursor.fetchmany(limit + 1)
            columns = [column[0] for column in cursor.description or ()]
    except sqlite3.DatabaseError as error:
        raise ToolError(f"{_reason(error)}; only a SELECT of known tables is run") from None
    return Rows(columns, [list(map(_cell, row)) for row in rows[:limit]], len(rows) > limit)


@tool(destructive=True, idempotent=True, open_world=False)
def delete_record(
    table: Annotated[Literal["customers", "notes"], Field(description="The table of the record")],
    id: Annotated[int, Field(description="The record's id, as `read_database` shows it", ge=1)],
) -> Deleted:
    """Delete one record of the server's database for good.

    Use it only when the user named the record. A record that is not there is no error.
    """
    try:
        with closing(_connected("rw")) as database, database:
            # The table is one of the signature, never another text
            gone = database.execute(f"delete from {table} where id = ?", (id,)).rowcount
    except sqlite3.DatabaseError as error:
        raise ToolError(f"{_reason(error)}; nothing was deleted") from None
    return Deleted(id, gone > 0)


def _connected(mode: str) -> sqlite3.Connection:
    path = os.environ.get("DESK_DATABASE", "")
    if not Path(path).is_file():
        raise ToolError("there is no database: whoever runs this server has to set `DESK_DATABASE`")
    return sqlite3.connect(
        f"{Path(path).resolve().as_uri()}?mode={mode}", uri=True, timeout=SECONDS
    )


def _only_reads(action: int, first: str | None, second: str | None, *_: Any) -> int:
    """Allow what reads (https://www.sqlite.org/c3ref/set_authorizer.html)."""
    is_barred = action == sqlite3.SQLITE_FUNCTION and str(second).lower() in BARRED
    return sqlite3.SQLITE_DENY if is_barred or action not in READING else sqlite3.SQLITE_OK


def _reason(error: Exception) -> str:
    if "interrupted" in str(error):
        return f"the query took longer than {SECONDS:g} seconds"
    return f"the database refused it ({str(error)[:200]})"


def _cell(value: Any) -> str | int | float | None:
    if isinstance(value, bytes):
        return f"{len(value):,} bytes"
    return value[:CELL] if isinstance(value, str) else value
