"""A failed request as content blocks: what happened, what the API said, and what to do next."""

from __future__ import annotations

import html
import math
import re
import time
from collections.abc import Iterable
from http import HTTPStatus
from typing import Any

from ..errors import ApiError, BadStatus, MissingCredential, Refused
from ..facts.http import SAFE
from ..limits import LONGEST_WAIT, retry_after
from ..results.answer import Answer
from ..results.content import Block
from ..results.shorten import MAX_DEPTH, fit
from ..secrets import NOTE, Withheld
from ..settings import Settings
from .health import seconds_text

MAX_ERROR = 4 * 1024
EPOCH, EPOCH_MILLISECONDS = 10**9, 10**12
"""A number from here on is a time, not a duration."""
_RATE_WORDS = re.compile(
    r"rate.?limit|too many requests|throttl|quota (exceeded|exhausted)|(exceeded|over).{0,20}quota"
    r"|requests per (second|minute|hour|day)|limit exceeded",
    re.IGNORECASE,
)

_MESSAGE_KEYS = (
    "title",
    "error",
    "message",
    "msg",
    "detail",
    "details",
    "errordescription",
    "errormessage",
    "reason",
    "errors",
)
"""Without `_` and in lower case."""
_PLACE_KEYS = ("loc", "field", "path", "param", "pointer")
# RFC 6750 section 3
_REASON = re.compile(r'error_description="([^"]+)"')
_SCOPE = re.compile(r'insufficient_scope.*scope="([^"]+)"')


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
"""Status -> what to do next, where that is always the same."""


_PAGE = (
    "Next: where this is a login page, the operator has to check the credential; else the base URL"
)
_IS_PAGE = {True: " with an HTML page in place of JSON", False: ", and that it failed"}
_FAILED = "Next: correct what its message names, or use another tool"


def report_error(error: ApiError, settings: Settings) -> list[Block]:
    """A failed request as content blocks, with every secret masked."""
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
    if isinstance(error, Refused):
        return "Nothing was sent to the API"
    if error.sent and error.method not in ("", *SAFE):
        return "The API may have carried out the request: check before sending it again"
    return error.advice


def _bad_status_lines(error: BadStatus, settings: Settings) -> list[str]:
    answer = error.answer
    message, detail = _message_and_detail(answer, settings)
    headline = f"the API answered {status_text(answer.status)}"
    if answer.status < 400:
        headline += _IS_PAGE[is_page(answer)]
    if message:
        headline += f": {message}"
    lines = [_headline(error, headline)]
    challenge = answer.headers.get("www-authenticate", "")[:MAX_ERROR]
    lines += [f"Reason: {reason}" for reason in _REASON.findall(challenge)]
    lines += [f"Scope needed: {scope}" for scope in _SCOPE.findall(challenge)]
    if detail:
        lines.append(f"Answer: {detail}")
    if answer.incomplete:
        lines.append(f"The text of the answer is missing: {answer.incomplete}")
    wait = _wait_asked(answer)
    if wait is not None and wait <= LONGEST_WAIT:
        lines.append(f"Retry-After: {seconds_text(wait)}")
    lines.append(_advice(error, wait, settings))
    return lines


def status_text(status: int) -> str:
    """A status with its phrase: `404 Not Found`."""
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)


def _message_and_detail(answer: Answer[Any], settings: Settings) -> tuple[str, str]:
    """The body's own message, and the body as far as it says more; each redacted and bounded."""
    if answer.data is not None:
        return _from_data(answer.data, settings)
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


def _withheld(settings: Settings) -> Withheld:
    """The fields that no tool may show; an error does not know which tool it is of."""
    names = set(settings.redact)
    for shaping in settings.answers.values():
        names.update(shaping.redact)
    return Withheld(names)


def _from_data(data: Any, settings: Settings) -> tuple[str, str]:
    try:
        data = _withheld(settings).without(data, settings.readable, MAX_DEPTH)
        text = fit(data, MAX_ERROR)[0]
    except (ValueError, RecursionError):
        return "", ""
    message = _message(data)
    if message and len(text) <= len(message) + 40:
        return message[:1024], ""
    return message[:1024], text[:MAX_ERROR]


