"""The API: one client, one `request`, every limit.

`Api.request` is what a tool's function calls. It builds the request (`wire`, `url`, `body`), waits
its turn (`limits`), adds credentials (`credentials`), sends it, and reads the answer within bounds
(`network`). What goes wrong is an `ApiError`; what it reports to the model is in `answer`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeAlias

import httpcore2
import httpx2

from ..errors import (
    ApiError,
    BadAnswer,
    BadStatus,
    Busy,
    Redirected,
    Refused,
    TimedOut,
    Unreachable,
)
from ..limits import Gate, Rate, back_off, retry_after
from ..origin import check_base_url, origin_of
from ..results.answer import STREAMS, Answer, parsed
from ..secrets import Secret
from ..settings import Credential, Settings
from .body import Payload, cookie_pairs, header_fields, header_value, payload, query_text
from .credentials import Credentials, Outgoing, Security
from .network import Response, TooLarge, Transport, body_of, check_head
from .url import build, redirect
from .wire import OMIT, Omit, Part

__all__ = ["OMIT", "Answer", "Api", "ApiError", "Omit", "Value", "progress"]

Value: TypeAlias = object
"""Anything a tool argument can be: a scalar, list or dict, something encoded by `wire`, or
`OMIT`.
"""

IDEMPOTENT = frozenset(("GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "QUERY"))
SAFE = frozenset(("GET", "HEAD", "OPTIONS", "TRACE", "QUERY"))
RETRIED = frozenset((429, 502, 503, 504))
MAX_REDIRECTS = 3
MAX_TOKEN_ANSWER = 64 * 1024
TICK = 5.0

progress: ContextVar[Callable[[str], Awaitable[None]] | None] = ContextVar("progress", default=None)
"""Called with a short text while a call waits for its turn, for the answer, or before it is tried
again.
"""

_LOGGERS = tuple(
    f"httpcore2.{part}" for part in ("connection", "http11", "http2", "proxy", "socks")
)


@dataclass(frozen=True, slots=True)
class Call:
    """One request, ready to be sent: everything but the credentials, which are added to each copy
    of it.
    """

    method: str
    path: str
    base: str
    url: httpx2.URL
    headers: Mapping[str, str]
    cookies: Mapping[str, str]
    body: Payload
    chosen: tuple[Credential, ...]
    trusted: bool
    until: float


class Api:
    """The API behind this server. Open it with `async with`, or close it with `aclose`; many calls
    share it.
    """

    def __init__(self, settings: Settings, auth: Any = None) -> None:
        """`auth` is the module `auth.py` of the server's package, if it has one."""
        self.settings = settings
        self._authorize = getattr(auth, "authorize", None)
        self._transport: Transport | None = None
        self._gate = Gate(settings.max_concurrency, settings.max_waiting)
        self._rate = Rate(settings.rate_limit)
        self._credentials = Credentials(settings, frozenset(getattr(auth, "PROVIDES", ())))
        for name in _LOGGERS:
            logging.getLogger(name).addFilter(settings.redactor)

    async def __aenter__(self) -> Api:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close every connection."""
        transport, self._transport = self._transport, None
        if transport is not None:
            await transport.aclose()
        for name in _LOGGERS:
            logging.getLogger(name).removeFilter(self.settings.redactor)

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
        security: Security | None = None,
        base_url: str | None = None,
    ) -> Answer[Any]:
        """Call the API and return its answer. Raises ApiError; `OMIT` is left out wherever it
        stands.

        `query`, `path_args` and `form` hold values under their wire names, encoded in the default
        style of their place unless a function of `wire` did it already. At most one of `json`,
        `form`, `multipart` and `content` is the body; with `optional_body` there is none when all
        of its fields are left out. `security` lists alternatives, each the names of credentials
        that go together; None means those of the whole API. `base_url` is the operation's own
        server.
        """
        places = (path_args or {}, query or {}, headers or {}, cookies or {}, json, form, multipart)
        try:
            fields = header_fields(headers or {})
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
            if body.content is not None:
                fields["Content-Type"] = header_value("Content-Type", body.media_type)
            base, trusted = self._server(base_url)
            call = Call(
                method=method,
                path=path,
                base=base,
                url=build(base, path, path_args or {}, query_text(query or {})),
                headers=fields,
                cookies=cookie_pairs(cookies or {}),
                body=body,
                chosen=self._credentials.select(security) if trusted else (),
                trusted=trusted,
                until=asyncio.get_running_loop().time() + self.settings.total_timeout,
            )
            return await self._run(call)
        except ApiError as error:
            error.method, error.path = method, path
            error.path_arguments = tuple(path_args or ())
            error.arguments = tuple(
                name
                for place in places
                if isinstance(place, Mapping)
                for name, value in place.items()
                if value is not OMIT
            )
            error.variables = error.variables or self._credentials.variables(security)
            raise

    def _server(self, base_url: str | None) -> tuple[str, bool]:
        """Where a request goes, and whether credentials may go there. The operator's own base URL
        wins.
        """
        settings = self.settings
        if base_url is None or settings.base_url_given:
            return settings.base_url, True
        try:
            base, origin = check_base_url(base_url), origin_of(base_url)
        except ValueError as error:
            raise Refused(f"the operation's own server URL {error}") from None
        if origin == settings.origin or origin in settings.trusted_origins:
            return base, True
        if origin in settings.open_origins:
            return base, False
        raise Refused(
            f"nothing was sent: the operation goes to {origin}, which is not the API's own origin;"
            " the operator of this server can allow it with"
            f" `{settings.variable('ALLOW_ORIGINS')}={origin}`"
        )

    async def _run(self, call: Call) -> Answer[Any]:
        """The call within its total time."""
        limit = self.settings.total_timeout
        try:
            async with asyncio.timeout_at(call.until), _ticking("waiting for the API"):
                return await self._attempts(call)
        except TimeoutError:
            variable = self.settings.variable("TOTAL_TIMEOUT")
            late = TimedOut(f"the API did not answer within {limit:g} seconds (`{variable}`)")
            late.sent = True  # it may be; when in doubt, it is
            raise late from None

    async def _attempts(self, call: Call) -> Answer[Any]:
        """The call, again where trying again can help and cannot hurt."""
        tries = self.settings.retries + 1 if call.method in IDEMPOTENT else 1
        attempt, renewed = 1, False
        while True:
            wait = back_off(attempt + 1, self.settings.backoff)
            try:
                answer, used = await self._turn(call)
            except _Retryable as failure:
                if attempt >= tries:
                    raise failure.error from None
                reason = str(failure.error)
            else:
                if answer.status < 400:
                    return answer
                if answer.status == 401 and not renewed and self._credentials.renew(used):
                    renewed = True
                    continue
                asked = retry_after(answer.headers.get("retry-after"))
                wait = wait if asked is None else max(asked, 0.0)
                left = call.until - asyncio.get_running_loop().time()
                if (
                    answer.status not in RETRIED
                    or attempt >= tries
                    or wait > min(self.settings.max_retry_wait, left)
                ):
                    raise BadStatus(answer)
                reason = f"the API answered {answer.status}"
            attempt += 1
            await tell(f"{reason}; attempt {attempt} of {tries} in {wait:.1f} s")
            await asyncio.sleep(wait)

    async def _turn(self, call: Call) -> tuple[Answer[Any], dict[str, Secret]]:
        """One attempt, when it is its turn."""
        if self._gate.full:
            await tell("waiting for other calls to finish")
        async with self._gate.slot():
            await self._pace(call)
            url, method = call.url, call.method
            for _ in range(MAX_REDIRECTS + 1):
                answer, used = await self._exchange(call, method, url)
                location = answer.headers.get("location")
                if not 300 <= answer.status < 400 or answer.status == 304 or location is None:
                    return answer, used
                if method not in SAFE and answer.status not in (307, 308):
                    raise Redirected(
                        f"the API took the request and answered {answer.status} with a redirect,"
                        f" which is not followed for {method}; look at what it did before sending"
                        " it again"
                    )
                url = redirect(url, location, call.base, self.settings.redactor)
                method = "GET" if answer.status == 303 and method != "HEAD" else method
            raise Redirected(f"the API redirected more than {MAX_REDIRECTS} times")

    async def _pace(self, call: Call) -> None:
        wait = self._rate.reserve()
        if not wait:
            return
        try:
            if wait > call.until - asyncio.get_running_loop().time():
                raise Busy(f"busy: the rate limit leaves no room for the next {wait:.0f} seconds")
            await tell(f"waiting {wait:.1f} s for the rate limit")
            await asyncio.sleep(wait)
        except BaseException:
            self._rate.give_back()
            raise

    async def _exchange(
        self, call: Call, method: str, url: httpx2.URL
    ) -> tuple[Answer[Any], dict[str, Secret]]:
        """One request and its answer."""
        keeps_body = method == call.method
        request = Outgoing(
            method,
            url,
            {
                name: value
                for name, value in call.headers.items()
                if keeps_body or name != "Content-Type"
            },
            dict(call.cookies),
            call.body.content if keeps_body else None,
            self.settings.redactor,
        )
        if call.trusted:
            await self._credentials.add(call.chosen, request, self._post)
            if self._authorize is not None:
                await self._authorize(request)
            if request.url is not url and origin_of(str(request.url)) != origin_of(str(url)):
                raise Refused("`auth.py` changed where the request goes")
        if request.cookies:
            request.set_header(
                "Cookie", "; ".join(f"{name}={value}" for name, value in request.cookies.items())
            )
        response = await self._send(request)
        try:
            check_head(response)
            content, cut = await self._read(response, call)
        except BaseException:
            await response.drop()
            raise
        finally:
            await response.aclose()
        answer: Answer[Any] = Answer(
            status=response.status,
            headers=response.headers,
            content=content,
            method=call.method,
            path=call.path,
            incomplete=cut,
        )
        return parsed(answer), request.tokens

    async def _send(self, request: Outgoing) -> Response:
        """Send, and return when the head of the answer is there."""
        if self._transport is None:
            self._transport = Transport(self.settings)
        try:
            return await self._transport.send(
                request.method, request.url, request.headers, request.content
            )
        except Exception as error:
            raise _translated(error, self.settings, head=True) from None

    async def _read(self, response: Response, call: Call) -> tuple[bytes, str]:
        """The body of an answer, and why it is not all of it (for streams, which may have no
        end).
        """
        media_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        stream = media_type in STREAMS and response.status < 400
        chunks: list[bytes] = []
        try:
            async with asyncio.timeout_at(call.until - 0.25 if stream else None):
                async for chunk in body_of(response, self.settings.max_response_bytes):
                    chunks.append(chunk)
        except TimeoutError:
            if not chunks:
                raise
            return (
                b"".join(chunks),
                "the stream was still going on when the time for this call was over",
            )
        except TooLarge as error:
            error.args = (f"{error} (`{self.settings.variable('MAX_RESPONSE_BYTES')}`)",)
            if not stream:
                raise
            return b"".join(chunks), f"the stream was cut after {error.limit:,} bytes"
        except ApiError:
            raise
        except Exception as error:
            translated = _translated(error, self.settings, head=False)
            if stream and chunks and isinstance(translated, TimedOut):
                return b"".join(chunks), "the stream fell silent"
            raise translated from None
        return b"".join(chunks), ""

    async def _post(self, request: Outgoing) -> Answer[Any]:
        """A request to a token endpoint and its answer; redirects are not followed."""
        try:
            response = await self._send(request)
        except _Retryable as failure:
            raise failure.error from None
        try:
            check_head(response)
            content = b"".join([chunk async for chunk in body_of(response, MAX_TOKEN_ANSWER)])
        except ApiError:
            raise
        except Exception as error:
            raise _translated(error, self.settings, head=False) from None
        finally:
            await response.aclose()
        return parsed(Answer(response.status, {"content-type": "application/json"}, content))


class _Retryable(Exception):
    """A failure before there was an answer: an idempotent request may be sent again."""

    def __init__(self, error: ApiError) -> None:
        super().__init__()
        self.error = error


def _translated(error: Exception, settings: Settings, *, head: bool) -> Exception:
    """A library's exception as ours, with nothing of its text. `head`: there was no answer yet."""
    cause = error.__cause__ or error.__context__
    found: ApiError
    if isinstance(error, ApiError):
        return error
    if isinstance(error, httpcore2.ConnectTimeout):
        found = TimedOut(f"no connection to the API within {settings.connect_timeout:g} seconds")
    elif isinstance(error, httpcore2.ConnectError):
        found = Unreachable(_unreachable(cause or error))
    elif isinstance(error, httpcore2.PoolTimeout):
        return Busy("busy: no connection to the API became free in time")
    elif isinstance(error, httpcore2.TimeoutException):
        timed_out = TimedOut(
            f"the API sent nothing for {settings.timeout:g} seconds"
            f" (`{settings.variable('TIMEOUT')}`)"
        )
        timed_out.sent = True
        return timed_out
    elif isinstance(error, httpcore2.NetworkError):
        found = BadAnswer("the connection to the API broke before the answer was complete")
    elif isinstance(error, httpcore2.RemoteProtocolError):
        found = BadAnswer("the API's answer is incomplete, or not HTTP")
    elif isinstance(
        error, httpcore2.LocalProtocolError | httpx2.InvalidURL | ValueError | UnicodeError
    ):
        return Refused("nothing was sent: the request cannot be written as HTTP")
    else:
        return error
    return _Retryable(found) if head else found


def _unreachable(cause: BaseException) -> str:
    import ssl

    if isinstance(cause, ssl.SSLCertVerificationError):
        return "no connection to the API: its TLS certificate is not trusted"
    if isinstance(cause, ssl.SSLError):
        return "no connection to the API: it does not speak TLS as it should"
    return "no connection to the API: its host cannot be found, or refuses connections"


async def tell(text: str) -> None:
    """Report progress, if someone wants to know. A report that fails is not a reason for the call
    to fail.
    """
    report = progress.get()
    if report is not None:
        with suppress(Exception):
            await report(text)


@asynccontextmanager
async def _ticking(text: str) -> AsyncIterator[None]:
    """Report every few seconds that something is still going on."""
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
