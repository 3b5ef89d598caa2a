"""Make tools of functions: their Tool objects, and the functions as the server calls them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import docstring_parser

from ...log import event
from ...package import Entry, StartError, fault, toolset_of
from .decorator import Options, options_of
from .signature import BadSignature, Signature, portable

if TYPE_CHECKING:
    from ...catalog import Catalog, ToolFilter
    from ...package import Package


@dataclass(frozen=True, slots=True)
class FunctionTool:
    """Tool made of a function: its Tool object, what its calls are checked against (in the form of
    `contracts.json`), and the function as the server calls it.
    """

    tool: dict[str, Any]
    contract: dict[str, Any]
    function: Callable[..., Any]
    lost: str
    """The reason why a typed result has no output schema."""


def entries(catalog: Catalog, paths: Iterable[Path], chosen: ToolFilter) -> Iterator[Entry]:
    """Yield an Entry for each function with `@tool` that `chosen` takes; add each name to the
    catalog's. A function that cannot be a tool is logged. Raises StartError for a taken name.
    """
    package = catalog.package
    is_rich = package.facts().get("profile") == "rich"
    functions: dict[int, Callable[..., Any]] = {}
    for path in paths:
        parts = path.relative_to(package.folder).with_suffix("").parts
        module = ".".join(parts).removesuffix(".__init__")
        for name, function in _functions_in(package, module):
            if id(function) in functions:
                continue  # imported from another module
            functions[id(function)] = function
            place = place_of(function)
            if any((name in catalog.names, name in catalog.aliases)):
                raise StartError(
                    f"{place['file']}:{place['line']}: there is another tool `{name}`; give this"
                    ' one a name of its own: `@tool(name="...")`'
                )
            catalog.names.add(name)
            if not chosen.takes(toolset_of(path), name):
                continue
            try:
                made = tool_of(name, function, rich=is_rich)
                reason = fault(made.tool)
            except BadSignature as error:
                reason = str(error)
            at = f"{place['file']}:{place['line']}: `{name}`"
            if reason:
                catalog.left_out.append(f"{at} is not served: {reason}")
                event("error", "tool_left_out", tool=name, reason=reason, **place)
                continue
            if made.lost:
                catalog.left_out.append(f"{at} has no output schema: {made.lost}")
                event("warning", "output_schema_lost", tool=name, reason=made.lost, **place)
            yield Entry(
                package,
                made.tool,
                toolset_of(path),
                module,
                generated=False,
                contract=made.contract,
                own=made.function,
            )


def _functions_in(package: Package, module: str) -> list[tuple[str, Callable[..., Any]]]:
    """Return tool name and function for each function with `@tool` in a module, in its order; a
    module that cannot be imported is logged, and has none.
    """
    try:
        values = list(vars(package.module(module)).values())
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        event("error", "tools_not_loaded", module=module, **package.where(error))
        return []
    marked = [(options_of(value), value) for value in values]
    return [(options.name or value.__name__, value) for options, value in marked if options]


def place_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Return `file` and `line` of a function, unwrapped."""
    code = inspect.unwrap(function).__code__
    return {"file": code.co_filename, "line": code.co_firstlineno}


def tool_of(name: str, function: Callable[..., Any], *, rich: bool) -> FunctionTool:
    """Return the tool that a function makes; its listed schemas are exact if `rich`, else portable.
    Raises BadSignature if the function cannot be a tool.
    """
    options = options_of(function)
    if options is None:
        raise BadSignature("it has no `@tool`")
    signature = Signature(function)
    text = documentation(function)
    title = options.title or name.replace("_", " ").capitalize()
    schema = signature.input_schema(text.arguments)
    tool: dict[str, Any] = {
        "name": name,
        "title": title,
        "description": options.description or text.description or title,
        "inputSchema": schema,
    }
    output = signature.output_schema(text.returns)
    if output is not None:
        tool["outputSchema"] = output
    tool["annotations"] = {"title": title, **_hints(options)}
    names = {key: key for key in schema["properties"]}
    contract: dict[str, Any] = {"arguments": names, "accepts": signature.accepts}
    if signature.takes_more:
        contract["more"] = True
    if not rich:
        contract["input"] = schema
        tool["inputSchema"] = portable(schema, takes_null=False)
        if output is not None:
            contract["output"] = output
            tool["outputSchema"] = portable(output, takes_null=True)
    return FunctionTool(tool, contract, _called(name, function, signature), signature.lost)


def _hints(options: Options) -> dict[str, bool]:
    """Return MCP's hints; a read-only tool is idempotent and destroys nothing."""
    return {
        "readOnlyHint": options.read_only,
        "destructiveHint": options.destructive and not options.read_only,
        "idempotentHint": options.idempotent or options.read_only,
        "openWorldHint": options.open_world,
    }


def _called(name: str, function: Callable[..., Any], signature: Signature) -> Callable[..., Any]:
    """Return the function in the form of every other tool's: `api` and `context` first, then
    arguments as JSON data, and JSON data or content as its result.
    """
    parameters = list(signature.injected.values())

    def keywords(injected: tuple[Any, ...], arguments: dict[str, Any]) -> dict[str, Any]:
        filled_in = dict(zip(parameters, injected, strict=True))
        return {**signature.keywords(name, arguments), **filled_in}

    async def run(*injected: Any, **arguments: Any) -> Any:
        return signature.data(await function(**keywords(injected, arguments)))

    def run_in_thread(*injected: Any, **arguments: Any) -> Any:
        return signature.data(function(**keywords(injected, arguments)))

    called: Any = run_in_thread
    if inspect.iscoroutinefunction(function):
        called = run
    called.__signature__ = inspect.Signature(
        [inspect.Parameter(kind, inspect.Parameter.POSITIONAL_ONLY) for kind in signature.injected]
    )
    return functools.update_wrapper(called, function, ("__module__", "__name__", "__doc__"), ())


@dataclass(frozen=True, slots=True)
class Documentation:
    """Docstring in parts: the text for the model, the arguments by name, and the result."""

    description: str
    arguments: dict[str, str]
    returns: str


def documentation(function: Callable[..., Any]) -> Documentation:
    """Return the parts of a function's docstring; if no style reads it, all is description."""
    text = inspect.getdoc(function) or ""
    try:
        parsed = docstring_parser.parse(text)
    except docstring_parser.ParseError:
        return Documentation(text, {}, "")
    gap = "\n\n" if parsed.blank_after_short_description else "\n"
    paragraphs: list[str | None] = [
        gap.join(filter(None, (parsed.short_description, parsed.long_description)))
    ]
    for example in parsed.examples:
        paragraphs += ["Example:", example.snippet, example.description]
    returns = ""
    if parsed.returns is not None:
        returns = parsed.returns.description or ""
    return Documentation(
        "\n\n".join(paragraph for paragraph in paragraphs if paragraph),
        {each.arg_name: each.description for each in parsed.params if each.description},
        returns,
    )
