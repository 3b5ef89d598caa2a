"""Part `shell`: the commands `list`, `describe` and `call` for the tools of a server without a
client; and `completion` of their words by a shell.

A call goes through the protocol to the server in this process: checked, limited, hooked and
recorded like any call.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import redirect_stdout
from shlex import quote
from typing import TYPE_CHECKING, Any

from ..command import command_line, prepared
from ..package import StartError
from ..results import MAX_DEPTH, Sieve, TooDeep
from . import Part, parts_of, running

if TYPE_CHECKING:
    from ..app import App
    from ..settings import Settings

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SENTENCE = re.compile(r"(?<=[.!?])\s")
COMMANDS = {
    "list": "list the tools; with WORDs, those that have them all in their names and texts",
    "describe": "show what the tool that is named takes",
    "call": "call the tool that is named, with arguments as KEY=VALUE",
}

SCRIPTS = {
    "bash": """\
_{package}() {{
  local IFS=$'\\n'
  COMPREPLY=($({command} completion bash "${{COMP_LINE:0:COMP_POINT}}" 2>/dev/null))
}}
complete -o nospace -o default -F _{package} {command}""",
    "zsh": """\
(( $+functions[compdef] )) || {{ autoload -Uz compinit && compinit; }}
_{package}() {{
  local line="${{(j: :)words[1,CURRENT-1]}} $PREFIX"
  compset -P '*='
  compadd -Q -S '' -- ${{(f)"$({command} completion zsh "$line" 2>/dev/null)"}}
}}
compdef _{package} {command}""",
    "fish": """\
complete -c {command} -f -a '({command} completion fish (commandline -cp) 2>/dev/null)'""",
}
"""By the shell, what completes a line. Bash splits words at `=`, and the script of Zsh does; Fish
takes whole words, and writes the space behind them.
"""


def _main(package: str, argv: list[str]) -> int:
    """Run one of the commands and return its exit code. Raises StartError and SettingsError."""
    try:
        code = _run(*prepared(package, argv, _read_options))
        sys.stdout.flush()
    except BrokenPipeError:  # `head` has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return code


def _run(app: App, options: argparse.Namespace, settings: Settings) -> int:
    if options.command == "list":
        return _list(app, options)
    name, *words = options.words
    entry = app.entry(name)
    if entry is None:
        raise StartError(f"there is no tool `{name}`{app.catalog.near(name)}")
    tool = entry.described()
    schema = tool.get("wholeInputSchema", tool["inputSchema"])
    if options.command == "describe":
        return _describe(tool, schema, read_only=entry.read_only, as_json=options.json)
    try:
        arguments = arguments_of(words, schema, options.args)
    except ValueError as error:
        raise StartError(str(error)) from None
    # What the user's code prints is not the answer
    with redirect_stdout(sys.stderr), running(app, settings):
        result = _called(app, name, arguments)
    return _answer(result, as_json=options.json)


def _read_options(
    argv: list[str], facts: Mapping[str, Any], choices: argparse.ArgumentParser
) -> argparse.Namespace:
    """Return the options of a command, and defaults for the options of a server alone."""
    parser = command_line(
        prog=f"{facts['name']}-mcp",
        parents=[choices],
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="\n".join(f"{word:9} {about}" for word, about in COMMANDS.items()),
        epilog=f"Credentials and limits come from variables that start with {facts['env_prefix']}_",
    )
    parser.set_defaults(http=False, workers=1, log_level="error")
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument(
        "words",
        nargs="*",
        metavar="WORD",
        help="lists and objects in a KEY=VALUE are JSON; a list may also repeat its key",
    )
    parser.add_argument("--args", default="", metavar="JSON", help="all arguments as one object")
    parser.add_argument("--json", action="store_true", help="print JSON, as in the protocol")
    options = parser.parse_intermixed_args(argv)
    if options.args and options.command != "call":
        parser.error("--args is for call")
    if options.command != "list" and not options.words:
        parser.error(f"{options.command} takes the name of a tool")
    return options


def _list(app: App, options: argparse.Namespace) -> int:
    """Print the tools that have all words of the command in their names and texts; return 0."""
    words = [word.lower() for word in options.words]
    tools = [tool for tool in app.listed if all(word in _words(tool) for word in words)]
    if options.json:
        print(json.dumps(tools, indent=2))
        return 0
    width = max((len(tool["name"]) for tool in tools), default=0)
    for tool in tools:
        about = _SENTENCE.split(tool.get("description", ""), 1)[0]
        print(_shown(f"{tool['name']:{width}}  {' '.join(about.split())}").rstrip())
    return 0


def _words(tool: dict[str, Any]) -> str:
    return f"{tool['name']} {tool.get('title', '')} {tool.get('description', '')}".lower()


def _describe(
    tool: dict[str, Any], schema: dict[str, Any], *, read_only: bool, as_json: bool
) -> int:
    """Print a tool and its arguments, or the Tool object as JSON; return 0."""
    if as_json:
        print(json.dumps(tool, indent=2))
        return 0
    effects = {True: "only reads", False: "may change data"}
    print(f"{tool['name']}: {effects[read_only]}\n")
    print(_shown(tool.get("description", "")))
    for name, own in schema.get("properties", {}).items():
        facts = dict(own) if isinstance(own, dict) else {}
        about = " ".join(str(facts.pop("description", "")).split())
        needed = " (required)" if name in schema.get("required", ()) else ""
        print(_shown(f"\n{name}{needed}: {about}\n    {json.dumps(facts, ensure_ascii=False)}"))
    return 0


def _called(app: App, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the result of a call by the SDK's client, connected to the server in this process."""
    import anyio
    from mcp import Client

    async def call() -> Any:
        person = _consent if sys.stdin.isatty() and sys.stderr.isatty() else None
        async with Client(app.server, elicitation_callback=person) as client:
            return await client.call_tool(name, arguments)

    answer: dict[str, Any] = anyio.run(call).model_dump(
        mode="json", by_alias=True, exclude_none=True
    )
    return answer


