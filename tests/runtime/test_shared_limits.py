"""Limits that replicas share in Redis."""

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from calls import settings

from mcpgen.runtime.limits import Rate, pace_of
from mcpgen.runtime.parts.redis import rates as shared
from mcpgen.runtime.settings import SettingsError
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
            early.script_load(shared._TAKE)

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
    paces = replicas(redis.url, 3, 0.01, 600)
    waits = [await paces[turn % 3].take(0.0) for turn in range(9)]
    # Six at once, of three replicas together; the next is due in 100 seconds
    assert [bool(wait) for wait in waits] == [False] * 6 + [True] * 3
    assert waits[-1] == pytest.approx(100, abs=10)


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
    for pace in (*paces, *paces):
        assert await pace.take(0.0) == 0
    redis.stop()
    taken = [not await paces[0].take(0.0) for _ in range(6)]
    # Half of eight
    assert taken == [True] * 4 + [False] * 2
    [record] = [each for each in caplog.records if each.msg == "limits_not_shared"]
    assert (record.fields["share"], record.fields["reason"]) == ("1/2", "ConnectionError")
    redis.start()
    async with asyncio.timeout(10):
        while paces[0]._own is not None:  # the server begins to answer in a thread of its own
            monkeypatch.setattr(paces[0], "_again_at", 0.0)
            wait = await paces[0].take(0.0)
            await asyncio.sleep(0)
    assert wait == 0
    assert "limits_shared_again" in [each.msg for each in caplog.records]


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


async def test_a_redis_that_never_answered_leaves_a_tenth() -> None:
    [pace] = replicas(f"redis://127.0.0.1:{free_port()}", 1, 0.01, 4_000)
    assert [not await pace.take(0.0) for _ in range(6)] == [True] * 4 + [False] * 2


async def test_many_calls_of_many_replicas_keep_the_limit(redis: Redis) -> None:
    paces = replicas(redis.url, 5, 0.01, 5_000)
    waits = await asyncio.gather(*(paces[turn % 5].take(0.0) for turn in range(100)))
    assert sum(1 for wait in waits if not wait) == 50


async def test_a_burst_of_calls_is_no_reason_to_stop_sharing(
    redis: Redis, caplog: pytest.LogCaptureFixture
) -> None:
    (replica,) = replicas(redis.url, 1, rate=1000, burst=1)
    waits = await asyncio.gather(*(replica.take() for _ in range(300)))
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
