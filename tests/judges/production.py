"""`make production`: three replicas behind haproxy are restarted one after the other, one is killed,
and the API fails, while callers of both eras call; then callers have tokens; then three replicas
share their limits in a Redis that hangs, dies and comes back.

`python -m tests.judges.production [--seconds N] [--soak N] [--rate N] [--quick] [--write]`

What must hold: no call fails but those that a killed process had taken, and nothing that changes
something is sent twice. `--soak N` ends with N seconds of 200 callers, who together begin `--rate`
calls a second (400); meanwhile the memory of the replicas must not grow. `--write` puts the figures
into `docs/production.md`; `--quick` takes two minutes, without Redis. Exit code 1 when
something did not hold; where haproxy or redis-server (Debian packages) is not installed 2, or 0 with `--quick`.
"""

from __future__ import annotations

import argparse
import asyncio
import bisect
import contextlib
import json
import math
import re
import shutil
import signal
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import http
from benchmarks.scaling import cores, resident
from tests.judges import node
from tests.judges.referee_server import environment, generate

DOCUMENT = node.CHECKOUT / "samples" / "specs" / "bookshop.yaml"
PAGE = node.CHECKOUT / "docs" / "production.md"
BEGIN, END = "<!-- figures -->\n", "<!-- end of figures -->\n"
REPLICAS, CALLERS, SOAK_CALLERS = 3, 32, 200
SAMPLES = 12
"""How many times a soak looks at the replicas."""
FRONT, BACK, API, REDIS = 18_740, 18_741, 18_750, 18_760
PLACES, PER_SECOND = 24, 120
"""Requests to the API at a time, and in a second, that all replicas share in Redis."""
BOOK = {
    "id": "bk_1", "title": "Persuasion", "authorIds": ["au_1"], "genre": "fiction",
    "price": {"amount": 9.5, "currency": "EUR"},
}  # fmt: skip
HAPROXY = node.CHECKOUT / "templates" / "deploy" / "compose" / "haproxy.cfg.jinja"


def configuration() -> str:
    """The configuration of haproxy that projects get, for replicas on this machine."""
    text = re.sub(r"(?s)resolvers docker\n.*?\n\n", "", HAPROXY.read_text())
    text = re.sub(r"bind :\d+", f"bind 127.0.0.1:{FRONT}", text)
    servers = [f"    server r{index} 127.0.0.1:{BACK + index}\n" for index in range(REPLICAS)]
    text = re.sub(r" +server-template.*\n", "".join(servers), text)
    return text.replace(" resolvers docker init-addr libc,none", "")


