"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict


class AddAttachmentBody(TypedDict):
    album: str
    cover: NotRequired[str]
    note: NotRequired[Any]
    picture: NotRequired[str]
    clips: NotRequired[list[str]]
    poster: NotRequired[str]


class AddReelBody(TypedDict):
    kind: str
    reel: str


class Song(TypedDict):
    kind: str
    words: str
