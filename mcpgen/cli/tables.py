"""The summary for people: the fate of the operations, the cost of the list, variables to set, and
next steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from ..catalogue.summary import Size, Summary
from ..ir import Skip
from ..lint.clients import too_many
from ..parse.budget import SHORT_LIST
from ..render.manifests import Variable, command, to_set
from ..render.parts import has_login
from ..text import plural
from .screen import Screen, shown

MOST_TOOLSETS = 12
MOST_SKIPS = 5
NO_CREDENTIAL = (
    "none declared; if the API wants one: `--auth bearer`, `basic`, `header:NAME` or `query:NAME`"
)


def size(value: Size) -> str:
    """Return a size for people: `4.2 kB, ≈ 1,050 tokens`."""
    return f"{_bytes(value.bytes)}, ≈ {value.tokens:,} tokens"


def _bytes(count: int) -> str:
    for limit, unit, divisor in ((1_000, "B", 1), (1_000_000, "kB", 1_000)):
        if count < limit:
            return f"{count:,} {unit}" if divisor == 1 else f"{count / divisor:,.1f} {unit}"
    return f"{count / 1_000_000:,.1f} MB"


def show_facts(screen: Screen, summary: Summary, further: Iterable[tuple[str, str]] = ()) -> None:
    """Print the head: title, operations = tools + filtered + skipped, sizes, addresses, `further`
    rows.
    """
    server = summary.server
    head = Text.assemble((shown(server.title), "bold"), (f" {shown(server.version)}", "dim"))
    head.append(f"  {shown(summary.source)}{_kind(server.document_version)}", style="dim")
    screen.out.print(head)
    facts = grid()
    law = Text.assemble(
        f"{summary.operations:,} = ",
        (plural(summary.tools, "tool"), "green" if summary.tools else "red"),
        f" + {summary.filtered:,} filtered + ",
        (f"{summary.skipped:,} skipped", "yellow" if summary.skipped else ""),
    )
    if server.recognised:
        facts.add_row(
            "recognised", shown(f"{server.recognised}, {plural(summary.operations, 'tool')}")
        )
    facts.add_row("operations" if server.calls_api else "definitions", law)
    if summary.workflows or summary.workflows_left_out:
        skipped = f"{summary.workflows_left_out:,} skipped"
        facts.add_row("workflows", f"{plural(summary.workflows, 'tool')} + {skipped}")
    if server.functions:
        note = "" if summary.is_whole else ", counted by `mcpgen inspect`"
        facts.add_row("functions", plural(len(server.functions), "tool") + note)
    for name, total in _lists(summary):
        facts.add_row(name, size(total))
    limits = [
        f"{title} ({most})" for title, most in too_many(len(summary.sizes) + len(server.functions))
    ]
    if limits:
        facts.add_row("too many for", ", ".join(limits))
    if server.calls_api:
        for name, url, note in server.addresses:
            facts.add_row(f"API {name}".strip(), _address(url, shown(note)))
        if not server.auth:
            facts.add_row("credential", NO_CREDENTIAL)
    for word, text in further:
        facts.add_row(word, text)
    screen.out.print(facts)


def _lists(summary: Summary) -> Iterator[tuple[str, Size]]:
    """Yield (name, size) of the lists a client may get: all tools, if any; `--read-only` and
    `--lazy` for a long list.
    """
    if summary.sizes:
        yield "tool list", summary.total
    if summary.total.bytes > SHORT_LIST:
        yield "  --read-only", summary.read_only
        yield "  --lazy", summary.lazy


def _kind(version: str) -> str:
    if not version[:1].isdigit():
        return ""
    return f", Swagger {version}" if version.startswith("2") else f", OpenAPI {shown(version)}"


def _address(url: str | None, note: str) -> Text:
    if url is not None:
        address = shown(url)
        return Text(f"{address} ({note})" if note else address)
    text = Text("not known", style="yellow")
    if note:
        text.append(f": {note}", style="default")
    return text


def grid(*, cut: bool = False) -> Table:
    """Return an empty table of two columns without lines: a word and its explanation. `cut`: each
    row is cut to one line.
    """
    table = Table.grid(padding=(0, 2, 0, 2))
    table.pad_edge = True
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="ellipsis" if cut else "fold", no_wrap=cut)
    return table


def show_toolsets(screen: Screen, summary: Summary) -> None:
    """Print a line per toolset, the largest first and the rest summed up if there are many."""
    toolsets = list(summary.server.toolsets)
    if len(toolsets) > MOST_TOOLSETS:
        toolsets.sort(key=lambda toolset: -len(toolset.tools))
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="dim")
    table.add_column("toolset", no_wrap=True)
    for name in ("tools", "read only", "destructive", "≈ tokens"):
        table.add_column(name, justify="right")
    rows = [(toolset.name, [toolset]) for toolset in toolsets[:MOST_TOOLSETS]]
    rest = toolsets[MOST_TOOLSETS:]
    if rest:
        rows.append((f"{len(rest)} more", rest))
    for name, members in rows:
        hints = [tool.hints for toolset in members for tool in toolset.tools]
        counts = [
            len(hints),
            sum(hint.read_only for hint in hints),
            sum(hint.destructive for hint in hints),
            sum(summary.toolset_size(toolset.name).tokens for toolset in members),
        ]
        table.add_row(name, *map("{:,}".format, counts))
    screen.out.print(table)


def show_skips(screen: Screen, skips: Sequence[Skip], *, most: int = MOST_SKIPS) -> None:
    """Print at most `most` operations that could not become tools, and why."""
    left_out = [skip for skip in skips if not skip.filtered]
    if not left_out:
        return
    screen.out.print("skipped", style="yellow")
    for skip in left_out[:most]:
        code = f" ({skip.code})" if skip.code else ""
        screen.out.print(
            f"  {skip.origin.method} {shown(skip.origin.path)}: {shown(skip.reason)}{code}"
        )
    if len(left_out) > most:
        screen.out.print(
            f"  … and {len(left_out) - most} more; `mcpgen inspect` lists them", style="dim"
        )
    screen.out.print()


def show_environment(screen: Screen, summary: Summary) -> None:
    """Print the variables to set before the server starts; nothing without any."""
    variables = to_set(summary.server)
    if not variables:
        return
    screen.out.print("set in the environment", style="bold")
    table = grid()
    for item in variables:
        table.add_row(Text(item.name, style="bold"), shown(item.text) + _need(item))
    screen.out.print(table)
    if has_login(summary.server):
        screen.out.print(f"  or log in as a person: {command(summary.server)} login", style="dim")
    screen.out.print()


def _need(variable: Variable) -> str:
    """Return when a variable is needed, in parentheses; empty if always."""
    if variable.required:
        return ""
    return " (one of these is needed)" if variable.one_of else " (not always needed)"


def show_next(screen: Screen, steps: Iterable[tuple[str, str]]) -> None:
    """Print the next commands, each with its purpose."""
    screen.out.print("next", style="bold")
    table = grid()
    table.columns[0].style = "cyan"
    for step, meaning in steps:
        table.add_row(step, Text(meaning, style="dim"))
    screen.out.print(table)


def smaller_list(summary: Summary) -> str:
    """Return advice to shorten a list over `SHORT_LIST` bytes; empty for a shorter one."""
    if summary.total.bytes <= SHORT_LIST:
        return ""
    return (
        "the tool list is large: `mcpgen suggest` proposes the tools worth having, or start the"
        " server with `--lazy` or `--toolsets`"
    )
