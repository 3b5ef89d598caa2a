"""Limits that replicas share in Redis."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import pytest
from calls import settings

from mcpgen.runtime.limits import Rate, pace_of, place_of
from mcpgen.runtime.parts.redis import shared
from mcpgen.runtime.settings import SettingsError
from mcpgen.runtime.transports.http import SharedQuota
from tests.loopback import free_port

client = pytest.importorskip("redis")
fakeredis = pytest.importorskip("fakeredis")


class Redis:
    """A Redis on loopback, as far as `fakeredis` goes, that can be stopped and started again."""

    def __init__(self) -> None:
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}"
        self.start()

    def start(self) -> None:
        self._server = fakeredis.TcpFakeServer(("127.0.0.1", self.port))
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        with client.Redis(port=self.port) as early:  # an unknown script ends a connection here
            for script in (shared._TURN, shared._LEASE):
                early.script_load(shared._REPLICAS + script)

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def redis() -> Iterator[Redis]:
    server = Redis()
    yield server
    server.stop()


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine under load must not look like a Redis that is gone; clients end with their loop."""
    monkeypatch.setattr(shared, "ANSWER_SECONDS", 5.0)
    shared._client.cache_clear()


def replicas(url: str, count: int, rate: float, burst: float) -> Any:
    made = settings(REDIS_URL=url)
    return [pace_of(made, "calls", rate, burst) for _ in range(count)]


async def test_replicas_share_one_limit(redis: Redis) -> None:
    paces = replicas(redis.url, 5, 0.01, 5_000)
    waits = await asyncio.gather(*(paces[turn % 5].take(0.0) for turn in range(100)))
    # Fifty at once, of all replicas together; the next is due in 100 seconds
    assert sorted(map(bool, waits)) == [False] * 50 + [True] * 50
    assert max(waits) == pytest.approx(100, abs=10)


async def test_a_turn_that_is_too_far_away_is_not_taken(redis: Redis) -> None:
    [pace] = replicas(redis.url, 1, 0.01, 0)
    assert await pace.take(0.0) == 0
    for _ in range(3):
        assert await pace.take(1.0) == pytest.approx(100, abs=10)
    assert await pace.take(1_000.0) == pytest.approx(100, abs=10)
    assert await pace.take(1_000.0) == pytest.approx(200, abs=10)


