"""The generated files that are data: what the model sees, and what the runtime has to know. JSON,
never a template.

Everything is ASCII, and keys are sorted where their order says nothing.
"""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import Any

from ..ir import Login, Server, Tool, Toolset, within
from ..load.values import as_object
from ..runtime.client.settings import ListAnswer, Shaping
from ..runtime.pointer import referred_to
from .manifests import about_credential, client_files, manifest_json, server_json
from .parts import part_names
from .sample import tests_data
from .whole import whole_schemas

ANSWERS = "document/answers.json"
"""The types of answers in a project."""
SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
"""Unit of a tool's rate → its seconds."""
_compact = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


def data_files(server: Server) -> dict[str, str]:
    """Return path → text of the data files of a project: JSON, and settings of clients."""
    package = server.home
    files = {f"{package}api.json": dump(api_facts(server))}
    contracts = {tool.name: contract_facts(tool) for tool in server.tools if tool.request is None}
    if contracts:
        files[f"{package}contracts.json"] = one_each(contracts)
    wholes = whole_schemas(server)
    if wholes:
        files[f"{package}schemas.json"] = one_each(wholes)
    for toolset in server.toolsets:
        files[f"{package}tools/{toolset.name}.json"] = contract(toolset)
    answers = answer_facts(server)
    if answers["$defs"]:
        files[ANSWERS] = grouped(answers)
    files["tests/tools.json"] = tests_facts(server)
    files["server.json"] = dump(server_json(server), sort=False)
    files["manifest.json"] = dump(manifest_json(server), sort=False)
    return files | client_files(server)


def answer_facts(server: Server) -> dict[str, Any]:
    """Return the types of a server's answers: the content of `ANSWERS`. `tools`: tool → type,
    empty where an answer may be anything; `$defs`: what the types refer to.
    """
    types = {
        tool.name: as_object(tool.response.type)
        for tool in server.tools
        if tool.request is not None
    }
    return {"$defs": referred_to(list(types.values()), server.models), "tools": types}


def dump(data: Any, *, sort: bool = True) -> str:
    """Return JSON for readers: indented, ASCII, a newline at the end. Raises ValueError for a float
    that is not finite.
    """
    return json.dumps(data, indent=2, sort_keys=sort, allow_nan=False) + "\n"


def contract(toolset: Toolset) -> str:
    """Return a JSON array of the tools of a toolset as the client gets them, one on each line."""
    return _listing([wire(tool) for tool in toolset.tools], sort=False) + "\n"


def tests_facts(server: Server) -> str:
    """Return the text of `tests/tools.json`: arguments for every tool and the request they become,
    a tool on each line.
    """
    data = tests_data(server)
    tools = data.pop("tools")
    members = [
        f"{json.dumps(name)}: {json.dumps(value, sort_keys=True)}"
        for name, value in sorted(data.items())
    ]
    return "{\n" + ",\n".join([*members, f'"tools": {_listing(tools)}']) + "\n}\n"


def _listing(items: list[Any], *, sort: bool = True) -> str:
    """Return a JSON array with one item on each line."""
    lines = [
        json.dumps(item, separators=(",", ":"), sort_keys=sort, allow_nan=False) for item in items
    ]
    return "[\n" + ",\n".join(lines) + "\n]" if lines else "[]"


