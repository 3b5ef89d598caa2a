"""Ask a person, by way of the client, whether a call may be sent.

Before 2026-07-28 the question is a request to the client, and the call waits for the answer. In
2026-07-28 the question is the result of the call, and the client repeats the call with the answer.
Nothing is kept in between: the id of a question is a code (HMAC, RFC 2104) of the caller and all
that would be sent, made with a key that replicas share. An answer counts for that alone, once in
each process.
"""

from __future__ import annotations

import hmac
import json
import math
import multiprocessing
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

import anyio
from mcp.shared.exceptions import MCPError
from mcp.types import ElicitRequest, ElicitRequestFormParams
from mcp.types.version import HANDSHAKE_PROTOCOL_VERSIONS

from ...package import Entry
from ...results import visible
from ...results.content import Call, Context, InputRequired, ToolError
from ...results.withholding import Withheld
from ...settings import Settings

QUESTION_SECONDS = 3_600
"""Seconds for which a person may think about a question."""
LONGEST = 1_500
"""Characters of one argument that are shown."""
NO_FIELDS = {"type": "object", "properties": {}}
"""The form of a question that is answered with yes or no alone."""
_PLACE = re.compile(r"\{([^{}]+)\}")
_PASSWORD = re.compile(r"(^|; )format password($|;)")
"""Note on a format that a listed schema has in words."""


class Unconfirmed(ToolError):
    """Raised for a call to which no person agreed."""

    status = "declined"


class Consent:
    """Question before a call. `settings` reads those of the server, and `is_optional` whether a
    client that cannot ask need not; `facts` has the `tools` to ask for, each with its method and
    path, null for an exempt tool, and `destructive`: whether every other tool that may delete or
    overwrite needs consent, too.
    """

    def __init__(
        self,
        settings: Callable[[], Settings],
        is_optional: Callable[[Settings], bool],
        facts: Mapping[str, Any],
    ) -> None:
        self._settings = settings
        self._is_optional = is_optional
        self._destructive = bool(facts["destructive"])
        self._tools: Mapping[str, str | None] = facts["tools"]
        self._used: dict[str, float] = {}
        """The questions whose answers were used, and when they end."""

    async def __call__(self, entry: Entry, call: Call) -> None:
        """Return if a call needs no consent or has it; consent to a call includes the calls made by
        its function. Raises Unconfirmed without consent, and InputRequired for the question.
        """
        hints = entry.tool.get("annotations", {})
        is_meant = self._destructive and hints.get("destructiveHint") is not False
        request = self._tools.get(entry.name, "" if is_meant and not entry.read_only else None)
        if request is None or call.context.confirmed:
            return
        action = await self._action(entry, call, request)
        if action == "decline":
            raise Unconfirmed(
                f"A person declined this call of `{entry.name}`: nothing was sent. Do not repeat"
                " it unless you are asked to"
            )
        if action != "accept":
            raise Unconfirmed(
                f"Nobody agreed to this call of `{entry.name}`: the question was dismissed, and"
                " nothing was sent"
            )
        call.context.confirmed = not call.context.begun

    async def _action(self, entry: Entry, call: Call, request: str) -> str:
        """Return the person's answer: `accept`, `decline` or `cancel`. Raises as `__call__`."""
        context = call.context
        asked: Any = context.sent_by
        question = ElicitRequestFormParams(
            message=self._question(entry, call.arguments, request), requested_schema=NO_FIELDS
        )
        if not _can_ask(context):
            settings = self._settings()
            if self._is_optional(settings):
                return "accept"
            raise Unconfirmed(
                f"`{entry.name}` was not called: a person has to agree first, and this client"
                " cannot ask one. The operator can allow such calls with"
                f" `{settings.variable('CONFIRM_OPTIONAL')}`"
            )
        if asked.protocol_version in HANDSHAKE_PROTOCOL_VERSIONS:
            try:
                with _paused(context.limit):
                    answer = await asked.session.elicit_form(
                        question.message, NO_FIELDS, asked.request_id
                    )
            except (MCPError, ValueError) as error:
                raise Unconfirmed(
                    f"`{entry.name}` was not called: the client could not ask a person"
                ) from error
            return str(answer.action)
        if context.begun:
            raise Unconfirmed(
                f"`{entry.name}` was not called: a person has to agree first, and this client"
                " cannot ask one in the middle of another call. Call it by itself"
            )
        caller = context.caller and [context.caller.issuer, context.caller.subject]
        facts = [caller, entry.name, request, call.arguments]
        sent = json.dumps(facts, sort_keys=True, default=str)
        for name, given in ((asked.params or {}).get("inputResponses") or {}).items():
            if self._is_answered(name, sent):
                return str(given.get("action"))
        key = self._id(sent, f"{int(time.time()) + QUESTION_SECONDS}-{os.urandom(8).hex()}")
        inputs = ElicitRequest(params=question).model_dump(
            mode="json", by_alias=True, exclude_none=True
        )
        raise InputRequired({"resultType": "input_required", "inputRequests": {key: inputs}})

    def _id(self, sent: str, about: str) -> str:
        """Return the id of a question. `about` is its end, in seconds since the epoch, and a part
        that distinguishes questions about the same request.
        """
        key = self._settings().shared_key or multiprocessing.current_process().authkey
        code = hmac.new(key, f"{about} {sent}".encode("utf-8", "surrogatepass"), "sha256")
        return f"confirm-{about}-{code.hexdigest()}"

    def _is_answered(self, name: str, sent: str) -> bool:
        """Return whether a question of that id was asked about what is sent, not long ago, and its
        answer has not been used; if so, note the answer as used.
        """
        about = name.removeprefix("confirm-").rpartition("-")[0]
        names = (name, self._id(sent, about))
        if not hmac.compare_digest(*(each.encode("utf-8", "replace") for each in names)):
            return False
        now, ends = time.time(), float(about.partition("-")[0])
        self._used = {each: end for each, end in self._used.items() if end > now}
        if name in self._used or ends <= now:
            return False
        self._used[name] = ends
        return True

    def _question(self, entry: Entry, arguments: dict[str, Any], request: str) -> str:
        """Return the text of the question: the tool, the request, the arguments without secrets."""
        settings = self._settings()
        secret = Withheld([*settings.redact, *_passwords(entry.described())])
        shown = settings.redactor.data(secret.without(arguments))
        lines = [f"Call `{entry.name}`?"]
        if request:
            path = _PLACE.sub(lambda name: quote(str(shown.get(name[1], name[0])), "{}"), request)
            lines.append(f"It sends {settings.redactor(path)}")
        lines.append("")
        for name, value in shown.items():
            line = json.dumps({name: value}, ensure_ascii=False)[1:-1]
            rest = len(line) - LONGEST
            if rest > 0:
                line = f"{line[:LONGEST]}\u2026 ({rest:,} more characters)"
            lines.append(line)
        if shown != arguments:
            lines.append("(Secrets are not shown.)")
        return visible("\n".join(lines)).strip()


