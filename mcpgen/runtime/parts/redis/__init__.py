"""Limits that all replicas share, counted in Redis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...part import Part
from ...secrets import Secret
from ...settings import Reader, Settings, variable

if TYPE_CHECKING:
    from ...limits import Pace

SCHEMES = ("redis://", "rediss://", "unix://")


@dataclass(frozen=True, slots=True)
class RedisSettings:
    """The variable of the Redis."""

    redis_url: Secret | None = variable(None, "secret", "calls")


def _check(own: RedisSettings, reader: Reader) -> None:
    if own.redis_url is not None and not own.redis_url.reveal().startswith(SCHEMES):
        reader.refuse("REDIS_URL", "has to begin with `redis://`, `rediss://` or `unix://`")


def _pace(settings: Settings, limit: str, rate: float, burst: float) -> Pace | None:
    url = settings.part(RedisSettings).redis_url
    if url is None:
        return None
    from .rates import shared_rate

    return shared_rate(settings, url, limit, rate, burst)


PART = Part(settings=RedisSettings, check=_check, pace=_pace)
