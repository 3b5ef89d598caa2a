"""What comes back: an HTTP answer, and what the model gets to see of it.

`content_of` turns an answer into MCP content blocks (plain dicts, as on the wire) and structured
content, and `report_error` a failure into blocks that say what happened and what to do next.
Neither raises because of what an API sent.
"""

from __future__ import annotations

import base64
import codecs
import dataclasses
import hashlib
import html
import json
import logging
import mimetypes
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from http import HTTPStatus
from typing import Any, Generic, TypeVar
from urllib.parse import parse_qsl, urlsplit

from ..results.shorten import Cuts, TooDeep, clean, compact, fit, shape, visible
from ..settings import Settings
from .errors import ApiError, BadAnswer, BadStatus, MissingCredential, Refused
from .limits import retry_after

T = TypeVar("T")
Block = dict[str, Any]
"""A content block as it stands on the wire (MCP, `ContentBlock`)."""

MAX_ERROR = 4 * 1024
STREAMS = frozenset(
    (
        "text/event-stream application/x-ndjson application/ndjson application/jsonl"
        " application/x-jsonl application/json-lines application/json-seq application/stream+json"
    ).split()
)
"""Media types of answers that may have no end."""

logger = logging.getLogger(__name__)

_UNTYPED = ("", "application/octet-stream", "binary/octet-stream")
# Names under which servers that do not care send their JSON
_MISNAMED = (*_UNTYPED, "text/plain", "text/html", "text/javascript", "application/javascript")
_IMAGES = frozenset("image/png image/jpeg image/gif image/webp".split())
_TEXTS = re.compile(
    r"text/.*|.*[+/](xml|yaml|x-yaml|csv|graphql|sql|javascript|ecmascript|x-sh|toml|x-www-form-urlencoded)|image/svg\+xml"
)
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


@dataclass(frozen=True)
class Answer(Generic[T]):
    """An answer of the API: `data` is its JSON, or None when it is not JSON; `text` is its text, or
    None for bytes.

    `headers` have lower-case names; `path` is the template of the operation, not the URL;
    `incomplete` says why the content is not all of it.
    """

    status: int
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    content: bytes = field(default=b"", repr=False)
    data: T | None = field(default=None, repr=False)
    method: str = ""
    path: str = ""
    incomplete: str = ""

    @property
    def media_type(self) -> str:
        """The media type without parameters, lower-case; empty when there is none."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()[:100]

    @cached_property
    def text(self) -> str | None:
        """The answer as text, or None when its media type is a binary one. Undecodable bytes become
        U+FFFD.
        """
        if self.is_json or self.media_type in STREAMS or _TEXTS.fullmatch(self.media_type):
            return _decoded(self.content, self._charset)
        if self.media_type in _UNTYPED and _looks_like_text(self.content):
            return _decoded(self.content, self._charset)
        return None

    @property
    def is_json(self) -> bool:
        """Whether the media type is a JSON one (RFC 8259, RFC 6839 section 3.1)."""
        return self.media_type.endswith(("/json", "+json", "/x-json", "/vnd.api+json"))

    @property
    def _charset(self) -> str:
        found = re.search(r'charset="?([\w.:-]{1,40})', self.headers.get("content-type", ""), re.I)
        return found[1] if found else "utf-8"


def parsed(answer: Answer[Any]) -> Answer[Any]:
    """The answer with its `data`, if its content is JSON by name, or an object or array whatever
    its name.
    """
    by_nature = answer.media_type in _MISNAMED and answer.content[:64].lstrip()[:1] in (b"{", b"[")
    if not answer.content or not (answer.is_json or answer.media_type == "" or by_nature):
        return answer
    try:
        # RFC 8259 section 8.1 says UTF-8; a byte order mark and UTF-16 are read anyway
        text = answer.content.decode(json.detect_encoding(answer.content[:4]))
        return dataclasses.replace(answer, data=json.loads(text, parse_constant=_not_json))
    except (ValueError, RecursionError):
        return answer


def _not_json(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _decoded(content: bytes, charset: str) -> str:
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if content.startswith(mark):
            content, charset = (
                (content[3:], encoding) if encoding == "utf-8" else (content, encoding)
            )
    try:
        if not codecs.lookup(charset)._is_text_encoding:
            charset = "utf-8"
        return content.decode(charset, "replace")
    except (LookupError, UnicodeError):
        return content.decode("utf-8", "replace")


def _looks_like_text(content: bytes) -> bool:
    head = content[:4096]
    if b"\0" in head:
        return False
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return True


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
        label = "" if answer.media_type in ("text/plain", *_UNTYPED) else answer.media_type
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
    raw = answer.text if answer.text is not None else _decoded(answer.content, "utf-8")
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
    text = f"Done: the API answered {_status(answer.status)} with no content"
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


def report_error(
    error: BaseException, settings: Settings, given: Iterable[str] = ()
) -> list[Block]:
    """A failure as content blocks: what happened, what the API said, and what to do next.

    `given` are the names of the arguments of the call. Anything but an ApiError is a fault of this
    server, and its text stays in the log.
    """
    if not isinstance(error, ApiError):
        return [_text(f"This server failed ({type(error).__name__}); its log says more")]
    if isinstance(error, BadStatus):
        lines = _bad_status(error, settings, tuple(given) or error.arguments)
    else:
        lines = [_headline(error, str(error)), _next_step(error)]
    text = settings.redactor("\n".join(line for line in lines if line))
    return [_text(visible(text)[: MAX_ERROR * 2])]


def _headline(error: ApiError, said: str) -> str:
    call = f"{error.method} {error.path}".strip()
    return f"{call}: {said}" if call else said


def _next_step(error: ApiError) -> str:
    if isinstance(error, MissingCredential):
        return ""
    if isinstance(error, Refused):
        return "Nothing was sent to the API"
    if error.sent and error.method not in ("", "GET", "HEAD", "OPTIONS"):
        return "The API may have carried out the request: check before sending it again"
    if isinstance(error, BadAnswer) and "larger than" in str(error):
        return "Ask for less: a smaller page, a narrower filter or fewer fields"
    return "Try again later; if it stays like this, the operator of this server has to look at it"


def _bad_status(error: BadStatus, settings: Settings, given: tuple[str, ...]) -> list[str]:
    answer = error.answer
    message, detail = _said(answer, settings)
    lines = [
        _headline(
            error,
            f"the API answered {_status(answer.status)}" + (f": {message}" if message else ""),
        )
    ]
    if detail:
        lines.append(f"Answer: {detail}")
    wait = retry_after(answer.headers.get("retry-after"))
    if wait is not None:
        lines.append(f"Retry-After: {wait:.0f} seconds")
    lines.append(_advice(error, answer.status, wait, given, settings))
    return lines


def _status(status: int) -> str:
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)


def _said(answer: Answer[Any], settings: Settings) -> tuple[str, str]:
    """The body's own message, and the rest of the body; each redacted and bounded."""
    if answer.data is not None:
        try:
            data = clean(settings.redactor.data(answer.data))
        except (TooDeep, RecursionError):
            return "", ""
        message = _message(data)
        shown, _ = fit(data, MAX_ERROR)
        text = compact(shown)
        return message[:1024], (
            "" if message and len(text) <= len(message) + 40 else text[:MAX_ERROR]
        )
    if not answer.content:
        return "", ""
    if answer.text is None:
        return "", f"{len(answer.content):,} bytes of {answer.media_type or 'unknown type'}"
    text = answer.text[: MAX_ERROR * 16]
    if "html" in answer.media_type or re.match(r"\s*<(!doctype html|html)", text, re.I):
        text = re.sub(r"(?is)<(script|style|head)\b.*?</\1\s*>|<!--.*?-->", " ", text)
        text = html.unescape(re.sub(r"<[^<>]*>", " ", text))
        text = re.sub(r"\s+", " ", text).strip()
    return "", visible(settings.redactor(text))[:MAX_ERROR]


