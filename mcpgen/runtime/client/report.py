"""A failed request as content blocks: the failure, the API's message, and the next step."""

from __future__ import annotations

import html
import math
import re
import time
from collections.abc import Iterable, Iterator
from http import HTTPStatus
from typing import Any

from ..facts import SAFE
from ..log import event
from ..results import MAX_DEPTH, NOTE, Shown, compact, withheld
from ..results.answer import Answer, fit
from ..results.content import Block
from . import ApiError, BadStatus, MissingCredential, Refused
from .resilience import LONGEST_WAIT, retry_after, seconds_text
from .settings import ApiSettings

MAX_ERROR = 4 * 1024
MAX_FAULT = 500
"""Characters of a fault of the API that a model gets."""
_TRACE = re.compile(r'\\n|\btraceback\b|"(?:stack\w*|trace)"', re.I)
"""A sign of a stack trace."""
EPOCH = 10**9
"""A number of seconds from here on is a time, not a duration."""
_RATE_WORDS = re.compile(
    r"rate.?limit|too many requests|throttl|quota exceeded|limit exceeded", re.IGNORECASE
)
_MESSAGE_KEYS = (
    "title error message msg detail details errordescription errormessage reason errors".split()
)
"""Without `_` and in lower case."""
_PLACE_KEYS = ("loc", "field", "path", "param", "pointer")
_CHALLENGE = (
    ("Reason", re.compile(r'error_description="([^"]+)"')),
    ("Scope needed", re.compile(r'insufficient_scope.*scope="([^"]+)"')),
)
"""Facts of a `WWW-Authenticate` field (RFC 6750 section 3)."""

_SECRET = re.compile(
    r"pass(word|wd|code|phrase)|secret|token|user_?name|login|(^|_)(otp|pin)$", re.I
)
"""Names of arguments by which a caller logs in."""
_STEPS = {
    402: "Next: the account has to pay for this; tell the user",
    406: "Next: the API does not answer in the types this tool asks for; tell the operator",
    409: "Next: it conflicts with how things are; read the current state first",
    412: "Next: it has changed meanwhile; read it again, then call with what it says now",
    413: "Next: send less: fewer items, or a shorter text or file",
    415: "Next: the API does not take bodies as this tool sends them; tell the operator",
    423: "Next: it is locked; see who holds the lock, or try again later",
    428: "Next: say which state is to be changed: read it, and give its ETag as `If-Match`",
    501: "Next: the API does not do this; use another tool",
}
"""Status -> the next step, for statuses with a fixed next step."""


_GONE_OR_CHANGED = (404, 409, 410, 412)
"""Statuses of a change that was made before."""
_MAY_BE_DONE = "Next: an attempt before may have done it; its answer was lost: see how things are"
_CODE_KEYS = frozenset("code errorcode errortype type reason error status statuscode".split())
"""Without `_` and in lower case."""
_WORD = re.compile(r"\w+")
_SAID = {*_MESSAGE_KEYS, *_PLACE_KEYS, *_CODE_KEYS, "false", "null", "ok", "success", "true"}
"""Words of a body that say nothing beside its message."""
_CODES = tuple(
    (re.compile(rf"(^|[^a-z])({words})([^a-z]|$)", re.I), step)
    for words, step in (
        (
            r"(\w+_)?(log_?in|auth(entication|orization)?|consent|mfa)_?(required|needed|expired)"
            r"|(invalid|expired|revoked)_?(access_?)?(token|grant|credentials)"
            r"|(access_?)?token_?(invalid|expired|revoked)|\w*reauth\w*",
            "Next: a person has to log in or to agree again; tell the user",
        ),
        (
            r"\w*not_?(yet_?)?ready|(\w+_)?(in_?progress|processing)",
            "Next: it is not ready yet; wait a moment, then call again",
        ),
        (
            r"\w*not_?(enabled|supported|available|allowed|permitted|authorized)"
            r"|\w*(permission|access)_?denied|forbidden",
            "Next: this account may not do that; use another tool, or tell the user",
        ),
        (
            r"rate_?limit\w*|too_?many_?requests|\w*throttl\w*",
            "Next: wait a moment, then call again",
        ),
        (
            r"(\w+_)?(down|unavailable|not_?responding|internal_?(server_?)?error)",
            "Next: this is a fault of the API, not of the arguments; try again later",
        ),
    )
)
"""Words of an error's code -> the next step, instead of correcting the arguments."""
_PAGE = (
    "Next: where this is a login page, the operator has to check the credential; else the base URL"
)
_IS_PAGE = {True: " with an HTML page in place of JSON", False: ", and that it failed"}
_FAILED = "Next: correct what its message names, or use another tool"


