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
    NOUNS,
    ROUTER_VERBS,
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
_HABITS = re.compile(
    r"""
      ^\d{1,3}[.)]\s*(?=[a-z])  # its number in a list: `1.CreateTransaction`
    | ^api[./](?=[a-z])         # its router: `api.books.list`
    | (?<=[a-z])(?:Service|Controller)(?=(?:V\d+)?[_.][a-z])  # its class: `BookService_ListBooks`
    | (?<=[a-z])(?:Using(?:GET|HEAD|POST|PUT|PATCH|DELETE))?(?:[_-]\d{1,2})?$
                                # its namesakes: `getGenresUsingGET_1`, `bulk-2`
    | (?<=\.)(?P<name>[^-.]*)-[0-9a-f]{4}$  # its hash: `Get.Count.events-2c0f`
    """,
    re.I | re.X,
)
"""Parts of an operationId that frameworks add to its words."""


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
    id_words = _words_apart(identity_words(operation_id), path, sentence)
    id_words = _without_route(id_words, method, path)
    if not any(part.is_parameter for part in parts_of(path)[-1:]):
        items = (items or frozenset()).union(filter(is_plural, {*id_words} - SINGLE))
    by_route = verb_and_resource(method, path, spoken, items)
    is_route = path != "/" and (operation_id or "").find(path, 1) > 0  # `get-/books/{id}_byId`
    is_route |= "{" in path and id_words == path_words(path)  # `clientClient_id`
    if is_route or not id_words:
        return by_route
    if _says_method_and_path(id_words, method, path, by_route[0]):
        return by_route
    id_words = _without_class(_without_owners(id_words, path))
    return _from_verb(id_words, method, spoken) if spoken else id_words


def identity_words(operation_id: str | None) -> list[str]:
    """The words of an operationId that say something; none of one that nobody reads."""
    if operation_id is None or len(operation_id) > LONGEST:
        return []
    if MEANINGLESS.fullmatch(operation_id):
        return []
    own = _HABITS.sub(lambda match: match["name"] or "", operation_id)
    return words(without_keys(own))


def _without_class(id_words: list[str]) -> list[str]:
    """An operationId without the words it begins with, where it says them again at once
    (`order_order_items`) or behind its verb (`books_list_books`), and with each verb once
    (`GET_GetBook`).
    """
    pairs = zip(id_words, [*id_words[1:], ""], strict=True)
    id_words = [word for word, after in pairs if word != after or word not in VERBS - NOUNS]
    if id_words[0] in (VERBS - NOUNS) | ADVERBS:
        return id_words
    rest = _from_repetition(id_words)
    if rest != id_words:
        return rest
    singulars = list(map(singular, id_words))
    verbs = [index for index, word in enumerate(id_words) if word in (VERBS - NOUNS) | ADVERBS]
    if not verbs or id_words[0] in USUAL_VERBS:
        verbs = [index for index, word in enumerate(id_words) if word in USUAL_VERBS]
    for index in reversed(verbs):
        rest = singulars[index + 1 :]
        if {*singulars[:index]} <= {*rest} and STOP_WORDS.isdisjoint(rest[:1]):
            return id_words[index:]
    return id_words


