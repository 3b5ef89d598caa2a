"""Texts for the model: title, description, docstring.

The first sentence starts with a verb and has at most 120 characters; the whole stays under 1,900,
because clients cut longer ones silently. Text is cleaned, never invented: where the document says
nothing, the name's words do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import partial
from itertools import dropwhile
from typing import Any

from ..runtime.results import fold
from ..text import first_sentence, humanise, shorten, unaccented, visible, words
from .lead_in import (
    begins_with_verb,
    description_text,
    has_other_letters,
    has_verb,
    is_adverb,
    is_camel_case,
    is_foreign,
    is_noun,
    marked_last,
    summary_text,
    without_preface,
)
from .repeated import filtered
from .vocabulary import (
    ADVERBS,
    ARTICLES,
    ASIDES,
    BULK,
    CHANGING,
    CHANGING_ONE,
    FINITE,
    METHOD_VERBS,
    NOUNS,
    ROUTER_VERBS,
    STOP_WORDS,
    USUAL_VERBS,
    VERBS,
    base_verb,
    one_of,
    same_verb,
    singular,
)

FIRST_SENTENCE = 120
DESCRIPTION = 1900
_ENDPOINT = re.compile(
    r"(?:(?:an?|the|this) )?(?:(?!an? |the )[a-z]+ ){0,4}"
    r"(?:endpoint|view|viewset) (?:for|of|to|that)\b",
    re.I,
)
"""A class of Django REST framework in a text: `Generic API endpoint for books`."""
_CLAUSE_END = re.compile(
    r"(?:[;:]|,? [-\u2013\u2014]|, (?:if|when|while|where|which|so|but|designed"
    r"|as well as|including|such as|by|use)\b| so (?:that|the|you|it)\b)(?= )"
)
"""End of a sentence's main clause."""
_BETWEEN_CLAUSES = re.compile(r"\A(?:[ ,;:\u2013\u2014]|-(?= ))+")
"""Characters before the second of two clauses, but not the minus of `-1`."""
_CUT = "\u2026"
_BEFORE_CLAUSE = re.compile(r"\A(?:by|for|from|given|in|on|using|with)\b[^.:;]{2,99}?, ")
"""Words before a main clause: `Given an id, return the book`."""
_PARENTHESIS = re.compile(r" \([^()]*\)")
OF_ANSWERS = frozenset("record complete full single newly created updated".split())
"""Words about an answer without information: `Returns the full record of the new book`."""
SHORTEST = 15
"""Characters of a sentence that says something."""
_IDENTIFIER = re.compile(r"[a-z][A-Za-z0-9_-]*|[A-Z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+")
_STATEMENT = re.compile(r"[A-Z].*[^:]", re.S)  # no item of a list, nor what comes before one
_AND_VERB = re.compile(r"\b(?:and|or|then) (\w+)")
_VERB_OF = re.compile(
    r"\b(\w+) (?=(?:an?|the|its?|them|their|this|that|these|those|one|each|every|all|any|new"
    r"|old)\b)"
)
"""A word before a determiner or a pronoun: `delete` in `and then delete it`."""
ALTERING = CHANGING_ONE.union(
    "apply book change consume edit modify put reserve save set store sync synchronize".split()
)
"""Verbs that change something, anywhere in a text."""
_JOINED = re.compile(r"(?:and|or|/) ?(\w+)")


def headline(operation: dict[str, Any], name: str, method: str, path: str) -> tuple[str, str]:
    """Return the first sentence of a tool's description (verb first, at most 120 characters) and
    the remaining text: the best of summary, description and the tool's name.
    """
    summary, text = summary_text(operation), description_text(operation)
    sentence, rest = _merged(summary, text, method)
    if any(map(is_foreign, [sentence, first_sentence(text)[0]])):
        return fitted(_begun(sentence), rest)
    sentence = marked_last(sentence)
    if _is_aside(sentence, method):
        return with_verb(_verb_first(name, method, path), method), _joined(summary, text)
    says_little = " " not in sentence or method != "GET"
    is_identifier = _is_identifier(sentence)
    if is_identifier:
        sentence = humanise(sentence)
    told, after = first_told(operation, method) if says_little else ("", "")
    if told and not has_verb(sentence):
        return fitted(told, after)
    if is_identifier:
        sentence = _verb_first(sentence, method, path)
    return fitted(with_verb(sentence, method), rest)