@dataclass(slots=True)
class Api:
    """The API: it counts what it is sent, and is as slow and as broken as it is told to be."""

    seconds: float = 0.02
    fails: bool = False
    limited: bytes = b""
    """The credential whose writes are answered with 429, and how often they were."""
    limits: int = 0
    added: Counter[str] = field(default_factory=Counter)
    running: int = 0
    at: list[tuple[float, int]] = field(default_factory=list)
    """When each request came, and how many ran then."""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection."""
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                await self._answer(reader, writer)
        writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        body = b""
        for line in head.split(b"\r\n"):
            if line.startswith(b"content-length:"):
                body = await reader.readexactly(int(line.partition(b":")[2]))
        if head.startswith(b"post"):
            self.added[json.loads(body)["title"]] += 1
        self.running += 1
        self.at.append((time.monotonic(), self.running))
        await asyncio.sleep(self.seconds)
        self.running -= 1
        status = b"503 Service Unavailable" if self.fails else b"200 OK"
        if self.limited and head.startswith(b"post") and self.limited in head:
            self.limits += 1
            status = b"429 Too Many Requests\r\nretry-after: 250"
        answer = json.dumps(BOOK).encode()
        fields = b"content-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(answer)
        writer.write(b"HTTP/1.1 " + status + b"\r\n" + fields + answer)
        await writer.drain()


@dataclass(slots=True)
class Outcome:
    """How one call ended: its end and its duration in seconds, and `ok`, `error` (a result that
    says so), the status, or `closed` (the connection, before there was an answer).
    """

    at: float
    seconds: float
    kind: str


@dataclass(slots=True)
class Load:
    """Callers of both eras, half of them of each, who read and write in turn."""

    outcomes: list[Outcome] = field(default_factory=list)
    port: int = FRONT
    token: str = ""
    _tasks: list[asyncio.Task[None]] = field(default_factory=list)
    _ends: bool = False

    def begin(self, callers: int, rate: float = math.inf, *, own: bool = False) -> None:
        """Let so many callers call, who together begin `rate` calls a second. A call that takes
        longer than its turn delays the next one of its caller. With `own` each has an address.
        """
        turn = callers / rate
        for number in range(callers):
            era = (http.HANDSHAKE, http.MODERN)[number % 2]
            first = turn * number / callers
            address = f"127.0.0.{10 + number}" if own else "127.0.0.1"
            self._tasks.append(asyncio.create_task(self._call(number, era, first, turn, address)))

    async def end(self) -> None:
        """Wait until the calls under way have ended."""
        self._ends = True
        await asyncio.gather(*self._tasks)

    async def _call(self, number: int, era: str, first: float, turn: float, address: str) -> None:
        connection, place, count = None, ("127.0.0.1", self.port), 0
        await asyncio.sleep(first)
        while not self._ends:
            count += 1
            name, arguments = "get_book", {"bookId": "bk_1"}
            if count % 2:
                name, arguments = "add_book", _book(f"{id(self)}-{number}-{count}")
            began = time.monotonic()
            try:
                if connection is None:
                    connection = await asyncio.open_connection(*place, local_addr=(address, 0))
                message = http.request(era, self.port, name, arguments)
                if self.token:
                    field = f"\r\nauthorization: Bearer {self.token}\r\n".encode()
                    message = message.replace(b"\r\n", field, 1)
                kind, stays = await _exchange(connection, message)
            except (OSError, asyncio.IncompleteReadError):
                kind, stays = "closed", False
            if not stays and connection is not None:
                connection[1].close()
                connection = None
            now = time.monotonic()
            self.outcomes.append(Outcome(now, now - began, kind))
            if turn:
                await asyncio.sleep(max(0.0, began + turn - now))
        if connection is not None:
            connection[1].close()


def _book(title: str) -> dict[str, object]:
    return {key: value for key, value in {**BOOK, "title": title}.items() if key != "id"}


async def _exchange(
    connection: tuple[asyncio.StreamReader, asyncio.StreamWriter], message: bytes
) -> tuple[str, bool]:
    """How a call ended, and whether the connection stays open."""
    reader, writer = connection
    writer.write(message)
    head = (await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 90)).lower()
    length = 0
    for line in head.split(b"\r\n"):
        if line.startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    body = await reader.readexactly(length)
    status = head.split(b" ")[1].decode()
    stays = b"connection: close" not in head
    if status != "200":
        return status, stays
    return ("error" if b'"isError":true' in body else "ok"), stays


class Replicas:
    """The processes of the server."""

    def __init__(self, package: Path, **variables: str) -> None:
        self._package = package
        self._variables = environment(package, f"http://127.0.0.1:{API}")
        prefix = json.loads((package / "api.json").read_text())["env_prefix"]
        variables = {"HTTP_GRACE": "3", "CALL_RATE": "0"} | variables
        self._variables |= {f"{prefix}_{name}": value for name, value in variables.items()}
        self._processes: dict[int, asyncio.subprocess.Process] = {}

    async def start(self, index: int) -> None:
        """Start one and wait until it listens."""
        port = BACK + index
        command = [sys.executable, "-m", self._package.name, "--http", "--port", str(port)]
        # A caller reaches a replica by the name of the balancer
        command += ["--allowed-host", f"127.0.0.1:{FRONT}"]
        self._processes[index] = await http.start(command, port, self._variables)

    async def end(self, index: int) -> int | None:
        """Send SIGTERM and wait; the exit code."""
        process = self._processes.pop(index)
        process.terminate()
        return await process.wait()

    async def kill(self, index: int) -> None:
        """Send SIGKILL."""
        process = self._processes.pop(index)
        process.kill()
        await process.wait()

    def use(self) -> tuple[float, int]:
        """Resident megabytes and open files of all replicas."""
        processes = [process.pid for process in self._processes.values()]
        files = sum(len([*Path(f"/proc/{each}/fd").iterdir()]) for each in processes)
        return sum(map(resident, processes)) / 1_048_576, files

    async def stop(self) -> None:
        """Kill all that run."""
        for index in list(self._processes):
            await self.kill(index)


@contextlib.asynccontextmanager
async def stage(folder: Path) -> AsyncIterator[tuple[Api, Replicas]]:
    """The API, three replicas and haproxy in front of them."""
    api = Api()
    server = await asyncio.start_server(api.serve, "127.0.0.1", API)
    replicas = Replicas(generate(str(DOCUMENT), folder))
    settings = folder / "haproxy.cfg"
    settings.write_text(configuration())
    balancer = None
    try:
        for index in range(REPLICAS):
            await replicas.start(index)
        balancer = await asyncio.create_subprocess_exec(
            "haproxy", "-f", str(settings), "-db", "-q", stderr=asyncio.subprocess.DEVNULL
        )
        await asyncio.sleep(2)
        yield api, replicas
    finally:
        if balancer is not None:
            balancer.send_signal(signal.SIGKILL)
            await balancer.wait()
        await replicas.stop()
        server.close()


Found = tuple[list[str], list[str]]
"""Rows of the table, and what did not hold."""


def figures(name: str, load: Load) -> str:
    """One row of the table: calls per second, the median, the 99th percentile, and the ends."""
    times = sorted(outcome.seconds * 1000 for outcome in load.outcomes)
    elapsed = load.outcomes[-1].at - load.outcomes[0].at
    kinds = Counter(outcome.kind for outcome in load.outcomes)
    ends = ", ".join(f"{kind} {count:,}" for kind, count in kinds.most_common())
    late = times[int(len(times) * 0.99)]
    rate = len(times) / elapsed
    return f"| {name} | {rate:.0f} | {statistics.median(times):.0f} | {late:.0f} | {ends} |"


async def restarts(api: Api, replicas: Replicas, seconds: float) -> Found:
    """Restart every replica, then kill one; the row, and what did not hold."""
    wrong = []
    load = Load()
    load.begin(CALLERS)
    await asyncio.sleep(seconds)
    for index in range(REPLICAS):
        code = await replicas.end(index)
        if code != 0:
            wrong.append(f"a replica left with exit code {code}")
        await replicas.start(index)
        await asyncio.sleep(seconds)
    killed = time.monotonic()
    await replicas.kill(0)
    gone = time.monotonic()
    await asyncio.sleep(seconds)
    await replicas.start(0)
    await asyncio.sleep(seconds)
    await load.end()
    failed = [outcome for outcome in load.outcomes if outcome.kind != "ok"]
    # A call that the killed process had taken began before it died, and ended after that
    excused = [each for each in failed if each.at - each.seconds <= gone and each.at >= killed]
    if len(failed) > len(excused):
        kinds = Counter(each.kind for each in failed if each not in excused)
        wrong.append(f"{len(failed) - len(excused)} calls failed for no reason: {dict(kinds)}")
    wrong += repeated(api)
    return [figures("three restarts and a `kill -9`", load)], wrong


async def failures(api: Api, replicas: Replicas, seconds: float) -> Found:
    """A row for each way in which what is behind the balancer can fail."""
    rows = []
    for name, slow, fails in (
        ("API as it should be", 0.02, False),
        ("API takes a second", 1.0, False),
        ("API answers 503", 0.02, True),
    ):
        api.seconds, api.fails = slow, fails
        load = Load()
        load.begin(CALLERS)
        await asyncio.sleep(seconds * 2)
        await load.end()
        rows.append(figures(name, load))
    api.seconds, api.fails = 0.02, False
    await asyncio.sleep(11)  # the server leaves an API that failed alone for ten seconds
    load = Load()
    load.begin(CALLERS)
    for index in (0, 1):
        await replicas.kill(index)
    await asyncio.sleep(seconds * 2)
    await load.end()
    rows.append(figures("two of three replicas gone", load))
    for index in (0, 1):
        await replicas.start(index)
    return rows, []


async def soak(api: Api, replicas: Replicas, seconds: float, rate: float) -> Found:
    """200 callers for a while; the row, and what did not hold."""
    api.added.clear()
    load = Load()
    load.begin(SOAK_CALLERS, rate)
    uses = []
    for part in range(1, SAMPLES + 1):
        await asyncio.sleep(seconds / SAMPLES)
        uses.append(replicas.use())
        print(f"soak: {part} of {SAMPLES}, {len(load.outcomes):,} calls, MB and files:", *uses[-1])
    await load.end()
    (early, few), (late, many) = uses[SAMPLES // 4 - 1], uses[-1]
    wrong = []
    if late > early * 1.05 + 10:
        wrong.append(f"memory grew from {early:.0f} to {late:.0f} MB")
    if many > few + SOAK_CALLERS // 2:
        wrong.append(f"open files grew from {few} to {many}")
    if any(outcome.kind != "ok" for outcome in load.outcomes):
        wrong.append("calls of the soak failed")
    wrong += repeated(api)
    memory = f"{early:.0f} to {late:.0f} MB in all replicas"
    return [figures(f"{SOAK_CALLERS} callers for {seconds:,.0f} s, {memory}", load)], wrong


async def fairness(api: Api, replicas: int, seconds: float, where: str = "") -> Found:
    """One caller with 240 connections beside ten polite ones, told apart by their addresses, at so
    many replicas; the row of the polite ones, and what did not hold.
    """
    api.seconds = 0.3
    alone, beside = Load(port=BACK), Load(port=BACK)
    greedy = [Load(port=BACK + index) for index in range(replicas)]
    for load in (alone, beside):
        if load is beside:
            for part in greedy:
                part.begin(240 // replicas)
        load.begin(10, 10.0, own=True)
        await asyncio.sleep(seconds * 2)
        await load.end()
    for part in greedy:
        await part.end()
    api.seconds = 0.02
    refused = sum(outcome.kind != "ok" for outcome in beside.outcomes)
    wrong = [f"{refused} calls of polite callers were refused"] if refused else []
    first, then = (
        statistics.median(outcome.seconds for outcome in load.outcomes) for load in (alone, beside)
    )
    if then > 2 * first:
        wrong.append(f"polite callers waited {then:.2f} s beside a greedy one, {first:.2f} s alone")
    return [figures(f"{where}ten polite callers beside one with 240 connections", beside)], wrong


class Redis:
    """The Redis of the replicas, which can hang, die and come back."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Start it and wait until it listens."""
        command = ["redis-server", "--port", str(REDIS), "--save", "", "--logfile", "/dev/null"]
        self._process = await http.start(command, REDIS, {}, self._folder)

    async def kill(self) -> None:
        """Send SIGKILL, which also ends one that hangs."""
        if self._process is not None:
            self._process.kill()
            await self._process.wait()
            self._process = None

    async def flap(self, seconds: float) -> None:
        """Hang for a while, answer, die, and come back."""
        assert self._process is not None
        await asyncio.sleep(seconds)
        self._process.send_signal(signal.SIGSTOP)
        await asyncio.sleep(seconds)
        self._process.send_signal(signal.SIGCONT)
        await asyncio.sleep(seconds)
        await self.kill()
        await asyncio.sleep(seconds)
        await self.start()
        await asyncio.sleep(seconds)


