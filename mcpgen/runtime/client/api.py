"""Client of the API: `Api.request`, which a tool's function calls, builds the request (`wire`,
`request`), waits its turn (`resilience`), adds credentials (`credentials`), sends it, and reads the
answer within bounds (`network`). Every failure is an `ApiError`; `report` writes it for the model.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from typing import Any, TypeAlias

from yarl import URL

from ..facts import IDEMPOTENT, SAFE, Origin, check_base_url, origin_of
from ..limits import pace_of, place_of
from ..record import Send, current, figures, senders
from ..results.answer import LARGE, MAX_VALUES, Answer, goes_on, parsed, values_in
from ..secrets import Secret, caller_now
from . import ApiError, BadAnswer, BadStatus, Busy, Redirected, Refused, TimedOut, Unreachable
from .credentials import Security, credentials_of
from .network import NoRoom, ResponseHead, TooLarge, Transport, body_of, failure_of
from .request import (
    MAX_SHOWN,
    Outgoing,
    Payload,
    build,
    header_fields,
    header_value,
    payload,
    query_text,
    redirect,
)
from .resilience import Gate, Health, RetryBudget, Room, back_off, clock, retry_after
from .settings import ApiSettings, Credential
from .wire import OMIT, Omit, Part, rarer

__all__ = ["OMIT", "Answer", "Api", "ApiError", "Omit", "Value", "progress"]

Value: TypeAlias = object
"""Anything a tool argument can be: a scalar, list or dict, something encoded by `wire`, or
`OMIT`.
"""

queues: Any = None
with suppress(ModuleNotFoundError):  # servers with one caller
    queues = import_module(".queues", __package__)

RETRIED = frozenset((429, 502, 503, 504))
FAILING = RETRIED - {429}
REDIRECTS = frozenset(range(300, 400)) - {304}
MAX_REDIRECTS = 3
MAX_TOKEN_ANSWER = 64 * 1024
MOST_BYTES = 64 * 1024 * 1024
"""Bytes of all large answers at once."""
READING_SECONDS = 5.0
"""Seconds that a large answer needs at the end of a call."""
TICK = 5.0

progress: ContextVar[Callable[[str], Awaitable[None]] | None] = ContextVar("progress", default=None)
"""Called with a short text while a call waits for its turn, for its answer, or for its next
attempt.
"""


@dataclass(frozen=True, slots=True)
class ApiCall:
    """One call of the API: what its attempts and redirects share; each adds the credentials."""

    method: str
    path: str
    base: str
    url: URL
    headers: Mapping[str, str]
    cookies: Mapping[str, str]
    body: Payload
    credentials: tuple[Credential, ...]
    trusted: bool
    """Whether credentials may go where the call goes."""
    until: float
    """When the call must be over, by the clock of the event loop."""
    tokens: dict[str, Secret] = field(default_factory=dict)
    """Variable -> the access token that the last request was sent with."""


class Api:
    """Client of one API, shared by all calls, and of the server's further APIs (`of`). It connects
    when needed; close it with `aclose` or `async with`.
    """

    def __init__(self, settings: ApiSettings, auth: Any = None) -> None:
        """Prepare the client of `settings`, without a connection. `auth`: the module `auth.py` of
        the server's package, or None.
        """
        self.settings = settings
        self._authorize = getattr(auth, "authorize", None)
        self._transport: Transport | None = None
        most, waiting = settings.max_concurrency, settings.max_waiting
        self.gate: Any = queues.Queues(most, waiting) if queues else Gate(most)
        self._rate = pace_of(settings, settings.api or "api", settings.rate_limit)
        self._place = place_of(settings, f"{settings.api or 'api'}:running")
        self._budget = RetryBudget()
        self.healths: dict[Origin, Any] = {}
        self._found: set[str] = set()
        """Base URLs below which a call has found something."""
        provided = frozenset(getattr(auth, "PROVIDES", ()))
        self._apis = {name: Api(own, _auth_of(own, auth)) for name, own in settings.apis.items()}
        self.every = (self, *self._apis.values())
        self._bytes, self._values = Room(MOST_BYTES), Room(MAX_VALUES)
        for api in self._apis.values():  # which have one memory
            api._bytes, api._values = self._bytes, self._values
        if not settings.api:
            figures["api_requests"] = lambda: self.total(
                lambda api: (api.gate.running, api.settings.max_concurrency)
            )
            if queues:
                queues.show(self)
        self.credentials = credentials_of(settings, provided)
        self._callers_have_own = bool(provided) or self.credentials.are_per_caller

    async def __aenter__(self) -> Api:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close every connection, also those of further APIs. A later request opens another."""
        transport, self._transport = self._transport, None
        if transport is not None:
            await transport.aclose()
        for api in self._apis.values():
            await api.aclose()

    def of(self, name: str) -> Api:
        """Return the further API `name` (one memory for large answers). Raises KeyError."""
        return self._apis[name]

    def total(self, figure: Callable[[Api], tuple[int, int]]) -> tuple[int, int]:
        """Return the sums of `figure(api)`, a pair (in use, limit), over all APIs of the server."""
        used, most = zip(*map(figure, self.every), strict=True)
        return sum(used), sum(most)

    def prepare(self) -> None:
        """Create the transport before the first request. Unreadable certificates raise nothing."""
        with suppress(ApiError):  # certificates that cannot be read: each call says so
            self.sender()

    def send_by(self, sender: Any) -> None:
        """Send all further requests of this API with `sender`, which has `Transport`'s methods."""
        self._transport = sender

    def sender(self) -> Transport:
        """Return the transport, created at the first use. Raises Refused for bad certificates."""
        if self._transport is None:
            self._transport = Transport(self.settings)
        return self._transport

    async def request(
        self,
        method: str,
        path: str,
        *,
        path_args: Mapping[str, Value] | None = None,
        query: Mapping[str, Value] | None = None,
        headers: Mapping[str, Value] | None = None,
        cookies: Mapping[str, Value] | None = None,
        json: Any = OMIT,
        form: Mapping[str, Value] | Omit = OMIT,
        multipart: Mapping[str, Value] | Omit = OMIT,
        content: str | float | bytes | Part | Omit = OMIT,
        media_type: str | None = None,
        optional_body: bool = False,
        accept: str = "application/json",
        content_type: str = "",
        security: Security | None = None,
        base_url: str | None = None,
    ) -> Answer[Any]:
        """Call the API and return its answer, with a status below 400. Raises ApiError.

        `query`, `path_args` and `form` hold values under their wire names, encoded in the default
        style of their place unless a function of `wire` has encoded them; `OMIT` is left out
        anywhere. At most one of `json`, `form`, `multipart` and `content` is the body; with
        `optional_body` there is no body when all its fields are left out. `content_type` is that of
        a request without a body. `security` lists alternatives, each the names of credentials sent
        together; None means the API's own, `()` none. `base_url` is the operation's own server: a
        path on the API's origin, or a URL, which a base URL of the operator overrules.
        """
        path_args, query = path_args or {}, query or {}
        headers, cookies = headers or {}, cookies or {}
        try:
            fields = header_fields(headers)
            body = payload(
                json_value=json,
                form=form,
                multipart=multipart,
                content=content,
                media_type=media_type,
                optional=optional_body,
                settings=self.settings,
            )
            fields["Accept"] = header_value("Accept", accept)
            if content_type:
                fields["Content-Type"] = header_value("Content-Type", content_type)
            if body.content is not None:
                fields["Content-Type"] = header_value("Content-Type", body.media_type)
            base, trusted = self._server(base_url)
            call = ApiCall(
                method=method,
                path=path,
                base=base,
                url=build(base, path, path_args, query_text(query)),
                headers=fields,
                cookies=rarer("wire_styles").cookie_pairs(cookies) if cookies else {},
                body=body,
                credentials=await self._selected(security, method) if trusted else (),
                trusted=trusted,
                until=asyncio.get_running_loop().time() + self.settings.total_timeout,
            )
            async with self._in_time(call.until), _ticking("waiting for the API"):
                return await self._attempts(call)
        except ApiError as error:
            error.method, error.path = method, path
            error.path_arguments = tuple(path_args)
            error.arguments = _names(path_args, query, headers, cookies, json, form, multipart)
            if not error.variables:
                writes = method not in SAFE
                error.variables = self.credentials.variables(security, writes=writes)
            raise

    async def _selected(self, security: Security | None, method: str) -> tuple[Credential, ...]:
        """Return the credentials (`security` None: the API's own), for writing unless `method` is
        safe. Raises ApiError.
        """
        return await self.credentials.select(security, writes=method not in SAFE)

    def _server(self, base_url: str | None) -> tuple[str, bool]:
        """Return a call's base URL, and whether credentials may go there. None: the API's; path: on
        its origin; URL: the operator's, else itself if trusted or (False) open. Raises Refused.
        """
        settings = self.settings
        if str(base_url).startswith("/"):
            return f"{origin_of(settings.base_url)}{base_url}".rstrip("/"), True
        if base_url is None or settings.base_url_given:
            return settings.base_url, True
        try:
            base, origin = check_base_url(base_url), origin_of(base_url)
        except ValueError as error:
            raise Refused(f"the operation's own server URL {error}") from None
        if settings.trusts(origin):
            return base, True
        if origin in settings.open_origins:
            return base, False
        raise Refused(
            f"nothing was sent: the operation goes to {origin}, which is not the API's own origin;"
            " the operator of this server can allow it with"
            f" `{settings.variable('ALLOW_ORIGINS')}={origin}`"
        )

    @asynccontextmanager
    async def _in_time(self, until: float) -> AsyncIterator[None]:
        """Raise TimedOut in the block at the time `until` (event loop's clock)."""
        try:
            async with asyncio.timeout_at(until):
                yield
        except TimeoutError:
            limit, variable = self.settings.total_timeout, self.settings.variable("TOTAL_TIMEOUT")
            late = TimedOut(f"the API did not answer within {limit:g} seconds (`{variable}`)")
            # Perhaps; the model must not rely on the opposite
            late.sent = current().requests > 0
            raise late from None

    async def _attempts(self, call: ApiCall) -> Answer[Any]:
        """Return an answer below status 400. An idempotent call is repeated up to `retries` times
        after 429, 502, 503, 504 or no answer; any call once after 401, with new tokens. Raises
        ApiError.
        """
        tries = self.settings.retries + 1 if call.method in IDEMPOTENT else 1
        attempt, renewed, lost = 1, False, False
        failure: ApiError | None = None
        self._budget.count_call()
        while True:
            wait = back_off(attempt + 1, self.settings.backoff)
            try:
                answer = await self._turn(call)
            except Busy as busy:
                # What an earlier attempt met says more, and does not say that nothing was sent
                raise failure or busy from None
            except ApiError as error:
                error.sent |= lost
                if not error.transient:
                    raise
                failure = error
                reason = str(failure)
            else:
                if answer.status < 400:
                    self._found.add(call.base)
                    return answer
                if answer.status == 401 and not renewed and self.credentials.renew(call.tokens):
                    renewed = True
                    continue
                failure = BadStatus(answer)
                failure.nothing_found = call.base not in self._found
                failure.base_variable = self.settings.variable("BASE_URL")
                failure.follows_lost = lost
                if answer.status not in RETRIED:
                    raise failure
                wait = self._wait_after(answer, call, wait)
                reason = f"the API answered {answer.status}"
            if attempt >= tries or not self._may_repeat(call):
                raise failure from None
            attempt += 1
            lost |= failure.sent > (failure.status in (429, 503))
            await tell(f"{reason}; attempt {attempt} of {tries} in {wait:.1f} s")
            await asyncio.sleep(wait)

    def _may_repeat(self, call: ApiCall) -> bool:
        """Return whether circuit and retry budget allow another attempt, and count it."""
        health = self._health(call)
        refusal = health.refusal() if health.is_open else ""
        return not refusal and self._budget.take()

    def _health(self, call: ApiCall) -> Any:
        """Return the `Health` (or `Breaker`) of the call's origin, made at its first call."""
        origin = _origin_of_base(call.base)
        health = self.healths.get(origin)
        if health is None:
            failures, seconds = self.settings.breaker_failures, self.settings.breaker_seconds
            health = queues.Breaker(failures, seconds) if queues else Health()
            self.healths[origin] = health
        return health

    def _wait_after(self, answer: Answer[Any], call: ApiCall, default: float) -> float:
        """Return the seconds until the next attempt: as the API asks (Retry-After), else `default`.
        That wait also holds back other calls: after a 429 those under the same limit, else all.
        Raises BadStatus for a wait beyond the call's time or `max_retry_wait`.
        """
        wait = retry_after(answer.headers.get("retry-after"))
        if wait is None:
            wait = default
        else:
            limited = self._limit_of(call) if answer.status == 429 else None
            self._health(call).rest(wait, limited)
        if wait > self._longest_wait(call):
            raise BadStatus(answer)
        return wait

    def _limit_of(self, call: ApiCall) -> Hashable:
        """Return the key of the limit behind a 429: method, path template and names of credentials,
        and the caller's key where callers have credentials of their own.
        """
        credentials = tuple(credential.name for credential in call.credentials)
        if not self._callers_have_own:
            return call.method, call.path, credentials
        return call.method, call.path, credentials, self.credentials.key_of_caller()

    def _longest_wait(self, call: ApiCall) -> float:
        """Return the seconds a call may wait for the API: its time left, or `max_retry_wait`."""
        left = call.until - asyncio.get_running_loop().time()
        return min(self.settings.max_retry_wait, left)

    async def _turn(self, call: ApiCall) -> Answer[Any]:
        """Wait for limits, make one attempt, redirects included, and return the answer of any
        status, JSON parsed. Raises ApiError: Busy while the circuit is open.
        """
        health = self._health(call)
        await self._let_rest(health, call)
        if self.gate.full:
            await tell("waiting for other calls to finish")
        began = time.monotonic()
        async with AsyncExitStack() as held:
            async with self.gate:  # what a request waits for here holds up its own caller's alone
                await self._pace(call)
                await held.enter_async_context(self.gate.place())
                await held.enter_async_context(self._place(self.settings.total_timeout))
            current().queued += time.monotonic() - began
            is_trial, failure = health.begin() if health.is_open else False, None
            try:
                answer = await self._hops(call, call.method, call.url)
                failure = f"it answered {answer.status}" if answer.status in FAILING else ""
            except ApiError as error:
                if error.transient or isinstance(error, TimedOut | Unreachable):
                    failure = str(error)
                raise
            finally:
                if queues and (failure, health.failures) != ("", 0):
                    health.end(is_trial, failure)
        if len(answer.content) < LARGE:
            return parsed(answer)
        values = await asyncio.to_thread(values_in, answer)
        if values > MAX_VALUES:
            raise TooLarge(f"holds more than {MAX_VALUES:,} values")
        await self._take(self._values, values, call)
        return await asyncio.to_thread(parsed, answer)

    async def _take(self, room: Room, amount: int, call: ApiCall) -> None:
        """Wait for `amount` of a room and take it. Raises NoRoom shortly before the call's end."""
        try:
            await room.take(amount, call.until - READING_SECONDS)
        except TimeoutError:
            raise NoRoom("is large, and this server was busy with other large ones") from None

    async def _let_rest(self, health: Any, call: ApiCall) -> None:
        """Wait as long as the API asked earlier calls to (`Retry-After`). Raises Busy when the call
        has no time for it, and while the circuit is open.
        """
        limit = self._limit_of(call)
        reason = health.refusal() if health.is_open else ""
        if reason:
            raise Busy(reason)
        wait = health.resting(limit)
        if not wait:
            return
        if wait > self._longest_wait(call):
            raise Busy(f"the API asked for no calls until {clock(wait)}; try again then")
        await tell(f"waiting {wait:.1f} s, as the API asked")
        # Not all at once
        await asyncio.sleep(wait * random.uniform(1.0, 1.1))

    async def _hops(self, call: ApiCall, method: str, url: URL) -> Answer[Any]:
        """Send a request and return the answer after at most `MAX_REDIRECTS` redirects, of any
        status. A write is sent again after 307 and 308 alone; 303 becomes GET. Raises ApiError.
        """
        for _ in range(MAX_REDIRECTS + 1):
            answer = await self._exchange(call, method, url)
            if answer.status not in REDIRECTS:
                return answer
            location = answer.headers.get("location")
            if location is None:
                if not answer.content:
                    raise Redirected(
                        f"the API answered {answer.status} and did not say where to go"
                    )
                return answer
            if method not in SAFE and answer.status not in (303, 307, 308):
                place = self.settings.redactor(location.partition("?")[0])[:MAX_SHOWN]
                raise _done_already(
                    f"answered {answer.status} with a redirect to `{place}`, which is not followed"
                    f" for {method}"
                )
            url = redirect(url, location, call.base, self.settings.redactor)
            if answer.status == 303 and method not in SAFE:
                return await self._result_elsewhere(call, url)
            if answer.status == 303 and method != "HEAD":
                method = "GET"
        raise Redirected(f"the API redirected more than {MAX_REDIRECTS} times")

    async def _result_elsewhere(self, call: ApiCall, url: URL) -> Answer[Any]:
        """Return the result of a write from the URL of its 303 answer (RFC 9110 section 15.4.4).
        Raises Redirected if that fails or answers 400 or more.
        """
        try:
            answer = await self._hops(call, "GET", url)
        except ApiError as error:
            raise _done_already(f"named another place for the result, but {error}") from None
        if answer.status >= 400:
            raise _done_already(f"named another place for the result: it answered {answer.status}")
        return answer

    async def _pace(self, call: ApiCall) -> None:
        """Wait as long as the rate limit asks for. Raises Busy when the call has no time for it."""
        left = call.until - asyncio.get_running_loop().time()
        wait = await self._rate.take(left)
        if not wait:
            return
        if wait > left:
            raise Busy(f"busy: the rate limit leaves no room for the next {wait:.0f} seconds")
        try:
            await tell(f"waiting {wait:.1f} s for the rate limit")
            await asyncio.sleep(wait)
        except BaseException:
            self._rate.give_back()
            raise

    async def _exchange(self, call: ApiCall, method: str, url: URL) -> Answer[Any]:
        """Return one request's answer, unparsed; from 400 on, an unreadable body is empty."""
        request = await self._request(call, method, url)
        response = await self._send(request)
        try:
            content, reason_of_end = await self._read(response, call)
        except BadAnswer as error:
            response.drop()
            if response.status < 400:
                raise
            # The status says what happened, whatever became of its text
            content, reason_of_end = b"", str(error)
        except BaseException:
            response.drop()
            raise
        finally:
            response.close()
        return Answer(
            status=response.status,
            headers=response.headers,
            content=content,
            method=call.method,
            path=call.path,
            incomplete=reason_of_end,
        )

    async def _request(self, call: ApiCall, method: str, url: URL) -> Outgoing:
        """Return a request with its credentials; the body is left out after a redirect to GET."""
        headers, content = dict(call.headers), call.body.content
        keeps_body = method == call.method
        if not keeps_body:
            headers.pop("Content-Type", None)
            content = None
        request = Outgoing(
            method, url, headers, dict(call.cookies), content, self.settings.redactor
        )
        request.tokens, request.caller = call.tokens, caller_now.get()
        request.tokens.clear()
        if call.trusted:
            self._add_constants(request)
            for credential in call.credentials:
                await self.credentials.add(credential, request, self.post)
            if self.credentials.forwarding is not None:
                self.credentials.forwarding.add(request)
            if self._authorize is not None:
                await self._authorize(request)
            if request.url is not url and origin_of(str(request.url)) != origin_of(str(url)):
                raise Refused("`auth.py` changed where the request goes")
        if request.cookies:
            request.set_header(
                "Cookie", "; ".join(f"{name}={value}" for name, value in request.cookies.items())
            )
        return request

    def _add_constants(self, request: Outgoing) -> None:
        """Set the constant headers, replacing others; a body keeps its own Content-Type."""
        for name, value in self.settings.headers.items():
            if name.lower() != "content-type" or request.content is None:
                request.set_header(name, value)

    async def _send(self, request: Outgoing) -> ResponseHead:
        """Send a request and return the head of its answer. Raises ApiError."""
        send: Send = self.sender().send
        current().requests += 1
        for wrap in senders:
            send = wrap(send)
        try:
            response: ResponseHead = await send(
                request.method, request.url, request.headers, request.content
            )
            return response
        except Exception as error:
            failure = failure_of(error, self.settings, request.url)
            if isinstance(failure, Unreachable | BadAnswer | TimedOut):
                # Nobody has answered, and another attempt may meet somebody who does; an API that
                # took the request and is silent may still carry it out
                failure.transient = not (isinstance(failure, TimedOut) and failure.sent)
            raise failure from None

    async def _read(self, response: ResponseHead, call: ApiCall) -> tuple[bytes, str]:
        """Return the body of an answer, and why it is cut (streams may have no end); empty if it is
        whole. Raises BadAnswer, TimedOut, or TimeoutError when the call's time is over.
        """
        deadline = call.until if "content-length" in response.headers else call.until - 0.25
        chunks: list[bytes] = []

        reason, size = "", 0
        try:
            async with asyncio.timeout_at(deadline):
                async for chunk in body_of(response, self.settings.max_response_bytes):
                    if size < LARGE <= size + len(chunk):
                        await self._take(self._bytes, self.settings.max_response_bytes, call)
                    size += len(chunk)
                    chunks.append(chunk)
        except (TimeoutError, TimedOut, TooLarge) as error:
            if type(error) is TooLarge:
                error.args = (f"{error} (`{self.settings.variable('MAX_RESPONSE_BYTES')}`)",)
            if response.status >= 400 or not goes_on(response.headers, b"".join(chunks)):
                raise
            reason = str(error) or "it had not ended when the time for this call was over"
        return b"".join(chunks), reason

    async def post(self, request: Outgoing) -> Answer[Any]:
        """Return an OAuth endpoint's answer of any status, parsed, no redirect followed."""
        try:
            response = await self._send(request)
            try:
                content = b"".join([chunk async for chunk in body_of(response, MAX_TOKEN_ANSWER)])
            finally:
                response.close()
        except ApiError as error:  # it is not the API that failed, nor has it seen the request
            said = str(error).replace("the API", "the token endpoint", 1)
            failure = Refused(said) if isinstance(error, Refused) else ApiError(said)
            failure.advice = error.advice
            raise failure from None
        return parsed(Answer(response.status, {"content-type": "application/json"}, content))