def report_error(error: ApiError, settings: ApiSettings) -> list[Block]:
    """Return a failed request as one text block, with every secret masked."""
    if isinstance(error, BadStatus):
        lines = _bad_status_lines(error, settings)
    else:
        lines = [_headline(error, str(error)), _next_step(error)]
    text = settings.readable("\n".join(line for line in lines if line))
    return [{"type": "text", "text": text[: MAX_ERROR * 2]}]


def _headline(error: ApiError, text: str) -> str:
    call = f"{error.method} {error.path}".strip()
    if not call:
        return text
    return f"{call}: {text}"


def _next_step(error: ApiError) -> str:
    if isinstance(error, MissingCredential):
        return ""
    if error.sent and error.method not in ("", *SAFE):
        return "The API may have carried out the request: check before sending it again"
    if isinstance(error, Refused):
        return "Nothing was sent to the API"
    return error.advice


def _bad_status_lines(error: BadStatus, settings: ApiSettings) -> list[str]:
    answer = error.answer
    message, detail = _message_and_detail(answer, settings)
    if answer.status >= 500:
        message, detail = _shown_of_fault(message, detail)
    headline = f"the API answered {status_text(answer.status)}"
    if answer.status < 400:
        headline += _IS_PAGE[is_page(answer)]
    if message:
        headline += f": {message}"
    lines = [_headline(error, headline)]
    challenge = answer.headers.get("www-authenticate", "")[:MAX_ERROR]
    for label, pattern in _CHALLENGE:
        lines += [f"{label}: {text}" for text in pattern.findall(challenge)]
    if detail:
        lines.append(f"Answer: {detail}")
    if answer.incomplete:
        lines.append(f"The text of the answer is missing: {answer.incomplete}")
    if all([error.follows_lost, error.method not in SAFE, error.status in _GONE_OR_CHANGED]):
        return [*lines, _MAY_BE_DONE]
    return [*lines, _advice(error, settings)]


def _shown_of_fault(message: str, detail: str) -> tuple[str, str]:
    """Return the message and body of a 5xx answer as the model gets them: the first line of the
    message, else of the body, and an empty text; no stack trace. What is cut is logged.
    """
    shown = (message or detail).partition("\n")[0][:MAX_FAULT]
    if _TRACE.search(shown):
        shown = ""
    if shown != message + detail:
        event("warning", "api_fault", message=message, answer=detail)
    return (shown, "") if message else ("", shown)


def status_text(status: int) -> str:
    """Return a status with its phrase: `404 Not Found`; an unknown status alone."""
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)


def _message_and_detail(answer: Answer[Any], settings: ApiSettings) -> tuple[str, str]:
    """Return the body's own message (JSON alone), and the body if it says more; masked and cut."""
    if answer.data is not None:
        return _from_data(answer.data, answer.status, settings)
    if not answer.content:
        return "", ""
    if answer.text is None:
        return "", f"{len(answer.content):,} bytes of {answer.media_type or 'unknown type'}"
    text = answer.text[: MAX_ERROR * 16]
    if is_page(answer):
        text = text_of_html(text)
    text = settings.readable(text)[:MAX_ERROR]
    if _withheld(settings).named_in(text):
        text = NOTE
    return "", text


def is_page(answer: Answer[Any]) -> bool:
    """Return whether an answer is an HTML page, by its media type or by its content."""
    if answer.data is not None or not answer.text:
        return False
    return "html" in answer.media_type or is_html(answer.text)


def _withheld(settings: ApiSettings) -> Shown:
    """Return a `Shown` without the fields withheld from any tool's results."""
    names = set(settings.redact)
    for shaping in settings.answers.values():
        names.update(shaping.redact)
    shown: Shown = withheld(names)
    return shown


def _from_data(data: Any, status: int, settings: ApiSettings) -> tuple[str, str]:
    try:
        data = _withheld(settings).without(data, settings.readable, MAX_DEPTH)
        text = fit(data, MAX_ERROR)[0]
    except (ValueError, RecursionError):
        return "", ""
    message = _message(data)[:1024]
    said = _WORD.findall(_folded(f"{compact(message)} {status_text(status)}"))
    if _SAID.issuperset({*_WORD.findall(_folded(text))}.difference(said)):
        return message, ""
    return message, text[:MAX_ERROR]