def _can_ask(context: Context) -> bool:
    """Return whether the client can show a form, and be reached while a call runs or after it."""
    asked = context.sent_by
    if asked is None or asked.session.client_capabilities is None:
        return False
    can = asked.session.client_capabilities.elicitation
    # Before 2025-11-25 there were forms alone, and nothing said so
    if can is None or (can.form is None and can.url is not None):
        return False
    if asked.protocol_version in HANDSHAKE_PROTOCOL_VERSIONS:
        return bool(asked.session.can_send_request)
    return True


@contextmanager
def _paused(limit: anyio.CancelScope) -> Iterator[None]:
    """Suspend the deadline of a call: a person may take longer than an API."""
    left = limit.deadline - anyio.current_time()
    limit.deadline = math.inf
    try:
        yield
    finally:
        limit.deadline = anyio.current_time() + left


def _passwords(schema: Any) -> Iterator[str]:
    """Yield the names of the properties of a schema, at any depth, that are passwords."""
    if isinstance(schema, list):
        for item in schema:
            yield from _passwords(item)
    if isinstance(schema, dict):
        for name, own in schema.items():
            if isinstance(own, dict) and _is_password(own):
                yield name
            yield from _passwords(own)


def _is_password(schema: dict[str, Any]) -> bool:
    """Return whether a schema is that of a password, by its format or the note on it."""
    if schema.get("format") == "password":
        return True
    return _PASSWORD.search(str(schema.get("description"))) is not None
