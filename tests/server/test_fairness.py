"""A greedy caller beside polite ones: who takes too much waits, and nobody else."""

from __future__ import annotations

import asyncio
import contextlib
import math
import statistics
import time

import pytest
from served import Server, Start

from benchmarks import http
from mcpgen.runtime.client import Busy, api
from mcpgen.runtime.client.queues import Queues, Readiness
from mcpgen.runtime.client.settings import ApiSettings
from mcpgen.runtime.parts.http import HttpSettings
from mcpgen.runtime.record import figures, recorded
from mcpgen.runtime.settings import Settings
from mcpgen.runtime.transports.http import SharedQuota
from tests.judges.production import Api

CALL = http.request(http.HANDSHAKE, 8000, "get_book", {"book_id": "1"}).replace(
    b"host: 127.0.0.1:8000", b"host: localhost"
)
SLOW = 0.5


class Callers:
    """Callers of one address, who call again after a pause."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.refused = 0

    async def call(self, server: Server, address: str, pause: float, until: float) -> None:
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", server.port, local_addr=(address, 0)
        )
        while time.monotonic() < until:
            began = time.monotonic()
            writer.write(CALL)
            body = await http.answer(reader)
            self.refused += b'"isError":true' in body
            self.seconds.append(time.monotonic() - began)
            await asyncio.sleep(pause)
        writer.close()
        await writer.wait_closed()


async def polite(server: Server, seconds: float) -> Callers:
    callers, until = Callers(), time.monotonic() + seconds
    calls = (callers.call(server, f"127.0.0.{10 + each}", 0.5, until) for each in range(10))
    await asyncio.gather(*calls)
    return callers


@pytest.mark.parametrize("limits", [{}, {"MAX_CALLS": "128", "CALL_RATE": "20"}])
def test_a_greedy_caller_costs_the_others_no_call(start: Start, limits: dict[str, str]) -> None:
    # Once of three times: what else runs on the machine slows both, and not alike
    assert any(asyncio.run(judge(start, limits)) <= 2 for _ in range(3))


async def judge(start: Start, limits: dict[str, str]) -> float:
    """How much longer calls take beside a greedy caller."""
    listening = await asyncio.start_server(Api(SLOW).serve, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    server = start("--log-level", "error", BASE_URL=f"http://127.0.0.1:{port}", **limits)
    await polite(server, 0.1)
    alone = await polite(server, 2)
    greedy, until = Callers(), time.monotonic() + 4.5
    greed = [greedy.call(server, "127.0.0.2", 0, until) for _ in range(240)]
    greedily = asyncio.gather(*greed)
    await asyncio.sleep(1)
    beside = await polite(server, 3)
    await greedily
    listening.close()
    assert (alone.refused, beside.refused) == (0, 0)
    assert greedy.refused > 0
    return statistics.median(beside.seconds) / statistics.median(alone.seconds)


def test_callers_take_turns_and_the_longest_queue_makes_room() -> None:
    assert asyncio.run(order()) == ["a", "a", "b", "c", "a", "a refused"]


async def order() -> list[str]:
    gate = Queues(most=1, waiting=6)
    served: list[str] = []

    async def call(name: str) -> None:
        with recorded("tool", {"address": name}):
            try:
                async with gate:
                    await asyncio.sleep(0)
                    served.append(name)
            except Busy:
                served.append(f"{name} refused")

    tasks = [asyncio.create_task(call(name)) for name in "aaaaabc"]
    await asyncio.sleep(0)
    tasks[2].cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert (gate.full, gate.waiting) == (False, 0)
    return served


@pytest.mark.parametrize("waiting", [0, 1, 4])
@pytest.mark.anyio
async def test_queues_that_are_empty_again_are_not_full(waiting: int) -> None:
    gate = Queues(most=1, waiting=waiting)
    async with gate:
        tasks = [asyncio.create_task(gate.__aenter__()) for _ in range(waiting + 1)]
        await asyncio.sleep(0)
        assert gate._full_since < math.inf
    for task in tasks:
        with contextlib.suppress(Busy):
            await task
            await gate.__aexit__()
    assert (gate.waiting, gate._full_since) == (0, math.inf)


async def refused(quota: SharedQuota, sender: dict[str, str]) -> str:
    with recorded("tool", sender) as record:
        return await quota.refusal("tool", record.key)


def test_a_caller_has_limits_of_its_own_where_they_are_set() -> None:
    asyncio.run(own_limits())


async def own_limits() -> None:
    own = HttpSettings(max_calls_per_caller=1, call_rate_per_caller=0.2)
    quota = SharedQuota(Settings(name="shop", call_rate=0, part_settings={HttpSettings: own}))
    ann = {"issuer": "https://i.example", "subject": "ann", "address": "127.0.0.1"}
    ben = {**ann, "subject": "ben"}
    client = {"issuer": "https://i.example", "client": "robot"}
    assert [bool(await refused(quota, ann)) for _ in range(3)] == [False, False, True]
    assert not await refused(quota, ben)
    assert not await refused(quota, client)
    with recorded("tool", ben) as record:
        async with quota.running("tool", record.key):
            assert "which is the limit for each caller" in await refused(quota, ben)
            assert not await refused(quota, client)


def test_other_issuers_have_other_callers() -> None:
    keys = []
    for sender in ({"address": "1"}, {"address": "2"}, {"issuer": "i", "subject": "1"},
                   {"issuer": "j", "subject": "1"}, {"issuer": "i", "client": "2"}):  # fmt: skip
        with recorded("tool", sender) as record:
            keys.append(record.key)
    assert len(set(keys)) == 5


async def overload(start: Start) -> None:
    listening = await asyncio.start_server(Api(SLOW).serve, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    limits = {"MAX_CONCURRENCY": "2", "MAX_WAITING": "10", "BASE_URL": f"http://127.0.0.1:{port}"}
    server = start("--log-level", "error", **limits)

    async def ready() -> tuple[int, bytes]:
        status, _, body = await asyncio.to_thread(server.get, "/ready")
        return status, body

    callers, until = Callers(), time.monotonic() + 5.5
    calling = [callers.call(server, "127.0.0.2", 0, until) for _ in range(60)]
    many = asyncio.gather(*calling)
    await asyncio.sleep(1.5)
    assert (await ready())[0] == 200
    await asyncio.sleep(3.5)
    assert await ready() == (503, b'{"status": "the queue for the API is full"}')
    await many
    assert (await ready())[0] == 200
    listening.close()


def test_a_server_whose_queue_is_full_for_seconds_is_not_ready(start: Start) -> None:
    asyncio.run(overload(start))


async def several() -> None:
    further = {"b": ApiSettings(name="shop", api="b")}
    side = api.Api(ApiSettings(name="shop", max_concurrency=2, apis=further))
    assert figures["api_requests"]() == (0, 66) and figures["api_queue"]() == (0, 256)
    async with side.gate.place(), side.of("b").gate.place():
        assert figures["api_requests"]() == (2, 66) and not await Readiness(side).fault()
    side.of("b").gate._full_since = time.monotonic() - 10
    assert await Readiness(side).fault() == "the queue for the API is full"


def test_what_is_in_use_is_that_of_every_api_together() -> None:
    asyncio.run(several())


async def places() -> list[str]:
    """Callers whose places all replicas share: eight calls of one, and then one of another."""
    gate, free, served = Queues(most=64, waiting=100), asyncio.Semaphore(1), list[str]()

    async def call(name: str) -> None:
        with recorded("tool", {"address": name}):
            async with contextlib.AsyncExitStack() as held:
                async with gate:
                    await held.enter_async_context(gate.place())
                    await held.enter_async_context(free)
                await asyncio.sleep(0)
                served.append(name)

    await asyncio.gather(*map(call, "aaaaaaaab"))
    return served


def test_who_waits_for_a_shared_place_holds_up_its_own_calls_alone() -> None:
    assert asyncio.run(places())[:5] == ["a", "a", "a", "b", "a"]


def test_a_caller_who_leaves_passes_the_turn_on() -> None:
    async def run() -> list[str]:
        gate, passed = Queues(1, 4), list[str]()

        async def wait(name: str) -> None:
            async with gate:
                passed.append(name)

        async with gate:
            waiting = [asyncio.create_task(wait(name)) for name in "abc"]
            await asyncio.sleep(0)
            waiting[1].cancel()
            await asyncio.sleep(0)
            assert gate.waiting == 3  # and this one
        waiting[0].cancel()  # the turn is its own already
        await asyncio.wait_for(waiting[2], 1)
        return passed

    assert asyncio.run(run()) == ["c"]