async def test_without_redis_each_replica_keeps_to_its_share_and_says_so(
    redis: Redis, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    paces = replicas(redis.url, 2, 0.01, 800)
    for pace in (*paces, *paces, paces[0]):
        assert await pace.take(0.0) == 0
    redis.stop()
    taken = [not await paces[0].take(0.0) for _ in range(6)]
    # Half of eight, of which one was taken since it knows of two replicas
    assert taken == [True] * 3 + [False] * 3
    [record] = [each for each in caplog.records if each.msg == "limits_not_shared"]
    assert (record.fields["share"], record.fields["reason"]) == ("1/2", "ConnectionError")
    redis.start()
    async with asyncio.timeout(10):
        while paces[0]._is_alone:  # the server begins to answer in a thread of its own
            paces[0]._again_at = 0.0
            await paces[0].take(0.0)
            await asyncio.sleep(0)
    assert "limits_shared_again" in [each.msg for each in caplog.records]


async def test_what_was_taken_is_not_there_again_in_an_outage_or_after_it(redis: Redis) -> None:
    [pace] = replicas(redis.url, 1, 0.01, 800)
    taken = [not await pace.take(0.0) for _ in range(9)]
    redis.stop()
    taken += [not await pace.take(0.0) for _ in range(3)]
    redis.start()
    while pace._is_alone:
        pace._again_at = 0.0
        taken.append(not await pace.take(0.0))
    taken += [not await pace.take(0.0) for _ in range(3)]
    assert taken.index(False) == 8 and sum(taken) <= 9


async def test_replicas_that_ended_have_no_share(
    redis: Redis, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    monkeypatch.setattr(shared, "REPLICA_SECONDS", 0.5)
    paces = replicas(redis.url, 3, 0.01, 800)
    for pace in paces:
        await pace.take(0.0)
    await asyncio.sleep(0.6)
    await paces[0].take(0.0)
    redis.stop()
    await paces[0].take(0.0)
    [record] = [each for each in caplog.records if each.msg == "limits_not_shared"]
    assert record.fields["share"] == "1/1"


@pytest.mark.parametrize("are_gone", [True, False])
async def test_replicas_that_are_restarted_leave_their_shares_to_the_others(
    redis: Redis, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, are_gone: bool
) -> None:
    monkeypatch.setattr(shared, "_JOINED", set())
    made = settings(REDIS_URL=redis.url)
    for pace in replicas(redis.url, 3, 0.01, 800):
        await pace.take(0.0)
    if are_gone:
        await asyncio.to_thread(shared.leave, made)
    [stays] = replicas(redis.url, 1, 0.01, 800)
    await stays.take(0.0)
    redis.stop()
    await stays.take(0.0)
    [record] = [each for each in caplog.records if each.msg == "limits_not_shared"]
    assert record.fields["share"] == ("1/1" if are_gone else "1/4")
    await asyncio.to_thread(shared.leave, made)  # a Redis that is gone keeps no server from ending


async def test_a_time_of_another_clock_keeps_nobody_waiting(redis: Redis) -> None:
    [pace] = replicas(redis.url, 1, rate=1, burst=2)
    with client.Redis(port=redis.port) as other:
        await pace.take(0.0)
        [key] = [key for key in other.scan_iter() if not key.endswith(b":replicas")]
        other.set(key, "99999999999.0")
        # As if all turns at once had been taken now, and no more
        assert await pace.take(0.0) <= 2
        [place] = [place_of(settings(REDIS_URL=redis.url), "running", 1)]
        other.zadd("mcpgen:{bookshop}:running", {"lease": 99999999999.0})
        async with place(0.0) as is_free:
            assert is_free


@pytest.mark.parametrize("said", [
    b"+OK", b"$2\r\n12", b":5", b"$-1", b"*0", b"*2\r\n$1\r\nx\r\n:1", b"*3\r\n:1\r\n:2\r\n:3",
    b"*2\r\n$3\r\nnan\r\n$3\r\nnan", b"*2\r\n:1" + b"0" * 400 + b"\r\n:1", b":x", b"%1\r\n+a\r\n+b",
    b"HTTP/1.1 400 Bad Request\r\n", b"\x16\x03\x01", b"-ERR no", b"",
])  # fmt: skip
async def test_a_program_that_is_no_redis_is_a_redis_that_is_away(said: bytes) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.read(65_536):
            writer.write(said + b"\r\n")
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        url = f"redis://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        made = settings(REDIS_URL=url)
        [pace] = replicas(url, 1, 0.01, 4_000)
        assert [not await pace.take(0.0) for _ in range(6)] == [True] * 4 + [False] * 2
        place: Any = place_of(made, "running", 10)
        async with place(0.0) as is_first, place(0.0) as is_second:
            assert (is_first, is_second) == (True, False)
        await asyncio.to_thread(shared.leave, made)


async def test_a_redis_that_never_answered_leaves_a_tenth() -> None:
    [pace] = replicas(f"redis://127.0.0.1:{free_port()}", 1, 0.01, 4_000)
    assert [not await pace.take(0.0) for _ in range(6)] == [True] * 4 + [False] * 2


async def test_a_burst_of_calls_is_no_reason_to_stop_sharing(
    redis: Redis, caplog: pytest.LogCaptureFixture
) -> None:
    (replica,) = replicas(redis.url, 1, rate=1000, burst=1)
    waits = await asyncio.gather(*(replica.take(float("inf")) for _ in range(300)))
    assert len(waits) == 300 and "limits_not_shared" not in caplog.text


def test_without_a_url_nothing_is_shared_or_imported() -> None:
    assert isinstance(pace_of(settings(), "calls", 5.0), Rate)


def test_a_missing_package_is_said_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(shared, "import_module", missing)
    with pytest.raises(
        SettingsError, match=r"REDIS_URL` needs the package `redis`: add it to `dependencies`"
    ):
        replicas("redis://127.0.0.1:1", 1, 1.0, 1.0)


def test_what_is_no_url_of_a_redis_is_refused() -> None:
    with pytest.raises(SettingsError, match="REDIS_URL` has to begin with"):
        settings(REDIS_URL="http://example.com")
    with pytest.raises(SettingsError, match="is not a URL of a Redis"):
        replicas("redis://127.0.0.1:port", 1, 1.0, 1.0)


def test_the_password_of_the_url_is_masked() -> None:
    made = settings(REDIS_URL="redis://:pass%2Bword@127.0.0.1:1")
    assert "word" not in made.redactor("tried pass+word at redis://:pass%2Bword@127.0.0.1:1")


class Replica:
    """A replica's places, and how many calls hold one."""

    def __init__(self, url: str, most: int, limit: str = "running:ann") -> None:
        self.place = place_of(settings(REDIS_URL=url), limit, most)
        self.shared: Any = getattr(self.place, "__self__", None)
        self.running, self.calls = 0, list[asyncio.Task[bool]]()
        self.end = asyncio.Event()

    async def _call(self, longest: float) -> bool:
        async with self.place(longest) as is_free:
            self.running += is_free
            await self.end.wait()
        self.running -= is_free
        return is_free

    def call(self, count: int, longest: float = 0.0) -> None:
        self.calls += [asyncio.create_task(self._call(longest)) for _ in range(count)]

    async def finish(self) -> int:
        """Return how many calls got a place."""
        self.end.set()
        got = await asyncio.gather(*self.calls)
        assert not self.shared._leases  # else they would be renewed for ever
        while len(self.shared._tasks) > self.shared._is_renewing:
            await asyncio.sleep(0.02)
        return sum(got)


async def reach(replicas: list[Replica], count: int) -> None:
    """Wait until so many calls run, and a little for one too many."""
    async with asyncio.timeout(10):
        while sum(each.running for each in replicas) < count:
            await asyncio.sleep(0.02)
    await asyncio.sleep(0.2)
    assert sum(each.running for each in replicas) == count


async def test_replicas_never_run_more_than_the_limit(redis: Redis) -> None:
    two, other = [Replica(redis.url, 5), Replica(redis.url, 5)], Replica(redis.url, 5, "another")
    for each in (*two, other):
        each.call(20)
        each.call(2, longest=10.0)
    await reach(two, 5)
    await reach([other], 5)
    # Those that wait get the places of those that end
    assert sum(await asyncio.gather(*(each.finish() for each in two))) == 9
    assert await other.finish() == 7
    assert not await two[0].shared._client.zcard(two[0].shared._key)


async def test_leases_are_renewed_and_those_of_a_dead_replica_expire(
    redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    monkeypatch.setattr(shared, "LEASE_SECONDS", 1.0)
    dead, alive = Replica(redis.url, 5), Replica(redis.url, 5)
    dead.call(3)
    alive.call(2)
    await reach([dead, alive], 5)
    await asyncio.sleep(1.5)
    alive.call(1)
    await reach([dead, alive], 5)
    dead.shared._tasks.pop().cancel()
    alive.call(3, longest=10.0)
    await reach([alive], 5)
    assert await alive.finish() == 5 and await dead.finish() == 3


async def test_a_replica_that_held_less_than_its_share_does_not_take_the_rest_at_once(
    redis: Redis,
) -> None:
    more, less = Replica(redis.url, 4), Replica(redis.url, 4)
    for replica, count in ((less, 1), (more, 3), (less, 1)):
        replica.call(count)
        await asyncio.sleep(0.1)
    await reach([more, less], 4)
    redis.stop()
    less.call(3)
    await reach([more, less], 4)
    assert await more.finish() == 3
    less.shared._held_until = 0.0
    less.call(3)
    await reach([less], 2)
    assert await less.finish() == 2


async def test_without_redis_each_replica_has_its_share_of_the_places(
    redis: Redis, caplog: pytest.LogCaptureFixture
) -> None:
    two = [Replica(redis.url, 4), Replica(redis.url, 4)]
    for each in (*two, *two):
        each.call(1)
        await asyncio.sleep(0.1)
    redis.stop()
    for each in two:
        each.call(5)
    await reach(two, 4)
    assert [each.msg for each in caplog.records].count("limits_not_shared") == 2
    redis.start()
    for state, value in (("_has_answered", True), ("_is_alone", False)):
        while missing := [each for each in two if getattr(each.shared, state) is not value]:
            for each in missing:
                each.shared._again_at = 0.0
                async with each.place(0.0):
                    await asyncio.sleep(0.05)
    two[0].call(5)
    # The leases that Redis lost are counted again
    await reach(two, 4)
    await asyncio.gather(*(each.finish() for each in two))


async def test_a_caller_and_the_api_have_one_limit_for_all_replicas(redis: Redis) -> None:
    made = settings(REDIS_URL=redis.url, MAX_CALLS_PER_CALLER="1", REDIS_MAX_CONCURRENCY="1")
    one, two = SharedQuota(made), SharedQuota(made)
    async with one.running("get", "ann") as reason, two.running("get", "ben") as other:
        assert (reason, other) == ("", "")
        async with two.running("get", "ann") as reason:
            assert reason.startswith("You already run 1 calls here") and "call `get`" in reason
    place, another = (place_of(made, "api:running") for _ in range(2))
    async with place(0.0) as first, another(0.0) as second:
        assert (first, second) == (True, False)
    assert isinstance(place_of(settings(REDIS_URL=redis.url), "api:running")(0.0), nullcontext)
