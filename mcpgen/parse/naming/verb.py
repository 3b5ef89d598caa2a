"""Routes as words, and the verb and the resource they name: `POST /customers/{customer}` is
`update_customer`.

This names an operation whose operationId says no more than the route. For a writing method the
document's words decide: `PUT /books` with the summary `Creates a book` is `create_book`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import filterfalse, pairwise, takewhile

from ...load.values import as_text
from ...text import words
from ..vocabulary import (
    ACTIONS,
    ADDING,
    ADVERBS,
    ARTICLES,
    ASIDES,
    BULK,
    FINITE,
    METHOD_VERBS,
    NOISE,
    NOUNS,
    ROUTER_VERBS,
    SETTINGS_WORDS,
    SINGLE,
    STOP_WORDS,
    USUAL_VERBS,
    VERBS,
    is_plural,
    one_of,
    plural_of,
    same_verb,
    singular,
)

PATHS = 30_000
"""The paths that are kept as words; Microsoft Graph has 16,000."""
_VERSION = re.compile(r"v?\d+([a-z]+\d*)?")
_KEY = re.compile(r"(?<=[a-z])[-_](?=[A-Za-z]*\d[A-Z]{2})[A-Za-z\d]{8,}(?![A-Za-z\d])")
"""A key that the API made up, behind a name: `classification-6VMVochwUWo`."""
_FORMAT = re.compile(r"\.(json|xml|html|csv)$", re.I)

LONGEST = 400
"""Characters of an operationId that is read; those of real documents have 250."""
MEANINGLESS = re.compile(r"[\d\W_]*|(?=.*\d)([0-9a-f]-?){16,}", re.I)
"""An operationId without a word: a number, or a key (`5476364f031f5909e4fe330c`)."""
_HABITS = re.compile(
    r"""
      ^\d{1,3}[.)]\s*(?=[a-z])  # its number in a list: `1.CreateTransaction`
    | (?<=[a-z])(?:Service|Controller)(?=(?:V\d+)?[_.][a-z])  # its class: `BookService_ListBooks`
    | (?<=[a-z])(?:Using(?:GET|HEAD|POST|PUT|PATCH|DELETE))?(?:[_-]\d{1,2})?$  # `getUsingGET_1`
    | (?<=\.)(?P<name>[^-.]*)-[0-9a-f]{4}$  # its hash: `Get.Count.events-2c0f`
    """,
    re.I | re.X,
)
"""Parts of an operationId that frameworks add to its words."""
SAY_LITTLE = ARTICLES | ASIDES | FINITE | STOP_WORDS | VERBS
"""Words of a sentence without distinguishing value."""
WRITING = ("POST", "PUT", "PATCH")
"""Methods that are vague about their effect."""


@dataclass(frozen=True, slots=True)
class PathPart:
    """A literal or a parameter of a path, as its words."""

    words: tuple[str, ...]
    is_parameter: bool


@lru_cache(maxsize=PATHS)
def parts_of(path: str) -> tuple[PathPart, ...]:
    """Return the literals and parameters of a path, in order; the query of a path is left out."""
    text = _FORMAT.sub(r"/\1", re.split(r"[?#]", path)[0])
    parts = [
        PathPart(route_words(part), is_parameter=part.startswith("{"))
        for part in re.findall(r"\{[^{}]*\}|[^{}/]+", text)
    ]
    return tuple(part for part in parts if part.words)


def route_words(text: str) -> tuple[str, ...]:
    """Return the words of a part of a path or of an operationId, without keys made up by an API."""
    return tuple(words(_KEY.sub("", text)))


def literals(path: str) -> list[PathPart]:
    """Return the literals of a path that name a resource or an action: not `api`, `v2` or
    `.json`.
    """
    return [part for part in resource_parts(path) if not part.is_parameter]


@lru_cache(maxsize=PATHS)
def resource_parts(path: str) -> tuple[PathPart, ...]:
    """Return the parameters of a path and the literals that name a resource or an action: where all
    are like `api`, the last of these.
    """
    parts = parts_of(path)
    words_only = [part for part in parts if not part.is_parameter and not _is_version(part)]
    telling = {*filterfalse(is_noise, words_only)} or {*words_only[-1:]}
    return tuple(part for part in parts if part.is_parameter or part in telling)


def path_words(path: str) -> list[str]:
    """Return every word of a path."""
    return [word for part in parts_of(path) for word in part.words]


def is_noise(part: PathPart) -> bool:
    """Return whether a literal is a version, or a word like `api`, that names no resource."""
    return all(word in NOISE or _VERSION.fullmatch(word) for word in part.words)


def _is_version(part: PathPart) -> bool:
    return all(map(_VERSION.fullmatch, part.words))


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """The facts from which a tool is named. `toolset` is the operation's tag, `verb` the one the
    document describes it with, and `sentence` the beginning of its description. `items` are
    words for the items of an array in the answer; None if the answer is not an array. `base` is the
    path of the server.
    """

    method: str
    path: str
    operation_id: str | None
    toolset: str = ""
    verb: str = ""
    sentence: str = ""
    items: frozenset[str] | None = None
    base: str = ""

    @property
    def key(self) -> str:
        """`METHOD /path`."""
        return f"{self.method} {self.path}"


def operation_words(subject: Subject) -> list[str]:
    """Return the words an operation's name is made of: its operationId's where they say more than
    the route, else a verb and a resource.
    """
    method, spoken, items = subject.method, subject.verb, subject.items
    path = subject.path if literals(subject.path) else f"{subject.base.rstrip('/')}{subject.path}"
    id_words = _words_apart(identity_words(subject.operation_id), path, subject.sentence)
    id_words = _without_route(id_words, method, path)
    if not path.rstrip("/").endswith("}"):
        items = (items or frozenset()).union(filter(is_plural, {*id_words} - SINGLE))
    by_route = verb_and_resource(method, path, spoken, items)
    if not literals(path):
        told = [*filterfalse(SAY_LITTLE.__contains__, words(subject.sentence))]
        by_route[1:] = told[:1] if told else by_route[1:]
    is_route = _is_route(id_words, method, path, by_route[0])
    is_route |= len(path) > 1 and path in as_text(subject.operation_id)[1:]  # `get-/books_all`
    if not is_route:
        id_words = _without_class(id_words)
        if {id_words[0].upper()} <= {*WRITING} and spoken in id_words:
            at = id_words.index(spoken)  # `put_files_id_add_shared_link`, `post_token#refresh`
            return id_words[at:] if id_words[at + 1 :] else [spoken, *id_words[1:-1]]
        return id_words
    bulk = BULK.intersection(subject.sentence.lower().split()[:1])
    if all([spoken, by_route[1:], bulk.difference(by_route)]):
        return [*bulk, *by_route[:-1], plural_of(by_route[-1])]
    return by_route


@lru_cache(maxsize=PATHS)
def identity_words(operation_id: str | None) -> list[str]:
    """Return the words of an operationId; empty for a meaningless operationId."""
    operation_id = operation_id or ""
    if len(operation_id) > LONGEST or MEANINGLESS.fullmatch(operation_id):
        return []
    return [*route_words(_HABITS.sub(lambda match: match["name"] or "", operation_id))]


def _words_apart(id_words: list[str], path: str, sentence: str) -> list[str]:
    """Return an operationId of one word taken apart into those of the path and of the sentence:
    `Updatespendlimit`.
    """
    route = path_words(path)
    if len(id_words) != 1 or id_words[0] in route:
        return id_words
    known = {word for word in [*route, *words(sentence)] if len(word) > 1 and word.isalpha()}
    known |= {*map(singular, known)} | VERBS | STOP_WORDS - {"a"}
    return _taken_apart(id_words[0], known) or id_words


def _taken_apart(text: str, known: set[str]) -> list[str]:
    """Return a text as known words, each the longest that leaves such words; `[]` if that cannot
    be.
    """
    best: dict[int, list[str]] = {len(text): []}
    for start in range(len(text) - 1, -1, -1):
        for end in range(len(text), start, -1):
            if end in best and text[start:end] in known:
                best[start] = [text[start:end], *best[end]]
                break
    return best.get(0, [])


def _without_route(id_words: list[str], method: str, path: str) -> list[str]:
    """Return an operationId without what frameworks add: path and method at its end (FastAPI), the
    path before a name (Litestar), and the `api_v1` that both begin with.
    """
    route = [*path_words(path), method.lower()]
    if id_words[-len(route) :] == route:
        id_words = id_words[: -len(route)]
        if {*route[:-1]} < {*id_words}:
            versions = {*filter(_VERSION.fullmatch, id_words)} - {*route}
            id_words = [*filterfalse(versions.__contains__, id_words)]
    noise = [word for part in takewhile(is_noise, parts_of(path)) for word in part.words]
    start = route[: len(noise) + 1]
    id_words = id_words[len(noise) :] if id_words[: len(start)] == start else id_words
    own = id_words[len(route) - 1 :]
    return own if all(["{" in path, own[1:], [*route[:-1], *own] == id_words]) else id_words


def _without_class(id_words: list[str]) -> list[str]:
    """Return an operationId without the words it begins with, where it has them again at once
    (`order_order_items`) or behind its verb (`books_list_books`), and with no verb twice on end.
    """
    pairs = pairwise([*id_words, ""])
    id_words = [word for word, after in pairs if word != after or word not in VERBS - NOUNS]
    if id_words[0] in (VERBS - NOUNS) | ADVERBS | USUAL_VERBS:
        return id_words
    id_words = _from_repetition(id_words)
    verbs = (VERBS - NOUNS) | ADVERBS
    if verbs.isdisjoint(id_words):
        verbs = USUAL_VERBS
    singulars = list(map(singular, id_words))
    for index in reversed([place for place, word in enumerate(id_words) if word in verbs]):
        before, after = {*singulars[:index]}, singulars[index + 1 :]
        if before <= {*after} and STOP_WORDS.isdisjoint(after[:1]):
            return id_words[index:]
    return id_words


def _is_route(id_words: list[str], method: str, path: str, verb: str) -> bool:
    """Return whether an operationId says no more than the route: every literal of the path and
    perhaps its parameters, before them the method, or behind them the method or a framework's word
    for the `verb` (`books_partial_update`). Without these it must be the whole of a path with
    parameters.
    """
    route = path_words(path)
    while {*id_words[:1]} & {"api", "apis", "rest"} - {*route[:1]}:
        id_words = id_words[1:]  # of the server's path
    if not id_words:
        return True
    meanings = {**ROUTER_VERBS.get(method, {}), method.lower(): verb}
    if id_words[0] == method.lower():
        id_words = id_words[1:]
    elif meanings.get(id_words[-1]) == verb:
        id_words = [word for word in id_words[:-1] if word not in ADVERBS - BULK]
    else:
        return "{" in path and id_words == route  # `clientClient_id`
    if "".join(id_words) == "".join(route) and len(id_words) <= len(route):
        return True  # `delete-chargingstations-stationid`, and the path has hyphens
    own, route = list(map(singular, id_words)), list(map(singular, route))
    if not {singular(word) for part in literals(path) for word in part.words} <= {*own}:
        return False
    # Some write `id` for every parameter: `post_folders_id_metadata_id_id`
    without_ids = [word for word in own if word != "id"]
    return any(_is_within(each, route) for each in (own, without_ids))


def _is_within(short: list[str], long: list[str]) -> bool:
    """Return whether a list has the words of a shorter list in that order, others between them or
    not.
    """
    rest = iter(long)
    return all(word in rest for word in short)


def _from_repetition(words: list[str]) -> list[str]:
    """Return words without a beginning that comes again at once (`order order items`); else
    unchanged.
    """
    singulars = list(map(singular, words))
    for count in range(len(words) // 2, 0, -1):
        if singulars[:count] == singulars[count : 2 * count]:
            return words[count:]
    return words


def verb_and_resource(
    method: str, path: str, spoken: str = "", items: frozenset[str] | None = None
) -> list[str]:
    """Return the words of a path's verb and resource: `["list", "customers"]`."""
    resource = [list(part.words) for part in literals(path)]
    parts = resource_parts(path)
    if not resource:
        names = [word for part in parts for word in part.words]
        return [same_verb(spoken) or method.lower(), *(names or ["root"])]
    owner, end = [*parts, *parts][-2:]
    if all([owner.is_parameter, end.is_parameter, owner.words[-1] == end.words[-1] == "id"]):
        resource += filter(None, [list(parts[-1].words[:-1])])  # `/studies/{studyId}/{chapterId}`
    name = _said_by_path(method, resource, parts, spoken)
    if name:
        return _distinct(name)
    if (method, same_verb(spoken)) in READING:
        names = _listed_things(resource, parts[-1], items)
        if names:
            return _distinct(["list", *names])
    if _is_noun_of(spoken, resource[-1][-1]):
        spoken = ""  # to subscribe is to create a subscription
    verb = _verb(method, parts[-1], spoken)
    return _distinct([verb, *_names(resource, one=parts[-1].is_parameter or verb in ADDING)])


