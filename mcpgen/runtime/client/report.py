"""A failure as content blocks: what happened, what the API said, and what to do next."""

from __future__ import annotations

from collections.abc import Iterable
from http import HTTPStatus
from typing import Any

from ..errors import ApiError, BadAnswer, BadStatus, MissingCredential, Refused
from ..limits import LONGEST_WAIT, retry_after
from ..results.answer import Answer
from ..results.content import Block
from ..results.shorten import TooDeep, clean, compact, fit, visible
from ..settings import Settings
from .html_text import is_html, text_of_html

MAX_ERROR = 4 * 1024


def report_error(
    error: BaseException, settings: Settings, given: Iterable[str] = ()
) -> list[Block]:
    """A failure as content blocks: what happened, what the API said, and what to do next.

    `given` are the names of the arguments of the call. Anything but an ApiError is a fault of this
    server, and its text stays in the log.
    """
    if not isinstance(error, ApiError):
        return [
            {
                "type": "text",
                "text": f"This server failed ({type(error).__name__}); its log says more",
            }
        ]
    if isinstance(error, BadStatus):
        lines = _badstatus_text(error, settings, tuple(given) or error.arguments)
    else:
        lines = [_headline(error, str(error)), _next_step(error)]
    text = settings.redactor("\n".join(line for line in lines if line))
    return [{"type": "text", "text": visible(text)[: MAX_ERROR * 2]}]


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


def _badstatus_text(error: BadStatus, settings: Settings, given: tuple[str, ...]) -> list[str]:
    answer = error.answer
    message, detail = _said(answer, settings)
    lines = [
        _headline(
            error,
            f"the API answered {status_text(answer.status)}" + (f": {message}" if message else ""),
        )
    ]
    if detail:
        lines.append(f"Answer: {detail}")
    wait = retry_after(answer.headers.get("retry-after"))
    if wait is not None and wait <= LONGEST_WAIT:
        lines.append(f"Retry-After: {wait:.0f} seconds")
    lines.append(_advice(error, answer.status, wait, given, settings))
    return lines


def status_text(status: int) -> str:
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
    if "html" in answer.media_type or is_html(text):
        text = text_of_html(text)
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
    if wait is not None and wait > LONGEST_WAIT:
        return "Next: try again later; the API asks for a wait of more than an hour"
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