async def shared(folder: Path, seconds: float) -> Found:
    """Three replicas that share PLACES and PER_SECOND in a Redis; rows, and what did not hold."""
    api, redis = Api(), Redis(folder)
    server = await asyncio.start_server(api.serve, "127.0.0.1", API)
    replicas = Replicas(
        generate(str(DOCUMENT), folder, "redis"),
        REDIS_URL=f"redis://127.0.0.1:{REDIS}",
        REDIS_MAX_CONCURRENCY=str(PLACES),
        RATE_LIMIT=str(PER_SECOND),
    )
    try:
        await redis.start()
        for index in range(REPLICAS):
            await replicas.start(index)
        rows, wrong = await fairness(api, REPLICAS, seconds, "three replicas with Redis: ")
        for name, slow in (("places", 0.3), ("a rate", 0.02)):
            api.seconds, api.at = slow, []
            loads = [Load(port=BACK + index) for index in range(REPLICAS)]
            for load in loads:
                load.begin(CALLERS)
            await redis.flap(max(3.0, seconds))
            for load in loads:
                await load.end()
            loads[0].outcomes += loads[1].outcomes + loads[2].outcomes
            wrong += above(api, loads[0])
            rows.append(figures(f"Redis hangs, dies and comes back: {name}", loads[0]))
    finally:
        await replicas.stop()
        await redis.kill()
        server.close()
    return rows, wrong


