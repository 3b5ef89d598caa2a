"""Limits that all replicas share, counted in Redis. Imported only where the operator named one.

While Redis does not answer, each replica keeps to its share of the limit by itself: together they
stay below it.
"""

from __future__ import annotations

import math
import time
import uuid
from functools import cache
from importlib import import_module
from typing import Any

from ...limits import Rate
from ...log import event
from ...secrets import Secret
from ...settings import Settings, SettingsError

REPLICA_SECONDS = 60.0
"""A replica that took no turn for so long is not counted."""
UNKNOWN_REPLICAS = 10
"""Replicas that are assumed until Redis has answered once."""
ANSWER_SECONDS = 0.25
RETRY_SECONDS = 5.0
MOST_CONNECTIONS = 16
"""Calls that come together wait for one of so many: each takes a round trip."""

_TAKE = """
local time = redis.call('TIME')
local now = tonumber(time[1]) + tonumber(time[2]) / 1000000
local interval, burst, longest = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local due = math.max(now, tonumber(redis.call('GET', KEYS[1]) or '0'))
local wait = math.max(0, due - now - (burst - 1) * interval)
if wait <= longest then
  local ttl = math.ceil(due + interval - now) + 1
  redis.call('SET', KEYS[1], string.format('%.6f', due + interval), 'EX', ttl)
end
redis.call('ZADD', KEYS[2], now, ARGV[4])
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - tonumber(ARGV[5]))
redis.call('EXPIRE', KEYS[2], math.ceil(tonumber(ARGV[5])))
return {string.format('%.6f', wait), redis.call('ZCARD', KEYS[2])}
"""
"""The next turn by the generic cell rate algorithm, on Redis's own clock, and how many replicas
there are.
"""


def shared_rate(
    settings: Settings, url: Secret, limit: str, rate: float, burst: float
) -> SharedRate:
    """A limit of that name, shared by the replicas of this server. Raises SettingsError without
    the package `redis`, and for a URL it does not understand.
    """
    variable = settings.variable("REDIS_URL")
    try:
        client = _client(url.reveal())
    except ModuleNotFoundError:
        problem = f"`{variable}` needs the package `redis`: add it to `dependencies`"
        raise SettingsError(
            [f"{problem} in pyproject.toml, and install this server again"]
        ) from None
    except ValueError:
        raise SettingsError([f"`{variable}` is not a URL of a Redis"]) from None
    return SharedRate(client, f"mcpgen:{{{settings.name}}}:{limit}", rate, burst)


@cache
def _client(url: str) -> Any:
    """The client of a Redis, which connects when it is first asked."""
    no_retries = import_module("redis.asyncio.retry").Retry(
        import_module("redis.backoff").NoBackoff(), 0
    )
    redis = import_module("redis.asyncio")
    pool = redis.BlockingConnectionPool.from_url(
        url,
        max_connections=MOST_CONNECTIONS,
        timeout=ANSWER_SECONDS,
        socket_timeout=ANSWER_SECONDS,
        socket_connect_timeout=ANSWER_SECONDS,
        retry=no_retries,
    )
    return redis.Redis.from_pool(pool)


class SharedRate:
    """A rate (`limits.Pace`) of all replicas together: `rate` requests a second on average, `burst`
    seconds' worth at once.
    """

    def __init__(self, client: Any, key: str, rate: float, burst: float) -> None:
        self._take = client.register_script(_TAKE)
        self._failures = (import_module("redis").RedisError, OSError, TimeoutError)
        self._keys = [key, f"{key}:replicas"]
        self._rate, self._burst = rate, burst
        self._replica = uuid.uuid4().hex
        self._replicas = UNKNOWN_REPLICAS
        self._own: Rate | None = None
        """The limit of this replica alone, while Redis does not answer."""
        self._again_at = 0.0

    async def take(self, longest: float = math.inf) -> float:
        """Take the next turn, if it is not further away than `longest` seconds; return how far it
        is.
        """
        now = time.monotonic()
        if self._own is not None:
            if now < self._again_at:
                return await self._own.take(longest)
            self._again_at = now + RETRY_SECONDS
        try:
            wait, replicas = await self._take(self._keys, self._arguments(longest))
        except self._failures as error:
            return await self._alone(error).take(longest)
        self._replicas = replicas
        if self._own is not None:
            self._own = None
            event("warning", "limits_shared_again")
        return float(wait)

    def give_back(self) -> None:
        """A turn that another replica may have counted on is not given back."""

    def _arguments(self, longest: float) -> list[str | float]:
        size = max(1.0, self._rate * self._burst)
        bounded = min(longest, 86_400.0)
        return [1 / self._rate, size, bounded, self._replica, REPLICA_SECONDS]

    def _alone(self, error: Exception) -> Rate:
        """The limit of this replica until Redis answers again."""
        self._again_at = time.monotonic() + RETRY_SECONDS
        if self._own is None:
            self._own = Rate(self._rate / self._replicas, self._burst)
            event(
                "error",
                "limits_not_shared",
                limit=self._keys[0],
                share=f"1/{self._replicas}",
                reason=type(error).__name__,
            )
        return self._own
