"""An operation gets the tool of its own name, else the one that makes its request, before another
takes it for a shortened name or for method and path.
"""

from __future__ import annotations

import asyncio
import re
from types import SimpleNamespace
from typing import Any

from .referee_run import call_by_tools, name_of


def letters(text: object) -> str:
    """The referee's way to compare names (`norm` of its `run.py`)."""
    return re.sub("[^a-z0-9]", "", str(text).lower())


class Harness:
    """What is used of the referee's: the operations, and a call that hits one of them."""

    def __init__(self, operations: list[Any], hits: dict[str, Any]) -> None:
        self.S = SimpleNamespace(ops=operations)
        self.hits = hits

    def validator(self, schema: Any) -> Any:
        return schema

    def gen_from_tool(self, tool: Any, profile: str) -> dict[str, Any]:
        return {}

    async def call(self, client: Any, tool: Any, *rest: Any) -> tuple[None, dict[str, Any]]:
        return None, {"op": self.hits[tool["name"]]}


def test_a_tool_is_known_by_the_name_of_its_operation_else_by_its_request() -> None:
    longer = SimpleNamespace(raw={"operationId": "listRoleBindingsForAll"})
    nameless = SimpleNamespace(raw={})
    shorter = SimpleNamespace(raw={"operationId": "listRoleBindings"})
    lost = SimpleNamespace(raw={})
    operations = [longer, nameless, shorter, lost]
    hits = {"list_of_all": longer, "get_version": nameless, "get_version_again": nameless}
    tools = [{"name": name} for name in (*hits, "list_role_bindings")]
    harness = Harness(operations, hits)
    asyncio.run(call_by_tools(harness, None, tools, letters))
    assert harness.S.ops == [longer, nameless, shorter, lost]
    assert [name_of(operation) for operation in harness.S.ops] == [
        "list_of_all", "get_version", "listRoleBindings", "",
    ]  # fmt: skip