def first_told(operation: dict[str, Any], method: str) -> tuple[str, str]:
    """Return the first sentence of an operation's description, verb first, and what follows; empty
    where it has no verb.
    """
    sentence, rest = first_sentence(description_text(operation))
    sentence = marked_last(sentence)
    return (with_verb(sentence, method), rest) if has_verb(sentence) else ("", "")


def spoken_verb(written: str) -> str:
    """Return the verb at the beginning of an operation's first sentence, `create` for `Creates a
    book`; empty without one, and for several (`Create or replace`), but `batch` for `Batch add or
    remove`.
    """
    begins, verbs, more = _first_verbs(written)
    if more.startswith(("or ", "and ", "/")) or len(verbs) > 1:
        return begins if verbs and begins in BULK else ""
    return "".join(verbs)


def sentence_verbs(written: str) -> list[str]:
    """Return the verbs of a first sentence: the verbs at its beginning (`Create or replace`), and a
    later verb that changes something (`Create a key and revoke the old one`).
    """
    _, verbs, more = _first_verbs(written)
    joined = _JOINED.match(more)
    first = [base_verb(joined[1])] if joined else []
    return [*verbs, *VERBS.intersection(first), *_changes(more)] if verbs else []


def _first_verbs(written: str) -> tuple[str, list[str], str]:
    """Return the first word of a sentence, the verbs at its beginning (two of `Add/remove`, empty
    for a noun), and the rest.
    """
    sentence = _BEFORE_CLAUSE.sub("", without_preface(marked_last(written)).lower())
    begins, _, more = sentence.partition(" ")
    first = begins
    while is_adverb(first):
        first, _, more = more.partition(" ")
    if is_noun(first, more):
        return begins, [], more
    verbs = list(map(base_verb, first.removeprefix("bulk-").split("/")))
    return begins, verbs if VERBS.issuperset(verbs) else [], more


def _changes(more: str) -> list[str]:
    """Return the verbs behind `and` that change something: `Get a watch and set its state`."""
    return [*filter((CHANGING | {"set"}).__contains__, map(base_verb, _AND_VERB.findall(more)))]


def altering(text: str) -> set[str]:
    """Return the verbs of a text that change something and have an object: `creating it`. Without
    `set`, which may be part of a question: `Set the sort order`.
    """
    found = [word.removesuffix("ing") for word in _VERB_OF.findall(text.lower())]
    verbs = {*map(base_verb, [*found, *(f"{word}e" for word in found)])}
    return verbs & ALTERING - {"set"}


def changes_something(written: str, path: str, arguments: Iterable[str] = ()) -> bool:
    """Return whether an operation changes something, whatever its method: its first sentence has a
    verb that does (`Clear the queue`) or the text of an argument begins with one, or without a verb
    there the path ends in one (`/logout`).
    """
    sentence = written.lower()
    if _OUT_OF_A_SESSION.match(sentence) or any(map(_is_change, arguments)):
        return True
    first, _, more = sentence.partition(" ")
    verb = base_verb(first)
    if verb in CHANGING:
        return not is_noun(first, more)
    if spoken_verb(written):
        determiner = {more.partition(" ")[0]} & {*ARTICLES, "any", "every"}
        return any([_changes(more), determiner if verb in CHANGING_ONE else ""])
    return path.rpartition("/")[2].lower() in CHANGING