def _message(data: Any, depth: int = 0) -> str:
    """Return the message of an error body: a text, RFC 9457 `title`/`detail`, OAuth, `message`,
    `error`, `errors[]`, ...; else an empty text.
    """
    if isinstance(data, str):
        return data.strip()
    if depth > 4:
        return ""
    if isinstance(data, list):
        return "; ".join(_messages(data[:10], depth))
    return _message_of_object(data, depth) if isinstance(data, dict) else ""


def _message_of_object(data: dict[str, Any], depth: int) -> str:
    members = {_folded(key): item for key, item in data.items()}
    if _has_texts_of_fields(members):
        return "; ".join(_of_fields(data, depth + 1))
    by_field = members.pop("errors") if _is_by_field(members.get("errors")) else {}
    texts = _messages((members.get(key) for key in _MESSAGE_KEYS), depth)
    texts += filter(None, ["; ".join(_of_fields(by_field, depth + 1))])
    message = ": ".join([*(text.rstrip(".") for text in texts[:-1]), *texts[-1:]])
    place = next(filter(None, map(members.get, _PLACE_KEYS)), "")
    if isinstance(place, list):
        place = ".".join(map(str, place))
    return f"{place}: {message}" if place and message else message


def _folded(key: str) -> str:
    """Return a key without `_`, in lower case."""
    return key.lower().replace("_", "")


def _has_texts_of_fields(members: dict[str, Any]) -> bool:
    """Return whether `title` is a field: it is a list of texts, as are all other members."""
    lists = [item for item in members.values() if isinstance(item, list)]
    texts = all(isinstance(text, str) for item in lists for text in item)
    return "title" in members and len(lists) == len(members) and texts


def _is_by_field(errors: Any) -> bool:
    """Return whether errors are an object with a member for each field: it has no message itself,
    which is a text, and no `errors`.
    """
    members = errors.items() if isinstance(errors, dict) else [("errors", None)]
    own = {_folded(key): item for key, item in members if _folded(key) in _MESSAGE_KEYS}
    return "errors" not in own and not any(isinstance(item, str) for item in own.values())


def _of_fields(errors: dict[str, Any], depth: int) -> Iterator[str]:
    """Yield `name: is too long` for `{"name": ["is too long"]}`, as ASP.NET, Rails and Laravel give
    errors; of fields inside objects `embeds.0.url: ...`.
    """
    for field, inner in list(errors.items())[:10]:
        if _is_by_field(inner):
            for below in _of_fields(inner, depth):
                yield f"{field}.{below}"
        elif text := _message(inner, depth):
            yield f"{field}: {text}"


def _messages(parts: Iterable[Any], depth: int) -> list[str]:
    """Return the messages of some parts of a body, without those contained in earlier messages."""
    texts: list[str] = []
    for text in [_message(part, depth + 1) for part in parts]:
        if text and not any(text in other for other in texts):
            texts.append(text)
    return texts


def _advice(error: BadStatus, settings: ApiSettings) -> str:
    """Return the model's next step (`Next: ...`) by status; empty for a 4xx without advice."""
    status, answer = error.status, error.answer
    if status < 400:
        return _PAGE if is_page(answer) else _FAILED
    if status == 403 and _is_rate_limit(answer):
        return _advice_on_wait(answer)
    if status in (401, 403):
        return _advice_on_credential(error, settings)
    if status == 405:
        allowed = answer.headers.get("allow", "other methods")[:100]
        return f"Next: use another tool; the API allows {allowed} there"
    if status in _STEPS:
        return _STEPS[status]
    if status in (400, 404, 410, 422):
        return _advice_on_arguments(error)
    if status in (429, 503) or "retry-after" in answer.headers:
        return _advice_on_wait(answer)
    if status < 500:
        return ""
    text = "Next: this is a fault of the API, not of the arguments; try again later"
    if error.method not in SAFE:
        text += "; check first whether it was carried out"
    return text


def _advice_on_code(data: Any, depth: int = 0) -> str:
    """Return the next step for known words in an error's code (`ITEM_LOGIN_REQUIRED`), or ""."""
    if not isinstance(data, dict) or depth > 2:
        return ""
    codes = [item for key, item in data.items() if _folded(key) in _CODE_KEYS]
    text = " ".join(code for code in codes if isinstance(code, str))
    for words, step in _CODES:
        if words.search(text):
            return step
    return _advice_on_code(data.get("error"), depth + 1)


