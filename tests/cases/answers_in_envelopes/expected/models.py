"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict


class GetFlagAnswer(TypedDict):
    result: NotRequired[bool]


class GetListAnswer(TypedDict):
    data: NotRequired[list[GetListAnswerDataItem]]


class GetListAnswerDataItem(TypedDict):
    id: NotRequired[Any]
    name: NotRequired[Any]


class GetNothingAnswer(TypedDict):
    result: NotRequired[dict[str, Any]]


class GetObjectAnswer(TypedDict):
    data: NotRequired[GetObjectAnswerData]


class GetObjectAnswerData(TypedDict):
    id: NotRequired[Any]
    name: NotRequired[Any]


class GetPageAnswer(TypedDict):
    errors: NotRequired[list[GetPageAnswerErrorsItem]]
    next_page: NotRequired[str]
    shelves: NotRequired[list[GetPageAnswerShelvesItem]]


class GetPageAnswerErrorsItem(TypedDict):
    code: NotRequired[Any]


class GetPageAnswerShelvesItem(TypedDict):
    id: NotRequired[Any]
    name: NotRequired[Any]


class GetTokenAnswer(TypedDict):
    shelves: NotRequired[list[GetTokenAnswerShelvesItem]]
    token: NotRequired[str]


class GetTokenAnswerShelvesItem(TypedDict):
    id: NotRequired[Any]
    name: NotRequired[Any]


class ListPagesAnswer(TypedDict):
    data: NotRequired[list[ListPagesAnswerDataItem]]
    first_id: NotRequired[str]
    object: NotRequired[str]


class ListPagesAnswerDataItem(TypedDict):
    id: NotRequired[Any]
    name: NotRequired[Any]


class ListShelvesAnswer(TypedDict):
    data: NotRequired[ListShelvesAnswerData]


class ListShelvesAnswerData(TypedDict):
    shelves: NotRequired[list[ListShelvesAnswerDataShelvesItem]]
    state: NotRequired[int]


class ListShelvesAnswerDataShelvesItem(TypedDict):
    id: NotRequired[Any]
    name: NotRequired[Any]