def _is_change(text: str) -> bool:
    """Return whether a text begins with a verb that changes something."""
    first, _, more = text.lower().partition(" ")
    return all([base_verb(first) in CHANGING, more, not is_noun(first, more)])


def written_sentence(operation: Mapping[str, Any]) -> str:
    """Return the first sentence of an operation's summary, or else of its description."""
    return first_sentence(summary_text(operation) or description_text(operation))[0]


def described_sentence(operation: Mapping[str, Any]) -> str:
    """Return the first sentence of an operation's description."""
    return first_sentence(description_text(operation))[0]


_OUT_OF_A_SESSION = re.compile(
    r"(?:logs?|signs?) (?:\S+ ){0,3}?(?:out|off)\b|shuts? (?:\S+ ){0,3}?down\b"
)


def _verb_first(name: str, method: str, path: str) -> str:
    """Return a tool's name as words, its verb first: `orders_partial_update` is `update order`, and
    `users_update_role` is `update users role`. `books_get` of `/books/{id}` is `get book`.
    """
    parts = words(name) or [name]
    *before, last = parts
    verb = ROUTER_VERBS.get(method, {}).get(last)
    if (method, last) == ("GET", "get") and path.endswith("}"):
        verb = "get"
    if verb and _ends_in_verb(before, verb):
        thing = [word for word in before if word not in ADVERBS]
        how = [word for word in before if word in BULK]
        if verb != "list" and not how:
            thing[-1:] = map(one_of, thing[-1:])
        return " ".join([*how, verb, *thing])
    ends_in_verb = base_verb(parts[0]) in NOUNS - USUAL_VERBS and last in USUAL_VERBS - NOUNS
    if begins_with_verb(humanise(name)) and not ends_in_verb:
        return humanise(name)
    for verbs in (VERBS - NOUNS, {"list"}):
        place = next((place for place, word in enumerate(parts) if word in verbs), 0)
        is_noun = 1 < place < len(parts) - 1 and parts[place] not in USUAL_VERBS
        if place and not is_noun:  # as in `club join request`
            return _moved(parts, place)
    return humanise(name)


def _moved(parts: list[str], place: int) -> str:
    """Return words with the verb at `place` first, its adverbs before it, and a verb joined to it
    by `or`.
    """
    start, end = place, place + 1
    while start > 1 and parts[start - 1] in ADVERBS:
        start -= 1
    if parts[end : end + 1] == ["or"]:
        end += 2
    return " ".join([*parts[start:end], *parts[:start], *parts[end:]])


def _ends_in_verb(before: list[str], verb: str) -> bool:
    """Return whether the last word of a name, which comes after others, is its verb."""
    if not before or before[-1] == "or":
        return False
    return verb != "list" or before[0] not in VERBS - NOUNS


def fitted(sentence: str, rest: str, limit: int = FIRST_SENTENCE) -> tuple[str, str]:
    """Return a first sentence of less than `limit` characters, and the rest. A longer sentence is
    cut, and continues in the rest; it is whole there if more than its end is left out.
    """
    if len(sentence) < limit:  # a full stop follows
        return sentence, rest
    short = _main_clause(sentence, limit - 1)
    kept = short.rstrip(_CUT)
    if not sentence.startswith(kept):
        return short, _joined(_ended(sentence), rest)
    left = _CUT + _BETWEEN_CLAUSES.sub("", sentence[len(kept) :]).rstrip(" ,;:-")
    if sentence.endswith(_CUT):  # it was cut before
        if rest.startswith(_CUT):
            return short, f"{left.rstrip(_CUT)} {rest.lstrip(_CUT)}"
        if _PARENTHESIS.sub("", rest).startswith(kept):
            return short, rest  # which has the whole
    return short, _joined(_ended(left), rest)


def _main_clause(sentence: str, limit: int) -> str:
    """Return a long sentence without its parentheses, up to the end of its main clause, else
    cut.
    """
    sentence = _PARENTHESIS.sub("", sentence)
    ends = [match.start() for match in _CLAUSE_END.finditer(sentence, SHORTEST, limit)]
    if len(sentence) > limit and ends:
        return sentence[: ends[-1]]
    return shorten(sentence, limit)


