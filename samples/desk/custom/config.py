"""The tool `update_config`: the settings in the JSON file `DESK_CONFIG`."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from .. import ToolError, tool


class Settings(BaseModel):
    """The settings there are; a new one is a line here."""

    model_config = ConfigDict(extra="forbid")

    greeting: Annotated[str, Field(description="First line of a letter", max_length=200)] = "Hello"
    page_size: Annotated[int, Field(description="Rows on a page", ge=1, le=500)] = 50
    dark: Annotated[bool, Field(description="Whether the screen is dark")] = False


@tool(destructive=True, idempotent=True, open_world=False)
def update_config(
    changes: Annotated[
        dict[str, Any],
        Field(
            description="Setting → new value: `greeting`, `page_size` or `dark`",
            min_length=1,
            examples=[{"page_size": 20}],
        ),
    ],
) -> Settings:
    """Change settings of the desk; the others stay as they are.

    Use it when the user asks for another greeting, page size or colour. Returns all settings.
    """
    path = _path()
    known: dict[str, Any] = {}
    if path.is_file():
        known = json.loads(path.read_text("utf-8"))
    try:
        settings = Settings.model_validate({**known, **changes}, strict=True)
    except ValueError as error:
        lines = [f"`{fault['loc'][0]}`: {fault['msg']}" for fault in _faults(error)]
        raise ToolError("nothing was changed:\n- " + "\n- ".join(lines)) from None
    draft = path.with_suffix(".new")
    draft.write_text(settings.model_dump_json(indent=2) + "\n", "utf-8")
    draft.replace(path)  # at once: no reader sees half a file
    return settings


def _faults(error: Any) -> list[dict[str, Any]]:
    return list(error.errors(include_url=False))


def _path() -> Path:
    path = os.environ.get("DESK_CONFIG", "")
    if not path:
        raise ToolError("there are no settings: whoever runs this server has to set `DESK_CONFIG`")
    return Path(path)