def _advice_on_arguments(error: BadStatus) -> str:
    if error.status in (404, 410):
        text = "Next: what was asked for is not there"
        named = error.path_arguments
        if error.method in SAFE:
            named = named or error.arguments
        if named:
            text = f"Next: check {quoted(named[:10])}: what it names is not there"
        if error.nothing_found:
            text += "; if every call is answered so, the base URL is wrong"
            text += f" (`{error.base_variable}`)"
        return text
    told = _advice_on_code(error.answer.data)
    if told:
        return told
    if not error.arguments:
        return "Next: give the arguments it asks for"
    arguments = quoted(error.arguments[:30])
    return f"Next: correct the arguments and call again; the request had {arguments}"


def _advice_on_credential(error: BadStatus, settings: ApiSettings) -> str:
    variables = " or ".join(f"`{name}`" for name in error.variables)
    if error.status == 403:
        which = f" of {variables}" if variables else ""
        return (
            f"Next: the credential{which} does not allow this; use another tool, or ask the"
            " operator for more rights"
        )
    if not variables:
        text = "the API requires a credential that its description does not mention; tell the"
        text += " operator of this server"
        given = [name for name in error.arguments if _SECRET.search(name)]
        if given:
            return f"Next: check {quoted(given[:10])}: it was refused; where it is right, {text}"
        return f"Next: {text}"
    text = f"Next: the credential was refused; the operator of this server has to check {variables}"
    return text + _about_credentials(error, settings)


def _about_credentials(error: BadStatus, settings: ApiSettings) -> str:
    """Return what is known of a request's credentials: ` (their form)`, and `, or to log in again
    with ...`; an empty text if nothing is known.
    """
    text = ""
    used = [
        credential
        for credential in settings.credentials.values()
        if {*credential.variables, *credential.when_writing.variables} & {*error.variables}
    ]
    about = [credential.about for credential in used if credential.about]
    if about:
        text += f" ({'; or '.join(about)})"
    if any(credential.login for credential in used):
        text += f", or to log in again with `{settings.login_command}`"
    return text


def _is_rate_limit(answer: Answer[Any]) -> bool:
    """Return whether a 403 is about a rate limit, by its header fields or its words."""
    if "retry-after" in answer.headers:
        return True
    if _rate_limit_fields(answer, "remaining") == ["0"]:
        return True
    return _RATE_WORDS.search((answer.text or "")[:MAX_ERROR]) is not None


def _rate_limit_fields(answer: Answer[Any], name: str) -> list[str]:
    """Return the values of `RateLimit-Remaining` or `-Reset` (`name`) in their many spellings."""
    ends = (f"ratelimit-{name}", f"rate-limit-{name}")
    return [value.strip() for field, value in answer.headers.items() if field.endswith(ends)]


def _advice_on_wait(answer: Answer[Any]) -> str:
    wait = retry_after(answer.headers.get("retry-after"))
    for reset in filter(str.isdecimal, _rate_limit_fields(answer, "reset")):
        seconds = float(reset[:15])
        until = seconds - time.time() if seconds > EPOCH else seconds
        wait = wait or max(1.0, math.ceil(until))
    if not wait:
        return "Next: wait a moment, then call again"
    if wait > LONGEST_WAIT:
        return "Next: try again later; the API asks for a wait of more than an hour"
    return f"Next: wait {seconds_text(wait)}, then call again"


def quoted(names: Iterable[str]) -> str:
    """Return names in backticks, with commas between them."""
    return ", ".join(f"`{name}`" for name in names)


_MARKUP = re.compile(
    r"<!--.*?(?:-->|\Z)" r"|<(script|style|template)\b.*?(?:</\1\b[^<>]*>|\Z)" r"|<[^<>]*(?:>|\Z)",
    re.DOTALL | re.I,
)
"""Comments, elements whose content is not for readers, and tags."""
_SPACES = re.compile(r"\s+")
_LONG_REFERENCE = re.compile(r"&#[xX]?[0-9a-fA-F]{8,}")


def is_html(text: str) -> bool:
    """Return whether a text begins as an HTML page does."""
    return text.lstrip()[:14].lower().startswith(("<!doctype html", "<html"))


def text_of_html(page: str) -> str:
    """Return the visible text of a page: no tags, comments, scripts; one space between words."""
    # No character has a longer number, and Python refuses to read the longest
    text = html.unescape(_LONG_REFERENCE.sub(" ", _MARKUP.sub(" ", page)))
    return _SPACES.sub(" ", text).strip()