async def _consent(context: Any, params: Any) -> Any:
    """Show the server's question at the terminal; return the user's answer: accept or decline."""
    import anyio.to_thread
    from mcp.types import ElicitResult

    print(_shown(params.message), end="\n[y/N] ", file=sys.stderr, flush=True)
    line = await anyio.to_thread.run_sync(sys.stdin.readline)
    agrees = line.strip().lower() in ("y", "yes")
    return ElicitResult(action="accept" if agrees else "decline")


def _answer(result: dict[str, Any], *, as_json: bool) -> int:
    """Print the result of a call, of a failed one on stderr; return 0, or 1 for a failed one."""
    failed = bool(result.get("isError"))
    if as_json:
        print(json.dumps(result, indent=2))
        return int(failed)
    for block in result.get("content", ()):
        print(_shown(block_text(block)), file=sys.stderr if failed else sys.stdout)
    return int(failed)


def _shown(text: str) -> str:
    """Return a text without control characters, tab and line break excepted."""
    return _CONTROLS.sub("", text)


def block_text(block: dict[str, Any]) -> str:
    """Return a block's text, a link's URI, or the size of bytes: `(image image/png, 9 bytes)`."""
    facts = {**block.get("resource", {}), **block}
    if "text" in facts:
        return str(facts["text"])
    data = facts.get("data", facts.get("blob", "")).rstrip("=")
    kind = f"{facts['type']} {facts.get('mimeType', '')}".strip()
    return f"({kind}, {block.get('uri', f'{len(data) * 3 // 4:,} bytes')})"


def arguments_of(words: list[str], schema: dict[str, Any], text: str) -> dict[str, Any]:
    """Return the arguments of a JSON object, with `key=value` words taking precedence; a repeated
    key makes a list.

    A value stays text if the schema takes that, else it is parsed as JSON, and stays text if that
    fails: the server then reports the error. Raises ValueError.
    """
    arguments: dict[str, Any] = {}
    try:
        given = json.loads(text or "{}")
    except (ValueError, RecursionError) as error:
        raise ValueError(f"`--args` is not JSON: {error}") from None
    if not isinstance(given, dict):
        raise ValueError("`--args` must be one JSON object")
    for word in words:
        key, equals, value_text = word.partition("=")
        if not equals or not key:
            raise ValueError(
                f"`{word[:80]}` is not an argument: write `key=value`; text with spaces needs"
                " quotes, as in `title='War and Peace'`"
            )
        value = _value(value_text, schema.get("properties", {}).get(key, {}), schema)
        if key in arguments:
            value = [*_listed(arguments[key]), *_listed(value)]
        arguments[key] = value
    try:
        return dict(Sieve(deepest=MAX_DEPTH).of({**given, **arguments}))
    except TooDeep as error:
        raise ValueError(f"the arguments are nested more than {MAX_DEPTH} deep") from error


