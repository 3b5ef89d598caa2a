"""A lint of the templates: what `finalize` cannot see, and what would make a template a program.

A template may hold text, `{{ name.attribute | filter }}`, `if`, `for` and `include`. Macros, calls,
filter blocks, set blocks, imports and autoescape switches are refused, and so is printing anything
but one filter over a plain name: inside a filter block Jinja applies `finalize` before the filter,
so the block could print whatever it likes.

In a template of Python, what a filter makes a whole expression or statement of stands neither
between quotes nor behind a `#`: in an f-string a literal would be evaluated, in a comment a line
break would end it.
"""

from collections.abc import Iterator

import jinja2
from jinja2 import nodes

from mcpgen.render.literal import FILTERS

ALLOWED: tuple[type[nodes.Node], ...] = (
    nodes.Template, nodes.Output, nodes.TemplateData, nodes.Filter, nodes.Name, nodes.Getattr,
    nodes.If, nodes.For, nodes.Include, nodes.Const, nodes.Not, nodes.And, nodes.Or, nodes.Compare,
    nodes.Operand,
)  # fmt: skip


WHOLE = ("literal", "code", "docstring")
"""Filters that print an expression or more. `identifier` and `word` may stand in a text."""


def lint(source: str, environment: jinja2.Environment, name: str = "<template>") -> list[str]:
    """What is wrong with a template, one line each: `name:line: what`."""
    try:
        tree = environment.parse(source, name)
    except jinja2.TemplateSyntaxError as error:
        return [f"{name}:{error.lineno}: {error.message}"]
    faults = [*_faults(tree)]
    if name.endswith(".py.jinja"):
        faults += _misplaced(tree)
    return [f"{name}:{line}: {what}" for line, what in faults]


def _misplaced(tree: nodes.Template) -> Iterator[tuple[int, str]]:
    """Expressions that are printed into a string or a comment of Python."""
    line = ""
    in_docstring = False
    for output in tree.find_all(nodes.Output):
        for node in output.nodes:
            if isinstance(node, nodes.TemplateData):
                in_docstring ^= node.data.count('"""') % 2 == 1
                line = (line + node.data).rpartition("\n")[2]
                continue
            whole = isinstance(node, nodes.Filter) and node.name in WHOLE
            in_string = in_docstring or line.count('"') % 2 or line.count("'") % 2
            if whole and (in_string or "#" in line):
                yield node.lineno, "prints an expression into a string or a comment"


def _faults(node: nodes.Node) -> Iterator[tuple[int, str]]:
    if type(node) not in ALLOWED:
        yield node.lineno, f"`{type(node).__name__}` is not allowed"
    if isinstance(node, nodes.Output):
        for child in node.nodes:
            if not isinstance(child, nodes.TemplateData) and not _is_filtered_name(child):
                yield child.lineno, "prints something else than one filter over a name"
    if isinstance(node, nodes.Filter) and node.name not in FILTERS:
        yield node.lineno, f"filter `{node.name}` is not allowed"
    if isinstance(node, nodes.Include) and not isinstance(node.template, nodes.Const):
        yield node.lineno, "includes a template that is not named by a constant"
    for inner in node.iter_child_nodes():
        yield from _faults(inner)


def _is_filtered_name(node: nodes.Node) -> bool:
    if (
        not isinstance(node, nodes.Filter)
        or node.args
        or node.kwargs
        or node.dyn_args
        or node.dyn_kwargs
    ):
        return False
    return _is_name(node.node)


def _is_name(node: nodes.Node | None) -> bool:
    """Whether a node is `name` or `name.attribute.attribute`."""
    return isinstance(node, nodes.Name) or (isinstance(node, nodes.Getattr) and _is_name(node.node))
