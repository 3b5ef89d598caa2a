"""An answer of the API as MCP content blocks (plain dicts, as on the wire) and structured content.

Nothing here raises because of what an API sent.
"""

from __future__ import annotations

import base64
import hashlib
import logging
import mimetypes
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from ..results.answer import UNTYPED, Answer
from ..results.charsets import decode
from ..results.content import Block
from ..results.shorten import Cuts, TooDeep, clean, compact, fit, shape, visible
from ..settings import Settings
from .report import status_text

logger = logging.getLogger(__name__)

_IMAGES = frozenset("image/png image/jpeg image/gif image/webp".split())
_MORE = frozenset(
    "page page_number pagenumber pageno offset skip start start_index startindex cursor next"
    " next_cursor page_token pagetoken next_page_token after starting_after since since_id"
    " continuation continuation_token marker".split()
)
_FEWER = frozenset(
    "limit per_page perpage page_size pagesize size count max_results maxresults top first take"
    " rows".split()
)
_NARROWER = frozenset(
    "fields select include filter filters q query search expand view projection columns".split()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tool:
    """What a report needs to know of the tool: its argument names, and how its answers are
    shown.
    """

    name: str
    arguments: tuple[str, ...]
    structured: bool
    wrapped: bool


def _facts(tool: Mapping[str, Any], settings: Settings) -> _Tool:
    """The facts of a tool as it is listed (MCP, `Tool`)."""
    name = str(tool.get("name", ""))
    return _Tool(
        name=name,
        arguments=tuple(tool.get("inputSchema", {}).get("properties", {})),
        structured=tool.get("outputSchema") is not None,
        wrapped=name in settings.wrapped,
    )


def content_of(
    answer: Answer[Any], tool: Mapping[str, Any], settings: Settings
) -> tuple[list[Block], dict[str, Any] | None]:
    """An answer as content blocks, and as structured content when the tool (as listed) declares an
    output schema.

    Structured content is the JSON object itself, or `{"result": ...}` around anything else; `{}`
    for no content.
    """
    facts = _facts(tool, settings)
    try:
        blocks, data = _content(answer, facts, settings)
    except (RecursionError, TooDeep, ValueError):
        blocks, data = _as_text(
            answer, facts, settings, "JSON that is nested too deeply to be read as data"
        )
    structured: dict[str, Any] | None = None
    if facts.structured:
        if data is None and not answer.content:
            structured = {}
        elif isinstance(data, dict) and not facts.wrapped:
            structured = data
        else:
            structured = {"result": data}
    return blocks, structured


def _content(answer: Answer[Any], facts: _Tool, settings: Settings) -> tuple[list[Block], Any]:
    """The blocks, and the data of the structured content."""
    if not answer.content:
        return [_text(_without_content(answer, settings))], None
    if answer.is_json or answer.data is not None:
        if answer.data is not None or answer.content.strip() == b"null":
            return _as_data(answer, facts, settings)
        return _as_text(answer, facts, settings, "text that says it is JSON and is not")
    if answer.text is not None:
        label = "" if answer.media_type in ("text/plain", *UNTYPED) else answer.media_type
        return _as_text(answer, facts, settings, label)
    return _as_binary(answer, settings)


def _as_data(answer: Answer[Any], facts: _Tool, settings: Settings) -> tuple[list[Block], Any]:
    """JSON: one line of text, cut where the structure allows."""
    data = clean(settings.redactor.data(answer.data))
    shaping = settings.answers.get(facts.name)
    if shaping is not None:
        data = shape(data, shaping.keep, shaping.drop, shaping.strip_nulls)
    whole = data
    data, cuts = fit(whole, settings.max_result_chars)
    text = compact(data)
    blocks = [_text(text)]
    if cuts.items:
        total = len(compact(whole).encode())
        blocks.append(_text(_truncated(total, len(text.encode()), cuts, facts, settings)))
    following = _following(answer, settings)
    if following:
        blocks.append(_text(following))
    return blocks, data


def _as_text(
    answer: Answer[Any], facts: _Tool, settings: Settings, label: str
) -> tuple[list[Block], Any]:
    """Text as it is, behind a line that says what it is when it is more than plain text."""
    # Cut first: the rest is not worth cleaning. Twice the limit leaves room for what redaction
    # takes away.
    raw = answer.text if answer.text is not None else decode(answer.content, "utf-8")
    text = visible(settings.redactor(raw[: settings.max_result_chars * 2]))
    shown = text[: settings.max_result_chars]
    blocks = []
    if label:
        blocks.append(
            _text(f"The API answered {answer.status} with {label}, {len(raw):,} characters:")
        )
    blocks.append(_text(shown))
    if len(shown) < len(text) or len(raw) > settings.max_result_chars * 2:
        cuts = Cuts([("text", len(shown), len(raw), "characters")])
        blocks.append(
            _text(_truncated(len(answer.content), len(shown.encode()), cuts, facts, settings))
        )
    if answer.incomplete:
        blocks.append(_text(f"[truncated: true. This is not all of it: {answer.incomplete}]"))
    return blocks, shown


def _as_binary(answer: Answer[Any], settings: Settings) -> tuple[list[Block], Any]:
    """Bytes: an image, a sound, an embedded resource, a saved file, or a note of what it was."""
    size, digest = len(answer.content), hashlib.sha256(answer.content).hexdigest()
    kind = (
        answer.media_type
        if re.fullmatch(r"[a-z0-9!#$&^_.+-]+/[a-z0-9!#$&^_.+-]+", answer.media_type)
        else ""
    )
    kind = kind or "application/octet-stream"
    said = f"The API answered with {kind}, {size:,} bytes (sha256 {digest})"
    if size > settings.max_binary_bytes:
        link = _saved(answer.content, kind, digest, settings)
        if link is not None:
            return [_text(f"{said}, saved to a file"), link], said
        limit = f"`{settings.variable('MAX_BINARY_BYTES')}`"
        return [_text(f"{said}, which is more than is passed on ({limit})")], said
    data = base64.b64encode(answer.content).decode()
    if kind in _IMAGES:
        return [{"type": "image", "data": data, "mimeType": kind}], said
    if kind.startswith("audio/"):
        return [{"type": "audio", "data": data, "mimeType": kind}], said
    resource = {"uri": f"urn:sha256:{digest}", "mimeType": kind, "blob": data}
    return [_text(said), {"type": "resource", "resource": resource}], said


def _saved(content: bytes, kind: str, digest: str, settings: Settings) -> Block | None:
    """The bytes in a new file of the folder for that, named by their digest; None when that cannot
    be.
    """
    if settings.save_dir is None:
        return None
    path = (
        settings.save_dir
        / f"{settings.name}-{digest[:16]}{mimetypes.guess_extension(kind) or '.bin'}"
    )
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
        "mimeType": kind,
        "size": len(content),
    }


