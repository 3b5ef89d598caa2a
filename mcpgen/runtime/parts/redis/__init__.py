"""Part `redis`: limits that all replicas share, counted in Redis."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ...settings import Reader, Settings
from .. import Part
from .variables import RedisSettings

if TYPE_CHECKING:
    from ...limits import Pace, Place

SCHEMES = ("redis://", "rediss://", "unix://")


def _check(own: RedisSettings, reader: Reader) -> None:
    if own.redis_url is not None and not own.redis_url.reveal().startswith(SCHEMES):
        reader.refuse("REDIS_URL", "has to begin with `redis://`, `rediss://` or `unix://`")


def _pace(settings: Settings, limit: str, rate: float, burst: float) -> Pace | None:
    if not all((settings.part(RedisSettings).redis_url, rate)):
        return None
    from .shared import SharedRate

    return SharedRate(settings, limit, rate, burst)


def _place(settings: Settings, limit: str, most: int | None) -> Place | None:
    own = settings.part(RedisSettings)
    if most is None:
        most = own.redis_max_concurrency
    if not all((own.redis_url, most)):
        return None
    from .shared import SharedPlaces

    return SharedPlaces(settings, limit, most).held


@contextmanager
def _running(app: Any, settings: Settings, host: str) -> Iterator[None]:
    try:
        yield
    finally:
        if settings.part(RedisSettings).redis_url:
            from .shared import leave

            leave(settings)


PART = Part(settings=RedisSettings, check=_check, pace=_pace, place=_place, running=_running)
