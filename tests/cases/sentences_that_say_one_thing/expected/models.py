"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class Message(TypedDict):
    author_id: NotRequired[str]
    avatar_url: NotRequired[str]
    channelId: NotRequired[str]
    content: NotRequired[str]
    id: NotRequired[str]
    pinned: NotRequired[bool]
    reactions: NotRequired[int]
    timestamp: NotRequired[str]


class PlansPlansItem(TypedDict):
    id: NotRequired[str]
    name: NotRequired[str]


class Plans(TypedDict):
    plans: NotRequired[list[PlansPlansItem]]
