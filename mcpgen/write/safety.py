"""Trust on first use: what changes behind an operator's back is refused until it is accepted.

A document that names another host, another credential, turns a reading tool into a deleting one, or
begins to give orders to the model, is how a server that was reviewed once is turned against its
operator. The lock remembers what was reviewed. Other words alone are no danger: APIs change them
every week.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from ..http import SAFE_METHODS
from ..lock import Lock, ToolLock
from ..problems import Problem, RefusedError


def security_changes(old: Lock, new: Lock) -> list[str]:
    """Sentences about every change of origin, credentials or destructive behaviour, in that
    order.
    """
    return [*_origins(old, new), *_credentials(old, new), *_behaviour(old, new)]


def refuse_unaccepted(old: Lock, new: Lock) -> None:
    """Raise RefusedError (exit code 3) when the new document changes what the operator once agreed
    to.
    """
    changes = security_changes(old, new)
    if changes:
        raise RefusedError(
            *(
                Problem(
                    code="E1301",
                    severity="error",
                    message=f"this changes what was agreed to: {change}",
                    hint="see `mcpgen diff`; if it is meant, run again with `--accept-changes`",
                )
                for change in changes
            )
        )


def origin(url: str | None) -> str:
    """Scheme, host and port of a URL in lower case, or an empty string."""
    if not url:
        return ""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}".lower()


def _origins(old: Lock, new: Lock) -> list[str]:
    changes = []
    before, after = origin(old.base_url), origin(new.base_url)
    if before and before != after:
        changes.append(
            f"requests go to `{after or 'nowhere until it is configured'}` instead of `{before}`"
        )
    agreed = {
        before,
        after,
        *map(origin, old.allowed_origins),
        *(origin(tool.base_url) for tool in old.tools),
    }
    added: dict[str, list[str]] = {}
    for tool in new.tools:
        if origin(tool.base_url) not in agreed:
            added.setdefault(origin(tool.base_url), []).append(tool.name)
    for url in new.allowed_origins:
        if origin(url) not in agreed:
            added.setdefault(origin(url), [])
    for host, names in sorted(added.items()):
        changes.append(f"requests{_of(names)} may go to `{host}` as well")
    return changes


def _of(names: list[str]) -> str:
    if not names:
        return ""
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return " of " + ", ".join(f"`{name}`" for name in names[:3]) + more


def _credentials(old: Lock, new: Lock) -> list[str]:
    changes = []
    for name, auth in sorted(new.auth.items()):
        before = old.auth.get(name)
        if before is None:
            if auth.get("kind") != "unsupported":
                changes.append(f"a new credential `{name}` ({auth.get('kind')}) is sent")
            continue
        for key in ("kind", "place", "wire_name", "scheme", "token_url"):
            if before.get(key) != auth.get(key):
                changes.append(
                    f"credential `{name}` changes its {key}: `{before.get(key)}` is now"
                    f" `{auth.get(key)}`"
                )
    if old.security and () in new.security and () not in old.security:
        changes.append("credentials become optional")
    return changes


def _behaviour(old: Lock, new: Lock) -> list[str]:
    by_name = {tool.name: tool for tool in old.tools}
    by_operation = {tool.operation: tool for tool in old.tools}
    changes = []
    for tool in new.tools:
        was = by_name.get(tool.name) or by_operation.get(tool.operation)
        if was is not None:
            changes += _tool(was, tool)
        for what in tool.odd:
            if was is None or what not in was.odd:
                changes.append(f"the text of `{tool.name}` now {what}")
    return changes


def _tool(was: ToolLock, tool: ToolLock) -> list[str]:
    changes = []
    if was.method in SAFE_METHODS and tool.method not in SAFE_METHODS:
        changes.append(f"tool `{tool.name}` sends {tool.method} instead of {was.method}")
    elif was.method != tool.method and tool.method == "DELETE":
        changes.append(f"tool `{tool.name}` sends DELETE instead of {was.method}")
    if tool.hints.get("destructive") and not was.hints.get("destructive"):
        changes.append(f"tool `{tool.name}` becomes destructive")
    elif was.hints.get("read_only") and not tool.hints.get("read_only"):
        changes.append(f"tool `{tool.name}` no longer only reads")
    return changes