def _from_repetition(words: list[str]) -> list[str]:
    """Words from where they say again what they begin with: `order_order_items`."""
    singulars = list(map(singular, words))
    for count in range(len(words) // 2, 0, -1):
        if singulars[:count] == singulars[count : 2 * count]:
            return words[count:]
    return words


def _from_verb(id_words: list[str], method: str, spoken: str) -> list[str]:
    """An operationId that begins with its method from the verb of the description, if it has that:
    `put_files_id_add_shared_link` is `add_shared_link`.
    """
    verbs = list(map(same_verb, id_words[:-1]))
    if method not in WRITING or verbs[:1] != [method.lower()]:
        return id_words
    verb = same_verb(spoken)
    return id_words[verbs.index(verb) :] if verb in verbs else id_words


def _words_apart(id_words: list[str], path: str, sentence: str) -> list[str]:
    """An operationId of a single word as the words of the path and of the sentence that it is made
    of (`Updatespendlimit`), or with the `by` before a parameter as a word (`GetBybookId`).
    """
    route = path_words(path)
    by_parameters = {f"by{word}": ["by", word] for word in route}
    id_words = [part for word in id_words for part in by_parameters.get(word, [word])]
    if len(id_words) != 1 or id_words[0] in route:
        return id_words
    known = {word for word in [*route, *words(sentence)] if len(word) > 1 and word.isalpha()}
    known |= {singular(word) for word in known} | VERBS | STOP_WORDS - {"a"}
    return _taken_apart(id_words[0], known) or id_words


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


def _without_owners(id_words: list[str], path: str) -> list[str]:
    """An operationId without parameters that only repeat the literal before them, which is one
    thing then: `getBoardsCardsByIdBoard` is `get_board_cards`.
    """
    for literal, parameter in pairwise(parts_of(path)):
        if not parameter.is_parameter:
            continue
        owner, one = literal.words[-1], singular(literal.words[-1])
        before, by, after = f" {' '.join(id_words)} ".partition(f" by {' '.join(parameter.words)} ")
        rest = [*before.split(), *after.split()]
        is_repeated = not {one, ABBREVIATIONS.get(one)}.isdisjoint(parameter.words)
        if by and owner in rest and is_repeated:
            id_words = [one if word == owner else word for word in rest]
    return id_words


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
    if not parts[-1].is_parameter or _is_call(resource[-1]):
        name = _said_by_path(method, resource, parts, spoken)
        if name:
            return _distinct(name)
    if (method, same_verb(spoken)) in READING:
        names = _listed_things(resource, parts[-1], items)
        if names:
            return _distinct(["list", *names])
    kind = _kind(parts[-1])
    if singular(resource[-1][-1]) in _nouns_of(spoken):
        spoken = ""  # to subscribe is to create a subscription
    verb = _verb(method, kind, spoken)
    names = _singulars(resource) if kind == ITEM or verb in ADDING else _plain(resource)
    return _distinct([verb, *(word for word in names if word != verb)])


def _said_by_path(
    method: str, resource: list[list[str]], parts: Sequence[PathPart], spoken: str
) -> list[str]:
    """A name whose verb is the first word of a path's last literal or of its first one; empty where
    both are resources.
    """
    *owners, (action, *object_words) = resource
    if action in BULK:
        action, *object_words = [*object_words, action]  # `/films/bulk-archive`
    actions = {*ACTIONS.get(method, ()), *([spoken] if method in WRITING else [])}
    if action in actions or _is_call(resource[-1]):
        is_of_item = any(part.is_parameter for part in parts[-2:-1])
        names = _singulars(owners) if is_of_item else _plain(owners)
        return [action, *names, *object_words]
    if " ".join(resource[0]) in LEADING_ACTIONS.get(method, ()):
        return [*resource[0], *_plain(resource[1:])]
    return []


def _is_call(literal: Sequence[str]) -> bool:
    """Return whether a literal says what is done and to what, as remote procedures are called:
    `/userGroup/getUserGroups`, `/book/deleteBook/{id}`.
    """
    return len(literal) > 1 and literal[0] in CALLING


def _listed_things(
    resource: list[list[str]], end: PathPart, items: frozenset[str] | None
) -> list[str]:
    """The words for the many that a path answers though it ends as if it were one: `/book/{ids}`,
    and where the items are books, `/book` and `/books/latest`. Empty where it may be one.
    """
    is_many = len(resource) > 1 and resource[-1] == ["list"]
    *owners, last = resource[:-1] if is_many else resource
    one = singular(last[-1])
    plural = inflection.pluralize(one)
    if items is not None:
        named = {plural} if end.is_parameter else {plural, one}
        by_many = end.is_parameter and is_plural(end.words[-1])
        is_many |= by_many or not named.isdisjoint(items)
    return [*_singulars(owners), *last[:-1], plural] if is_many else []


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
    """A verb and its words, without those that the next one says again, and without the noun of the
    verb before another: `associate_sensor` for `PUT /associations/{id}/sensors/{id}`.
    """
    verb, others = name[0], _from_repetition(name[1:])
    nouns = _nouns_of(verb)
    pairs = zip(others, [*others, ""][1:], strict=True)
    kept = [
        word
        for word, following in pairs
        if singular(word) != singular(following) and not (following and singular(word) in nouns)
    ]
    return kept if kept[:1] == [verb] else [verb, *kept]


def _without_route(id_words: list[str], method: str, path: str) -> list[str]:
    """An operationId without method and path at its end, as FastAPI writes them there, and without
    the `api_v1` that both begin with.
    """
    route = [*path_words(path), method.lower()]
    if id_words[-len(route) :] == route:
        id_words = id_words[: -len(route)]
    noise: list[str] = []
    for part in parts_of(path):
        start = [*noise, *part.words]
        if id_words[: len(start)] != start:
            break
        if not is_noise(part):
            return id_words[len(noise) :]
        noise = start
    return id_words


def _says_method_and_path(id_words: list[str], method: str, path: str, verb: str) -> bool:
    """Return whether an operationId is the method, or behind the path the word of a web framework
    for its `verb` (`books_partial_update`), every literal of the path, and perhaps its parameters.
    """
    first, last = id_words[0], id_words[-1]
    if method.lower() == first:
        rest = id_words[1:]
    elif method.lower() == last or ROUTER_VERBS.get(method, {}).get(last) == verb:
        rest = [word for word in id_words[:-1] if word not in ADVERBS - BULK]
    else:
        return False
    route = path_words(path)
    if len(rest) <= len(route) and "".join(rest) == "".join(route):
        return True  # `delete-chargingstations-stationid`, and the path has hyphens
    route = list(map(singular, route))
    resource = {singular(word) for part in literals(path) for word in part.words}
    rest = list(map(singular, rest))
    # Some write `id` for every parameter: `post_folders_id_metadata_id_id`
    without_ids = [word for word in rest if word != "id"]
    if not resource <= {*rest}:
        return False
    return any(_is_subsequence(each, route) for each in (rest, without_ids))


def _is_subsequence(short: list[str], long: list[str]) -> bool:
    """Return whether the words of one list stand in another in the same order."""
    rest = iter(long)
    return all(word in rest for word in short)
