# mypy: disable-error-code="import-not-found"
"""Traces and metrics with OpenTelemetry, where they are on. Nothing imports this module otherwise.

Spans of MCP requests are the SDK's, by the semantic conventions for MCP; here they get a parent
from the HTTP request where `_meta` names none, and what the transport knows. Requests to the API
are client spans by the conventions for HTTP, and carry the trace context on. No span and no metric
holds an argument, an answer, a query or a caller.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from errno import EADDRINUSE
from functools import partial
from multiprocessing import parent_process
from typing import TYPE_CHECKING, Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.shared.exceptions import MCPError
from opentelemetry import context as contexts
from opentelemetry import metrics, propagate, trace

from ...log import event, logger
from ...package import StartError
from ...record import Record, Send, figures, observers, senders

if TYPE_CHECKING:
    from ...app import App
    from ...settings import Settings
    from .variables import TelemetrySettings

SECONDS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300)
"""The bounds that the conventions for MCP name for durations."""
END_SECONDS = 5.0
"""Seconds for which a stopping server tries to export its measurements."""
OTHER = "_OTHER"
"""Name for an unknown tool: callers must not create time series."""


class Telemetry:
    """Instruments of one process. `names` are the tools there are; others count as `_OTHER`."""

    def __init__(self, names: frozenset[str]) -> None:
        self._names = names
        self._tracer = trace.get_tracer("mcpgen")
        meter = metrics.get_meter("mcpgen")
        bounds: dict[str, Any] = {"unit": "s", "explicit_bucket_boundaries_advisory": SECONDS}
        self._operations = meter.create_histogram(
            "mcp.server.operation.duration", description="MCP requests", **bounds
        )
        self._requests = meter.create_histogram(
            "http.client.request.duration", description="Requests to the API", **bounds
        )
        self._calls = meter.create_counter("mcp.server.calls", "{call}", "Calls by their end")
        self._bytes = meter.create_counter("mcp.server.result.size", "By", "Bytes of results")
        self._repeated = meter.create_counter(
            "mcp.server.api.repeated", "{request}", "Requests to the API beyond the first of a call"
        )
        self._queued = meter.create_histogram(
            "mcp.server.api.queue.duration", description="Waiting for a turn at the API", **bounds
        )
        self._running = meter.create_up_down_counter(
            "mcp.server.active_requests", "{request}", "MCP requests under way"
        )
        self._events = meter.create_counter(
            "mcp.server.events", "{event}", "Warnings and errors in the log"
        )
        gauge = meter.create_observable_gauge
        gauge("mcp.server.usage", [partial(_observed, 0)], description="In use of each limit")
        gauge("mcp.server.limit", [partial(_observed, 1)], description="Each limit")

    def install(self, app: App) -> None:
        """Observe the server's requests, its calls and its requests to the API."""
        app.server.middleware.insert(0, self._outside)
        app.server.middleware.append(self._inside)
        observers[self] = self._count
        lines = logging.Handler(logging.WARNING)
        lines.emit = self._count_line  # type: ignore[method-assign]
        logger.addHandler(lines)
        senders.append(self._sender)

    async def _outside(
        self, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        """Serve a request under the trace of its HTTP headers; record duration and error."""
        attributes = self._attributes(ctx)
        token = None
        if ctx.request is not None:
            token = contexts.attach(propagate.extract(ctx.request.headers))
        started = time.perf_counter()
        self._running.add(1)
        try:
            result = await call_next(ctx)
            if isinstance(result, Mapping) and result.get("isError") is True:
                attributes["error.type"] = "tool_error"
            return result
        except MCPError as error:
            attributes["error.type"] = str(error.error.code)
            attributes["rpc.response.status_code"] = str(error.error.code)
            raise
        except BaseException as error:
            attributes["error.type"] = type(error).__qualname__
            raise
        finally:
            self._running.add(-1)
            self._operations.record(time.perf_counter() - started, attributes)
            if token is not None:
                contexts.detach(token)

    async def _inside(
        self, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        """Add the transport to the SDK's span, and go on."""
        trace.get_current_span().set_attributes(_transport(ctx))
        return await call_next(ctx)

    def _attributes(self, ctx: ServerRequestContext[Any, Any]) -> dict[str, str]:
        attributes = {
            "mcp.method.name": ctx.method,
            "mcp.protocol.version": ctx.protocol_version,
            **_transport(ctx),
        }
        if ctx.method == "tools/call":
            attributes["gen_ai.operation.name"] = "execute_tool"
            attributes["gen_ai.tool.name"] = self._tool(str((ctx.params or {}).get("name")))
        return attributes

    def _tool(self, name: str) -> str:
        return name if name in self._names else OTHER

    def _count(self, record: Record) -> None:
        """Count a call that has ended."""
        tool = {"gen_ai.tool.name": self._tool(record.tool)}
        self._calls.add(1, {**tool, "status": str(record.status)})
        self._bytes.add(record.bytes, tool)
        if record.requests > 1:
            self._repeated.add(record.requests - 1, tool)
        if record.requests:
            self._queued.record(record.queued, tool)

    def _count_line(self, record: logging.LogRecord) -> None:
        self._events.add(1, {"event": record.getMessage()})

    def _sender(self, send: Send) -> Send:
        """Return `send` with a client span around each request, and trace context in headers."""

        async def traced(method: str, url: Any, headers: Mapping[str, str], content: Any) -> Any:
            attributes: dict[str, Any] = {
                "http.request.method": method,
                "server.address": url.host,
                "server.port": url.port or {"https": 443}.get(url.scheme, 80),
            }
            started = time.perf_counter()
            with self._tracer.start_as_current_span(
                method,
                kind=trace.SpanKind.CLIENT,
                attributes=attributes,
                record_exception=False,
                set_status_on_exception=False,
            ) as span:
                carried = dict(headers)
                propagate.inject(carried)
                try:
                    response = await send(method, url, carried, content)
                    outcome = {"http.response.status_code": response.status}
                    if response.status >= 400:
                        outcome["error.type"] = str(response.status)
                    return response
                except BaseException as error:
                    outcome = {"error.type": type(error).__qualname__}
                    raise
                finally:
                    span.set_attributes(outcome)
                    if "error.type" in outcome:
                        span.set_status(trace.StatusCode.ERROR)
                    elapsed = time.perf_counter() - started
                    self._requests.record(elapsed, {**attributes, **outcome})

        return traced


def _observed(index: int, _: Any) -> list[metrics.Observation]:
    """Return an observation for each figure: its value (0) or its limit (1)."""
    return [
        metrics.Observation(figure()[index], {"resource": resource})
        for resource, figure in figures.items()
    ]


def _transport(ctx: ServerRequestContext[Any, Any]) -> dict[str, str]:
    if ctx.request is None:
        return {"network.transport": "pipe"}
    return {"network.transport": "tcp", "network.protocol.name": "http"}


@contextmanager
def running(app: App, settings: Settings, own: TelemetrySettings, host: str) -> Iterator[None]:
    """Run telemetry until the end of the block, then send what was measured, for 5 seconds at most.
    `host` is the address that serves Prometheus. Raises StartError.
    """
    try:
        from opentelemetry.sdk.metrics import MeterProvider
        from opentelemetry.sdk.resources import OTELResourceDetector, Resource
    except ImportError as error:
        raise StartError(
            f"`{settings.variable('TELEMETRY')}` and `{settings.variable('METRICS_PORT')}` need the"
            " package `opentelemetry-sdk`: add it to `dependencies` in pyproject.toml, as `mcpgen"
            " check` says, and install this server again"
        ) from error
    # `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` have the last word
    named = {"service.name": f"{settings.name}-mcp", "service.version": app.server.version or ""}
    resource = Resource.create().merge(Resource(named)).merge(OTELResourceDetector().detect())
    readers: list[Any] = []
    ends: list[Callable[[], None]] = []
    if own.metrics_port:
        readers.append(_prometheus(host, own.metrics_port))
    if own.telemetry:
        readers.append(_otlp(resource, ends))
    provider = MeterProvider(readers, resource, shutdown_on_exit=False)
    metrics.set_meter_provider(provider)
    ends.append(provider.shutdown)
    Telemetry(frozenset(app.catalog.toolset_of)).install(app)
    try:
        yield
    finally:
        _run_within(END_SECONDS, ends)


def _run_within(seconds: float, ends: list[Callable[[], None]]) -> None:
    """Call functions side by side, and wait at most `seconds` for all of them: each would wait half
    a minute for an absent collector, longer than the server is given to stop.
    """
    until = time.monotonic() + seconds
    threads = [threading.Thread(target=end, daemon=True) for end in ends]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.0, until - time.monotonic()))
    if any(thread.is_alive() for thread in threads):
        event("warning", "telemetry_not_sent", seconds=seconds)


def _prometheus(host: str, port: int) -> Any:
    """Return a reader whose metrics are served at `/metrics`; a worker whose port is taken uses the
    next port. Raises StartError.
    """
    from opentelemetry.exporter.prometheus import PrometheusMetricReader
    from prometheus_client import CollectorRegistry, ProcessCollector, start_http_server

    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    reader = PrometheusMetricReader(registry=registry)
    is_worker = parent_process() is not None
    while True:
        try:
            start_http_server(port, host, registry)
            return reader
        except OSError as error:
            if all((is_worker, error.errno == EADDRINUSE, port < 65_535)):
                port += 1
                continue
            raise StartError(
                f"cannot serve metrics on {host}:{port}: {error.strerror or error}"
            ) from error


def _otlp(resource: Any, ends: list[Callable[[], None]]) -> Any:
    """Send traces over OTLP from now on, and return the reader that sends metrics; `ends` gets the
    function that stops the traces.
    """
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    ends.append(provider.shutdown)
    return PeriodicExportingMetricReader(OTLPMetricExporter())
