"""The toolset `general`: one function for each tool, one request in each function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import Answer, Api

if TYPE_CHECKING:
    from .. import models


async def get_forecast(api: Api) -> Answer[models.GetForecastAnswer]:
    """Get the forecast of a town."""
    return await api.request("GET", "/forecast")


async def get_weather(api: Api) -> Answer[models.GetWeatherAnswer]:
    """Get the weather of a town."""
    return await api.request("GET", "/weather")