def _auth_of(settings: ApiSettings, auth: Any) -> Any:
    """Return `auth` for a further API; None if `auth.py` provides none of its credentials."""
    if settings.own_credentials.keys().isdisjoint(getattr(auth, "PROVIDES", ())):
        return None
    return auth


def _done_already(reason: str) -> Redirected:
    """Return the error for a write that was carried out, but whose redirect gave no result."""
    return Redirected(f"the API took the request and {reason}")


_origin_of_base = lru_cache(maxsize=64)(origin_of)


def _names(*places: Any) -> tuple[str, ...]:
    """Return the keys of the mappings among `places`, except those whose value is OMIT."""
    names: list[str] = []
    for place in places:
        if isinstance(place, Mapping):
            names += [name for name, value in place.items() if value is not OMIT]
    return tuple(names)


async def tell(text: str) -> None:
    """Report progress, if the caller asked for it. A failing report does not fail the call."""
    report = progress.get()
    if report is not None:
        with suppress(Exception):
            await report(text)


@asynccontextmanager
async def _ticking(text: str) -> AsyncIterator[None]:
    """Report `text` and the seconds so far, every `TICK` seconds, if the caller asked for it."""
    if progress.get() is None:
        yield
        return

    async def tick() -> None:
        seconds = 0.0
        while True:
            await asyncio.sleep(TICK)
            seconds += TICK
            await tell(f"{text} ({seconds:.0f} s)")

    task = asyncio.create_task(tick())
    try:
        yield
    finally:
        task.cancel()