def _merged(summary: str, text: str, method: str) -> tuple[str, str]:
    """Return the first sentence of summary and description, and the rest. Content in both appears
    once, in the fuller wording.
    """
    if not summary:
        return first_sentence(text)
    sentence, after = first_sentence(summary)
    other, more = first_sentence(text)
    verb, *_ = own = _meaning(with_verb(sentence, method))
    own_words, other_words = {*own}, _meaning(without_preface(other))
    says_more = other_words[0] == verb and own_words < {*other_words}
    if says_more and len(other) < FIRST_SENTENCE:
        return other, _joined(after, more)
    return sentence, _joined(after, filtered(text, partial(_is_new, own_words)))


def _is_new(known: set[str], sentence: str) -> bool:
    """Return whether a sentence says more than words that are known; an item of a list does, unless
    its words are the same.
    """
    if not _STATEMENT.fullmatch(sentence):
        return {*_meaning(sentence)} != known
    first, *others = _meaning(without_preface(sentence))
    told = {*known, "get", *OF_ANSWERS} if first == "get" else known  # or `Returns`
    return not told.issuperset([first, *others])


def _capitalised(text: str) -> str:
    """Return a text with a capital first letter; unchanged if it begins with a name in code."""
    first, *_ = [*text.split(maxsplit=1), ""]
    first = first.rstrip(",.:;")
    if first.islower() and first.removeprefix("re-").isalpha():
        return text[0].upper() + text[1:]
    return text


def _meaning(sentence: str) -> list[str]:
    """Return the words of a sentence that say something, each in one form: `Deletes a Book of the
    shop` as `delete book shop`.
    """
    own_words = words(sentence) or [fold(sentence)]  # in other letters
    first, *others = [*dropwhile(is_adverb, own_words), ""]
    telling = [singular(word) for word in others if word not in ARTICLES | STOP_WORDS]
    return [same_verb(base_verb(first)), *telling[:-1]]


def _is_aside(sentence: str, method: str) -> bool:
    """Return whether a sentence is about an operation, but not about what it does: `When you …`, `A
    session can be canceled …`, `Stripe automatically closes …`; except for GET also `A session`.
    """
    sentence = without_preface(sentence)
    first, second, third, *others = (*words(sentence), "", "", "")
    if first in ASIDES | {""} or _ENDPOINT.match(sentence):
        return True
    if has_verb(sentence) or begins_with_verb(sentence):
        return False
    if sentence.endswith(":"):  # `Examples:`, and a list
        return True
    if second in ARTICLES and first.endswith("ing"):  # `Closing the dispute indicates …`
        return True
    if second.endswith("ly") and base_verb(third) != third:
        return True
    if first in ("a", "an", "the") and method != "GET":
        return True
    return not FINITE.isdisjoint([second, third, *others])


def _joined(*texts: str) -> str:
    """Join texts on lines of their own; a repeated line appears once."""
    lines = dict.fromkeys("\n".join(texts).split("\n"))
    return "\n".join(filter(None, lines)).strip()


def with_verb(sentence: str, method: str) -> str:
    """Return `sentence`, with the method's verb in front where it starts with none: `Get book`."""
    sentence = without_preface(sentence)
    first, _, more = sentence.partition(" ")
    if has_verb(sentence):
        return _begun(sentence)
    if not more and is_camel_case(first.replace("-", "_")):
        return humanise(first).capitalize()
    if not _is_name(first, more):
        sentence = first.lower() + sentence[len(first) :]
    return f"{METHOD_VERBS.get(method, 'call').capitalize()} {sentence}"


def _begun(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:].rstrip(" ")