def _without_content(answer: Answer[Any], settings: Settings) -> str:
    """A sentence for an answer without content; a HEAD answer is its header fields."""
    text = f"Done: the API answered {status_text(answer.status)} with no content"
    shown = ["location", "etag", "last-modified", "retry-after"]
    if answer.method == "HEAD":
        shown += ["content-type", "content-length", "accept-ranges", "cache-control"]
    fields = [f"{name}: {answer.headers[name][:200]}" for name in shown if name in answer.headers]
    if fields:
        text += f" ({'; '.join(fields)})"
    return visible(settings.redactor(text))


def _following(answer: Answer[Any], settings: Settings) -> str:
    """What a `Link: <...>; rel="next"` field (RFC 8288) says of the next page, as arguments; it is
    not followed.
    """
    link = answer.headers.get("link", "")[:8192]
    found = re.search(r'<([^<>]{1,2048})>\s*;[^,<]*\brel="?next\b', link)
    if not found:
        return ""
    pairs = [
        (key, value)
        for key, value in parse_qsl(urlsplit(found[1]).query)[:20]
        if key.lower() in _MORE | _FEWER
    ]
    shown = ", ".join(f"`{key}` = `{value[:200]}`" for key, value in pairs)
    return (
        visible(settings.redactor(f"[there is a next page: {shown}]"))
        if shown
        else "[there is a next page]"
    )


def _truncated(total: int, returned: int, cuts: Cuts, facts: _Tool, settings: Settings) -> str:
    """The last line of a shortened answer: how much is missing, where, and how to get it."""
    return (
        f"[truncated: true, bytes_total: {total}, bytes_returned: {returned}. "
        f"Left out: {cuts.say()}. {_how_to_get_the_rest(cuts, facts, settings)}]"
    )


def _how_to_get_the_rest(cuts: Cuts, facts: _Tool, settings: Settings) -> str:
    ways = []
    kept = cuts.kept_items()
    fewer, more, narrower = _named(facts, _FEWER), _named(facts, _MORE), _named(facts, _NARROWER)
    if fewer and kept:
        ways.append(f"set {fewer[0]} to {kept} or less")
    elif fewer:
        ways.append(f"set {fewer[0]} to a smaller number")
    if more:
        ways.append(f"ask for the next part with {more[0]}")
    if narrower:
        ways.append(f"ask for less with {' or '.join(narrower[:3])}")
    if not ways and facts.arguments:
        ways.append("narrow the request with its other arguments")
    if not ways:
        ways.append(f"the operator can raise `{settings.variable('MAX_RESULT_CHARS')}`")
    return f"To get the rest: {'; '.join(ways)}"


def _named(facts: _Tool, names: frozenset[str]) -> list[str]:
    def plain(name: str) -> str:
        return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).replace("-", "_").lower()

    return [
        f"`{name}`"
        for name in facts.arguments
        if {plain(name), plain(name).replace("_", ""), plain(name).rpartition("_")[2]} & names
    ]


def _text(text: str) -> Block:
    return {"type": "text", "text": text}
