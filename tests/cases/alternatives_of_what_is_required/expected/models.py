"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict


class CreateCampaignBody(TypedDict):
    alerts: NotRequired[list[int]]
    name: str
    secrets: NotRequired[list[int]]


class CreateInvitationWho(TypedDict):
    email: NotRequired[str]
    id: NotRequired[str]


class CreateNoteBody(TypedDict):
    link: NotRequired[str]
    text: NotRequired[str]


class CreateSiteBody(TypedDict):
    build_type: NotRequired[Literal["legacy", "workflow"]]
    name: NotRequired[str]
    source: NotRequired[str]