def above(api: Api, load: Load) -> list[str]:
    """What was above a limit by more than a tenth: at a time, or in five seconds and a burst."""
    wrong = []
    most = max(running for _, running in api.at)
    if most > PLACES * 1.1:
        wrong.append(f"{most} requests ran at a time, {PLACES} are allowed")
    times = [time for time, _ in api.at]
    ends = (bisect.bisect(times, begin + 5) for begin in times)
    busiest = max(end - begin for begin, end in enumerate(ends))
    if busiest > PER_SECOND * 6 * 1.1:
        wrong.append(f"{busiest} requests came in five seconds, {PER_SECOND} a second are allowed")
    print(f"shared: {most} at a time, {busiest} in five seconds", flush=True)
    failed = Counter(each.kind for each in load.outcomes if each.kind != "ok")
    return wrong + [f"calls failed when Redis did: {dict(failed)}"] * bool(failed)


def repeated(api: Api) -> list[str]:
    """What did not hold where something was added twice."""
    twice = [title for title, count in api.added.items() if count > 1]
    if not twice:
        return []
    return [f"{len(twice)} books were added twice"]


async def judge(seconds: float, soak_seconds: float, rate: float, *, shares: bool) -> Found:
    """The rows of the table, and what did not hold."""
    from tests.judges import production_oauth

    with tempfile.TemporaryDirectory(prefix="mcpgen-production-") as name:
        folder = Path(name)
        async with stage(folder) as (api, replicas):
            parts = [restarts(api, replicas, seconds), failures(api, replicas, seconds)]
            parts.append(fairness(api, 1, seconds))
            if soak_seconds:
                parts.append(soak(api, replicas, soak_seconds, rate))
            rows, wrong = await every(parts)
        parts = [production_oauth.judge(folder / "oauth", seconds)]
        if shares:
            parts.append(shared(folder / "shared", seconds))
        more_rows, more = await every(parts)
    return rows + more_rows, wrong + more


