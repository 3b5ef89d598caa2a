"""`make scaling`: what many callers take, from measured figures and a simulation of the queue.

`python -m benchmarks.scaling [--callers N] [--write]`

One generated server over HTTP on loopback is measured: its memory when nobody is connected, with so
many idle callers and with as many busy ones, and the processor time of a call. The queue in front
of it is simulated with that time. `--write` writes `docs/scaling.md` anew.
"""

from __future__ import annotations

import argparse
import asyncio
import heapq
import math
import os
import platform
import random
import socket
import sys
import tempfile
import textwrap
import time
import tracemalloc
from collections import OrderedDict, deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

from mcpgen.cli import run
from mcpgen.runtime.app import GRACE_SECONDS
from mcpgen.runtime.client.settings import SETTINGS
from mcpgen.runtime.parts.exchange.tokens import MOST_CALLERS, CachedToken
from mcpgen.runtime.parts.http import HttpSettings
from mcpgen.runtime.parts.redis.shared import POLL_SECONDS
from mcpgen.runtime.secrets import Secret
from mcpgen.runtime.settings import settings_of

from .http import HANDSHAKE, MODERN, answer, load, request, start
from .run import cpu
from .stdio import processor

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "scaling.md"
DEFAULTS = {setting.name: setting.default for setting in (*SETTINGS, *settings_of(HttpSettings))}
MANY_TOOLS = "\n## A server of many tools\n"
"""The section that `benchmarks.large` writes."""
PREFIX = "BOOKSHOP_MCP_"
UNLIMITED = {
    "CALL_RATE": "0",
    "MAX_CALLS": "100000",
    "MAX_WAITING": "100000",
    "MAX_CONCURRENCY": "1000",
    "HTTP_MAX_CONNECTIONS": "100000",
    "HTTP_IDLE_TIMEOUT": "3600",
    "CONNECT_TIMEOUT": "60",
    "TIMEOUT": "120",
    "TOTAL_TIMEOUT": "120",
    "HTTP_BODY_TIMEOUT": "120",
}
"""Limits out of the way: what is measured is what one caller costs."""
IDLE_SECONDS = 5.0
SLOW_SECONDS = 4.0
API_SECONDS = 0.1
ARRIVALS = 40_000
POPULATION = 10_000
BURST = 8
"""Calls that an agent makes at once."""
SHARED = 256
"""Places that replicas share (`REDIS_MAX_CONCURRENCY`)."""
TOKEN_SECONDS = 300
"""Lifetime of a token."""
POLITE = 10
"""Callers beside a greedy one, each of whom makes a call a second."""
GREEDY = POLITE
"""The number of the greedy one."""
POLITE_CALLS = 4_000
PACES = (
    ("one call a minute", 1 / 60),
    ("one call in ten seconds", 1 / 10),
    ("one call a second", 1.0),
)
CORE_SHARE = 0.7
"""Of a core that a replica uses on average, as the autoscaler of `mcpgen add kubernetes` has it."""


@dataclass(frozen=True, slots=True)
class Measured:
    """Figures of one process. Memory in bytes, times in seconds."""

    base: int
    idle: float
    """Memory of one idle caller."""
    idle_cpu: float
    """Processor time that one idle caller takes in a second."""
    busy: float
    """Memory of one caller whose call waits for the API."""
    handshake: float
    modern: float
    """Processor time of a call, by era."""
    token: float
    """Memory of one caller's token for the API."""
    check: float
    """Processor time of the first check of a token."""


