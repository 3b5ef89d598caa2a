"""Count limits that all replicas share in Redis. Imported only where the operator named one.

While Redis does not answer, and until it has answered for seconds, each replica keeps to its share
of the limit by itself: together they stay below it.
"""

from __future__ import annotations

import asyncio
import math
import random
import time
import uuid
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from functools import cache
from importlib import import_module
from typing import Any

from ...limits import Rate
from ...log import event
from ...settings import Settings, SettingsError
from .variables import RedisSettings

REPLICA_SECONDS = 60.0
"""A replica that took no turn for so long is not counted."""
UNKNOWN_REPLICAS = 10
"""Replicas that are assumed until Redis has answered once."""
ANSWER_SECONDS = 0.25
RETRY_SECONDS = 5.0
MOST_CONNECTIONS = 16
"""Most connections. Simultaneous calls wait for a free connection: each takes a round trip."""
LEASE_SECONDS = 15.0
"""A call of a replica that died is counted for so long."""
POLL_SECONDS = 0.05

_WRONG = (OSError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""Further errors of its client, where a program that is no Redis answers."""
_JOINED: set[tuple[str, str]] = set()
"""The sets in which this process is counted as a replica, and as which."""

_REPLICAS = """
local time = redis.call('TIME')
local now = tonumber(time[1]) + tonumber(time[2]) / 1000000
redis.call('ZADD', KEYS[2], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - tonumber(ARGV[2]))
redis.call('EXPIRE', KEYS[2], math.ceil(tonumber(ARGV[2])))
local replicas = redis.call('ZCARD', KEYS[2])
"""
"""The beginning of each script: Redis's own clock, and how many replicas there are."""
_TURN = """
local interval, burst, longest = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local due = math.max(now, tonumber(redis.call('GET', KEYS[1]) or '0'))
due = math.min(due, now + burst * interval + longest)
due = math.max(due, math.min(due + tonumber(ARGV[6]), now + burst * interval))
local wait = math.max(0, due - now - (burst - 1) * interval)
if wait <= longest then due = due + interval end
redis.call('SET', KEYS[1], string.format('%.6f', due), 'EX', math.ceil(due - now) + 1)
return {string.format('%.6f', wait), replicas}
"""
"""The next turn by the generic cell rate algorithm, after those that were taken meanwhile. None is
believed that lies further ahead than a turn can be: it was written by another clock.
"""
_LEASE = """
local most, seconds = tonumber(ARGV[3]), tonumber(ARGV[4])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('ZREMRANGEBYSCORE', KEYS[1], now + seconds + 1, '+inf')
for index = 6, #ARGV do redis.call('ZADD', KEYS[1], now + seconds, ARGV[index]) end
local free = 0
if redis.call('ZCARD', KEYS[1]) < most then
  redis.call('ZADD', KEYS[1], now + seconds, ARGV[5])
  free = 1
end
redis.call('EXPIRE', KEYS[1], math.ceil(seconds))
return {free, replicas}
"""
"""A lease where fewer than `most` are in force, after others have been renewed."""


def connected(settings: Settings) -> Any:
    """Return the client of the Redis, the same for each URL. Raises SettingsError without the
    package `redis`, and for a URL that it does not understand.
    """
    url = settings.part(RedisSettings).redis_url
    assert url is not None
    try:
        return _client(url.reveal())
    except ModuleNotFoundError:
        package = "needs the package `redis`: add it to `dependencies` in pyproject.toml"
        problem = f"{package}, and install this server again"
    except ValueError:
        problem = "is not a URL of a Redis"
    raise SettingsError([f"`{settings.variable('REDIS_URL')}` {problem}"])


@cache
def _client(url: str) -> Any:
    """Return the client of a Redis, kept by URL; it connects when it is first asked."""
    no_retries = import_module("redis.asyncio.retry").Retry(
        import_module("redis.backoff").NoBackoff(), 0
    )
    redis = import_module("redis.asyncio")
    waits = dict.fromkeys(("timeout", "socket_timeout", "socket_connect_timeout"), ANSWER_SECONDS)
    pool = redis.BlockingConnectionPool.from_url(
        url, max_connections=MOST_CONNECTIONS, retry=no_retries, **waits
    )
    return redis.Redis.from_pool(pool)


def leave(settings: Settings) -> None:
    """Take this process out of the replicas that share limits: the others' shares grow at once."""
    url = settings.part(RedisSettings).redis_url
    if url is None or not _JOINED:
        return
    redis = import_module("redis")
    waits = dict.fromkeys(("socket_timeout", "socket_connect_timeout"), ANSWER_SECONDS)
    with (
        suppress(redis.RedisError, *_WRONG),
        redis.Redis.from_url(url.reveal(), **waits) as client,
        client.pipeline(transaction=False) as pipeline,
    ):
        for key, replica in _JOINED:
            pipeline.zrem(key, replica)
        pipeline.execute()


class Shared:
    """Limit that a script counts in Redis, for all replicas of this server."""

    def __init__(self, settings: Settings, limit: str, script: str) -> None:
        self._client = connected(settings)
        self._script = self._client.register_script(_REPLICAS + script)
        self._failures = (import_module("redis").RedisError, *_WRONG)
        self._key = f"mcpgen:{{{settings.name}}}:{limit}"
        self._replica = uuid.uuid4().hex
        self._replicas = UNKNOWN_REPLICAS
        self._is_alone = False
        """Whether this replica keeps to its share."""
        self._has_answered = True
        self._again_at = 0.0

    async def ask(self, *arguments: float | str) -> Any:
        """Return the number that the script answers, or None for a replica that keeps to its share:
        until Redis answers for the second time, when the other replicas have found it again, too.
        """
        now = time.monotonic()
        if self._is_alone:
            if now < self._again_at:
                return None
            self._again_at = now + RETRY_SECONDS
        keys = [self._key, f"{self._key}:replicas"]
        _JOINED.add((keys[1], self._replica))
        try:
            said = await self._script(keys, [self._replica, REPLICA_SECONDS, *arguments])
            answer, replicas = map(float, said)
            if not isinstance(said, list) or not math.isfinite(answer + replicas):
                raise ValueError(said)
        except self._failures as error:
            self._again_at = time.monotonic() + RETRY_SECONDS
            self._has_answered = False
            if not self._is_alone:
                self._is_alone = True
                reason, share = type(error).__name__, f"1/{self._replicas}"
                event("error", "limits_not_shared", limit=self._key, share=share, reason=reason)
            return None
        if not self._has_answered:
            self._has_answered = True
            return None
        self._replicas = max(1, int(replicas))
        if self._is_alone:
            self._is_alone = False
            event("warning", "limits_shared_again")
        return answer


class SharedRate(Shared):
    """Rate (`limits.Pace`) of all replicas together: `rate` requests a second on average, `burst`
    seconds' worth at once.
    """

    def __init__(self, settings: Settings, limit: str, rate: float, burst: float) -> None:
        super().__init__(settings, limit, _TURN)
        self._rate, self._burst = rate, burst
        self._own: dict[int, Rate] = {}
        """The limit of this replica alone, by the number of replicas."""

    async def take(self, longest: float) -> float:
        """Take the next turn if it is at most `longest` seconds away; return the seconds to it."""
        size = max(1.0, self._rate * self._burst)
        own = self._own.setdefault(self._replicas, Rate(self._rate / self._replicas, self._burst))
        meanwhile = own.spent / self._rate * self._is_alone
        wait = await self.ask(1 / self._rate, size, min(longest, 86_400.0), meanwhile)
        if wait is None:
            return await own.take(longest)
        await own.take(0.0)  # an outage must not begin with another burst
        return float(wait)

    def give_back(self) -> None:
        """Do nothing: another replica may have counted on the turn already."""


class SharedPlaces(Shared):
    """Slots for calls in all replicas together, each with a lease that is renewed."""

    def __init__(self, settings: Settings, limit: str, most: int) -> None:
        super().__init__(settings, limit, _LEASE)
        self._most = most
        self._turn = asyncio.Lock()
        self._leases: set[str] = set()
        self._held, self._held_until = most, 0.0
        """The places held when Redis went away, and until when this replica takes no more."""
        self._is_renewing = False
        self._tasks: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def held(self, longest: float) -> AsyncIterator[bool]:
        """Hold a slot, waited for at most `longest` seconds; yield whether there was one."""
        lease, until = uuid.uuid4().hex, time.monotonic() + longest
        try:
            async with self._turn:  # one call asks for all that wait here
                while not await self._take(lease) and time.monotonic() < until:
                    await asyncio.sleep(POLL_SECONDS * random.uniform(0.5, 1.5))
            yield lease in self._leases
        finally:
            self._leases.discard(lease)
            self._start(self._end(lease))  # not awaited: the call may have been cancelled

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _take(self, lease: str) -> bool:
        was_alone = self._is_alone
        renewed = self._leases if was_alone else ()
        is_free = await self.ask(self._most, LEASE_SECONDS, lease, *renewed)
        if self._is_alone and not was_alone:
            self._held, self._held_until = len(self._leases), time.monotonic() + RETRY_SECONDS
        if is_free is None:
            share = self._most // self._replicas
            if (
                time.monotonic() < self._held_until
            ):  # another replica may still hold more than its own
                share = min(share, self._held)
            is_free = len(self._leases) < max(1, share)
        if is_free:
            self._leases.add(lease)
            if not self._is_renewing:
                self._is_renewing = True
                self._start(self._renew())
        return bool(is_free)

    async def _renew(self) -> None:
        try:
            while self._leases:
                await asyncio.sleep(LEASE_SECONDS / 3)
                await self.ask(0, LEASE_SECONDS, "", *self._leases)
        finally:
            self._is_renewing = False

    async def _end(self, lease: str) -> None:
        if not self._is_alone:
            with suppress(*self._failures):
                await self._client.zrem(self._key, lease)
