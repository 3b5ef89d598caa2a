"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict


class SendAndFollowAnswer(TypedDict):
    id: NotRequired[Any]
    state: NotRequired[Any]


class SendUnlessStoppedAnswer(TypedDict):
    state: NotRequired[Any]