@dataclass(frozen=True, slots=True)
class Waits:
    """Seconds that calls waited for their turn: half of them less than `half`, and so on."""

    half: float
    most: float
    """99 of 100."""

    @classmethod
    def of(cls, waits: list[float]) -> Waits:
        """Return the figures of these waits."""
        waits.sort()
        return cls(waits[len(waits) // 2], waits[len(waits) * 99 // 100])


def free_port() -> int:
    """A port nobody listens on."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return int(bound.getsockname()[1])


def resident(process: int) -> int:
    """The resident memory of a process in bytes."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError("no VmRSS")


async def connected(port: int, message: bytes, callers: int) -> list[asyncio.StreamWriter]:
    """Callers that made one call each and stay connected."""
    writers = []
    for _ in range(callers):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(message)
        await answer(reader)
        writers.append(writer)
    return writers


async def measure(callers: int) -> Measured:
    """Measure one server, its API answering at once, then slowly."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "bookshop"
        document = ROOT / "samples" / "specs" / "bookshop.yaml"
        if run(["generate", str(document), "--output", str(project), "--quiet"]):
            raise RuntimeError("nothing was generated")
        quick = await _with_server(project, 0.0, callers, _quick)
        [busy] = await _with_server(project, SLOW_SECONDS, callers, _busy)
    base, idle, idle_cpu, handshake, modern = quick
    return Measured(
        int(base), idle, idle_cpu, busy, handshake, modern, token_memory(), token_check()
    )


async def _with_server(project: Path, delay: float, callers: int, use) -> list[float]:  # type: ignore[no-untyped-def]
    """What `use` measures of a server whose API takes so many seconds."""
    api, port = free_port(), free_port()
    settings = {
        **UNLIMITED,
        "BASE_URL": f"http://127.0.0.1:{api}/v1",
        "API_KEY": "key-of-the-benchmark",
    }
    environment = {f"{PREFIX}{name}": value for name, value in settings.items()}
    upstream = await start(
        [sys.executable, "-m", "benchmarks.upstream", str(api), str(delay)], api, {}, ROOT
    )
    server = await start(
        [sys.executable, "-m", "bookshop_mcp", "--http", "--port", str(port)],
        port, {**environment, "PYTHONPATH": str(project / "src")}, project,
    )  # fmt: skip
    try:
        return await use(port, server.pid, callers)  # type: ignore[no-any-return]
    finally:
        for process in (server, upstream):
            process.kill()
            await process.wait()


async def _quick(port: int, process: int, callers: int) -> list[float]:
    messages = {era: request(era, port, "list_books", {}) for era in (HANDSHAKE, MODERN)}
    cpu = []
    for message in messages.values():
        await load(port, message, process, calls=200, together=4)
        rates = [await load(port, message, process, calls=500, together=16) for _ in range(6)]
        # What else runs on the machine makes a call dearer, and never cheaper
        cpu.append(min(rate.cpu for rate in rates))
    await asyncio.sleep(0.5)
    base = resident(process)
    writers = await connected(port, messages[MODERN], callers)
    idle = (resident(process) - base) / callers
    before = processor(process)
    await asyncio.sleep(IDLE_SECONDS)
    idle_cpu = (processor(process) - before) / IDLE_SECONDS / callers
    for writer in writers:
        writer.close()
    return [base, idle, idle_cpu, *cpu]


async def _busy(port: int, process: int, callers: int) -> list[float]:
    message = request(MODERN, port, "list_books", {})
    await load(port, message, process, calls=4, together=4)
    before = resident(process)
    calling = asyncio.create_task(load(port, message, process, calls=callers, together=callers))
    most = before
    while not calling.done():
        await asyncio.sleep(0.1)
        most = max(most, resident(process))
    await calling
    return [(most - before) / callers]


def token_memory(callers: int = 2_000) -> float:
    """The memory of the tokens of so many callers, for each of them."""
    tracemalloc.start()
    entries = {}
    for number in range(callers):
        entry = CachedToken()
        # A signed token is about a thousand characters long
        entry.token = Secret(f"{number:08}" + "x" * 1_000)
        entries[os.urandom(32)] = entry
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return size / len(entries)


def token_check(times: int = 500) -> float:
    """The processor time of the check of a signature (RS256, 2,048 bits)."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    claims = {"iss": "https://login.example", "sub": "ann", "aud": "api", "exp": 2**33}
    token = jwt.encode(claims, key, "RS256")
    before = time.process_time()
    for _ in range(times):
        jwt.decode(token, key.public_key(), ["RS256"], audience="api")
    return (time.process_time() - before) / times


def arrivals(rate: float, count: int, source: random.Random, together: int = 1) -> Iterator[float]:
    """The times of calls that come independently of each other, or so many of them at once."""
    now = 0.0
    for number in range(count):
        if number % together == 0:
            now += source.expovariate(rate / together)
        yield now


def simulate(rate: float, cpu: float, places: int, api: float, *, together: int = 1) -> Waits:
    """How long calls wait in one replica to which `rate` calls come in a second, `together` at a
    time.

    A call takes `cpu` seconds of the one core, in turn, then one of `places` for the API's answer,
    which takes `api` seconds on average (exponential). Both queues are in order of arrival.
    """
    source = random.Random(1)
    core_free = 0.0
    slots = [0.0] * places
    waits = []
    for came in arrivals(rate, ARRIVALS, source, together):
        begun = max(came, core_free)
        core_free = begun + cpu
        slot = heapq.heappop(slots)
        called = max(core_free, slot)
        heapq.heappush(slots, called + source.expovariate(1 / api))
        waits.append((begun - came) + (called - core_free))
    return Waits.of(waits)


def simulate_shared(rate: float, count: int, places: int, api: float) -> Waits:
    """How long calls wait for one of `places` that `count` replicas share: the first of each
    replica's queue asks for one, and again until it is given one.
    """
    source = random.Random(1)
    queues: list[deque[float]] = [deque() for _ in range(count)]
    events = [(came, source.randrange(count), True) for came in arrivals(rate, ARRIVALS, source)]
    heapq.heapify(events)
    ends: list[float] = []
    waits = []
    while events:
        now, replica, is_call = heapq.heappop(events)
        queue = queues[replica]
        if is_call:
            queue.append(now)
            if len(queue) > 1:
                continue
        while ends and ends[0] <= now:
            heapq.heappop(ends)
        while queue and len(ends) < places:
            waits.append(now - queue.popleft())
            heapq.heappush(ends, now + source.expovariate(1 / api))
        if queue:
            again = now + POLL_SECONDS * source.uniform(0.5, 1.5)
            heapq.heappush(events, (again, replica, False))
    return Waits.of(waits)


def simulate_greedy(places: int, api: float, connections: int, *, turns: bool) -> Waits:
    """How long the calls of polite callers wait beside a greedy one, who calls again on each of its
    connections as soon as it is answered: in one queue, or in one for each caller, who take turns.
    """
    source = random.Random(1)
    calls = enumerate(arrivals(POLITE, POLITE_CALLS, source))
    events = [(came, number % POLITE, True) for number, came in calls]
    events += [(0.0, GREEDY, True)] * connections
    heapq.heapify(events)
    queues: OrderedDict[int, deque[tuple[float, int]]] = OrderedDict()
    waits: list[float] = []
    while len(waits) < POLITE_CALLS:
        now, caller, is_call = heapq.heappop(events)
        if not is_call:
            places += 1
        if is_call or caller == GREEDY:
            queues.setdefault(caller if turns else 0, deque()).append((now, caller))
        while places and queues:
            key, queue = queues.popitem(last=False)
            came, whose = queue.popleft()
            if queue:
                queues[key] = queue
            if whose != GREEDY:
                waits.append(now - came)
            places -= 1
            heapq.heappush(events, (now + source.expovariate(1 / api), whose, False))
    return Waits.of(waits)


def replicas(rate: float, cpu: float, places: int, api: float) -> int:
    """How many replicas keep their core and their places for the API below `CORE_SHARE`."""
    by_core = rate * cpu / CORE_SHARE
    by_places = rate * api / places / CORE_SHARE
    return max(1, -int(-max(by_core, by_places) // 1))


def exchanges(count: int, calls: float) -> float:
    """How often the token of a caller is exchanged: once in each of `count` replicas that one of
    its `calls` reaches, when a balancer sends each call to any of them.
    """
    return count * (1 - (1 - 1 / count) ** calls)


def table(heading: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown."""
    lines = [heading, ["---"] * len(heading), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def milliseconds(seconds: float) -> str:
    """Seconds as `12.3 ms`."""
    if seconds >= 1:
        return f"{seconds:.1f} s"
    return f"{seconds * 1000:.1f} ms"


def microseconds(cpu: float, callers: int) -> str:
    """Processor time of one of so many callers in a second, as far as the clock can tell."""
    tick = 1 / os.sysconf("SC_CLK_TCK") / IDLE_SECONDS / callers
    if cpu < tick:
        return f"less than {tick * 1e6:.1f} µs"
    return f"{cpu * 1e6:.1f} µs"


def kilobytes(size: float) -> str:
    """Bytes as `12.3 KB`."""
    return f"{size / 1000:,.1f} KB"


def page(measured: Measured, callers: int) -> str:
    """The page, every figure of which was measured or follows from measured ones."""
    cpu = max(measured.handshake, measured.modern)
    places, call_rate = DEFAULTS["MAX_CONCURRENCY"], DEFAULTS["CALL_RATE"]
    per_places = places / API_SECONDS
    per_core = 1 / cpu
    queue = (
        f"calls queue (`MAX_WAITING`, {DEFAULTS['MAX_WAITING']}), and are refused once it is full"
    )
    api = f"`MAX_CONCURRENCY`, against an API that takes {milliseconds(API_SECONDS)}"
    limits = sorted(
        [
            (call_rate, "`CALL_RATE`", "the model is told to wait"),
            (per_places, api, queue),
            (per_core, "one core", "every call takes longer"),
        ]
    )
    most_connections = DEFAULTS["HTTP_MAX_CONNECTIONS"]
    rows, exchanged = [], []
    for text, pace in PACES:
        rate = POPULATION * pace
        count = replicas(rate, cpu, places, API_SECONDS)
        waits = simulate(rate / count, cpu, places, API_SECONDS)
        connected_each = POPULATION / count
        memory = (
            measured.base
            + connected_each * measured.idle
            + rate / count * API_SECONDS * measured.busy
        )
        rows.append([
            text, f"{rate:,.0f}", f"{count:,}", f"{connected_each:,.0f}", f"{memory / 1e6:,.0f} MB",
            milliseconds(waits.half), milliseconds(waits.most),
        ])  # fmt: skip
        calls = pace * TOKEN_SECONDS
        each = exchanges(count, calls)
        anew = each * POPULATION / TOKEN_SECONDS
        exchanged.append(
            [
                text,
                f"{count:,}",
                f"{each:.1f}",
                f"{anew:,.0f}",
                f"{each / calls:.1%}",
                f"{1 / calls:.1%}",
            ]
        )
    # The last row's replicas
    batches = -(-count // -(-count // 4))
    loads = []
    most = min(per_core, per_places)
    for share in (0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 1.1):
        waits = simulate(most * share, cpu, places, API_SECONDS)
        bursts = simulate(most * share, cpu, places, API_SECONDS, together=BURST)
        figures = (waits.half, waits.most, bursts.half, bursts.most)
        loads.append([f"{share:.0%}", f"{most * share:,.0f}", *map(milliseconds, figures)])
    shared = []
    for share in (0.5, 0.7, 0.9, 0.95):
        waits = simulate_shared(SHARED / API_SECONDS * share, count, SHARED, API_SECONDS)
        shared.append([f"{share:.0%}", milliseconds(waits.half), milliseconds(waits.most)])
    greedy = []
    for connections in (64, 128, 240, 1_000):
        both = [
            simulate_greedy(places, API_SECONDS, connections, turns=turns)
            for turns in (False, True)
        ]
        figures = [figure for waits in both for figure in (waits.half, waits.most)]
        greedy.append([f"{connections:,}", *map(milliseconds, figures)])
    settings = [
        ["`HTTP_MAX_CONNECTIONS`", f"{count * most_connections:,}", f"{POPULATION:,} connections", "503 for one more"],
        ["`CALL_RATE`", f"{count * call_rate:,.0f}", f"{rate:,.0f} calls a second", "the model is told to wait"],
        ["`MAX_CONCURRENCY`", f"{count * places:,}", f"{rate * API_SECONDS:,.0f} at a time", "calls queue"],
        ["`MAX_WAITING`", f"{count * DEFAULTS['MAX_WAITING']:,}", f"bursts of {BURST} calls", "calls are refused"],
        ["tokens kept (exchange)", f"{MOST_CALLERS:,} in each", f"{POPULATION:,} tokens", "exchanged again at every call"],
        ["token endpoint", "as the issuer allows", f"{anew:,.0f} exchanges a second", "calls fail"],
        ["check of tokens", f"{count / measured.check:,.0f} a second", f"{anew:,.0f} a second ({anew * measured.check / count:.1%} of each core)",
         "every call takes longer"],
        ["Redis", "measure yours", f"{2 * rate:,.0f} round trips a second for `REDIS_MAX_CONCURRENCY`",
         "each replica takes its share of the limits"],
    ]  # fmt: skip
    measurements = [
        ["memory of a process that has served calls", f"{measured.base / 1e6:,.0f} MB"],
        ["memory of an idle caller (a connection kept open)", kilobytes(measured.idle)],
        [
            "memory of a busy caller (a call that waits for the API), its connection included",
            kilobytes(measured.busy),
        ],
        ["processor time of a call, handshake era", milliseconds(measured.handshake)],
        ["processor time of a call, 2026-07-28", milliseconds(measured.modern)],
        ["processor time of an idle caller, in a second", microseconds(measured.idle_cpu, callers)],
        ["memory of one caller's token for the API (token exchange)", kilobytes(measured.token)],
        ["processor time of the first check of a token (RS256)", milliseconds(measured.check)],
    ]
    grace = DEFAULTS["HTTP_GRACE"] + DEFAULTS["TOTAL_TIMEOUT"] + GRACE_SECONDS
    restart = math.ceil(batches * grace / 60)
    text = f"""# What many callers take

<!-- Written by `make scaling`. Do not edit. -->

Measured on {cores()} with Python {platform.python_version()}, one process of the bookshop sample (with `fast`) over HTTP on loopback,
{callers} callers, every limit out of the way; client and API share the cores. The rest of this page is arithmetic and a
simulation with these figures (`benchmarks/scaling.py`). Your API and your answers differ: run `make scaling` yourself.

{table(["what", "figure"], measurements)}

## What breaks first

A process with its default settings takes so many calls a second:

{table(["calls a second", "limit", "beyond it"], [[f"{rate:,.0f}", *texts] for rate, *texts in limits])}

The first line breaks first. Connections end at
`HTTP_MAX_CONNECTIONS` ({most_connections:,}) for each process: one more is answered with 503. Every
connection takes a file descriptor of the process, and every call in flight one more towards the API.

## 10,000 callers

All of them connected, against an API that takes {milliseconds(API_SECONDS)}. Replicas of one core each, of which
{CORE_SHARE:.0%} is used; the waits are simulated, calls coming independently of each other.

{table(["each makes", "calls a second", "replicas", "connections each", "memory each", "half wait less than", "99 of 100 wait less than"], rows)}

For more than {most_connections:,} connections in a replica, raise `HTTP_MAX_CONNECTIONS` and the limit of open files; for more
than {call_rate:,.0f} calls a second, `CALL_RATE`. Tokens of {MOST_CALLERS:,} callers are kept at most
({MOST_CALLERS * measured.token / 1e6:,.0f} MB). A rolling restart takes up to {grace:.0f} seconds for each replica; a quarter
of them at a time, as `mcpgen add kubernetes` has it, {count:,} replicas take up to {restart:,.0f} minutes.

What {count:,} replicas with default settings take, and what {POPULATION:,} callers with a call a second need, each with a token
of five minutes and no balancer that sends a caller to the same replica:

{table(["setting", "all replicas", "needed", "beyond it"], settings)}

From {count:,} replicas the API gets up to {count * places:,} requests at once: `MAX_CONCURRENCY` holds for each. Redis makes
it fewer (`REDIS_MAX_CONCURRENCY`). A token is checked once in each replica and remembered by its hash until it ends.

## Tokens that are exchanged

Each replica exchanges and introspects tokens for itself, Redis or not. {POPULATION:,} callers, each with a token of
{TOKEN_SECONDS / 60:.0f} minutes, and a balancer that sends a call to any replica:

{table(["each makes", "replicas", "exchanges of each token", "of all, a second", "calls that wait for one", "if replicas shared them"], exchanged)}

One exchange for each token, {POPULATION / TOKEN_SECONDS:,.0f} a second, is what the issuer sees where a balancer sends a caller
to the same replica: in haproxy `balance hdr(Authorization)` with `hash-type consistent`. The server does not share exchanged
tokens in Redis, encrypted or not: with that balancer it would save nothing, and whoever reads Redis and the environment of one
replica would have the tokens of all callers.

## How waiting grows

One replica with {places} places for the API, which takes {milliseconds(API_SECONDS)}: at most {most:,.0f} calls a second.

{table(["load", "calls a second", "half wait less than", "99 of 100 wait less than", f"half, {BURST} calls at once", f"99 of 100, {BURST} calls at once"], loads)}

Beyond its limit a queue only grows: the last line is how long calls wait after {ARRIVALS:,} of them, and why `MAX_WAITING`
turns calls away instead. Add replicas at 70 %: the autoscaler of `mcpgen add kubernetes` does at {places * CORE_SHARE:.0f}
requests under way or waiting in each, where the server has the part `telemetry`, and at 70 % of one core.

## A greedy caller

{POLITE} callers with a call a second each, beside one that calls again on each of its connections as soon as it is answered:
what the polite ones wait for one of {places} places, in one queue for all and, as the server has it, in one for each caller.

{table(["connections", "half, one queue", "99 of 100, one queue", "half, in turn", "99 of 100, in turn"], greedy)}

## One limit for all replicas

With `REDIS_MAX_CONCURRENCY`, a call waits in the queue of its replica, the first of which asks Redis every
{milliseconds(POLL_SECONDS)} until one of the shared places is free: {count:,} replicas that all wait make
{count / POLL_SECONDS:,.0f} round trips a second. {count:,} replicas that share {SHARED} places, for an API that takes
{milliseconds(API_SECONDS)}:

{table(["load of the places", "half wait less than", "99 of 100 wait less than"], shared)}

Callers take turns in the queue of each replica, not over all: a replica with few waiting callers gives each of them more.
More replicas do not help beyond this limit: set the autoscaler's `maxReplicas` to what the places keep busy. A call costs two
round trips more, and as many with `MAX_CALLS_PER_CALLER`.
"""
    return "\n\n".join(wrapped(part) for part in text.rstrip().split("\n\n")) + "\n"


def wrapped(part: str) -> str:
    """A paragraph in lines of 120 characters; a table or a heading as it is."""
    if part.startswith(("|", "#", "<")):
        return part
    return textwrap.fill(" ".join(part.split()), 120, break_long_words=False)


def cores() -> str:
    """The machine in words."""
    model = platform.machine()
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.partition(":")[2].strip()
            break
    imported, _ = cpu([sys.executable, "-c", "import mcp"])
    return f"{os.cpu_count()} cores ({model}; `import mcp` takes {imported:.2f} s of one)"


def main() -> int:
    """Measure, print the page, and write it where asked."""
    parser = argparse.ArgumentParser(description="What many callers take")
    parser.add_argument("--callers", type=int, default=300, help="idle and busy callers to measure")
    parser.add_argument("--write", action="store_true", help="write docs/scaling.md")
    options = parser.parse_args()
    began = time.perf_counter()
    text = page(asyncio.run(measure(options.callers)), options.callers)
    print(text)
    print(f"({time.perf_counter() - began:.0f} s)", file=sys.stderr)
    if options.write:
        _, heading, many_tools = PAGE.read_text("utf-8").partition(MANY_TOOLS)
        PAGE.write_text(f"{text}{heading}{many_tools}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
