"""Verb and resource: `POST /customers/{customer}` is `update_customer`.

An operation without an operationId is named so, and one whose operationId is its method and path
(`PostCustomersCustomer`). What a method that writes does is what the document says of it: `PUT
/books` with the summary `Creates a book` is `create_book`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from ...text import words
from ..vocabulary import (
    ABBREVIATIONS,
    ACTIONS,
    ADDING,
    LEADING_ACTIONS,
    METHOD_VERBS,
    NOUNS,
    SETTINGS_WORDS,
    SINGLE,
    STOP_WORDS,
    USUAL_VERBS,
    VERBS,
    is_plural,
    same_verb,
    singular,
)
from .route import Part, is_noise, literals, parts_of, path_words, telling_parts, without_keys

MEANINGLESS = re.compile(r"[\d\W_]*|(?=.*\d)([0-9a-f]-?){16,}", re.I)
"""An operationId without a word: a number, or the key of a database (`5476364f031f5909e4fe330c`).
"""
_NUMBER = re.compile(r"^\d{1,3}[.)]\s*(?=[A-Za-z])")
"""The number of an operationId in a list: `1.CreateTransaction`."""
_HASH = re.compile(r"(?<=\.)([^-]*)-[0-9a-f]{4}$")
"""The hash that tells an operationId from others of its words: `Get.Count.events-2c0f`."""
_COUNTED = re.compile(r"(?<=[a-z])(Using(GET|HEAD|POST|PUT|PATCH|DELETE))?(_\d{1,2})?$", re.I)
"""What frameworks end an operationId with that others have too: `getGenresUsingGET_1`."""
_CLASS = re.compile(r"(?<=[a-z])(Service|Controller)(?=[_.][a-z])", re.I)
"""What the class is that an operationId begins with: `BookService_ListBooks`."""
ROUTER_VERBS = ("list", "create", "retrieve", "update", "partial update", "destroy")


def operation_words(
    operation_id: str | None, method: str, path: str, spoken: str = ""
) -> list[str]:
    """The words an operation's name is made of: its operationId's, or a verb and a resource.
    `spoken` is the verb the document describes the operation with.
    """
    if operation_id is None or _begins_with_route(operation_id, method, path):
        return verb_and_resource(method, path, spoken)
    id_words = _without_route(_with_verb_apart(identity_words(operation_id), path), method, path)
    if not id_words or _is_path_to_one(id_words, path):
        return verb_and_resource(method, path, spoken)
    if _is_whole_path_and_verb(id_words, path):
        return verb_and_resource(method, path, spoken)
    if _says_method_and_path(id_words, method, path):
        return _listed(verb_and_resource(method, path, spoken), id_words, method, path)
    return _without_class(_without_owners(id_words, path))


def identity_words(operation_id: str | None) -> list[str]:
    """The words of an operationId that say something."""
    if operation_id is None or MEANINGLESS.fullmatch(operation_id):
        return []
    return words(without_keys(_CLASS.sub("", _COUNTED.sub("", _without_hash(operation_id)))))


def counted_words(operation_id: str | None) -> list[str]:
    """The words of an operationId with what frameworks end it with."""
    return words(_without_hash(operation_id or ""))


def _without_hash(operation_id: str) -> str:
    return _NUMBER.sub("", _HASH.sub(r"\1", operation_id))


def _without_class(id_words: list[str]) -> list[str]:
    """An operationId without the words it begins with, where it says them again at once
    (`order_order_items`) or behind its verb (`books_list_books`).
    """
    if id_words[0] in VERBS - NOUNS:
        return id_words
    singulars = [singular(word) for word in id_words]
    for count in range(len(id_words) // 2, 0, -1):
        if singulars[:count] == singulars[count : 2 * count]:
            return id_words[count:]
    verbs = [index for index, word in enumerate(id_words) if word in VERBS - NOUNS]
    verbs = verbs or [index for index, word in enumerate(id_words) if word in USUAL_VERBS]
    for index in reversed(verbs):
        rest = singulars[index + 1 :]
        if {*singulars[:index]} <= {*rest} and STOP_WORDS.isdisjoint(rest[:1]):
            return id_words[index:]
    return id_words


def _with_verb_apart(id_words: list[str], path: str) -> list[str]:
    """An operationId whose verb is no word of its own (`getranking-rules`), with it as one."""
    route = path_words(path)
    first = "".join(id_words[:1])
    for verb in sorted(USUAL_VERBS):
        rest = first.removeprefix(verb)
        if rest != first and rest in route and first not in route:
            return [verb, rest, *id_words[1:]]
    return id_words


def _without_owners(id_words: list[str], path: str) -> list[str]:
    """An operationId without parameters that only say again what the literal before them says,
    which is one thing then: `getBoardsCardsByIdBoard` is `get_board_cards`.
    """
    for literal, parameter in pairwise(parts_of(path)):
        owner = literal.words[-1]
        one = singular(owner)
        if {one, ABBREVIATIONS.get(one)}.isdisjoint(parameter.words):
            continue
        before, by, after = f" {' '.join(id_words)} ".partition(f" by {' '.join(parameter.words)} ")
        rest = [*before.split(), *after.split()]
        if by and owner in rest and parameter.is_parameter:
            id_words = [one if word == owner else word for word in rest]
    return id_words


def _listed(name: list[str], id_words: list[str], method: str, path: str) -> list[str]:
    """A name made of method and path, in the plural where the operationId says that many come back:
    `GET /client` with `getClients` is `list_clients`.
    """
    *others, last = name
    plural = id_words[-1]
    if (method, name[0]) != ("GET", "get"):
        return name
    if any(part.is_parameter for part in telling_parts(path)[-1:]):
        return name
    if plural in (*SINGLE, last):
        return name
    if singular(plural) != last:
        return name
    return ["list", *others[1:], plural]


def verb_and_resource(method: str, path: str, spoken: str = "") -> list[str]:
    """What is done to the resource of a path: `list`, `customers`."""
    resource = [list(part.words) for part in literals(path)]
    parts = telling_parts(path)
    if not resource:
        names = [word for part in parts for word in part.words]
        return [method.lower(), *(names or ["root"])]
    if not parts[-1].is_parameter:
        *owners, (action, *object_words) = resource
        actions = ACTIONS.get(method, ())
        if method in WRITING:
            actions = (*actions, spoken)
        if action in actions:
            is_of_item = any(part.is_parameter for part in parts[-2:-1])
            names = _singulars(owners) if is_of_item else _plain(owners)
            return _distinct([action, *names, *object_words])
        if " ".join(resource[0]) in LEADING_ACTIONS.get(method, ()):
            return _distinct([*resource[0], *_plain(resource[1:])])
    kind = _kind(parts[-1])
    verb = _verb(method, kind, spoken)
    names = _singulars(resource) if kind == ITEM or verb in ADDING else _plain(resource)
    return _distinct([verb, *(word for word in names if word != verb)])


WRITING = ("POST", "PUT", "PATCH")
"""Methods that say little of what they do."""


def _verb(method: str, kind: int, spoken: str) -> str:
    """What a method does to what a path names: its own verb, or the one it is described with."""
    verb = METHOD_VERBS.get(method, [method.lower()] * 4)[kind]
    spoken = same_verb(spoken)
    if (method, kind, spoken) == ("GET", OTHER, "list"):
        return spoken
    if method not in WRITING or not spoken:
        return verb
    if spoken == "get":
        return METHOD_VERBS["GET"][kind]
    if spoken == "update" and verb != "create":
        return verb  # `replace` says more
    return spoken


ITEM, COLLECTION, SETTINGS, OTHER = range(4)
"""What a path ends in, as the columns of `METHOD_VERBS`."""


def _kind(last: Part) -> int:
    """What a path with that end names."""
    word = last.words[-1]
    if last.is_parameter:
        return ITEM
    if word in SETTINGS_WORDS:
        return SETTINGS
    if word in SINGLE:
        return OTHER
    return COLLECTION if is_plural(word) else OTHER


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
    name, end = id_words[: -len(route)], id_words[-len(route) :]
    if end == route:
        return name
    return id_words


def _begins_with_route(operation_id: str, method: str, path: str) -> bool:
    """Whether an operationId is the method, the path with its slashes, and then a verb, as HubSpot
    writes it.
    """
    route = [method.lower(), *path_words(path)]
    return "/" in operation_id and words(operation_id)[: len(route)] == route


def _is_path_to_one(id_words: list[str], path: str) -> bool:
    """Whether an operationId is the path with its parameters alone: `clientClient_id`."""
    return "{" in path and id_words == path_words(path)


def _is_whole_path_and_verb(id_words: list[str], path: str) -> bool:
    """Whether an operationId is every literal of the path, `api` and the version too, and then a
    verb, as Django REST framework writes it: `api_v1_books_partial_update`.
    """
    parts = [part for part in parts_of(path) if not part.is_parameter]
    route = [word for part in parts for word in part.words]
    if not parts or not is_noise(parts[0]) or id_words[: len(route)] != route:
        return False
    verb = [word for word in id_words[len(route) :] if not word.isdigit()]
    return " ".join(verb) in ROUTER_VERBS


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
    route = path_words(path)
    if len(rest) <= len(route) and "".join(rest) == "".join(route):
        return True  # `delete-chargingstations-stationid`, and the path has hyphens
    if not STOP_WORDS.isdisjoint({*rest} - {*route}):
        return False
    route = [singular(word) for word in route]
    resource = {singular(word) for part in literals(path) for word in part.words}
    rest = [singular(word) for word in rest]
    return resource <= set(rest) and _is_subsequence(rest, route)


def _is_subsequence(short: list[str], long: list[str]) -> bool:
    """Whether the words of one list stand in another in the same order."""
    rest = iter(long)
    return all(word in rest for word in short)
