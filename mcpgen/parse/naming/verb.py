"""Verb and resource: `POST /customers/{customer}` is `update_customer`.

An operation without an operationId is named so, and one whose operationId is its method and path
(`PostCustomersCustomer`). What a method that writes does is what the document says of it: `PUT
/books` with the summary `Creates a book` is `create_book`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

import inflection

from ...text import words
from ..vocabulary import (
    ABBREVIATIONS,
    ACTIONS,
    ADDING,
    ADVERBS,
    BULK,
    CALLING,
    LEADING_ACTIONS,
    METHOD_VERBS,
    NOISE,
    NOUNS,
    SETTINGS_WORDS,
    SINGLE,
    STOP_WORDS,
    USUAL_VERBS,
    VERBS,
    is_plural,
    one_of,
    same_verb,
    singular,
)
from .route import PathPart, is_noise, literals, parts_of, path_words, telling_parts, without_keys

LONGEST = 400
"""Characters of an operationId that is read; those of real documents have 250."""
MEANINGLESS = re.compile(r"[\d\W_]*|(?=.*\d)([0-9a-f]-?){16,}", re.I)
"""An operationId without a word: a number, or the key of a database (`5476364f031f5909e4fe330c`).
"""
_NUMBER = re.compile(r"^\d{1,3}[.)]\s*(?=[A-Za-z])")
"""The number of an operationId in a list: `1.CreateTransaction`."""
_HASH = re.compile(r"(?<=\.)([^-]*)-[0-9a-f]{4}$")
"""The hash that tells an operationId from others of its words: `Get.Count.events-2c0f`."""
_COUNTED = re.compile(r"(?<=[a-z])(Using(GET|HEAD|POST|PUT|PATCH|DELETE))?([_-]\d{1,2})?$", re.I)
"""Suffix that tells an operationId from its namesakes: `getGenresUsingGET_1`, `bulk-2`."""
_CLASS = re.compile(r"^api[./](?=[a-z])|(?<=[a-z])(Service|Controller)(?=(V\d+)?[_.][a-z])", re.I)
"""Role in the class name that an operationId begins with: `BookService_ListBooks`,
`api.books.list`.
"""
ROUTER_VERBS = ("list", "create", "retrieve", "update", "partial update", "destroy")


def operation_words(
    operation_id: str | None,
    method: str,
    path: str,
    spoken: str = "",
    items: frozenset[str] | None = None,
    sentence: str = "",
) -> list[str]:
    """The words an operation's name is made of: its operationId's, or a verb and a resource.
    `sentence` is what the document describes the operation with, and `spoken` the verb of that;
    `items` are the words of the name of what it answers an array of, None where the answer is no
    array.
    """
    by_route = verb_and_resource(method, path, spoken, items)
    if operation_id is None or _begins_with_route(operation_id, method, path):
        return by_route
    id_words = _words_apart(identity_words(operation_id), path, sentence)
    id_words = _without_route(id_words, method, path)
    if not id_words or _is_path_to_one(id_words, path):
        return by_route
    if _is_whole_path_and_verb(id_words, path):
        return by_route
    if _says_method_and_path(id_words, method, path):
        return _listed(by_route, id_words, method, path)
    id_words = _without_ids(_without_owners(id_words, path))
    return _without_class(_once(id_words, method, path))


def identity_words(operation_id: str | None) -> list[str]:
    """The words of an operationId that say something; none of one that nobody reads."""
    if operation_id is None or len(operation_id) > LONGEST:
        return []
    if MEANINGLESS.fullmatch(operation_id):
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
    if id_words[0] in (VERBS - NOUNS) | ADVERBS:
        return id_words
    singulars = list(map(singular, id_words))
    for count in range(len(id_words) // 2, 0, -1):
        if singulars[:count] == singulars[count : 2 * count]:
            return id_words[count:]
    verbs = [index for index, word in enumerate(id_words) if word in (VERBS - NOUNS) | ADVERBS]
    if not verbs or id_words[0] in USUAL_VERBS:
        verbs = [index for index, word in enumerate(id_words) if word in USUAL_VERBS]
    for index in reversed(verbs):
        rest = singulars[index + 1 :]
        if {*singulars[:index]} <= {*rest} and STOP_WORDS.isdisjoint(rest[:1]):
            return id_words[index:]
    return id_words


def _once(id_words: list[str], method: str, path: str) -> list[str]:
    """An operationId without verbs that it says twice: `GET_GetBook`, `Train_TrainVersion`,
    `bookV1GetGet`, `exports.download.download` of a path that ends in `download`. At the end of
    other names they are two: `keys.create.create`.
    """
    *others, last = id_words
    by_path = {part.words[-1] for part in parts_of(path)[-1:]} & (VERBS - NOUNS - USUAL_VERBS)
    if others[-1:] == [last] and last in by_path | {method.lower()}:
        others.pop()
    pairs = zip(others, [*others, ""][1:], strict=True)
    kept = [word for word, following in pairs if word != following or word not in VERBS - NOUNS]
    return [*kept, last]


def _words_apart(id_words: list[str], path: str, sentence: str) -> list[str]:
    """An operationId whose verb is no word of its own (`getranking-rules`), or the `by` before a
    parameter's name (`GetBybookId`), with these as words; or one of a single word that is several
    of the path and of the sentence (`Updatespendlimit`).
    """
    route = path_words(path)
    first, *others = id_words or [""]
    if not others and first not in route:
        known = {word for word in [*route, *words(sentence)] if len(word) > 1 and word.isalpha()}
        known |= {singular(word) for word in known} | VERBS | STOP_WORDS - {"a"}
        return _taken_apart(first, known) or id_words
    parameters = {word for part in parts_of(path) if part.is_parameter for word in part.words}
    by_parameters = {f"by{word}": ["by", word] for word in parameters}
    id_words = [part for word in id_words for part in by_parameters.get(word, [word])]
    first = "".join(id_words[:1])
    for verb in sorted(USUAL_VERBS):
        rest = first.removeprefix(verb)
        if rest != first and rest in route and first not in route:
            return [verb, rest, *id_words[1:]]
    return id_words


def _taken_apart(text: str, known: set[str]) -> list[str]:
    """A text as words that are known, of each the longest that leaves such words; empty where it is
    none.
    """
    best: dict[int, list[str]] = {len(text): []}
    for start in range(len(text) - 1, -1, -1):
        for end in range(len(text), start, -1):
            if end in best and text[start:end] in known:
                best[start] = [text[start:end], *best[end]]
                break
    return best.get(0, [])


def _without_ids(id_words: list[str]) -> list[str]:
    """An operationId without the parameters that only say again what stands before them:
    `getAccountsAccountIdBalances` is `get_account_balances`.
    """
    for place, word in reversed([*enumerate(id_words)]):
        for count in range(1, place // 2 + 1):
            owner, one = (
                id_words[place - 2 * count : place - count],
                id_words[place - count : place],
            )
            if word == "id" and owner != one and _singulars([owner]) == one:
                return [*_without_ids(id_words[: place - 2 * count]), *one, *id_words[place + 1 :]]
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


def verb_and_resource(
    method: str,
    path: str,
    spoken: str = "",
    items: frozenset[str] | None = None,
) -> list[str]:
    """Return the verb and the resource of a path: `list`, `customers`."""
    resource = [list(part.words) for part in literals(path)]
    parts = telling_parts(path)
    if not resource:
        names = [word for part in parts for word in part.words]
        return [method.lower(), *(names or ["root"])]
    if not parts[-1].is_parameter or _is_call(method, resource[-1]):
        name = _said_by_path(method, resource, parts, spoken)
        if name:
            return _distinct(name)
    if (method, same_verb(spoken)) in READING:
        names = _listed_things(resource, parts, items)
        if names:
            return _distinct(["list", *names])
    kind = _kind(parts[-1])
    if singular(resource[-1][-1]) in _nouns_of(spoken):
        spoken = ""  # to subscribe is to create a subscription
    verb = _verb(method, kind, spoken)
    resource = _without_noun_of(verb, resource)
    names = _singulars(resource) if kind == ITEM or verb in ADDING else _plain(resource)
    return _distinct([verb, *(word for word in names if word != verb)])


def _said_by_path(
    method: str, resource: list[list[str]], parts: Sequence[PathPart], spoken: str
) -> list[str]:
    """A name whose verb is the first word of a path's last literal or of its first one; empty where
    both are resources.
    """
    if method != "GET":
        adverb, plain = _adverb_apart(resource)
        if adverb:
            return [adverb, *_done_to_many(method, plain, spoken)]
    *owners, (action, *object_words) = resource
    actions = {*ACTIONS.get(method, ())}
    if method in WRITING:
        actions.add(spoken)
    if action in actions or _is_call(method, resource[-1]):
        is_of_item = any(part.is_parameter for part in parts[-2:-1])
        owners = _without_noun_of(action, _not_said_again(owners, object_words))
        names = _singulars(owners) if is_of_item else _plain(owners)
        return [action, *names, *object_words]
    if " ".join(resource[0]) in LEADING_ACTIONS.get(method, ()):
        return [*resource[0], *_plain(resource[1:])]
    return []


def _is_call(method: str, literal: list[str]) -> bool:
    """Return whether a path's last literal says what is done and to what, as remote procedures are
    called: `/userGroup/getUserGroups`, `/book/deleteBook/{id}`.
    """
    return len(literal) > 1 and literal[0] in CALLING.get(method, ())


def _not_said_again(owners: list[list[str]], thing: list[str]) -> list[list[str]]:
    """Literals without those whose noun stands in what something is done to."""
    said = {singular(word) for word in thing}
    nouns = [[singular(word) for word in words if word not in NOISE][-1:] for words in owners]
    pairs = zip(owners, nouns, strict=True)
    return [words for words, noun in pairs if said.isdisjoint(noun)]


def _adverb_apart(resource: list[list[str]]) -> tuple[str, list[list[str]]]:
    """Split off an adverb that ends a path, perhaps with a verb (`/books/bulk`,
    `/books/bulk-delete`), and return it and the literals without it.
    """
    for index in range(len(resource) - 1, max(0, len(resource) - 3), -1):
        adverb, *rest = resource[index]
        end = [*filter(None, [rest, *resource[index + 1 :]])]
        following = [word for literal in end for word in literal][:1]
        is_how = {*following} <= VERBS - NOUNS if following else adverb == "bulk"
        if is_how and adverb in BULK:
            return adverb, [*resource[:index], *end]
    return "", resource


def _done_to_many(method: str, resource: list[list[str]], spoken: str) -> list[str]:
    """Return the verb and the resource of a path to many objects."""
    *owners, last = resource
    if owners and last[0] in VERBS - NOUNS:
        return _distinct([last[0], *_plain(owners), *last[1:]])
    return _distinct([_verb(method, OTHER, spoken), *_plain(resource)])


def _listed_things(
    resource: list[list[str]], parts: Sequence[PathPart], items: frozenset[str] | None
) -> list[str]:
    """The words for the many that a path answers though it ends as if it were one: `/book/{ids}`,
    and where the items are books, `/book` and `/books/latest`. Empty where it may be one.
    """
    if items is None:
        return []
    *owners, last = resource
    if last == ["list"]:
        return _plain(owners)
    plural = inflection.pluralize(singular(last[-1]))
    many = [*_singulars(owners), *last[:-1], plural]
    if plural in items:
        return many
    if parts[-1].is_parameter:
        return many if is_plural(parts[-1].words[-1]) else []
    if is_plural(last[-1]):
        return []
    if singular(last[-1]) in items:
        return many
    if last[0] in VERBS - NOUNS:
        return []
    return []


def _without_noun_of(verb: str, resource: list[list[str]]) -> list[list[str]]:
    """Literals without those that only say the verb again before another: `associations` in `PUT
    /associations/{id}/sensors/{id}`, which is `associate_sensor`.
    """
    nouns = _nouns_of(verb)
    others = [words for words in resource[:-1] if singular("_".join(words)) not in nouns]
    return [*others, *resource[-1:]]


def _nouns_of(verb: str) -> set[str]:
    """The nouns for what a verb does: `association` for `associate`."""
    stem = verb.removesuffix("e")
    endings = ("ion", "ation", "al")
    return {
        *(f"{stem}{ending}" for ending in endings),
        f"{verb}ment",
        f"{verb.removesuffix('be')}ption",
        f"{verb.removesuffix('t')}ssion",
    }


READING = frozenset(("GET", verb) for verb in ("", "get", "list"))
"""Methods and the verbs they are described with where they may list things."""
WRITING = ("POST", "PUT", "PATCH")
"""Methods that say little of what they do."""


def _verb(method: str, kind: int, spoken: str) -> str:
    """Return the verb of a method for a kind of path: its own, or that of the description."""
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
"""Kinds of path endings, as the columns of `METHOD_VERBS`."""


def _kind(last: PathPart) -> int:
    """Return the kind of a path by its end."""
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
        out += [*before, one_of(last)]
    return out


def _plain(resource: list[list[str]]) -> list[str]:
    """The words of literals, the last of them as it is."""
    return [*_singulars(resource[:-1]), *(word for literal in resource[-1:] for word in literal)]


def _distinct(name: list[str]) -> list[str]:
    """A verb and its words, without those that the next one says again."""
    verb, *others = name
    pairs = zip(others, [*others, ""][1:], strict=True)
    kept = [word for word, following in pairs if singular(word) != singular(following)]
    return kept if kept[:1] == [verb] else [verb, *kept]


def _without_route(id_words: list[str], method: str, path: str) -> list[str]:
    """An operationId without method and path at its end, as FastAPI writes them there."""
    route = [*path_words(path), method.lower()]
    return id_words[: -len(route)] if id_words[-len(route) :] == route else id_words


def _begins_with_route(operation_id: str, method: str, path: str) -> bool:
    """Return whether an operationId is the method, the path with its slashes, and then a verb, as
    HubSpot writes it.
    """
    route = [method.lower(), *path_words(path)]
    return "/" in operation_id and words(operation_id)[: len(route)] == route


def _is_path_to_one(id_words: list[str], path: str) -> bool:
    """Return whether an operationId is the path with its parameters alone: `clientClient_id`."""
    return "{" in path and id_words == path_words(path)


def _is_whole_path_and_verb(id_words: list[str], path: str) -> bool:
    """Return whether an operationId is every literal of the path, `api` and the version too, and
    then a verb, as Django REST framework writes it: `api_v1_books_partial_update`.
    """
    parts = [part for part in parts_of(path) if not part.is_parameter]
    route = [word for part in parts for word in part.words]
    if not parts or not is_noise(parts[0]) or id_words[: len(route)] != route:
        return False
    verb = [word for word in id_words[len(route) :] if not word.isdigit()]
    return " ".join(verb) in ROUTER_VERBS


def _says_method_and_path(id_words: list[str], method: str, path: str) -> bool:
    """Return whether an operationId is the method, every literal of the path, and perhaps its
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
    route = list(map(singular, route))
    resource = {singular(word) for part in literals(path) for word in part.words}
    rest = list(map(singular, rest))
    return resource <= set(rest) and _is_subsequence(rest, route)


def _is_subsequence(short: list[str], long: list[str]) -> bool:
    """Return whether the words of one list stand in another in the same order."""
    rest = iter(long)
    return all(word in rest for word in short)
