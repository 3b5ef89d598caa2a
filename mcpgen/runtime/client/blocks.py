"""An answer of the API as MCP content blocks (plain dicts, as on the wire) and structured content.

Nothing here raises because of what an API sent.
"""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import importlib
import logging
import mimetypes
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..results.answer import UNTYPED, Answer, decode, lines_of_json, too_deep
from ..results.content import Block
from ..results.lists import ALL, SMALL, chosen, names_in, project
from ..results.pages import ListAnswer, after, fold, items_of, next_in_headers, next_part
from ..results.shorten import (
    Cuts,
    Shaping,
    TooDeep,
    beginning,
    clean,
    compact,
    fit,
    shape,
    size,
    visible,
)
from ..secrets import NOTE, Withheld
from ..settings import Settings
from .report import status_text

logger = logging.getLogger(__name__)

MAX_FIELD = 500
"""Characters of a header field that are told."""

_NO_LIST = ListAnswer()
_AS_IT_IS = Shaping()

_IMAGES = frozenset(("image/png", "image/jpeg", "image/gif", "image/webp"))
_MEDIA_TYPE = re.compile(r"[a-z0-9!#$&^_.+-]+/[a-z0-9!#$&^_.+-]+")

_NARROWER = frozenset(
    "fields select include filter filters q query search expand view projection columns".split()
)
_HEADERS_WORTH_TELLING: tuple[str, ...] = ("location", "etag", "last-modified", "retry-after")
_HEADERS_OF_METHODS = {
    "HEAD": ("content-type", "content-length", "accept-ranges", "cache-control"),
    "OPTIONS": ("allow", "accept-patch", "accept-post", "accept-query"),
}
"""Method -> what its answers are besides, which have no content."""
_HEADERS_OF_STATUS: dict[int, tuple[str, ...]] = {
    201: ("location", "retry-after"),
    202: ("location", "retry-after"),
    206: ("content-range",),
}
_NOT_THE_WHOLE = frozenset((206, *range(300, 400)))
"""Answers whose content is a part of what was asked for, or says where that is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tool:
    """The facts of a tool and its call that decide how its answer is shown."""

    name: str
    arguments: tuple[str, ...]
    structured: bool
    wrapped: bool
    listing: ListAnswer
    shaping: Shaping
    withheld: Withheld
    headers: tuple[str, ...]
    call: Mapping[str, Any]
    """The arguments of the call."""

    @property
    def place(self) -> str:
        """The place of the list in an answer, as `Cuts` write it."""
        return ".".join(self.listing.items or ())


def _facts(tool: Mapping[str, Any], settings: Settings, call: Mapping[str, Any]) -> _Tool:
    """The facts of a tool as it is listed (MCP, `Tool`)."""
    name = str(tool.get("name", ""))
    shaping = settings.answers.get(name, _AS_IT_IS)
    return _Tool(
        name=name,
        arguments=tuple(tool.get("inputSchema", {}).get("properties", {})),
        structured=tool.get("outputSchema") is not None,
        wrapped=name in settings.wrapped,
        listing=settings.lists.get(name, _NO_LIST),
        shaping=shaping,
        withheld=Withheld((*settings.redact, *shaping.redact)),
        headers=settings.answer_headers.get(name, ()),
        call=call,
    )


def content_of(
    answer: Answer[Any],
    tool: Mapping[str, Any],
    settings: Settings,
    call: Mapping[str, Any] | None = None,
) -> tuple[list[Block], dict[str, Any] | None]:
    """An answer as content blocks, and as structured content when the tool (as listed) declares an
    output schema. `call` has the arguments of the call.

    Structured content is the JSON object itself, or `{"result": ...}` around anything else; `{}`
    for no content.
    """
    facts = _facts(tool, settings, call or {})
    try:
        if facts.shaping.xml:
            answer = _xml_as_data(answer)
        blocks, data = _content(answer, facts, settings)
    except (RecursionError, TooDeep, ValueError):
        blocks, data = _as_text(
            answer, facts, settings, "JSON that is nested too deeply, or has too large a number"
        )
    if answer.content:
        blocks += _said_in_headers(answer, facts, settings)
    if not facts.structured:
        return blocks, None
    if data is None and not answer.content:
        return blocks, {}
    if isinstance(data, dict) and not facts.wrapped:
        return blocks, data
    return blocks, {"result": data}


def _xml_as_data(answer: Answer[Any]) -> Answer[Any]:
    """The answer with the data of its XML; any other answer, and XML that is none, as it is."""
    if answer.data is not None:
        return answer
    if not answer.media_type.endswith(("/xml", "+xml")):
        return answer
    # Only servers that read XML have this module and its library
    xml_data = importlib.import_module("..results.xml_data", __package__)
    return dataclasses.replace(answer, data=xml_data.data_of_xml(answer.content))


def _content(answer: Answer[Any], facts: _Tool, settings: Settings) -> tuple[list[Block], Any]:
    """The blocks, and the data of the structured content."""
    if not answer.content:
        return [_text(_without_content(answer, facts, settings))], None
    if answer.data is not None:
        return _as_data(answer, facts, settings)
    if answer.is_json:
        if answer.content.strip() == b"null":
            return _as_data(answer, facts, settings)
        if lines_of_json(answer.content):
            return _as_text(answer, facts, settings, "JSON, an object on each line")
        if too_deep(answer.content):
            raise TooDeep
        return _as_text(answer, facts, settings, "text that says it is JSON and is not")
    if answer.text is None:
        return _as_binary(answer, settings)
    if answer.media_type in ("text/plain", *UNTYPED):
        return _as_text(answer, facts, settings, "")
    return _as_text(answer, facts, settings, answer.media_type)


def _as_data(answer: Answer[Any], facts: _Tool, settings: Settings) -> tuple[list[Block], Any]:
    """JSON: one line of text, or a table where that was asked for, cut where the structure
    allows.
    """
    received = facts.withheld.without(clean(settings.redactor.data(answer.data)))
    shaping = facts.shaping
    whole = shape(received, shaping.keep, shaping.drop, shaping.strip_nulls)
    room = settings.max_result_tokens
    whole, notes = _with_items(whole, facts, room)
    data, cuts = fit(whole, room)
    text = _written(data, facts)
    blocks = [_text(text), *map(_text, notes)]
    if cuts.items:
        total = len(compact(whole).encode())
        rest = _rest_of_data(received, cuts, facts, settings)
        blocks.append(_text(_truncated(total, len(text.encode()), cuts, rest)))
    if cuts.kept_items(facts.place) is None:
        next_page = _next_page(answer, received, facts, settings)
        if next_page:
            blocks.append(_text(next_page))
    return blocks, data


def _with_items(data: Any, facts: _Tool, room: int) -> tuple[Any, list[str]]:
    """The data with the fields of its items that the call chose, else with those that tell most;
    and lines about what is missing.
    """
    listing = facts.listing
    items = items_of(data, listing.items)
    if not items:
        return data, []
    if not listing.fields:
        return data, []
    names = facts.call.get(listing.fields, ())
    if ALL in names:
        return data, []
    notes = []
    if names:
        chosen_items, unknown = chosen(items, names)
        if unknown:
            known = ", ".join(f"`{name}`" for name in names_in(items)[:60])
            missing = ", ".join(f"`{name[:100]}`" for name in unknown[:10])
            notes.append(f"[no item has {missing}; the fields of items are {known}]")
        if len(unknown) < len(names):
            return _replaced(data, listing.items, chosen_items), notes
    if len(compact(items)) <= SMALL:
        return data, notes
    around = size(_replaced(data, listing.items, []), room)
    short, report = project(items, max(SMALL // 4, room * 19 // 20 - around))
    note = report.say(listing.fields)
    if note:
        notes.append(visible(note))
    return _replaced(data, listing.items, short), notes


def _replaced(data: Any, path: tuple[str, ...] | None, items: list[Any]) -> Any:
    """The data with another list at a path."""
    if not path:
        return items
    return {**data, path[0]: _replaced(data[path[0]], path[1:], items)}


def _written(data: Any, facts: _Tool) -> str:
    """Data as text."""
    if not facts.shaping.table:
        return compact(data)
    from ..results.lists import table

    items = items_of(data, facts.listing.items)
    if not items:
        return compact(data)
    rest = _replaced(data, facts.listing.items, [])
    if not rest:
        return table(items)
    return f"{table(items)}\n{compact(rest)}"


def _as_text(
    answer: Answer[Any], facts: _Tool, settings: Settings, label: str
) -> tuple[list[Block], Any]:
    """The text, after a line with `label` if there is one."""
    raw = answer.text
    if raw is None:
        raw = decode(answer.content, "utf-8")
    limit = settings.max_result_tokens
    # Cut before cleaning: a token has few more than twelve characters, and redaction takes some
    text = visible(settings.redactor(raw[: limit * 25]))
    if facts.withheld.named_in(text):
        text = f"The API's answer is {NOTE}"
        return [_text(text)], text
    excerpt = beginning(text, limit)
    blocks = []
    if label:
        blocks.append(
            _text(f"The API answered {answer.status} with {label}, {len(raw):,} characters:")
        )
    blocks.append(_text(excerpt))
    if len(excerpt) < len(text) or len(raw) > limit * 25:
        cuts = Cuts([("", len(excerpt), len(raw), "characters")])
        sizes = len(answer.content), len(excerpt.encode())
        blocks.append(_text(_truncated(*sizes, cuts, _narrower(facts, settings, []))))
    if answer.incomplete:
        blocks.append(_text(f"[truncated: true. This is not all of it: {answer.incomplete}]"))
    return blocks, excerpt


def _as_binary(answer: Answer[Any], settings: Settings) -> tuple[list[Block], Any]:
    """Bytes: an image, a sound, an embedded resource, a saved file, or a note about them.

    The data of the structured content is the note: media type, size and digest.
    """
    size = len(answer.content)
    digest = hashlib.sha256(answer.content).hexdigest()
    media_type = answer.media_type
    if not _MEDIA_TYPE.fullmatch(media_type):
        media_type = "application/octet-stream"
    note = f"The API answered with {media_type}, {size:,} bytes (sha256 {digest})"
    if size > settings.max_binary_bytes:
        link = _saved(answer.content, media_type, digest, settings)
        if link is not None:
            return [_text(f"{note}, saved to a file"), link], note
        limit = f"`{settings.variable('MAX_BINARY_BYTES')}`"
        return [_text(f"{note}, which is more than is passed on ({limit})")], note
    data = base64.b64encode(answer.content).decode()
    if media_type in _IMAGES:
        return [{"type": "image", "data": data, "mimeType": media_type}], note
    if media_type.startswith("audio/"):
        return [{"type": "audio", "data": data, "mimeType": media_type}], note
    resource = {"uri": f"urn:sha256:{digest}", "mimeType": media_type, "blob": data}
    return [_text(note), {"type": "resource", "resource": resource}], note


def _saved(content: bytes, media_type: str, digest: str, settings: Settings) -> Block | None:
    """A link to a new file with these bytes, named by their digest; None if it cannot be saved."""
    if settings.save_dir is None:
        return None
    extension = mimetypes.guess_extension(media_type) or ".bin"
    path = settings.save_dir / f"{settings.name}-{digest[:16]}{extension}"
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
        with os.fdopen(os.open(path, flags, 0o600), "wb") as stream:
            stream.write(content)
    except FileExistsError:
        if path.is_symlink() or path.read_bytes() != content:
            return None
    except OSError as error:
        logger.warning("an answer could not be saved: %s", error.strerror)
        return None
    return {
        "type": "resource_link",
        "uri": path.as_uri(),
        "name": path.name,
        "mimeType": media_type,
        "size": len(content),
    }


def _without_content(answer: Answer[Any], facts: _Tool, settings: Settings) -> str:
    """A sentence about an answer without content, with its most useful header fields."""
    text = f"Done: the API answered {status_text(answer.status)} with no content"
    names = _HEADERS_WORTH_TELLING + _HEADERS_OF_METHODS.get(answer.method, ())
    fields = _fields(answer, names + facts.headers, facts)
    if fields:
        text += f" ({fields})"
    return visible(settings.redactor(text))


def _said_in_headers(answer: Answer[Any], facts: _Tool, settings: Settings) -> list[Block]:
    """Return an answer's facts besides its content: the place of the result and its time (RFC 9110
    sections 10.2.2 and 10.2.3), the part of it that this is, the name of a file, and the
    header fields that the API describes.
    """
    names = facts.headers
    if answer.data is None and answer.text is None:
        names = ("content-disposition", *names)
    of_status = _HEADERS_OF_STATUS.get(answer.status, ())
    fields = _fields(answer, (*of_status, *names), facts)
    parts = []
    if answer.status in _NOT_THE_WHOLE or (of_status and fields):
        parts.append(status_text(answer.status))
    if fields:
        parts.append(fields)
    if not parts:
        return []
    return [_text(visible(settings.redactor(f"[{'; '.join(parts)}]")))]


def _fields(answer: Answer[Any], names: tuple[str, ...], facts: _Tool) -> str:
    """The header fields of these names that an answer has, as text."""
    told = _told(answer, names, facts)
    return "; ".join(f"{name}: {value[:MAX_FIELD]}" for name, value in told.items())


def _told(answer: Answer[Any], names: tuple[str, ...], facts: _Tool) -> dict[str, str]:
    """The header fields of these names that an answer has, without those that are withheld."""
    there = {name: answer.headers[name] for name in names if name in answer.headers}
    fields: dict[str, str] = facts.withheld.without(there)
    return fields


def _next_page(answer: Answer[Any], data: Any, facts: _Tool, settings: Settings) -> str:
    """The arguments that get the next part of a list, where the answer says that there is one."""
    link = answer.headers.get("link", "")
    part = next_part(facts.listing, data, link, facts.call, facts.arguments)
    if part is None:
        if not facts.headers:
            return ""
        part = next_in_headers(_told(answer, facts.headers, facts), facts.arguments)
    if part is None:
        return ""
    if not part:
        return "[there is a next page]"
    return visible(settings.redactor(f"[there is a next page: {_assigned(part)}]"))


def _assigned(arguments: Mapping[str, Any]) -> str:
    return ", ".join(f"`{name}` = `{value}`" for name, value in arguments.items())


def _truncated(total: int, returned: int, cuts: Cuts, rest: list[str]) -> str:
    """The last line of a shortened answer: how much is missing, where, and how to get it."""
    return (
        f"[truncated: true, bytes_total: {total}, bytes_returned: {returned}. "
        f"{cuts.say()}. To get the rest: {'; '.join(rest)}]"
    )


def _rest_of_data(received: Any, cuts: Cuts, facts: _Tool, settings: Settings) -> list[str]:
    """The ways to what was cut from data, the best first."""
    ways = []
    listing = facts.listing
    kept = cuts.kept_items(facts.place)
    following: dict[str, Any] = {}
    if kept:
        items = items_of(received, listing.items) or []
        following = after(listing, received, items, kept, facts.call)
    if following:
        ways.append(f"ask on with {_assigned(following)}")
    elif listing.size:
        less = f"{kept} or less" if kept else "a smaller number"
        way = f"set `{listing.size}` to {less}"
        if listing.next and kept:
            way += f", then ask for the next part with `{listing.next}`"
        ways.append(way)
    if listing.fields and kept is not None:
        ways.append(f"name the fields you need in `{listing.fields}`")
    return ways + _narrower(facts, settings, ways)


def _narrower(facts: _Tool, settings: Settings, ways: list[str]) -> list[str]:
    """Arguments that ask for less; without any way at all, what the operator can do."""
    names = [name for name in facts.arguments if fold(name) in _NARROWER]
    if facts.listing.fields in names:
        names.remove(facts.listing.fields)
    if names:
        return [f"ask for less with {' or '.join(f'`{name}`' for name in names[:3])}"]
    if ways:
        return []
    return [f"the operator can raise `{settings.variable('MAX_RESULT_TOKENS')}`"]


def _text(text: str) -> Block:
    return {"type": "text", "text": text}