def _message(data: Any, depth: int = 0) -> str:
    """The message of a common error body: RFC 9457 `title`/`detail`, OAuth, `message`, `error`,
    `errors[]`, ...
    """
    if isinstance(data, str):
        return data.strip()
    if depth > 4:
        return ""
    if isinstance(data, list):
        found = [text for text in (_message(item, depth + 1) for item in data[:10]) if text]
        return "; ".join(dict.fromkeys(found))
    if not isinstance(data, dict):
        return ""
    lower = {key.lower(): item for key, item in data.items()}
    found = []
    for key in (
        "title",
        "error",
        "message",
        "msg",
        "detail",
        "details",
        "error_description",
        "errormessage",
        "reason",
    ):
        text = _message(lower[key], depth + 1) if key in lower else ""
        if text and not any(text in other for other in found):
            found.append(text)
    text = _message(lower.get("errors"), depth + 1)
    if text and not any(text in other for other in found):
        found.append(text)
    place = (
        lower.get("loc")
        or lower.get("field")
        or lower.get("path")
        or lower.get("param")
        or lower.get("pointer")
    )
    if found and isinstance(place, str | list):
        where = ".".join(str(item) for item in place) if isinstance(place, list) else place
        return f"{where}: {': '.join(found)}"
    return ": ".join(found)


def _advice(
    error: BadStatus, status: int, wait: float | None, given: tuple[str, ...], settings: Settings
) -> str:
    """What to do next."""
    variables = " or ".join(f"`{name}`" for name in error.variables)
    sent = ", ".join(f"`{name}`" for name in given[:30])
    if status == 401:
        if variables:
            return (
                "Next: the credential was refused; the operator of this server has to check"
                f" {variables}"
            )
        return (
            "Next: the API wants a credential that its description does not mention; tell the"
            " operator of this server"
        )
    if status == 403:
        which = f" of {variables}" if variables else ""
        return (
            f"Next: the credential{which} does not allow this; use another tool, or ask the"
            " operator for more rights"
        )
    if status in (404, 410):
        names = ", ".join(f"`{name}`" for name in error.path_arguments)
        return (
            f"Next: check {names}: what it names is not there"
            if names
            else "Next: what was asked for is not there"
        )
    if status == 409:
        return "Next: it conflicts with how things are now; read the current state first"
    if status in (400, 413, 415, 422):
        return (
            f"Next: correct the arguments and call again; given were {sent}"
            if sent
            else "Next: give the arguments it asks for"
        )
    if status in (429, 503) or wait is not None:
        return (
            f"Next: wait {wait:.0f} seconds, then call again"
            if wait
            else "Next: wait a moment, then call again"
        )
    if status >= 500:
        again = (
            ""
            if error.method in ("GET", "HEAD", "OPTIONS")
            else "; check first whether it was carried out"
        )
        return f"Next: this is a fault of the API, not of the arguments; try again later{again}"
    return ""


def _text(text: str) -> Block:
    return {"type": "text", "text": text}