def _said_by_path(
    method: str, resource: list[list[str]], parts: Sequence[PathPart], spoken: str
) -> list[str]:
    """Return a name whose verb is the first word of a path's last literal or of its first one;
    empty where both are resources. A verb and its object may have a parameter behind them, as
    remote procedures do: `/book/deleteBook/{id}`.
    """
    *owners, (action, *object_words) = resource
    if action in BULK:
        action, *object_words = [*object_words, action]  # `/films/bulk-archive`
    actions: set[str] = set()
    if not parts[-1].is_parameter:
        actions.update(ACTIONS.get(method, ()))
        actions.update([spoken] if method in WRITING else [])
    if action in actions.union(USUAL_VERBS if object_words else ()):
        is_of_item = any(part.is_parameter for part in parts[-2:-1])
        return [action, *_names(owners, one=is_of_item), *object_words]
    if method == "GET" and resource[0][0] in actions:
        return [*resource[0], *_names(resource[1:])]
    return []


def _is_noun_of(verb: str, word: str) -> bool:
    """Return whether a word is the noun for what a verb does: `association` for `associate`."""
    if len(verb) < 5:
        return False
    return word.startswith(verb[:-2]) and singular(word).endswith(("al", "ion", "ment"))


def _listed_things(
    resource: list[list[str]], end: PathPart, items: frozenset[str] | None
) -> list[str]:
    """Return the words of a resource, in the plural, if its path lists it: `/book/list`,
    `/book/{ids}`, or `/book` and `/books/latest` with books as items. Empty if it may be a single
    item.
    """
    *owners, last = resource
    is_many = bool(owners) and last == ["list"]
    if is_many:
        *owners, last = owners
    one = singular(last[-1])
    plural = plural_of(last[-1])
    if items is not None and end.is_parameter:
        is_many |= is_plural(end.words[-1]) or plural in items
    elif items is not None:
        is_many |= not items.isdisjoint([one, plural])
    return [*_names(owners, one=True), *last[:-1], plural] if is_many else []