def _is_name(word: str, more: str) -> bool:
    """Return whether the first word of a sentence is a name or an abbreviation, which keeps its
    case.
    """
    if word.lower() in ARTICLES:
        return False
    return any([more[:2].istitle(), word.isupper(), *map(str.isupper, word[1:])])


def _is_identifier(text: str) -> bool:
    """Return whether a text is one name in code: `multiAckAlarms`, `any_prop`,
    `Books_ListByShelf`.
    """
    return _IDENTIFIER.fullmatch(text) is not None and len(words(text)) > 1


def title_of(operation: dict[str, Any], name: str, method: str, path: str) -> str:
    """Return the display name of a tool: its summary of several words and at most 80 characters,
    else the words of an identifier in its place, or of the tool's name.
    """
    summary = marked_last(first_sentence(summary_text(operation))[0]).strip()
    has_room = len(summary) <= 80
    is_word = " " not in summary and not is_foreign(summary)
    if not has_room or is_word:
        identifier = summary if _is_identifier(summary) else name
        return _verb_first(identifier, method, path).capitalize()
    return _capitalised(_as_order(without_preface(summary)))


def _as_order(sentence: str) -> str:
    """Return a sentence in the third person as an order: `Creates a book` is `Create a book`.
    Unchanged if the verb may be a noun, or if a second verb may follow.
    """
    first, _, more = sentence.partition(" ")
    verb = base_verb(first.lower())
    others = _AND_VERB.findall(more)
    if verb in NOUNS - USUAL_VERBS or others != list(map(base_verb, others)):
        return sentence
    return sentence if verb == first.lower() else f"{verb.capitalize()} {more}"


_TYPOGRAPHY = str.maketrans("\u2018\u2019\u201c\u201d\u2013\u2014", "''\"\"--") | {0x2026: "..."}


def docstring_of(sentence: str, name: str) -> str:
    """Return one sentence for the Python function: printable ASCII, a full stop (or the dots of a
    cut) at the end. A sentence in other letters is replaced by the words of the function's name.
    """
    letters = unaccented(visible(sentence).translate(_TYPOGRAPHY))
    if has_other_letters(letters):
        letters = humanise(name).capitalize()
    text = " ".join(letters.encode("ascii", "replace").decode().split())
    return text if text.endswith("...") else text.rstrip(" .?!:") + "."


def _ended(sentence: str) -> str:
    """Return a first sentence with its full stop; unchanged after `…`, a colon or a full-width
    mark.
    """
    return sentence if sentence.endswith(("…", ":", "。", "！", "？")) else f"{sentence}."


def describe(sentence: str, rest: str, extras: list[str], limit: int) -> str:
    """Return the headline, the text of the document cut to `limit` characters, and the lines that
    mcpgen adds, at most 1,900 characters in all.
    """
    said = {line.rstrip(".") for line in rest.split("\n")}
    added = "\n".join(line for line in extras if line and line.rstrip(".") not in said)
    room = max(0, min(limit, DESCRIPTION - len(sentence) - len(added) - 3))
    text = shorten(rest, room)
    if sentence.startswith(text.rstrip("…")):  # it ends where the first sentence was cut
        text = ""
    if sentence.endswith(":") and not text.startswith(("- ", "1. ")):
        sentence = sentence.rstrip(" :")
    lines = [_ended(sentence), _capitalised(text), added]
    return "\n".join(filter(None, lines))[:DESCRIPTION]


def with_fitting_headline(description: str, earlier: str) -> str:
    """Return a description whose words became longer, at most 1,900 characters. Its first sentence
    is as short as before, and continues below if it was cut. A sentence that was too long `earlier`
    stays.
    """
    first, _, rest = description.partition("\n")
    grew = len(first) > max(FIRST_SENTENCE, len(earlier.partition("\n")[0]))
    if grew:
        sentence, rest = fitted(first.rstrip("."), rest)
        description = f"{_ended(sentence)}\n{rest}"
    return shorten(description, DESCRIPTION)
