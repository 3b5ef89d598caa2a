"""Types of the objects in arguments and answers. Only type checkers read them."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict


class CreateRuleStatement(TypedDict):
    And: NotRequired[list[CreateRuleStatementAndItem]]
    Match: NotRequired[str]
    Not: NotRequired[CreateRuleStatementAndItemNot]
    Or: NotRequired[list[CreateRuleStatementAndItemNotOrItem]]
    Scope: NotRequired[Statement | dict[str, Any] | None]


class CreateRuleStatementAndItem(TypedDict):
    And: NotRequired[list[CreateRuleStatementAndItem]]
    Match: str
    Not: NotRequired[CreateRuleStatementAndItemNot]
    Or: NotRequired[list[CreateRuleStatementAndItemNotOrItem]]
    Scope: NotRequired[Statement | dict[str, Any] | None]


class CreateRuleStatementAndItemNot(TypedDict):
    And: NotRequired[list[CreateRuleStatementAndItem]]
    Match: NotRequired[str]
    Not: NotRequired[CreateRuleStatementAndItemNot]
    Or: NotRequired[list[CreateRuleStatementAndItemNotOrItem]]
    Scope: NotRequired[Statement | dict[str, Any] | None]


class CreateRuleStatementAndItemNotOrItem(TypedDict):
    And: NotRequired[list[CreateRuleStatementAndItem]]
    Match: NotRequired[str]
    Not: CreateRuleStatementAndItemNot
    Or: NotRequired[list[CreateRuleStatementAndItemNotOrItem]]
    Scope: NotRequired[Statement | dict[str, Any] | None]


class Statement(TypedDict):
    And: NotRequired[list[StatementAndItem]]
    Match: NotRequired[str]
    Not: NotRequired[StatementAndItemNot]
    Or: NotRequired[list[StatementAndItemNotOrItem]]
    Scope: NotRequired[Statement | dict[str, Any] | None]


class StatementAndItem(TypedDict):
    And: NotRequired[list[StatementAndItem]]
    Match: str
    Not: NotRequired[StatementAndItemNot]
    Or: NotRequired[list[StatementAndItemNotOrItem]]
    Scope: NotRequired[Statement | dict[str, Any] | None]


class StatementAndItemNot(TypedDict):
    And: NotRequired[list[StatementAndItem]]
    Match: NotRequired[str]
    Not: NotRequired[StatementAndItemNot]
    Or: NotRequired[list[StatementAndItemNotOrItem]]
    Scope: NotRequired[Statement | dict[str, Any] | None]


class StatementAndItemNotOrItem(TypedDict):
    And: NotRequired[list[StatementAndItem]]
    Match: NotRequired[str]
    Not: StatementAndItemNot
    Or: NotRequired[list[StatementAndItemNotOrItem]]
    Scope: NotRequired[Statement | dict[str, Any] | None]
