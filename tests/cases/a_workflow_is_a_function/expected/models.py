"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict


class Parcel(TypedDict):
    id: NotRequired[str]
    state: NotRequired[Literal["waiting", "sent", "delivered"]]


class SendAndFollowAnswer(TypedDict):
    id: NotRequired[str]
    state: NotRequired[Literal["waiting", "sent", "delivered"]]


class SendUnlessStoppedAnswer(TypedDict):
    state: NotRequired[Literal["waiting", "sent", "delivered"]]