def _message(data: Any, depth: int = 0) -> str:
    """The message of a common error body: RFC 9457 `title`/`detail`, OAuth, `message`, `error`,
    `errors[]`, ...
    """
    if isinstance(data, str):
        return data.strip()
    if depth > 4:
        return ""
    if isinstance(data, list):
        texts = [_message(item, depth + 1) for item in data[:10]]
        return "; ".join(dict.fromkeys(text for text in texts if text))
    if isinstance(data, dict):
        return _message_of_object(data, depth)
    return ""


def _message_of_object(data: dict[str, Any], depth: int) -> str:
    members = {key.lower().replace("_", ""): item for key, item in data.items()}
    texts: list[str] = []
    for key in _MESSAGE_KEYS:
        member = members.get(key)
        text = _message(member, depth + 1)
        if not text and key == "errors":
            text = _by_field(member, depth + 1)
        if text and not any(text in other for other in texts):
            texts.append(text)
    message = ": ".join([*(text.rstrip(".") for text in texts[:-1]), *texts[-1:]])
    place = _place(members)
    if message and place:
        return f"{place}: {message}"
    return message


def _by_field(errors: Any, depth: int) -> str:
    """The messages of `{"name": ["is too long"]}`, as ASP.NET, Rails and Laravel give them."""
    if not isinstance(errors, dict):
        return ""
    texts = {field: _message(text, depth + 1) for field, text in list(errors.items())[:10]}
    return "; ".join(f"{field}: {text}" for field, text in texts.items() if text)


def _place(members: dict[str, Any]) -> str:
    """Return the place of the error in the request, if the API gives one: `body.price`."""
    for key in _PLACE_KEYS:
        place = members.get(key)
        if isinstance(place, list):
            place = ".".join(str(item) for item in place)
        if isinstance(place, str) and place:
            return place
    return ""


def _advice(error: BadStatus, wait: float | None, settings: Settings) -> str:
    """Advise the model on its next step. `wait` is the API's requested delay in seconds."""
    status = error.status
    if status < 400:
        return _PAGE if is_page(error.answer) else _FAILED
    if status == 403 and _is_rate_limit(error.answer):
        return _advice_on_wait(wait, error.answer)
    if status in (401, 403):
        return _advice_on_credential(error, settings)
    if status == 405:
        allowed = error.answer.headers.get("allow", "other methods")[:100]
        return f"Next: use another tool; the API allows {allowed} there"
    if status in _STEPS:
        return _STEPS[status]
    if status in (400, 404, 410, 422):
        return _advice_on_arguments(error, settings)
    if status in (429, 503) or wait is not None:
        return _advice_on_wait(wait, error.answer)
    if status < 500:
        return ""
    text = "Next: this is a fault of the API, not of the arguments; try again later"
    if error.method not in SAFE:
        text += "; check first whether it was carried out"
    return text


def _advice_on_arguments(error: BadStatus, settings: Settings) -> str:
    if error.status in (404, 410):
        text = "Next: what was asked for is not there"
        if error.path_arguments:
            text = f"Next: check {quoted(error.path_arguments)}: what it names is not there"
        if error.nothing_found:
            variable = settings.variable("BASE_URL")
            text += f"; if every call is answered so, the base URL is wrong (`{variable}`)"
        return text
    if not error.arguments:
        return "Next: give the arguments it asks for"
    arguments = quoted(error.arguments[:30])
    return f"Next: correct the arguments and call again; the request had {arguments}"


def _about_credentials(error: BadStatus, settings: Settings) -> str:
    """Describe the credentials of a request, their placement and their form, in parentheses."""
    texts = []
    for credential in settings.credentials.values():
        variables = {*credential.variables, *credential.when_writing.variables}
        if credential.about and not variables.isdisjoint(error.variables):
            texts.append(credential.about)
    if not texts:
        return ""
    return f" ({'; or '.join(texts)})"


def _login_hint(error: BadStatus, settings: Settings) -> str:
    """The command that gets another token, where one of the credentials comes from a login."""
    for credential in settings.credentials.values():
        if credential.login is None:
            continue
        if not set(credential.variables).isdisjoint(error.variables):
            return f", or to log in again with `{settings.login_command}`"
    return ""


