"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict


class A(TypedDict):
    content: str
    proxied: NotRequired[bool]
    type: str


class Direct(TypedDict):
    name: NotRequired[str | None]


class Group(TypedDict):
    icon: NotRequired[str]
    name: NotRequired[str | None]


class Mx(TypedDict):
    content: str
    priority: int
    type: str


class Permission(TypedDict):
    allow: NotRequired[int]
    id: str
    kind: Literal["role", "member"]


class Guild(TypedDict):
    name: NotRequired[str]
    nsfw: NotRequired[bool]
    permissions: NotRequired[list[Permission]]
    rate_limit: NotRequired[int]
    topic: NotRequired[str]
