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

_IMAGES = frozenset(("image/png", "image/jpeg", "image/gif", "image/webp"))
_MEDIA_TYPE = re.compile(r"[a-z0-9!#$&^_.+-]+/[a-z0-9!#$&^_.+-]+")
_NEXT_LINK = re.compile(r'<([^<>]{1,2048})>\s*;[^,<]*\brel="?next\b')

# Words in the names of arguments that ask for the next part, for a smaller part, or for less of it
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
_HEADERS_WORTH_TELLING: tuple[str, ...] = ("location", "etag", "last-modified", "retry-after")
_HEADERS_OF_A_HEAD = ("content-type", "content-length", "accept-ranges", "cache-control")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tool:
    """The facts of a tool that decide how its answers are shown."""

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
    if answer.content and answer.status in (201, 202):
        blocks += _follow_up(answer, settings)
    if not facts.structured:
        return blocks, None
    if data is None and not answer.content:
        return blocks, {}
    if isinstance(data, dict) and not facts.wrapped:
        return blocks, data
    return blocks, {"result": data}


def _content(answer: Answer[Any], facts: _Tool, settings: Settings) -> tuple[list[Block], Any]:
    """The blocks, and the data of the structured content."""
    if not answer.content:
        return [_text(_without_content(answer, settings))], None
    if answer.data is not None:
        return _as_data(answer, facts, settings)
    if answer.is_json:
        if answer.content.strip() == b"null":
            return _as_data(answer, facts, settings)
        return _as_text(answer, facts, settings, "text that says it is JSON and is not")
    if answer.text is None:
        return _as_binary(answer, settings)
    if answer.media_type in ("text/plain", *UNTYPED):
        return _as_text(answer, facts, settings, "")
    return _as_text(answer, facts, settings, answer.media_type)


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
    next_page = _next_page(answer, settings)
    if next_page:
        blocks.append(_text(next_page))
    return blocks, data


def _as_text(
    answer: Answer[Any], facts: _Tool, settings: Settings, label: str
) -> tuple[list[Block], Any]:
    """The text, after a line with `label` if there is one."""
    raw = answer.text
    if raw is None:
        raw = decode(answer.content, "utf-8")
    limit = settings.max_result_chars
    # Cut before cleaning: twice the limit leaves room for what redaction takes away
    text = visible(settings.redactor(raw[: limit * 2]))
    excerpt = text[:limit]
    blocks = []
    if label:
        blocks.append(
            _text(f"The API answered {answer.status} with {label}, {len(raw):,} characters:")
        )
    blocks.append(_text(excerpt))
    if len(text) > limit or len(raw) > limit * 2:
        cuts = Cuts([("text", len(excerpt), len(raw), "characters")])
        sizes = len(answer.content), len(excerpt.encode())
        blocks.append(_text(_truncated(*sizes, cuts, facts, settings)))
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


def _without_content(answer: Answer[Any], settings: Settings) -> str:
    """A sentence about an answer without content, with its most useful header fields."""
    text = f"Done: the API answered {status_text(answer.status)} with no content"
    names = _HEADERS_WORTH_TELLING
    if answer.method == "HEAD":
        names += _HEADERS_OF_A_HEAD
    fields = [f"{name}: {answer.headers[name][:200]}" for name in names if name in answer.headers]
    if fields:
        text += f" ({'; '.join(fields)})"
    return visible(settings.redactor(text))


def _follow_up(answer: Answer[Any], settings: Settings) -> list[Block]:
    """Where the result is or will be, and when (RFC 9110 sections 10.2.2 and 10.2.3)."""
    names = [name for name in ("location", "retry-after") if name in answer.headers]
    if not names:
        return []
    fields = "; ".join(f"{name}: {answer.headers[name][:200]}" for name in names)
    return [_text(visible(settings.redactor(f"[{status_text(answer.status)}; {fields}]")))]


def _next_page(answer: Answer[Any], settings: Settings) -> str:
    """The next page that a `Link: <...>; rel="next"` field (RFC 8288) announces, as arguments; the
    link is not followed.
    """
    link = _NEXT_LINK.search(answer.headers.get("link", "")[:8192])
    if link is None:
        return ""
    pairs = parse_qsl(urlsplit(link[1]).query)[:20]
    arguments = ", ".join(
        f"`{key}` = `{value[:200]}`" for key, value in pairs if key.lower() in _MORE | _FEWER
    )
    if not arguments:
        return "[there is a next page]"
    return visible(settings.redactor(f"[there is a next page: {arguments}]"))


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


def _named(facts: _Tool, words: frozenset[str]) -> list[str]:
    """The arguments whose name, or its last word, is one of the words: `pageSize`, `book_limit`."""
    return [f"`{name}`" for name in facts.arguments if not words.isdisjoint(_spellings(name))]


def _spellings(name: str) -> tuple[str, str, str]:
    """A name as `page_size` and `pagesize`, and its last word."""
    snake_case = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).replace("-", "_").lower()
    return snake_case, snake_case.replace("_", ""), snake_case.rpartition("_")[2]


def _text(text: str) -> Block:
    return {"type": "text", "text": text}