def one_each(entries: dict[str, Any]) -> str:
    """Return a JSON object with one member on each line, sorted by name, so that a difference names
    its tool. Inside a member nothing is sorted.
    """
    lines = [f"{json.dumps(name)}: {_compact(entry)}" for name, entry in sorted(entries.items())]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def grouped(members: dict[str, Any]) -> str:
    """Return a JSON object with one member on each line, and each object in it likewise."""
    lines = []
    for name, value in members.items():
        text = one_each(value).rstrip() if isinstance(value, dict) else json.dumps(value)
        lines.append(f"{json.dumps(name)}: {text}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def contract_facts(tool: Tool) -> dict[str, Any]:
    """Return the facts about a custom tool or a workflow besides its listing.

    `input` and `output`: the exact schemas; `names`: pointer into the listed input schema → key in
    the exact one; `arguments`: every argument → the function's parameter; `more`: whether it takes
    others besides; `workflow`: whether its function is generated; `fixed`: argument → configured
    value; `defaults`: the same of arguments that the exact schema requires.
    """
    found: dict[str, Any] = {}
    if tool.contract is not None:
        found["input"] = tool.contract
    if tool.output_contract is not None:
        found["output"] = tool.output_contract
    if tool.wire_names:
        found["names"] = dict(tool.wire_names)
    found["arguments"] = {argument.wire_name: argument.name for argument in tool.arguments}
    if tool.takes_more:
        found["more"] = True
    if tool.workflow is not None:
        found["workflow"] = True
    fixed = {argument.wire_name: argument.fixed[0] for argument in tool.arguments if argument.fixed}
    defaults = {
        argument.wire_name: argument.default[0] for argument in tool.arguments if argument.default
    }
    required = (tool.contract or tool.input_schema).get("required", ())
    needed = {name: value for name, value in defaults.items() if name in required}
    found |= {key: value for key, value in (("fixed", fixed), ("defaults", needed)) if value}
    return found


def wire(tool: Tool) -> dict[str, Any]:
    """Return a tool as the MCP Tool object of revision 2026-07-28; keys in the order of that
    schema.
    """
    found: dict[str, Any] = {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.input_schema,
    }
    if tool.output_schema is not None:
        found["outputSchema"] = tool.output_schema
    found["annotations"] = {
        "readOnlyHint": tool.hints.read_only,
        "destructiveHint": tool.hints.destructive,
        "idempotentHint": tool.hints.idempotent,
        "openWorldHint": tool.hints.open_world,
    }
    for member, value in tool.passed_on.items():
        if member == "annotations":
            found[member] |= value
        else:
            found[member] = value
    return found


def _answers_facts(server: Server) -> dict[str, Any]:
    """Return the facts about answers and calls that not every server has, but no empty ones."""
    headers = {tool.name: list(tool.response.headers) for tool in server.tools}
    found: dict[str, Any] = {
        "lists": _lists(server),
        "answer_headers": {name: names for name, names in headers.items() if names},
        "rates": {tool.name: _rate(tool) for tool in server.tools if tool.rate},
        "redact": list(server.redact),
    }
    return {key: value for key, value in found.items() if value}


def _rate(tool: Tool) -> list[int]:
    """Return [calls, seconds] of a tool with a rate: `10/m` → `[10, 60]`."""
    calls, unit = tool.rate.split("/")
    return [int(calls), SECONDS[unit]]


def _lists(server: Server) -> dict[str, dict[str, Any]]:
    """Return tool → fields of its `ListAnswer` that differ from the default, but no tool without
    any.
    """
    lists = {}
    for tool in server.tools:
        names = {
            each.wire_name: each.name
            for each in tool.arguments
            if each.wire_name and not each.fixed
        }
        found = tool.listing
        wire_names = {key: getattr(found, key) for key in ("asked", "next", "back", "size")}
        own: Any = {key: _argument(names, name) for key, name in wire_names.items()}
        listing = replace(found, **own)
        if not listing.next:
            listing = replace(listing, how="", source=(), key="id")
        facts = _set_fields(listing, ListAnswer())
        if facts:
            lists[tool.name] = facts
    return lists


def _argument(names: dict[str, str], wire_name: str) -> str:
    """Return the name of the argument with a name on the wire, or of a field in one
    (`options.offset`); empty if there is none.
    """
    head, _, rest = wire_name.partition(".")
    if wire_name in names or head not in names:
        return names.get(wire_name, "")
    return f"{names[head]}.{rest}"


def _set_fields(value: Any, default: Any) -> dict[str, Any]:
    """Return the fields of a dataclass that differ from a default, as JSON data."""
    before = asdict(default)
    return {key: field for key, field in asdict(value).items() if field != before[key]}


def _confirm_facts(server: Server) -> dict[str, Any]:
    """Return `destructive` and `tools`: tool that needs a person's consent → method and path of its
    request, in the names of its arguments; null for a tool that is exempt.
    """
    tools: dict[str, str | None] = {}
    for tool in server.tools:
        destroys = server.confirm and tool.hints.destructive
        if destroys if tool.confirm is None else tool.confirm:
            tools[tool.name] = _request_line(tool)
        elif tool.confirm is False:
            tools[tool.name] = None
    return {"destructive": server.confirm, "tools": tools}


def _request_line(tool: Tool) -> str:
    if tool.request is None:
        return ""
    path = tool.request.path
    for argument in tool.arguments:
        if argument.place == "path":
            shown = str(argument.fixed[0]) if argument.fixed else f"{{{argument.name}}}"
            path = path.replace(f"{{{argument.wire_name}}}", shown)
    return f"{tool.request.method} {within(tool.request.api, path)}"


def _apis_facts(server: Server) -> dict[str, Any]:
    """Return the facts about further APIs, and that no tool calls the first one; empty without
    further APIs.
    """
    found: dict[str, Any] = {}
    for api in server.apis:
        facts: dict[str, Any] = {"title": api.title, "base_url": api.base_url}
        facts |= {"base_url_note": api.base_url_note, "headers": dict(api.headers)}
        facts |= {"security": [list(names) for names in api.security]}
        if api.allowed_origins:
            facts["allowed_origins"] = list(api.allowed_origins)
        if api.base_url_configured:
            facts["base_url_configured"] = True
        if api.shares:
            facts["shares"] = dict(zip(("api", "from", "to"), api.shares, strict=True))
        found[api.name] = facts
    if not found:
        return {}
    return {"apis": found, **({} if server.calls_first else {"calls_first": False})}


def api_facts(server: Server) -> dict[str, Any]:
    """Return the runtime's facts about the API besides its tools: the content of `api.json`."""
    return {
        "name": server.name,
        "title": server.title,
        "version": server.version,
        "instructions": server.instructions,
        "parts": part_names(server),
        "env_prefix": server.env_prefix,
        "base_url": server.base_url,
        "base_url_note": server.base_url_note,
        "allowed_origins": list(server.allowed_origins),
        "security": [list(names) for names in server.security],
        "auth": {
            auth.name: {
                "kind": auth.kind,
                "place": auth.place,
                "wire_name": auth.wire_name,
                "scheme": auth.scheme,
                "variables": list(auth.variables),
                "token_url": auth.token_url,
                "scopes": list(auth.scopes),
                "about": about_credential(auth),
                **({"api": auth.api} if auth.api else {}),
                **({} if auth.login is None else {"login": _set_fields(auth.login, Login())}),
            }
            for auth in server.auth
        },
        "toolsets": {
            toolset.name: {"title": toolset.title, "description": toolset.description}
            for toolset in server.toolsets
        },
        "aliases": dict(server.aliases),
        "answers": {tool: _set_fields(shaping, Shaping()) for tool, shaping in server.answers},
        "wrapped": sorted(tool.name for tool in server.tools if tool.response.wrapped),
        **_answers_facts(server),
        **({"confirm": _confirm_facts(server)} if server.asks else {}),
        **({"base_url_configured": True} if server.base_url_configured else {}),
        **({"headers": dict(server.headers)} if server.headers else {}),
        **({"forward_headers": [*server.forward_headers]} if server.forward_headers else {}),
        **({} if server.calls_api else {"calls_api": False}),
        **({} if server.structured_content else {"defaults": {"structured_content": False}}),
        **_apis_facts(server),
        **({} if server.profile == "portable" else {"profile": server.profile}),
    }