async def every(parts: Iterable[Awaitable[Found]]) -> Found:
    """What parts found, one after the other."""
    found = [await part for part in parts]
    return [row for rows, _ in found for row in rows], [
        text for _, wrong in found for text in wrong
    ]


def main(argv: list[str] | None = None) -> int:
    """Judge, print, and say whether everything held."""
    description = "Restart three replicas behind haproxy, kill one, and let the API fail."
    parser = argparse.ArgumentParser(prog="make production", description=description)
    parser.add_argument("--seconds", type=float, help="between two events (5)")
    parser.add_argument("--soak", type=float, help="seconds of 200 callers at the end (0)")
    parser.add_argument("--rate", type=float, default=400.0, help="calls a second of all of them")
    parser.add_argument("--quick", action="store_true", help="a sample")
    parser.add_argument("--write", action="store_true", help="write docs/production.md")
    options = parser.parse_args(argv)
    seconds, soak_seconds = (1.0, 10.0) if options.quick else (5.0, 0.0)
    if options.soak is not None:
        soak_seconds = options.soak
    seconds = options.seconds or seconds
    for program in ("haproxy", "redis-server")[: 1 if options.quick else 2]:
        if shutil.which(program) is None:
            print(f"make production: left out: {program} is not installed (Debian package)")
            return 0 if options.quick else 2
    # Whoever ends this ends the replicas as well
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    rows, wrong = asyncio.run(judge(seconds, soak_seconds, options.rate, shares=not options.quick))
    head = "| what happens | calls per second | median, ms | 99 %, ms | ends of calls |\n|---|--:|--:|--:|---|"
    table = "\n".join([head, *rows])
    print(table)
    for problem in wrong:
        print(f"make production: {problem}")
    if options.write:
        before, _, rest = PAGE.read_text().partition(BEGIN)
        table += "".join(re.findall(r"\n\| 200 callers for .*", rest)) if not soak_seconds else ""
        machine = f"Measured on {cores()} that everything shared, callers, haproxy and API too:"
        PAGE.write_text(
            before + BEGIN + f"\n{machine}\n\n{table}\n\n" + END + rest.partition(END)[2]
        )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