READING = frozenset(("GET", verb) for verb in ("", "get", "list"))
"""Methods and the verbs they are described with where they may list things."""


def _verb(method: str, end: PathPart, spoken: str) -> str:
    """Return the verb for a path's end: the method's own or, for POST, PUT and PATCH, the described
    one.
    """
    own, spoken = _own_verb(method, end), same_verb(spoken)
    verb = (spoken or own) if method in WRITING else own
    if verb == "get":
        return "list" if _is_many(end, spoken) else "get"
    if verb == "update" and own != "create":
        return own  # `replace` says more
    return verb


def _own_verb(method: str, end: PathPart) -> str:
    """Return the verb of a method; that of a POST is `create`, or `update` of a single thing or
    settings.
    """
    if method != "POST":
        return METHOD_VERBS.get(method, method.lower())
    return "update" if end.is_parameter or end.words[-1] in SETTINGS_WORDS else "create"


def _is_many(end: PathPart, spoken: str) -> bool:
    """Return whether a path ends in many, by its last word or by the verb of the description."""
    if end.is_parameter:
        return False
    if spoken == "list":
        return True
    return end.words[-1] not in SINGLE and is_plural(end.words[-1])


def _names(resource: Sequence[Sequence[str]], *, one: bool = False) -> list[str]:
    """Return the words of literals, with the last word of each in the singular; of the last literal
    only if `one`.
    """
    out: list[str] = []
    for index, (*before, last) in enumerate(resource, 1):
        out += [*before, one_of(last) if one or index < len(resource) else last]
    return out


def _distinct(name: Sequence[str]) -> list[str]:
    """Return a verb and its words, without those that the next one or the verb says again, and
    without the noun of the verb before another: `associate_sensor` for
    `/associations/{id}/sensors/{id}`.
    """
    verb, others = name[0], _from_repetition([*name[1:]])
    kept = [verb]
    for word, after in pairwise([*others, ""]):
        if singular(word) in {singular(after), verb} - {"list"}:
            continue
        if not after or not _is_noun_of(verb, word):
            kept.append(word)
    return kept
