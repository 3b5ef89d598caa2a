"""The tool `create_record`: records in SQLite, as `TOOLBOX_DATABASE` or `toolbox.sqlite` in the
data folder.
"""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any, Literal

from .. import ToolError
from .places import root

if TYPE_CHECKING:
    from .. import models

SCHEMA = """
    create table if not exists records (
        id integer primary key,
        kind text not null,
        data text not null check (json_valid(data))
    )
"""


def create_record(
    *, table: Literal["customers", "notes"], data: dict[str, Any]
) -> models.CreateRecordAnswer:
    """Create a record in a table of the server's database."""
    path = os.environ.get("TOOLBOX_DATABASE") or str(root() / "toolbox.sqlite")
    try:
        with closing(sqlite3.connect(path, timeout=5)) as database, database:
            database.execute(SCHEMA)
            made = database.execute(
                "insert into records (kind, data) values (?, ?)", (table, json.dumps(data))
            )
            return {"id": int(made.lastrowid or 0), "table": table}
    except sqlite3.OperationalError as error:
        raise ToolError(f"the database cannot be written to ({error}); try again later") from None
