"""Variables of the part `redis`."""

from __future__ import annotations

from dataclasses import dataclass

from ...secrets import Secret
from ...settings import variable


@dataclass(frozen=True, slots=True)
class RedisSettings:
    """Variables of the Redis; `redis_max_concurrency` is 0 for no limit over replicas."""

    redis_url: Secret | None = variable(None, "secret", "calls")
    redis_max_concurrency: int = variable(0, "count", "calls", 0, 100_000)
