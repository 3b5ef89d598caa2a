"""HTTP side as the MCP side sees it: an answer of the API becomes MCP content blocks (plain dicts,
as on the wire) and structured content.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import importlib
import json
import logging
import mimetypes
import os
import re
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

import anyio.to_thread

from ..arguments.checker import BODY, misfits, without_misfits
from ..log import event
from ..results import MAX_DEPTH, NOTE, PART, Sieve, TooDeep, compact, fold, visible, withheld
from ..results.answer import (
    LARGE,
    NEXT_PAGE,
    UNTYPED,
    Answer,
    Cuts,
    Part,
    beginning,
    decode,
    fit,
    lines_of_json,
    looks_like_text,
    part_of,
    selected,
    tokens,
)
from ..results.content import (
    Audio,
    Block,
    Call,
    Context,
    Image,
    Resource,
    ResourceLink,
    Text,
    picture,
)
from ..secrets import caller_now, masks_now
from . import ApiError, BadStatus
from .api import Api, progress
from .report import is_page, quoted, report_error, status_text
from .resilience import taken_now
from .settings import ApiSettings, ListAnswer, Shaping

logger = logging.getLogger(__name__)

lists: Any = None
with contextlib.suppress(ModuleNotFoundError):  # servers whose answers hold no lists
    lists = importlib.import_module("..results.lists", __package__)

MAX_FIELD = 500
"""Characters of a header field that are told."""

MANY_NULLS = 10
"""Fields that are null from which on they are left out, with a note: fewer may say something."""

FRAME = 20
"""Tokens of what is around data: the name of notes, the heading of a text."""
_NO_LIST = ListAnswer()
_AS_IT_IS = Shaping()

_IMAGES = frozenset("image/png image/jpeg image/jpg image/gif image/webp".split())
_XML = ("/xml", "+xml")
_MEDIA_TYPE = re.compile(r"[a-z0-9!#$&^_.+-]+/[a-z0-9!#$&^_.+-]+")

_NARROWER = frozenset(
    "fields select include filter filters q query search expand view projection columns".split()
)
_HEADERS_TOLD: dict[int | str, tuple[str, ...]] = {
    "": ("location", "etag", "last-modified", "retry-after"),
    "HEAD": ("content-type", "content-length", "accept-ranges", "cache-control"),
    "OPTIONS": ("allow", "accept-patch", "accept-post", "accept-query"),
    201: ("location", "retry-after"),
    202: ("location", "retry-after"),
    206: ("content-range",),
}
"""Header fields that are told: of an answer without content and of that of a method, and, by
status, of one that has content (RFC 9110 sections 10.2.2 and 10.2.3).
"""
MAX_PIXELS = 8_000
"""Width or height of an image that models take; a larger one ends a conversation."""
MAX_IMAGE = 3_900_000
"""Bytes of such an image: 5 MiB as base64."""
_SIZES: tuple[tuple[Literal["big", "little"], int, bytes], ...] = (
    ("big", 0, rb"\x89PNG.{12}(.{4})(.{4})"),
    ("big", 0, rb"\xff[\xc0-\xcf]...(..)(..)"),
    ("little", 0, rb"GIF8.a(..)(..)"),
    ("little", 1, rb"RIFF.{8}VP8X.{8}(...)(...)"),
    ("little", 0, rb"RIFF.{8}VP8 .{10}(..)(..)"),
)
"""Order of the bytes of width and height, what they lack, and where they are (RFC 9649, ITU-T
T.81 section B.2.2).
"""
_SEGMENT = re.compile(rb"\xff+([^\xff])(..)", re.DOTALL)
_NO_FRAMES = b"\xc4\xc8\xcc"
"""JPEG markers numbered like frames that begin tables instead."""

WITHOUT_CONTENT = (400, 411, 415, 422)
"""Statuses by which APIs answer a request whose body is missing."""


@contextlib.contextmanager
def taking() -> Iterator[None]:
    """Give back, when the block ends, what was taken of each `Room` in it."""
    taken: Counter[Any] = Counter()
    token = taken_now.set(taken)
    try:
        yield
    finally:
        taken_now.reset(token)
        for room, amount in taken.items():
            room.give_back(amount)


def side_of(app: Any) -> HttpSide:
    """Return the HTTP side of a server (`app.App`), with its `auth.py` and its sender, if any."""
    settings = app.settings()
    if app.front is not None:
        settings = app.front.settings(settings)
    side = HttpSide(settings, app.home.module("auth") if app.home.has("auth") else None)
    if app.sender is not None:
        side.api.send_by(app.sender)
    return side


class HttpSide:
    """API behind a server, and its answers and errors as results."""

    def __init__(self, settings: ApiSettings, auth: Any) -> None:
        """Make the `Api`. `auth` is the module `auth.py` of the server's package, or None."""
        self.api = Api(settings, auth)

    async def result(
        self, tool: Mapping[str, Any], call: Call, answer: Answer[Any]
    ) -> dict[str, Any]:
        """Return an answer as a result that fits the output schema, if any. Raises BadStatus."""
        chosen = {**call.context.reading, **call.arguments}
        given = (answer, tool, chosen, call.context.remarks)
        if len(answer.content) < LARGE:
            content, structured = self.content(*given)
        else:
            content, structured = await anyio.to_thread.run_sync(self.content, *given)
        result: dict[str, Any] = {"content": content}
        if structured is not None:
            result["structuredContent"] = structured
        return result

    def content(
        self,
        answer: Answer[Any],
        tool: Mapping[str, Any],
        call: Mapping[str, Any],
        remarks: Sequence[str],
    ) -> tuple[list[Block], dict[str, Any] | None]:
        """Return content blocks, and structured content or, for a tool without an output schema,
        None. Raises BadStatus for an answer that reports a failure whatever its status.
        """
        if says_failed(answer, tool.get("outputSchema") is not None):
            error = BadStatus(answer)
            error.method, error.path = answer.method, answer.path
            raise error
        reason = ""
        if logger.isEnabledFor(logging.INFO):
            reason = difference(answer, tool, self.api.settings)
        if reason:
            event("info", "answer_differs", tool=tool.get("name"), reason=reason)
        return content_of(answer, tool, self.api.settings, call, remarks)

    def report(
        self, error: ApiError, tool: Mapping[str, Any], arguments: Mapping[str, Any]
    ) -> tuple[list[Block], int | str]:
        """Return a failed request as content blocks, and its status for the log."""
        blocks = report_error(error, self.api.settings)
        if error.status in WITHOUT_CONTENT:
            blocks += _left_out(tool["inputSchema"], arguments)
        return blocks, error.status

    def begun(self, context: Context) -> Api:
        """Return the `Api` for a function of this call. Requests from now on are made on the
        caller's behalf, and report that they are waiting, if the caller asked for it.
        """
        if taken_now.get() is None:
            context.end.enter_context(taking())
            masks_now.set(None)  # not at each step of a workflow: its result holds them all
        caller_now.set(context.caller)
        if self.api.credentials.forwarding is not None:
            self.api.credentials.forwarding.begin(context.request)
        if context.wanted:
            progress.set(context.say)
        else:
            progress.set(None)
        return self.api

    async def aclose(self) -> None:
        """Close every connection."""
        await self.api.aclose()


