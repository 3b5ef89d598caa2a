"""Beginnings of texts: the words before a first sentence's verb, and whether it has one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from ..text import first_sentence, plain, words
from .vocabulary import (
    ADVERBS,
    ARTICLES,
    ASIDES,
    BEFORE_NOUN,
    ENDING_VERBS,
    ENGLISH,
    FOREIGN,
    NOUNS,
    STOP_WORDS,
    USUAL_VERBS,
    VERBS,
    base_verb,
    is_verb,
)

_METHOD = "(?:GET|HEAD|OPTIONS|QUERY|POST|PUT|PATCH|DELETE)"
_HEADING = re.compile(
    rf"""\A(?: (?:description|overview|purpose|summary):  # `Description: Lists books`
           | (?:-\ )?\d{{1,3}}[.)]                       # its number: `2. List books`
           | `?{_METHOD}\ +/[^\s`]*`?(?:\s+[-–—]+|:)?   # its route: `GET /books - List books`
         )\s*(?=[^\W\d])""",
    re.I | re.X,
)
"""The beginning of a text that belongs to no sentence."""
_QUOTED = re.compile(r'\A"(?:([^"\n]+)"[ \t]*(?=\n|\Z)|([^"]+)"?\Z)')
"""A first line that is all in quotes, or a whole text that begins with one."""
_NOTHING = re.compile(
    rf"(?:{_METHOD} +)?/?[\w{{}}.$:-]+(?:/[\w{{}}.$:-]*)+"
    r"|no description|no documentation found|not yet documented"
    r"|description|placeholder|summary|tbd|todo",
    re.I,
)
"""An empty text by its words: the route alone, or a placeholder."""
_SENDING = re.compile(
    rf"""(?:\A|(?<=\n)|(?<=[.!?]\ ))
         (?: (?:To\ (?P<aim>[^.`\n]{{3,200}}?),\ )? (?:send|make|issue)\ an?
           | [^.`\n]{{3,100}}?\ can\ be\ \w+\ by\ (?:making|sending)\ an? )
         \ `?{_METHOD}`?\ request\ (?:on|to)\ (?:the\ URL\ (?:for|of)\ [^.`]{{3,60}}|`[^`\n]*`)
         (?:\.(?!\S)|(?=\n|\Z))""",
    re.X | re.I,
)
"""A sentence that only says how a request is sent, as DigitalOcean's do: `To list goals, send a GET
request to `/goals`.`
"""
_THING = (
    r"(?:api|endpoint|operation|method|call|request|resource|service|function|route|action"
    r"|command)s?"
)
_PREFACE = re.compile(
    rf"""(?: (?:an?|basic|simple)\s+(?:[\w-]+\s+){{0,3}}?{_THING}\s+(?=to\s)
           | (?:this|the)\s+(?:[\w-]+\s+){{0,4}}?{_THING}\s+
             (?:(?:is\s+used|can\s+be\s+used|is|allows?|lets?|enables?|helps?|will|can)\s+)?
           | (?:you\s+can\s+)?(?:use|call)\s+(?:this|the)\s+{_THING}\s+
           | it\s+(?:is\s+used|can\s+be\s+used|allows?|lets?|enables?)\s+
           | (?:can\s+be|is)\s+used\s+
           | (?:{_THING}|you\s+can|will|used|allows|lets|enables)\s+ )
         (?:(?:you|one|us|(?:(?:the|a)\s+)?(?:user|caller|client)s?)\s+)?
         (?:(?:to|for)\s+)? (?=[\w(])""",
    re.I | re.X,
)
_MARK = re.compile(
    r"[\[(]([^\])]{2,30})[\])]:?\s+(?=\w)"
    r"|(alpha|beta|deprecated|experimental|legacy|preview)\s*[-:–—]\s+(?=\w)"
    r"|(v\d{1,2})\s+(?=[a-z]{3})",
    re.I,
)
"""A status or version before a sentence: `[Beta] List books`, `BETA: List books`, `V3 List books`.
"""
_LABEL = re.compile(r"([^\s:()\[\],]+(?: [^\s:()\[\],]+){0,3}?)(?::| [-\u2013\u2014])\s+(?=\w)")
"""A label before an order: `Files - Crop an image`."""
_ENDINGS = "|".join(sorted(ENDING_VERBS)).title()
_LAST_VERB = re.compile(rf"(\S+(?: \S+){{0,4}}) ({_ENDINGS}|(?<=[^s]s )List)")
"""A heading that ends in its verb, as in Linode's document: `SSH Key Update`, `SSH Keys List`, but
not `Price List`.
"""
_WORD = re.compile(r"[^\W\d_]+")
_ACCENT = re.compile(r"[\u00c0-\u024f]")
_OTHER_LETTER = re.compile(r"[^\W\d_\x00-\u024f]")
"""A letter that is not Latin."""
_ORDERS = (VERBS - NOUNS) | USUAL_VERBS
_OBJECT = re.compile(r"(?:(?:back|off|out|up) )?(?:an?|the)(?!\S)", re.I)
"""The words after a verb, the first of which may belong to it: `Top up the balance`."""
_NO_IMPERATIVES = STOP_WORDS | ARTICLES | ASIDES | {"both", "is", "not", "whether"}


def summary_text(operation: Mapping[str, Any]) -> str:
    """Return an operation's summary likewise, its verb first."""
    return _verb_to_front(description_text(operation, "summary"))


def description_text(operation: Mapping[str, Any], key: str = "description") -> str:
    """Return an operation's `key` as plain text, without a heading, quotes or a placeholder
    (`TODO`) at its beginning, and without how a request is sent.
    """
    return _told(plain(operation.get(key)))


@lru_cache(maxsize=20_000)
def _told(text: str) -> str:
    text = _SENDING.sub(_aim, _HEADING.sub("", _QUOTED.sub(r"\1\2", text))).strip()
    sentence, rest = first_sentence(text)
    return rest if _NOTHING.fullmatch(sentence) and not is_verb(sentence) else text


def _aim(sending: re.Match[str]) -> str:
    """Return what a request is sent for as a sentence, unless its verb might be a noun there."""
    first, _, more = (sending["aim"] or "").partition(" ")
    if is_noun(first, more):
        return sending[0]
    return f"{first.capitalize()} {more}." if first else ""


@lru_cache(maxsize=20_000)
def _verb_to_front(sentence: str) -> str:
    """Return a heading that ends in its verb with the verb first: `Update SSH Key`."""
    heading = _LAST_VERB.fullmatch(sentence)
    if heading is None or has_verb(sentence):
        return sentence
    if STOP_WORDS.isdisjoint(words(sentence)):
        return f"{heading[2]} {heading[1]}"
    return sentence


def marked_last(sentence: str) -> str:
    """Return a sentence with its mark at its end, `List books [Beta]`, or likewise its label, left
    out if the rest has the same words.
    """
    mark = _MARK.match(sentence)
    if mark:
        return f"{sentence[mark.end() :]} [{mark[mark.lastindex or 0]}]"
    before = _LABEL.match(sentence)
    if before is None:
        return sentence
    rest = sentence[before.end() :]
    first, _, more = rest.lower().partition(" ")
    if not more or base_verb(first) not in _ORDERS:
        return sentence
    label_words = words(before[1])
    if begins_with_verb(before[1]) or not ASIDES.isdisjoint(label_words[:1]):
        return sentence
    return rest if {*label_words} <= {*words(rest)} else f"{rest} [{before[1]}]"


@lru_cache(maxsize=20_000)
def without_preface(sentence: str) -> str:
    """Return a sentence from its verb on: `This endpoint lists books` and `ListBooks lists books`
    are `lists books`, and so is `List lists books`.
    """
    first, _, more = sentence.partition(" ")
    second = more.partition(" ")[0]
    if base_verb(first.lower()) == base_verb(second.lower()) in VERBS - NOUNS:
        return more
    rest = more if is_camel_case(first) else sentence
    preface = _PREFACE.match(rest)
    if preface and is_verb(rest[preface.end() :].partition(" ")[0]):
        return rest[preface.end() :]
    is_verb_next = second.islower() and is_verb(second)  # not so in `OpenID Connect`
    return rest if is_verb_next else sentence


def begins_with_verb(sentence: str) -> bool:
    """Return whether a sentence begins with a verb, or with an adverb and one: `Permanently
    deletes`.
    """
    first, *others = [*sentence.lower().split(), ""]
    if not is_adverb(first):
        return is_verb(first)
    others = [word for word in others if word not in ("and", "or") and not is_adverb(word)]
    nouns = set() if first.endswith(("ally", "ently", "ously")) else NOUNS  # `Manually schedule`
    return is_verb(others[0]) and base_verb(others[0]) not in nouns


def is_adverb(word: str) -> bool:
    """Return whether a word before a verb says how it is done: `bulk`, but not `apply`."""
    if is_verb(word):
        return False
    if word.endswith("ly"):
        return True
    return word in ADVERBS


def has_verb(sentence: str) -> bool:
    """Return whether a sentence begins with a verb, a preface aside; `Logs` alone is a noun."""
    sentence = without_preface(sentence)
    first, _, more = sentence.partition(" ")
    if is_noun(first.lower(), more):
        return False
    if not more and base_verb(first.lower()) != first.lower():
        return False  # `Logs`
    if begins_with_verb(sentence):
        return True
    return _is_imperative(first, more)


def _is_imperative(word: str, more: str) -> bool:
    """Return whether a word that is not known as a verb is used as one: `Rotoscope a film`."""
    if word.lower() in _NO_IMPERATIVES or word.endswith("ing"):
        return False
    following, _, rest = more.partition(" ")
    if following == "and":
        return rest in VERBS - NOUNS
    return bool(_OBJECT.match(more)) if word.replace("-", "").isalpha() else False


def is_noun(word: str, more: str) -> bool:
    """Return whether a verb is meant as a noun, by the words that follow: `Order details`."""
    if word not in NOUNS - {"search"}:
        return False
    following, _, rest = more.lower().partition(" ")
    if following == "and" and is_verb(rest.partition(" ")[0]):
        return False  # `Match and replace`
    return following in BEFORE_NOUN | {""}


def is_foreign(text: str) -> bool:
    """Return whether a text is in another language than English, which has its verbs elsewhere: in
    other letters, but for a name, or in words and accents that English lacks.
    """
    said = {*_WORD.findall(text.lower())}
    english = said & ENGLISH
    if has_other_letters(text):
        return len(english) < 2
    if english:
        return False
    if _ACCENT.search(text):
        return True
    return not said.isdisjoint(FOREIGN)


def has_other_letters(text: str) -> bool:
    """Return whether a text has at least two letters that are not Latin; a single letter may be a
    unit.
    """
    return len(_OTHER_LETTER.findall(text)) > 1


@lru_cache(maxsize=20_000)
def is_camel_case(word: str) -> bool:
    """Return whether a word is several that begin with a verb: `listBooks`."""
    first, *others = words(word.replace("-", "")) or [""]
    return bool(others) and is_verb(first)
