"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import Any, Literal

from .. import OMIT, Answer, Api, Omit


async def create_session(
    api: Api,
    *,
    form: Literal["web", "app"] | Omit = OMIT,
    kind: Literal["short", "long"] | Omit = OMIT,
    state: Literal["active", "inactive"] | Omit = OMIT,
) -> Answer[Any]:
    """Create session."""
    return await api.request(
        "POST",
        "/sessions",
        json={
            "form": form,
            "kind": kind,
            "state": state,
        },
        optional_body=True,
    )


async def list_sessions(
    api: Api,
    *,
    consistency: Literal["", "strong", "eventual"] | Omit = OMIT,
) -> Answer[Any]:
    """List sessions."""
    return await api.request("GET", "/sessions", query={"consistency": consistency})