def _advice_on_credential(error: BadStatus, settings: Settings) -> str:
    variables = " or ".join(f"`{name}`" for name in error.variables)
    if error.status == 403:
        which = f" of {variables}" if variables else ""
        return (
            f"Next: the credential{which} does not allow this; use another tool, or ask the"
            " operator for more rights"
        )
    if variables:
        return (
            "Next: the credential was refused; the operator of this server has to check"
            f" {variables}{_about_credentials(error, settings)}{_login_hint(error, settings)}"
        )
    return (
        "Next: the API requires a credential that its description does not mention; tell the"
        " operator of this server"
    )


def _is_rate_limit(answer: Answer[Any]) -> bool:
    """Return whether a refusal is about how often, and not about who."""
    if "retry-after" in answer.headers:
        return True
    for name, value in answer.headers.items():
        if name.endswith(("ratelimit-remaining", "rate-limit-remaining")) and value.strip() == "0":
            return True
    text = answer.text or ""
    return _RATE_WORDS.search(text[:MAX_ERROR]) is not None


def _wait_asked(answer: Answer[Any]) -> float | None:
    """The seconds to wait that a header asks for, or the body of a 429."""
    wait = retry_after(answer.headers.get("retry-after"))
    if wait is not None or answer.status != 429 or not isinstance(answer.data, dict):
        return wait
    inside = answer.data.get("retry_after")
    if isinstance(inside, bool) or not isinstance(inside, int | float):
        return None
    if not 0 <= inside <= LONGEST_WAIT:
        return None
    return float(math.ceil(inside))


def _until_reset(answer: Answer[Any]) -> float | None:
    """The seconds until a rate limit ends, as the many spellings of `RateLimit-Reset` say: a delta,
    or seconds or milliseconds of the epoch.
    """
    for name, value in answer.headers.items():
        text = value.strip()
        if not name.endswith(("ratelimit-reset", "rate-limit-reset")) or not text.isdecimal():
            continue
        seconds = float(text[:15])
        if seconds > EPOCH_MILLISECONDS:
            seconds /= 1000
        if seconds > EPOCH:
            seconds -= time.time()
        return max(1.0, math.ceil(seconds))
    return None


def _advice_on_wait(wait: float | None, answer: Answer[Any]) -> str:
    if not wait:
        wait = _until_reset(answer)
    if not wait:
        return "Next: wait a moment, then call again"
    if wait > LONGEST_WAIT:
        return "Next: try again later; the API asks for a wait of more than an hour"
    return f"Next: wait {seconds_text(wait)}, then call again"


def quoted(names: Iterable[str]) -> str:
    """Names in backticks, with commas between them."""
    return ", ".join(f"`{name}`" for name in names)


_MARKUP = re.compile(r"<!--.*?(?:-->|\Z)|<([A-Za-z]{0,20})[^<>]*(?:>|\Z)", re.DOTALL)
_END = re.compile(r"</(script|style|head|template)\s*>", re.I)
"""The end of an element whose content is not for readers."""
_SPACES = re.compile(r"\s+")
_LONG_REFERENCE = re.compile(r"&#[xX]?[0-9a-fA-F]{8,}")


def is_html(text: str) -> bool:
    """Return whether a text begins as an HTML page does."""
    return text.lstrip()[:14].lower().startswith(("<!doctype html", "<html"))


def text_of_html(page: str) -> str:
    """The visible text of a page: no tags, comments, scripts or styles; one space between words."""
    last_ends = {match[1].lower(): match.start() for match in _END.finditer(page)}
    texts: list[str] = []
    position = 0
    while (match := _MARKUP.search(page, position)) is not None:
        texts += page[position : match.start()], " "
        position = match.end()
        name = str(match[1]).lower()
        # An end that is not there is not looked for, again and again
        if position <= last_ends.get(name, -1):
            end = re.compile(rf"</{name}\s*>", re.I).search(page, position)
            assert end is not None, "the last one comes after this position"
            position = end.end()
    texts.append(page[position:])
    # No character has a longer number, and Python refuses to read the longest
    text = html.unescape(_LONG_REFERENCE.sub(" ", "".join(texts)))
    return _SPACES.sub(" ", text).strip()
