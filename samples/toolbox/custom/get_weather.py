"""The tool `get_weather`. `TOOLBOX_WEATHER_URL` answers with what the output schema says, in
celsius.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from .. import ToolError
from .asking import ask, setting

if TYPE_CHECKING:
    from .. import models


async def get_weather(
    *, location: str, units: Literal["celsius", "fahrenheit"] = "celsius", days: int = 0
) -> models.GetWeatherAnswer:
    """Get the weather of a place: now, and a forecast of some days."""
    url = setting("TOOLBOX_WEATHER_URL", "the weather")
    found = await ask("GET", url, params={"location": location, "days": days})
    try:
        answer: models.GetWeatherAnswer = {
            "location": str(found["location"]),
            "temperature": _in(units, found["temperature"]),
            "conditions": str(found["conditions"]),
            "humidity": float(found["humidity"]),
        }
        if days:
            answer["forecast"] = [
                {
                    "day": str(day["day"]),
                    "low": _in(units, day["low"]),
                    "high": _in(units, day["high"]),
                }
                for day in found["forecast"][:days]
            ]
    except (KeyError, TypeError, ValueError):
        raise ToolError(f"the service does not know the weather of `{location}`") from None
    return answer


def _in(units: str, celsius: float) -> float:
    return round(float(celsius) * 9 / 5 + 32 if units == "fahrenheit" else float(celsius), 1)
