"""Verb and resource: `POST /customers/{customer}` is `update_customer`.

An operation without an operationId is named so, and one whose operationId is its method and path
(`PostCustomersCustomer`).
"""

from __future__ import annotations

from collections.abc import Iterable

from ...text import words
from ..vocabulary import (
    METHOD_VERBS,
    NOUNS,
    READ_ACTIONS,
    SINGLE,
    STOP_WORDS,
    VERBS,
    is_plural,
    singular,
)
from .route import literals, path_words, telling_parts


def operation_words(operation_id: str | None, method: str, path: str) -> list[str]:
    """The words an operation's name is made of: its operationId's, or a verb and a resource."""
    id_words = _without_route(words(operation_id or ""), method, path)
    if not id_words or _says_method_and_path(id_words, method, path):
        return verb_and_resource(method, path)
    return id_words


def verb_and_resource(method: str, path: str) -> list[str]:
    """What a method does to the resource of a path: `list`, `customers`."""
    resource = [list(part.words) for part in literals(path)]
    parts = telling_parts(path)
    if not resource:
        names = [word for part in parts for word in part.words]
        return [method.lower(), *(names or ["root"])]
    for_item, for_collection, for_single = METHOD_VERBS.get(method, [method.lower()] * 3)
    if parts[-1].is_parameter:
        return _distinct([for_item, *_singulars(resource)])
    *owners, last = resource
    if _is_action(last, method, is_first=not owners):
        is_of_item = parts[-2:-1] and parts[-2].is_parameter
        names = _singulars(owners) if is_of_item or last[1:] else _plain(owners)
        return _distinct([last[0], *names, *last[1:]])
    if method == "GET" and owners and owners[0][0] in READ_ACTIONS and len(owners[0]) == 1:
        return _distinct([*owners[0], *_plain(resource[1:])])
    if last[-1] in SINGLE:
        return _distinct([for_single, *_plain(resource)])
    if method == "GET" and not is_plural(last[-1]):
        return _distinct([for_single, *_plain(resource)])
    if for_collection == "create":
        return _distinct([for_collection, *_singulars(resource)])
    return _distinct([for_collection, *_plain(resource)])


def _is_action(last: list[str], method: str, *, is_first: bool) -> bool:
    """Whether the last literal of a path, perhaps the first too, is what is done:
    `…/{id}/cancel`, `…/search`.
    """
    verb = last[0]
    if method == "GET":
        return verb in READ_ACTIONS
    if method != "POST" or verb not in VERBS:
        return False
    if verb == "search":
        return True
    is_alone = is_first and len(last) == 1
    return verb not in NOUNS and not is_alone


def _singulars(resource: Iterable[Iterable[str]]) -> list[str]:
    """The words of literals, the last of each in the singular."""
    out: list[str] = []
    for literal in resource:
        *before, last = literal
        if last not in SINGLE:
            last = singular(last)
        out += [*before, last]
    return out


def _plain(resource: list[list[str]]) -> list[str]:
    """The words of literals, the last of them as it is."""
    return [*_singulars(resource[:-1]), *(word for literal in resource[-1:] for word in literal)]


def _distinct(name: list[str]) -> list[str]:
    """A name without words that the next one says again."""
    pairs = zip(name, [*name[1:], ""], strict=True)
    return [word for word, following in pairs if singular(word) != singular(following)]


def _without_route(id_words: list[str], method: str, path: str) -> list[str]:
    """An operationId without method and path at its end, as FastAPI writes them there."""
    route = [*path_words(path), method.lower()]
    if len(id_words) > len(route) > 1 and id_words[-len(route) :] == route:
        return id_words[: -len(route)]
    return id_words


def _says_method_and_path(id_words: list[str], method: str, path: str) -> bool:
    """Whether an operationId is the method, every literal of the path, and perhaps its
    parameters.
    """
    rest = list(id_words)
    if rest[0] == method.lower():
        rest = rest[1:]
    elif rest[-1] == method.lower():
        rest = rest[:-1]
    else:
        return False
    if not STOP_WORDS.isdisjoint({*rest} - {*path_words(path)}):
        return False
    route = [singular(word) for word in path_words(path)]
    resource = {singular(word) for part in literals(path) for word in part.words}
    rest = [singular(word) for word in rest]
    return resource <= set(rest) and _is_subsequence(rest, route)


def _is_subsequence(short: list[str], long: list[str]) -> bool:
    """Whether the words of one list stand in another in the same order."""
    rest = iter(long)
    return all(word in rest for word in short)