def _listed(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    return [value]


def _as_object(schema: Any) -> dict[str, Any]:
    """Return a schema; `{}` for `true` and `false`."""
    return schema if isinstance(schema, dict) else {}


def _value(text: str, schema: Any, root: Mapping[str, Any]) -> Any:
    """Return a word as the schema takes it: as text, else as JSON; a list may have one item. JSON
    comes first for an object, a list or a null that a schema names, and where a schema does not say
    that it takes text.
    """
    own = _as_object(schema).get("type")
    is_null = text == "null" and own != "array"
    is_list = own in ("array", ["array", "null"], ["null", "array"])
    if is_list and not is_null and not text.lstrip().startswith("["):
        return [_value(text, schema.get("items", {}), root)]
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        return text
    kinds = _kinds(schema, root)
    if "string" not in kinds:
        return parsed
    ways = [text, parsed]
    if isinstance(parsed, dict | list) or (parsed is None and "null" in kinds):
        ways.reverse()
    return next((each for each in ways if _fits(each, schema, root)), text)


def _fits(value: Any, schema: Any, root: Mapping[str, Any]) -> bool:
    """Return whether a value is valid for a schema with the definitions of `root`."""
    from ..arguments.checker import compiled

    try:
        return compiled({**schema, "$defs": root.get("$defs", {})}).is_valid(value)
    except ValueError:  # a pattern that is none
        return False


def _kinds(schema: Any, root: Mapping[str, Any]) -> set[str]:
    """Return the JSON types that a schema names, also by references and in its branches; of its
    values `string` alone. A definition is looked at once.
    """
    found: set[str] = set()
    seen = {""}
    pending = [schema]
    while pending:
        own = _as_object(pending.pop())
        name = str(own.get("$ref", "")).removeprefix("#/$defs/")
        pending += [*own.get("anyOf", ()), *own.get("oneOf", ()), *own.get("allOf", ())]
        if name not in seen:
            seen.add(name)
            pending.append(root.get("$defs", {}).get(name))
        kinds = {own["type"]} if isinstance(own.get("type"), str) else {*own.get("type", ())}
        if not kinds and any(
            isinstance(each, str) for each in (*own.get("enum", ()), own.get("const"))
        ):
            kinds = {"string"}
        found |= kinds
    return found


def _completion(package: str, argv: list[str]) -> int:
    """Print the script that completes the server's commands in a shell (default: Bash); given the
    line so far, print the words that may continue it. Return 0. Raises StartError.
    """
    from ..package import Package

    _, shell, *lines = [*argv, "bash"][: max(2, len(argv))]
    if shell not in SCRIPTS or len(lines) > 1:
        raise StartError(f"completion takes the name of a shell: {', '.join(SCRIPTS)}")
    if not lines:
        name = Package.named(package).facts()["name"]
        print(SCRIPTS[shell].format(package=package, command=f"{name}-mcp"))
        return 0
    *before, last = re.split(" +", lines[0].lstrip())
    for word in _next_words(package, before[1:]):
        if word.startswith(last) and quote(word) == word:
            print(_as_taken(word, last, shell))
    return 0


def _as_taken(word: str, last: str, shell: str) -> str:
    if shell == "fish":
        return word
    return re.sub("(?<!=)$", " ", word[last.rfind("=") + 1 :])


def _next_words(package: str, before: list[str]) -> Iterable[str]:
    """Return the words that may come next on the command line; none if unknown."""
    from ..package import Package

    parts = parts_of(Package.named(package).facts())
    match before:
        case []:
            return [name for part in parts for name in part.commands]
        case ["describe" | "call", *words]:
            return _words_of_tools(package, before[0], words)
        case ["completion"]:
            return SCRIPTS
        case [word]:
            return [each for part in parts if word in part.commands for each in part.words()]
    return ()


def _words_of_tools(package: str, command: str, words: list[str]) -> Iterable[str]:
    """Return the names of tools; after the name of one to call, its arguments (`words_of_call`)."""
    app, *_ = prepared(package, ["list"], _read_options)
    if not words:
        return [tool["name"] for tool in app.listed]
    entry = app.entry(words[0])
    if entry is None or command != "call":
        return ()
    return words_of_call(entry.described()["inputSchema"], words[1:])


def words_of_call(schema: Mapping[str, Any], given: Iterable[str]) -> Iterator[str]:
    """Yield `key=` for each argument of an input schema that is not given yet, and `key=value` for
    the values that it may have.
    """
    names = {word.partition("=")[0] for word in given}
    for name, own in schema.get("properties", {}).items():
        if name in names:
            continue
        yield f"{name}="
        for value in _as_object(own).get("enum", ()):
            yield f"{name}={value}"


PART = Part(commands={**dict.fromkeys(COMMANDS, _main), "completion": _completion})
