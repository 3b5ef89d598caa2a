"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class SetPlateAnswer(TypedDict):
    mark: NotRequired[str]
    zone: NotRequired[str]


class SetPlateOwnersItem(TypedDict):
    initials: NotRequired[str]
    name: NotRequired[str]
