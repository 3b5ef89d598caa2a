"""Names and texts as a model reads them: do they tell the tools of a server apart?

Judged from the list alone and from the document's operationIds, by rules of its own.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from mcpgen.ir import Server
from mcpgen.parse.budget import LIMITS, MANY

HASH = re.compile(r"_(?=[0-9a-f]*[0-9])[0-9a-f]{6}(?:[0-9a-f]{6}|[0-9a-f]{18})?$")
SENTENCE = re.compile(r"(.*?)(?<!\b(?:ie|eg|ex|cf))(?<!\betc)\.(?:\s|$)", re.S)
IDENTIFIER = re.compile(r"[A-Za-z0-9_][\w./-]*[A-Za-z0-9_]")
CAMEL = re.compile(r"[a-z0-9][A-Z]")


def wording(tools: list[dict[str, Any]], server: Server) -> dict[str, Any]:
    """What there is to say of one server's names and texts."""
    hashed = [tool["name"] for tool in tools if HASH.search(tool["name"])]
    return {
        "hashed": hashed,
        "apart_in_hash_alone": list(apart_in_hash_alone(server)),
        "first_sentences_shared": list(shared(tools)),
        "operation_ids_in_texts": list(operation_ids_in_texts(tools, server)),
        "broken_texts": list(broken_texts(tools)),
        "hidden_in_spite_of_room": list(hidden_in_spite_of_room(tools)),
    }


def first_sentence(tool: dict[str, Any]) -> str:
    """The first sentence of a tool's description."""
    text = str(tool.get("description", ""))
    match = SENTENCE.match(text)
    return match.group(1) if match else text


def shared(tools: Iterable[dict[str, Any]]) -> Iterator[list[str]]:
    """The tools that begin as another one does, and their first sentences."""
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for tool in tools:
        groups[first_sentence(tool).lower()].append(tool["name"])
    for sentence, names in groups.items():
        if len(names) > 1:
            yield from ([name, sentence[:120]] for name in names)


def apart_in_hash_alone(server: Server) -> Iterator[str]:
    """Names that differ in a hash alone, of operations whose words differ."""
    stems: defaultdict[str, list[Any]] = defaultdict(list)
    for tool in server.tools:
        if HASH.search(tool.name):
            stems[HASH.sub("", tool.name)].append(tool)
    for stem, tools in stems.items():
        said = {words_of(tool.origin) for tool in tools}
        if len(said) > 1:
            yield stem


def words_of(origin: Any) -> tuple[str, ...]:
    """Every word of an operation's method and path."""
    text = f"{origin.method} {origin.path}".lower()
    return tuple(sorted(re.findall(r"[a-z0-9]+", text)))


def operation_ids_in_texts(tools: list[dict[str, Any]], server: Server) -> Iterator[list[str]]:
    """Texts that name an operation as the document calls it, and not as its tool is called.

    An operationId in camel case is one; any other may be a word or a field.
    """
    names = {
        tool.origin.operation_id: tool.name
        for tool in server.tools
        if tool.origin.operation_id and CAMEL.search(tool.origin.operation_id)
    }
    for tool in tools:
        fields = {key for _, node in nodes(tool) for key in node.get("properties", ())}
        for text in texts(tool):
            for word in IDENTIFIER.findall(text):
                if word in names and word != names[word] and word not in fields:
                    yield [tool["name"], word]


def nodes(value: Any, key: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every object in a value, with the key it stands under."""
    if isinstance(value, dict):
        yield key, value
        for name, item in value.items():
            yield from nodes(item, name)
    elif isinstance(value, list):
        for item in value:
            yield from nodes(item, key)


def texts(tool: dict[str, Any]) -> Iterator[str]:
    """The descriptions in a tool."""
    for _, node in nodes(tool):
        text = node.get("description")
        if isinstance(text, str):
            yield text


LEFT_OUT = re.compile(r"(?:takes|and) \d+ (?:more )?fields|one of \d+ (?:values|shapes)$")
FILLED = 0.8
"""The part of its budget that a tool uses before it leaves something out."""
DEEPEST = 4
"""Levels of properties: below, clients and models lose track, so there room is no reason."""


def hidden_in_spite_of_room(tools: list[dict[str, Any]]) -> Iterator[list[str]]:
    """Tools that count what they leave out though their budget has room for it."""
    budget, _ = LIMITS["portable", len(tools) >= MANY]
    for tool in tools:
        bytes_used = len(json.dumps(tool, separators=(",", ":")))
        if bytes_used >= FILLED * budget:
            continue
        for text in shallow_texts(tool["inputSchema"], 0):
            if LEFT_OUT.search(text):
                yield [tool["name"], f"{bytes_used} bytes", text[:80]]
                break


def shallow_texts(schema: Any, depth: int) -> Iterator[str]:
    """The descriptions in a schema, down to a few levels of properties."""
    if not isinstance(schema, dict) or depth > DEEPEST:
        return
    if isinstance(schema.get("description"), str):
        yield schema["description"]
    for child in schema.get("properties", {}).values():
        yield from shallow_texts(child, depth + 1)
    for child in (
        schema.get("items"),
        schema.get("additionalProperties"),
        *schema.get("anyOf", ()),
    ):
        yield from shallow_texts(child, depth)


BROKEN = {
    "Returns without a noun": re.compile(
        # Ours ends or lists at once; the author's goes on ("… with no error if the thing is gone")
        r"^Returns (?:(?:ok|returns|success|successful(?:ly)?)\b|\d{3} response)[^.:\n]{0,30}(?:[.:]|$)",
        re.I | re.M,
    ),
    "a Markdown link": re.compile(r"\]\(https?://|\]\[\d*\]"),
    "a tag": re.compile(
        r"</?(?:p|br|ul|li|a|b|i|code|div|span|strong|em|table)(?:\s[^<>]*)?>", re.I
    ),
    "a heading": re.compile(r"(?:^|\s)#{2,6}\s\w"),
    "Python for JSON": re.compile(r"^(?:False|True|None)(?: \| |$)"),
}


def broken_texts(tools: list[dict[str, Any]]) -> Iterator[list[str]]:
    """Texts with furniture of Markdown, HTML or Python in them, sentences that are none, and
    headlines that are said twice.
    """
    for tool in tools:
        for text in texts(tool):
            for what, pattern in BROKEN.items():
                if pattern.search(text):
                    yield [tool["name"], what, text[:80]]
        lines = str(tool.get("description", "")).split("\n")
        second = "".join(lines[1:2])
        if re.match(r"[a-z]+[,.:]?(?: |$)", second):
            yield [tool["name"], "a sentence that begins in lower case", second[:80]]
        if second.rstrip(".").lower() == lines[0].rstrip(".").lower():
            yield [tool["name"], "the headline twice", lines[0][:80]]
