"""Beginnings of texts: the words before a first sentence's verb, and whether it has one."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from ..text import first_sentence, plain, words
from .vocabulary import (
    ADVERBS,
    ARTICLES,
    ASIDES,
    BEFORE_CLAUSE,
    BEFORE_NOUN,
    ENDING_VERBS,
    ENGLISH,
    FOREIGN,
    NOUNS,
    PLACEHOLDERS,
    STOP_WORDS,
    USUAL_VERBS,
    VERBS,
    base_verb,
    is_verb,
)

SHORT = 6
"""Words of a heading."""

_NUMBERED = re.compile(r"^(?:- )?\d{1,3}[.)]\s*(?=[^\W\d])")
_ROUTE = re.compile(
    r"^`?(?:GET|HEAD|OPTIONS|QUERY|POST|PUT|PATCH|DELETE) +/[^\s`]*`?"
    r"(?:\s+[-\u2013\u2014]+|:)?(?:\s+|$)"
)
"""The route that a text begins with, as comments of code do: `GET /books - List books`."""
_PATH = re.compile(r"/?[\w{}.$:-]+(?:/[\w{}.$:-]*)+")
_HEADING = re.compile(r"^(?:description|overview|purpose|summary):\s*(?=\w)", re.I)
_THING = (
    r"(?:api|endpoint|operation|method|call|request|resource|service|function|route|action"
    r"|command)s?"
)
_PREFACE = re.compile(
    rf"""(?: (?:an?|basic|simple)\s+(?:[\w-]+\s+){{0,3}}?{_THING}\s+(?=to\s)
           | (?:this|the)\s+(?:[\w-]+\s+){{0,4}}?{_THING}\s+
             (?:(?:is\s+used|can\s+be\s+used|is|allows?|lets?|enables?|helps?|will|can)\s+)?
           | (?:use|call)\s+(?:this|the)\s+{_THING}\s+
           | it\s+(?:is\s+used|can\s+be\s+used|allows?|lets?|enables?)\s+
           | (?:can\s+be|is)\s+used\s+
           | (?:{_THING}|you\s+can|will|used|allows?|lets?|enables?)\s+ )
         (?:(?:you|one|us|(?:(?:the|a)\s+)?(?:user|caller|client)s?)\s+)?
         (?:(?:to|for)\s+)? (?=[\w(])""",
    re.I | re.X,
)
_MARK = re.compile(
    r"[\[(](?P<bracketed>[^\])]{2,30})[\])]:?\s+(?=\w)"
    r"|(?P<word>alpha|beta|deprecated|experimental|legacy|preview)\s*[-:–—]\s+(?=\w)",
    re.I,
)
"""A status mark before a sentence: `[Beta] List books`, `BETA: List books`."""
_LABEL = re.compile(r"([^\s:()\[\],]+(?: [^\s:()\[\],]+){0,3}?)(?::| [-\u2013\u2014])\s+(?=\w)")
_CLAUSE = re.compile(r"(\w+)( [^,]{3,70}), (?=\w)")
_VERSION = re.compile(r"v\d{1,2}", re.I)
_WORD = re.compile(r"[^\W\d_]+")
_ACCENT = re.compile(r"[\u00c0-\u024f]")
_OTHER_LETTER = re.compile(r"[^\W\d_\x00-\u024f]")
"""A letter that is not Latin."""
_USED_TO = re.compile(r"^(?:can be|is) used to ")
_ORDERS = (VERBS - NOUNS) | USUAL_VERBS
_NO_IMPERATIVES = STOP_WORDS | ARTICLES | ASIDES | {"both", "is", "not", "whether"}
_PARTICLE = re.compile(r"^(?:back|in|off|out|up) ")
"""A word after a verb that belongs to it: `Top up the balance`."""


def summary_text(operation: dict[str, Any]) -> str:
    """An operation's summary, its verb first, without its number in a list: `1. Create a
    transaction`. Empty where it says the path alone.
    """
    text = _begun(_NUMBERED.sub("", plain(operation.get("summary"))), operation)
    if _PATH.fullmatch(text) and not is_verb(text):
        return ""
    return _verb_to_front(text)


def description_text(operation: dict[str, Any]) -> str:
    """An operation's description from where it begins to say something."""
    return _begun(plain(operation.get("description")), operation)


def _begun(text: str, operation: dict[str, Any]) -> str:
    """A text without the route, the heading or the operation's own name before it, and with the
    verb of `Return's the book` spelt as one; what stands for a text that nobody wrote is none.
    """
    text = _HEADING.sub("", _ROUTE.sub("", text))
    sentence, rest = first_sentence(text)
    return rest if sentence.lower() in PLACEHOLDERS else text


def _is_lower_case_verb(word: str) -> bool:
    """Return whether a word is a verb and no part of a name, as in `OpenID Connect`."""
    return word.islower() and is_verb(word)


def _verb_to_front(sentence: str) -> str:
    """A heading that ends in its verb, with the verb first: `SSH Key Update`."""
    *thing, last = sentence.split(" ")
    if not 0 < len(thing) < SHORT:
        return sentence
    if not last.istitle():
        return sentence
    if last.lower() not in ENDING_VERBS:
        return sentence
    if has_verb(sentence):
        return sentence
    if not STOP_WORDS.isdisjoint(words(sentence)):
        return sentence
    return f"{last.capitalize()} {' '.join(thing)}"


def marked_last(sentence: str) -> str:
    """A sentence with what it begins with before its verb at its end: its mark or version (`List
    books [Beta]`), its label (`Files - Crop an image`), a clause (`For a shelf, list its books`).
    """
    moved = _with_mark_last(sentence) or _with_label_last(sentence)
    return moved or _with_clause_last(sentence) or sentence


def _with_mark_last(sentence: str) -> str:
    """A sentence with its mark or version at its end; empty where it begins with none."""
    mark = _MARK.match(sentence)
    if mark:
        return f"{sentence[mark.end() :]} [{mark['bracketed'] or mark['word'].lower()}]"
    first, _, more = sentence.partition(" ")
    if _VERSION.fullmatch(first) and is_verb(more.partition(" ")[0]):
        return f"{more} [{first}]"
    return ""


def _with_label_last(sentence: str) -> str:
    """A sentence with the label before its verb at its end, unless it says that itself; empty where
    it begins with none.
    """
    label = _LABEL.match(sentence)
    if label is None:
        return ""
    rest = sentence[label.end() :]
    label_words = words(label[1])
    if not ASIDES.isdisjoint(label_words[:1]):
        return ""
    if begins_with_verb(label[1]):
        return ""
    if not _is_order(rest):
        return ""
    return rest if {*label_words} <= {*words(rest)} else f"{rest} [{label[1]}]"


def _with_clause_last(sentence: str) -> str:
    """A sentence with the clause before its verb at its end; empty where it begins with none."""
    clause = _CLAUSE.match(sentence)
    if clause is None:
        return ""
    rest = sentence[clause.end() :]
    if clause[1].lower() in BEFORE_CLAUSE and _is_order(rest):
        return f"{rest} {clause[1].lower()}{clause[2]}"
    return ""


def _is_order(sentence: str) -> bool:
    """Return whether a sentence begins with a verb that is no noun, and goes on."""
    first, *others = sentence.lower().split(" ")
    if not others:
        return False
    return base_verb(first) in _ORDERS


@lru_cache(maxsize=20_000)
def without_preface(sentence: str) -> str:
    """A sentence from its verb on: `This endpoint lists books` and `ListBooks lists books` are
    `lists books`, and so is `List lists books`.
    """
    first, _, more = sentence.partition(" ")
    if base_verb(first.lower()) == base_verb(more.lower().partition(" ")[0]) in VERBS - NOUNS:
        return more
    if is_camel_case(first):
        used = _USED_TO.sub("", more)
        if used != more or _is_lower_case_verb(more.partition(" ")[0]):
            return used
    preface = _PREFACE.match(sentence)
    if preface and is_verb(sentence[preface.end() :].partition(" ")[0]):
        return sentence[preface.end() :]
    return sentence


def is_third_person(word: str) -> bool:
    """Return whether a word is a verb with the ending of the third person."""
    return base_verb(word) != word


def begins_with_verb(sentence: str) -> bool:
    """Return whether a sentence begins with a verb, or with an adverb and one: `Permanently
    deletes`.
    """
    first, *others = [*sentence.lower().split(), ""]
    if not is_adverb(first):
        return is_verb(first)
    others = [word for word in others if word not in ("and", "or") and not is_adverb(word)]
    return is_verb(others[0]) and base_verb(others[0]) not in NOUNS


def is_adverb(word: str) -> bool:
    """Return whether a word before a verb says how it is done: `permanently`, `bulk`; not
    `apply`.
    """
    if is_verb(word):
        return False
    if word.endswith("ly"):
        return True
    return word in ADVERBS


def has_verb(sentence: str) -> bool:
    """Return whether a sentence needs no verb in front."""
    sentence = without_preface(sentence)
    first, _, more = sentence.partition(" ")
    if is_noun(first.lower(), more):
        return False
    if not more and is_third_person(first.lower()):
        return False  # `Logs`
    if begins_with_verb(sentence):
        return True
    return _is_imperative(first, more)


def _is_imperative(word: str, more: str) -> bool:
    """Return whether a word that is not known as a verb is used as one: `Rotoscope a film`."""
    if word.lower() in _NO_IMPERATIVES:
        return False
    joined, _, verb = more.partition(" ")
    if joined == "and" and verb in VERBS - NOUNS:
        return True
    if not word.replace("-", "").isalpha():
        return False
    return _names_a_thing(_PARTICLE.sub("", more))


def _names_a_thing(text: str) -> bool:
    return text.partition(" ")[0].lower() in ("a", "an", "the")


def is_noun(word: str, more: str) -> bool:
    """Return whether a verb is meant as a noun, by the words that follow: `Order details`."""
    if word == "search":
        return False
    if word not in NOUNS:
        return False
    following, _, rest = more.lower().partition(" ")
    if following == "and" and is_verb(rest.partition(" ")[0]):
        return False  # `Match and replace`
    if not following:
        return True
    return following in BEFORE_NOUN


def is_foreign(text: str) -> bool:
    """Return whether a text is in another language than English, which has its verbs elsewhere: in
    other letters, or in words and accents that English lacks. An English sentence may speak of a
    name in other letters.
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
    """Return whether a text is in letters that are not Latin; one may stand for a unit."""
    return len(_OTHER_LETTER.findall(text)) > 1


def is_word(text: str) -> bool:
    """Return whether a text is one word of English; other languages may have no spaces."""
    return " " not in text and not is_foreign(text)


@lru_cache(maxsize=20_000)
def is_camel_case(word: str) -> bool:
    """Return whether a word is several that begin with a verb: `listBooks`."""
    if "-" in word:
        return False
    parts = words(word)
    if len(parts) < 2:
        return False
    return is_verb(parts[0])
