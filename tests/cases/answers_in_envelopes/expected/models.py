"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict


class GetFlagAnswer(TypedDict):
    result: NotRequired[bool]


class GetListAnswerDataItem(TypedDict):
    id: NotRequired[Any]
    name: NotRequired[Any]


class GetNothingAnswer(TypedDict):
    result: NotRequired[dict[str, Any]]


class GetObjectAnswerData(TypedDict):
    id: NotRequired[Any]
    name: NotRequired[Any]


class GetPageAnswerErrorsItem(TypedDict):
    code: NotRequired[Any]


class GetPageAnswerShelvesItem(TypedDict):
    id: NotRequired[Any]
    name: NotRequired[Any]


class GetTokenAnswerShelvesItem(TypedDict):
    id: NotRequired[Any]
    name: NotRequired[Any]


class ListPagesAnswerDataItem(TypedDict):
    id: NotRequired[Any]
    name: NotRequired[Any]


class ListShelvesAnswerDataShelvesItem(TypedDict):
    id: NotRequired[Any]
    name: NotRequired[Any]


class GetListAnswer(TypedDict):
    data: NotRequired[list[GetListAnswerDataItem]]


class GetObjectAnswer(TypedDict):
    data: NotRequired[GetObjectAnswerData]


class GetPageAnswer(TypedDict):
    errors: NotRequired[list[GetPageAnswerErrorsItem]]
    next_page: NotRequired[str]
    shelves: NotRequired[list[GetPageAnswerShelvesItem]]


class GetTokenAnswer(TypedDict):
    shelves: NotRequired[list[GetTokenAnswerShelvesItem]]
    token: NotRequired[str]


class ListPagesAnswer(TypedDict):
    data: NotRequired[list[ListPagesAnswerDataItem]]
    first_id: NotRequired[str]
    object: NotRequired[str]


class ListShelvesAnswerData(TypedDict):
    shelves: NotRequired[list[ListShelvesAnswerDataShelvesItem]]
    state: NotRequired[int]


class ListShelvesAnswer(TypedDict):
    data: NotRequired[ListShelvesAnswerData]
