"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class GetForecastAnswer(TypedDict):
    conditions: NotRequired[str]
    temperature: NotRequired[float]


class GetWeatherAnswer(TypedDict):
    conditions: NotRequired[str]
    humidity: NotRequired[float]
    temperature: NotRequired[float]
