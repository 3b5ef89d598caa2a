"""An operation gets the tool of its own name before another takes it for a shortened one."""

from __future__ import annotations

import re
from types import SimpleNamespace

from .referee_run import own_name_first


def letters(text: object) -> str:
    """The referee's way to compare names (`norm` of its `run.py`)."""
    return re.sub("[^a-z0-9]", "", str(text).lower())


def test_an_operation_with_its_own_tool_comes_before_one_whose_name_begins_alike() -> None:
    tools = [{"name": "list_cluster_role_bindings"}, {"name": "list_of_all_bindings"}]
    names = ("listClusterRoleBindingsForAll", None, "listClusterRoleBindings")
    operations = [SimpleNamespace(raw={"operationId": name} if name else {}) for name in names]
    ordered = own_name_first(operations, tools, letters)
    assert [operation.raw.get("operationId") for operation in ordered] == [
        "listClusterRoleBindings",
        "listClusterRoleBindingsForAll",
        None,
    ]
