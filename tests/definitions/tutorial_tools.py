"""Tools of the tutorials of the MCP SDK and of FastMCP, as functions of a project's `custom/`."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from .. import Context, Image, ResourceLink, ToolError, tool


class WeatherData(BaseModel):
    """The weather in one place."""

    temperature: float = Field(description="Temperature in Celsius")
    humidity: float = Field(description="Humidity percentage")
    condition: str
    wind_speed: float


class LocationInfo(TypedDict):
    latitude: float
    longitude: float
    name: str


@dataclass
class UserProfile:
    name: str
    age: int
    email: str | None = None


class User(BaseModel):
    username: str
    email: str = Field(pattern=r"^[^@]+@[^@]+$")
    age: int | None = Field(None, ge=0)


@tool(read_only=True)
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@tool(read_only=True)
def get_weather(city: str) -> WeatherData:
    """Get weather for a city - returns structured data."""
    return WeatherData(temperature=22.5, humidity=45.0, condition="sunny", wind_speed=5.2)


@tool(read_only=True)
def get_location(address: str) -> LocationInfo:
    """Get location coordinates."""
    return {"latitude": 51.5074, "longitude": -0.1278, "name": "London, UK"}


@tool(read_only=True)
def get_statistics(data_type: str) -> dict[str, float]:
    """Get various statistics."""
    return {"mean": 42.5, "median": 40.0, "std_dev": 5.2}


@tool(read_only=True)
def list_cities() -> list[str]:
    """Get a list of cities."""
    return ["London", "Paris", "Tokyo"]


@tool(read_only=True)
def get_user(user_id: str) -> UserProfile:
    """Get user profile data."""
    return UserProfile(name="Alice", age=30, email="alice@example.com")


@tool(idempotent=True)
def process_image(
    image_url: Annotated[str, Field(description="URL of the image to process")],
    resize: Annotated[bool, Field(description="Whether to resize the image")] = False,
    width: Annotated[int, Field(description="Target width in pixels", ge=1, le=2000)] = 800,
    format: Annotated[
        Literal["jpeg", "png", "webp"], Field(description="Output image format")
    ] = "jpeg",
) -> dict[str, Any]:
    """Process an image with optional resizing."""
    return {"url": image_url, "width": width if resize else None, "format": format}


@tool
def create_user(user: User, notify: bool = True) -> str:
    """Create a user.

    Args:
        user: Who it is
        notify: Whether to send a message
    """
    return f"{user.username} <{user.email}>"


@tool(read_only=True)
def create_thumbnail(size: int = 100) -> Image:
    """Create a thumbnail from an image."""
    return Image(b"\x89PNG" + bytes(size), "image/png")


@tool(read_only=True)
def find_documents(query: str) -> list[ResourceLink]:
    """Links to the documents that match a query.

    Parameters
    ----------
    query : str
        Words to look for
    """
    return [ResourceLink(f"docs://{query}/1", "first"), ResourceLink(f"docs://{query}/2", "second")]


@tool
async def long_running_task(task_name: str, ctx: Context, steps: int = 5) -> str:
    """Execute a task with progress updates.

    :param task_name: What the task is called
    :param steps: How many steps it has
    """
    for step in range(steps):
        await ctx.progress(step + 1, steps, f"Step {step + 1}/{steps}")
    return f"Task '{task_name}' completed"


CANCELLED: list[str] = []


@tool
async def wait_for_approval(topic: str) -> str:
    """Wait until somebody approves."""
    try:
        await asyncio.sleep(60)
    except asyncio.CancelledError:
        CANCELLED.append(topic)
        raise
    return "approved"


@tool(name="divide", read_only=True)
def divide_numbers(a: float, b: float) -> float:
    """Divide a by b."""
    if b == 0:
        raise ToolError("Division by zero is not allowed.")
    return a / b