def _left_out(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> list[Block]:
    """Return a block for an optional body that was not given and has required fields; else none."""
    blocks = []
    for name in {*BODY} - arguments.keys() - {*schema.get("required", ())}:
        needs = schema.get("properties", {}).get(name, {}).get("required", ())
        if needs:
            fields = " and ".join(f"`{field}`" for field in needs[:10])
            text = f"`{name}` was not given: the API may need it after all, and it needs {fields}"
            blocks.append(Text(text).block())
    return blocks


def says_failed(answer: Answer[Any], is_json: bool) -> bool:
    """Return whether an answer reports a failure whatever its status:

    * `ok` false and a text `error`, as in Slack,
    * `errors` with `data` null (GraphQL: or absent),
    * an HTML page instead of JSON (`is_json`).
    """
    if answer.data is None:
        return is_page(answer) if is_json else False
    data = answer.data if isinstance(answer.data, dict) else {}
    if data.get("ok") is False:
        return isinstance(data.get("error"), str)
    # Elsewhere a list of errors alone may be what was asked for
    held = data.get("data", None if Path(answer.path).stem.endswith("graphql") else ())
    return bool(data.get("errors")) if held is None else False


def difference(answer: Answer[Any], tool: Mapping[str, Any], settings: ApiSettings) -> str:
    """Explain how an answer differs from what the document says of it, as far as the server knows
    that: JSON, an object or not, the types of its fields (in the profile `rich`), the place of its
    list. Empty without a difference, without content, or without an output schema.
    """
    name, data, output = str(tool.get("name", "")), answer.data, tool.get("outputSchema")
    if output is None or answer.content.strip() in (b"", b"null"):
        return ""
    if data is None:
        return "it is not JSON"
    if name in settings.wrapped:
        return "it is an object" if isinstance(data, dict) else ""
    return _wrong_fields(data, output) or _without_list(data, settings.lists.get(name, _NO_LIST))


def _wrong_fields(data: Any, output: Mapping[str, Any]) -> str:
    if "properties" in output and not isinstance(data, dict):
        return "it is no object"
    wrong = [f"`{name}`" for name in misfits(data, output)]
    return f"these are of other types: {', '.join(wrong)}" if wrong else ""


def _without_list(data: Any, listing: ListAnswer) -> str:
    for key in listing.items or ():
        data = data.get(key) if isinstance(data, dict) else None
    if listing.items is None or isinstance(data, list):
        return ""
    return f"it has no list at `{'.'.join(listing.items)}`"


def content_of(
    answer: Answer[Any],
    tool: Mapping[str, Any],
    settings: ApiSettings,
    call: Mapping[str, Any],
    remarks: Sequence[str] = (),
) -> tuple[list[Block], dict[str, Any] | None]:
    """Return an answer as content blocks, and as structured content; None instead of this for a
    tool (as listed) without an output schema. `call` has the arguments, `remarks` are on these.

    Structured content is the JSON object itself, or `{"result": ...}` around anything else; `{}`
    for no content. Notes are in both, so that a client may show a model either.
    """
    if answer.content == BOM_UTF8:
        answer = dataclasses.replace(answer, content=b"")
    view = _View(answer, tool, settings, call)
    try:
        show = view.content()
        texts, data, notes = view.within_limit(show, remarks)
    except (RecursionError, TooDeep, ValueError):
        show = view.text("JSON that is nested too deeply, or has too large a number")
        texts, data, notes = view.within_limit(show, remarks)
    blocks = [
        {"type": "text", "text": each} if isinstance(each, str) else each
        for each in (*texts, *notes)
        if each
    ]
    if tool.get("outputSchema") is None:
        return blocks, None
    if settings.bare:
        notes = []
    else:
        data = _exact(data, tool["outputSchema"], blocks[0].get("text", ""))
    structured = {"result": data}
    if data is None and not answer.content:
        structured, notes = {}, [*map(str, texts), *notes]
    elif tool.get("name") not in settings.wrapped:
        whole = data if isinstance(data, dict) else structured
        structured = without_misfits(whole, tool["outputSchema"])
        if len(structured) < len(whole):
            notes = [*notes, f"{MISFITS}: {', '.join(sorted(whole.keys() - structured.keys()))}"]
    return blocks, noted(structured, notes) if notes else structured


NOTES = "server_notes"
"""Key of structured content under which the server says what it cut, and how to get the rest.
"""


def noted(structured: dict[str, Any], notes: list[str]) -> dict[str, Any]:
    """Return structured content with notes under `server_notes`, or that with `_` if it has the
    key: clients that show a model structured content alone would hide what a text beside it says.
    """
    key = NOTES
    while key in structured:
        key += "_"
    return {**structured, key: notes}


def _nulls(value: Any) -> int:
    """Count the fields of objects that are null, at any depth; items of lists do not count."""
    if isinstance(value, list):
        return sum(map(_nulls, value))
    if isinstance(value, dict):
        return list(value.values()).count(None) + _nulls(list(value.values()))
    return 0


MISFITS = "Fields of other types than the output schema says, in the text alone"
_BEYOND = re.compile(r"[0-9]{16}")


def _exact(data: Any, schema: Mapping[str, Any], text: str) -> Any:
    """Return data with integers from 2**53 on as texts, which programs in JavaScript do not round
    (RFC 8259 section 6); unchanged if the output schema has numbers. `text`: the data as JSON.
    """
    if not _BEYOND.search(text) or re.search('"(integer|number)"', compact(schema)):
        return data
    return _with_texts(data)


def _with_texts(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _with_texts(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_with_texts(item) for item in value]
    return str(value) if isinstance(value, int) and abs(value) >= 2**53 else value


Shown = tuple[list[str | Block], Any, list[str]]
"""Texts and blocks, the data of the structured content, and notes, which belong to both; empty
texts are not shown.
"""
Show = Callable[[int], Shown]
"""Shows an answer in at most about the given number of tokens, without notes."""
ROOM_OF_NOTES = 4
"""A note takes at most one token in `ROOM_OF_NOTES` of the limit."""


class _View:
    """An answer as a model sees it: the facts of its tool and of the call decide what is shown."""

    def __init__(
        self,
        answer: Answer[Any],
        tool: Mapping[str, Any],
        settings: ApiSettings,
        call: Mapping[str, Any],
    ) -> None:
        name = str(tool.get("name", ""))
        self._settings = settings
        self._call = call
        self._reads = tool.get("annotations", {}).get("readOnlyHint") is True
        self._arguments = tuple(tool.get("inputSchema", {}).get("properties", {}))
        self._listing = settings.lists.get(name, _NO_LIST)
        self._chooser = self._listing.fields or self._listing.asked
        """Argument that chooses the fields of items; empty if there is none."""
        self._shaping = settings.answers.get(name, _AS_IT_IS)
        self._withheld = withheld((*settings.redact, *self._shaping.redact))
        self._headers = settings.answer_headers.get(name, ())
        self._answer = answer

    def within_limit(self, show: Show, remarks: Sequence[str]) -> Shown:
        """Return what `show` shows, with all notes and remarks in at most the limit of tokens."""
        limit = self._settings.max_result_tokens * 15 // 16  # tokens are estimated
        known = [self.said_in_headers() if self._answer.content else "", *remarks]
        room, notes = limit, []
        for _ in range(2):
            texts, data, own = show(room)
            notes = [beginning(note, limit // ROOM_OF_NOTES) for note in (*own, *known) if note]
            taken = tokens(compact(notes), limit) + FRAME if notes else 0
            text = "".join(each for each in texts if isinstance(each, str))
            if taken + tokens(text, limit) <= limit:
                break
            room = max(limit // 4, limit - taken)
        return texts, data, notes

    def content(self) -> Show:
        """Return a `Show` of the content. Raises TooDeep, ValueError or RecursionError."""
        answer = self._answer
        if not answer.content:
            sentence = self._without_content()
            return lambda _: ([sentence], None, [])
        if answer.media_type.endswith(_XML if self._shaping.xml else ()):
            # Only servers that read XML have this module and its library
            xml_data = importlib.import_module("..results.xml_data", __package__)
            answer = dataclasses.replace(answer, data=xml_data.data_of_xml(answer.content))
        if answer.data is not None:
            return self._data(answer.data)
        if answer.is_json:
            if answer.content.strip() == b"null":
                return self._data(None)
            if lines_of_json(answer.content):
                return self.text("JSON, an object on each line")
            with contextlib.suppress(ValueError):
                json.loads(answer.content)  # raises RecursionError where that is the reason
            return self.text("text that says it is JSON and is not")
        if answer.text is None:
            return self._binary()
        if answer.media_type in ("text/plain", *UNTYPED):
            return self.text("")
        return self.text(answer.media_type)

    def _data(self, data: Any) -> Show:
        """Return a `Show` of JSON: one line of text, or a table, cut where the structure allows."""
        readable = self._settings.readable if self._settings.redactor.is_needed else visible
        received = self._withheld.without(data, readable, MAX_DEPTH)
        whole, remark, is_long = self._selected(received)
        nulls = 0 if is_long else _nulls(whole)
        if nulls > MANY_NULLS and self._chooser not in self._call:
            whole = Sieve(strip_nulls=True).of(whole)
            remark += f"[{nulls} fields that are null are left out]"
        part, wanted = Part(whole), self._call.get(PART)
        if wanted:
            found = part_of(whole, wanted)
            if found is None:
                remark += f"[the answer has no part `{wanted[:100]}`; here it is from its start]"
            else:
                is_long &= found.place == self._place
                part = found
        return partial(self._fitted, received, part, remark, is_long)

    def _fitted(self, received: Any, part: Part, remark: str, is_long: bool, room: int) -> Shown:
        path, place, whole = self._listing.items, self._place, part.data
        cuts, data = Cuts(), whole
        if is_long:
            items = lists.items_of(whole, path)
            cuts = Cuts(rows=place, narrow=lists.narrowed)
            brief = [lists.telling(item) if isinstance(item, dict) else item for item in items]
            data = lists.replaced(whole, path, brief)
        text, data, cuts = fit(data, room, cuts)
        if self._shaping.table and lists.items_of(data, path):
            # Only servers with such answers have this module
            tables = importlib.import_module("..results.table", __package__)
            text = tables.with_rest(data, path)
        notes = [remark]
        if cuts.rows is not None:
            notes.append(lists.left_out(items, lists.items_of(data, path), self._listing))
        kept = cuts.kept_items(place)
        if cuts.items:
            total = len(compact(whole).encode())
            rest = self._rest(received, kept, part, cuts)
            notes.append(_truncated(total, len(text.encode()), cuts, rest))
        if kept is None:
            notes.append(self._next_page(received))
        return [text], data, notes

    @property
    def _place(self) -> str:
        """Dotted path of the list in the answer; empty for a list at the root, or none."""
        return ".".join(self._listing.items or ())

    def _selected(self, data: Any) -> tuple[Any, str, bool]:
        """Return the data with the fields that this server and the call chose, a remark on fields
        that no item has (or ""), and whether items are to be shortened: whole they are many words.
        """
        shaping, listing = self._shaping, self._listing
        if any((shaping.keep, shaping.drop, shaping.strip_nulls)):
            data = selected(data, shaping.keep, shaping.drop)
            data = Sieve(strip_nulls=shaping.strip_nulls).of(data)
        if not self._chooser:
            return data, "", False
        items = lists.items_of(data, listing.items)
        names = self._call.get(self._chooser, ()) if items else (lists.ALL,)
        if listing.asked:  # and the API chose
            names = [lists.ALL for _ in names]
        if lists.ALL in names:
            return data, "", False
        unknown = [name for name in names if not any(lists.has(item, name) for item in items)]
        remark = ""
        if unknown:
            known = quoted(lists.names_in(items)[:60])
            missing = quoted([name[:100] for name in unknown[:10]])
            remark = f"[no item has {missing}; the fields of items are {known}]"
        if len(unknown) < len(names):
            return lists.replaced(data, listing.items, selected(items, names)), remark, False
        return data, remark, len(compact(items)) > lists.SMALL

    def text(self, label: str) -> Show:
        """Return a `Show` of the text, or the part asked for, after a line with `label`."""
        answer = self._answer
        raw = decode(answer.content, "utf-8") if answer.text is None else answer.text
        part = None
        most = self._settings.max_result_tokens * 25
        if PART in self._call:
            part = part_of(self._settings.readable(raw), self._call[PART])
        # Cut before cleaning: a token has few more than twelve characters, and redaction takes some
        text = self._settings.readable(raw[:most] if part is None else raw)
        if self._withheld.named_in(text):
            text = f"The API's answer is {NOTE}"
            return lambda _: ([text], text, [])
        heading = f"The API answered {answer.status} with {label}, {len(raw):,} characters:"
        total = len(raw)
        if part is None:
            part = Part(text)
        if len(raw) <= most or part.start:
            total = len(part.data)
        return partial(self._beginning, heading if label else "", part, total)

    def _beginning(self, heading: str, part: Part, total: int, room: int) -> Shown:
        """Show the beginning of a text of `total` characters, whole lines where they are short."""
        answer, text = self._answer, part.data
        excerpt = beginning(text, room - (FRAME if heading else 0))
        if len(excerpt) < len(text):
            excerpt = _whole_lines(excerpt)
        notes = []
        if not text:
            since = f" from character {part.start:,} on" if part.start else ""
            notes.append(f"[there is no text{since}]")
        if len(excerpt) < total:
            cuts = Cuts([("", len(excerpt), total, "characters")])
            sizes = len(answer.content), len(excerpt.encode())
            ways = self._on(part, cuts)
            notes.append(_truncated(*sizes, cuts, ways + self._narrower(is_last=not ways)))
        if answer.incomplete:
            notes.append(f"[truncated: true. This is not all of it: {answer.incomplete}]")
        return [heading, excerpt], excerpt, notes

    def _binary(self) -> Show:
        """Return a `Show` of bytes: an image, a sound, an embedded resource, a saved file, or a
        note. Of an image the bytes say what it is, whatever its label.

        The data of the structured content is the note: media type, size and digest.
        """
        content = self._answer.content
        media_type = picture(content) or self._answer.media_type
        if media_type in _IMAGES and not picture(content):
            if looks_like_text(content):
                return self.text(f"{media_type} that is text")
            media_type = ""
        digest = hashlib.sha256(content).hexdigest()
        if not _MEDIA_TYPE.fullmatch(media_type):
            media_type = "application/octet-stream"
        note = f"The API answered with {media_type}, {len(content):,} bytes (sha256 {digest})"
        if media_type in _IMAGES and too_large(content):
            note += ", an image of more pixels or bytes than a model takes"
            media_type = "application/octet-stream"
        texts = self._file(note, media_type, digest)
        return lambda _: (texts, note, [])

    def _file(self, note: str, media_type: str, digest: str) -> list[str | Block]:
        """Return bytes as texts and blocks: an image or sound alone, another file after the note.
        Past `MAX_BINARY_BYTES` it is the note, with a link if the file could be saved.
        """
        content = self._answer.content
        if len(content) > self._settings.max_binary_bytes:
            link = _saved(content, media_type, digest, self._settings)
            if link is not None:
                return [f"{note}, saved to a file", link]
            limit = f"`{self._settings.variable('MAX_BINARY_BYTES')}`"
            return [f"{note}, which is more than is passed on ({limit})"]
        if media_type in _IMAGES:
            return [Image(content, media_type).block()]
        if media_type.startswith("audio/"):
            return [Audio(content, media_type).block()]
        return [note, Resource(f"urn:sha256:{digest}", content, media_type).block()]

    def _without_content(self) -> str:
        """Return a sentence on an answer without content, with useful header fields."""
        answer = self._answer
        names = _HEADERS_TOLD[""] + _HEADERS_TOLD.get(answer.method, ())
        fields = self._fields(names + self._headers)
        done = "Done: the" if answer.status < 300 else "The"
        text = f"{done} API answered {status_text(answer.status)} with no content"
        return self._settings.readable(f"{text} ({fields})" if fields else text)

    def said_in_headers(self) -> str:
        """Return an answer's facts besides its content, in brackets: place and time of the result,
        the part that this is, a file name, and fields that the API describes; empty without any.
        """
        answer = self._answer
        of_status = _HEADERS_TOLD.get(answer.status, ())
        names = of_status + self._headers
        if answer.data is None and answer.text is None:
            names = ("content-disposition", *names)
        text = self._fields(names)
        if answer.status in range(300, 400) or (text if of_status else ""):
            text = "; ".join(filter(None, (status_text(answer.status), text)))
        return self._settings.readable(f"[{text}]") if text else ""

    def _fields(self, names: tuple[str, ...]) -> str:
        """Return the header fields of these names as `name: value; ...`, no withheld ones."""
        headers = self._answer.headers
        there = {name: headers[name] for name in names if name in headers}
        told = self._withheld.without(there) if there else there
        return "; ".join(f"{name}: {value[:MAX_FIELD]}" for name, value in told.items())

    def _next_page(self, data: Any) -> str:
        """Return a note with the arguments for the next page, or that it is unknown; or ""."""
        headers = self._answer.headers
        if self._listing is _NO_LIST and headers.keys().isdisjoint(("link", *NEXT_PAGE)):
            return ""
        if lists is None:
            return ""
        part = lists.next_part(self._listing, data, headers, self._call, self._arguments)
        if part is None:
            return ""
        if not part:
            return "[there may be more; nothing says how to ask for it]"
        return self._settings.readable(f"[there is a next page: {_assigned(part)}]")

    def _rest(self, received: Any, kept: int | None, part: Part, cuts: Cuts) -> list[str]:
        """Return the ways to what was cut from data, as texts, the best first. `kept` is the number
        of items that are left of the list, None if it was not shortened.
        """
        ways = []
        listing = self._listing
        following: dict[str, Any] = {}
        count = 0 if part.start else kept
        if count and listing.next:
            items = lists.items_of(received, listing.items)
            following = lists.after(listing, received, items, count, self._call)
        if following:
            ways.append(f"ask on with {_assigned(following)}")
        else:
            ways += self._on(part, cuts)
        if not following and listing.size:
            way = f"set `{listing.size}` to {f'{kept} or less' if kept else 'less'}"
            if listing.next and kept:
                way += f", then ask for the next part with `{listing.next}`"
            ways.append(way)
        if self._chooser and kept is not None:
            ways.append(f"name the fields you need in `{self._chooser}`")
        return ways + self._narrower(is_last=not ways)

    def _on(self, part: Part, cuts: Cuts) -> list[str]:
        """Return a way, as one text: the values of `answer_part` for the rest at each cut; none if
        a call may change things, or the tool does not list that argument.
        """
        if not self._reads or PART not in self._arguments:
            return []
        ways = [part.following(place, kept) for place, kept, _, _ in cuts.items[:3]]
        return [f"call again with `{PART}` = {' or '.join(f'`{way}`' for way in ways)}"]

    def _narrower(self, is_last: bool = True) -> list[str]:
        """Return a way: arguments that narrow the answer, or, if the tool has none and `is_last`,
        the operator's remedy; else none.
        """
        names = [name for name in self._arguments if fold(name) in _NARROWER]
        names = [f"`{name}`" for name in names if name != self._chooser]
        if names:
            return [f"ask for less with {' or '.join(names[:3])}"]
        variable = self._settings.variable("MAX_RESULT_TOKENS")
        return [f"the operator can raise `{variable}`"] if is_last else []


def _saved(content: bytes, media_type: str, digest: str, settings: ApiSettings) -> Block | None:
    """Save bytes to a file named by their digest, and return a link block; None if that fails."""
    if settings.save_dir is None:
        return None
    extension = mimetypes.guess_extension(media_type) or ".bin"
    path = settings.save_dir / f"{settings.name}-{digest[:16]}{extension}"
    is_begun = False
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
        with os.fdopen(os.open(path, flags, 0o600), "wb") as stream:
            is_begun = True
            stream.write(content)
    except FileExistsError:
        if not _holds(path, content):
            return None
    except OSError as error:
        logger.warning("an answer could not be saved: %s", error.strerror)
        with contextlib.suppress(OSError):
            if is_begun:
                path.unlink()  # a part of it, on a full disk
        return None
    link = ResourceLink(path.as_uri(), path.name, media_type=media_type, size=len(content))
    return link.block()


def _holds(path: Path, content: bytes) -> bool:
    """Return whether a path is a file, and no link, with these bytes."""
    try:
        return not path.is_symlink() and path.read_bytes() == content
    except OSError:
        return False


def too_large(data: bytes) -> bool:
    """Return whether a picture is more than models take, by its bytes or its width and height."""
    if len(data) > MAX_IMAGE:
        return True
    if data.startswith(b"RIFF") and data[12:16] == b"VP8L":
        packed = int.from_bytes(data[21:25], "little")
        return max(packed & 0x3FFF, packed >> 14 & 0x3FFF) >= MAX_PIXELS
    for order, lack, pattern in _SIZES:
        found = re.match(pattern, _frame(data), re.DOTALL)
        if found:
            longest = max(int.from_bytes(each, order) for each in found.groups())
            return longest + lack > MAX_PIXELS
    return False


def _frame(data: bytes) -> bytes:
    """Return the first frame of a JPEG, empty without any; any other picture unchanged."""
    at = 2 * data.startswith(b"\xff\xd8")
    while at:
        segment = _SEGMENT.match(data, at)
        if segment is None:
            return b""
        at = segment.start(1) - 1
        if 0xC0 <= segment[1][0] <= 0xCF and segment[1] not in _NO_FRAMES:
            return data[at : at + 16]
        at += 2 + max(2, int.from_bytes(segment[2], "big"))
    return data


def _assigned(arguments: Mapping[str, Any]) -> str:
    return ", ".join(f"`{name}` = `{value}`" for name, value in arguments.items())


def _whole_lines(text: str) -> str:
    """Return a text up to its last line break; unchanged if that would halve it."""
    end = text.rfind("\n") + 1
    return text[:end] if end > len(text) // 2 else text


def _truncated(total: int, returned: int, cuts: Cuts, rest: list[str]) -> str:
    """Return the last line of a shortened answer: its sizes, the cuts, and how to get the rest."""
    return (
        f"[truncated: true, bytes_total: {total}, bytes_returned: {returned}. "
        f"{cuts.say()}. To get the rest: {'; '.join(rest)}]"
    )
