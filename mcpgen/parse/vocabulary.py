"""The words of the field: verbs, stop words, abbreviations, plurals. The tables are
`data/words.toml`.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache, lru_cache
from importlib import resources
from typing import Any

import inflection


@cache
def _tables() -> dict[str, Any]:
    text = (resources.files("mcpgen") / "data" / "words.toml").read_text("utf-8")
    return tomllib.loads(text)


def _words(table: str, key: str = "words") -> frozenset[str]:
    return frozenset(_tables()[table][key].split())


VERBS = _words("verbs")
USUAL_VERBS = _words("verbs", "usual")
CHANGING = _words("verbs", "changing")
"""Verbs that mean a change at the beginning of a sentence."""
CHANGING_ONE = CHANGING | _words("verbs", "changing_one")
"""Verbs that mean a change before an article."""
ENDING_VERBS = _words("verbs", "ending")
"""Verbs that headings end in."""
NOUNS = _words("nouns")
"""Verbs that APIs more often mean as nouns."""
BEFORE_NOUN = _words("nouns", "before")
"""Words that make a following word of `NOUNS` a noun."""
BULK = _words("verbs", "bulk")
"""Words for dealing with many things at once."""
ADVERBS = BULK | _words("verbs", "partly")
"""Words that may precede a verb, as adverbs do."""
ARTICLES = _words("texts", "articles")
"""Words without effect on the meaning of a sentence."""
ASIDES = _words("texts", "asides")
"""First words of sentences that do not say what an operation does."""
ENGLISH = _words("texts", "english")
"""Words found in most English sentences."""
FOREIGN = _words("texts", "foreign")
"""Words found in most sentences of other languages."""
FINITE = _words("texts", "finite")
"""Words that make a sentence of words, where a noun phrase has none."""
ENVELOPES = _words("texts", "envelopes")
"""Fields of an answer that are only an envelope."""
ASIDE = _words("texts", "aside")
"""Fields of an answer beside its content."""
EMPTY = _words("texts", "empty")
"""Words that say nothing of an answer."""
STOP_WORDS = _words("stop")
NOISE = _words("noise")
"""Literals of a path that name no resource."""
SETTINGS_WORDS = _words("single")
"""Resources there is one of, though the word may be a plural, that are written to."""
SINGLE = SETTINGS_WORDS | _words("single", "read")
"""Resources there is one of, though the word may be a plural."""
ACTIONS = {"GET": _words("actions", "GET"), "POST": (VERBS - NOUNS) | {"query", "search"}}
"""Method → last words of a path that say what is done."""
ABBREVIATIONS: dict[str, str] = dict(_tables()["abbreviations"])
"""Words and their plurals → their abbreviations."""
for _word, _short in tuple(ABBREVIATIONS.items()):
    ABBREVIATIONS.setdefault(inflection.pluralize(_word), f"{_short}s")
METHOD_VERBS: dict[str, str] = _tables()["methods"]
"""Method → its verb."""
ROUTER_VERBS = {
    "GET": {"list": "list", "retrieve": "get"},
    "POST": {"create": "create"},
    "PUT": {"update": "replace"},
    "PATCH": {"update": "update"},
    "DELETE": {"destroy": "delete", "delete": "delete"},
}
"""Method → the words that Django REST framework and others end their operationIds in, and what they
mean.
"""
ADDING = _words("verbs", "adding")
"""Verbs of what was not there before."""
READING = _words("verbs", "reading")
"""Verbs that change nothing."""
ADDITIVE = ADDING | READING | _words("verbs", "additive")
"""Verbs that leave existing things unchanged."""
_SAME: dict[str, str] = {
    word: verb for verb, text in _tables()["verbs"]["same"].items() for word in text.split()
}
_UNCHANGING = _words("singulars", "unchanging")
_IRREGULAR: dict[str, str] = _tables()["singulars"]["irregular"]


@lru_cache(maxsize=10_000)
def singular(word: str) -> str:
    """Return the singular of a lower-case word; a singular is returned unchanged."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if word in _UNCHANGING:
        return word
    if word.endswith(("us", "is", "ss", "a")):
        return word
    if word.endswith("ves"):
        return word[:-1]
    return inflection.singularize(word)


def one_of(word: str) -> str:
    """Return the singular of a resource's word; words in `SINGLE` (`settings`) are returned
    unchanged.
    """
    return word if word in SINGLE else singular(word)


def is_plural(word: str) -> bool:
    """Return whether a lower-case word is a plural, so that `singular` changes it."""
    return singular(word) != word


def plural_of(word: str) -> str:
    """Return the plural of a lower-case word; a plural, or a word without a plural (`daily`,
    `co2`), is returned unchanged.
    """
    if is_plural(word) or word in _UNCHANGING or word[-1:].isdigit():
        return word
    return inflection.pluralize(word)


def is_verb(word: str) -> bool:
    """Return whether a word is a verb as texts of APIs start with: `List`, `Lists`, `Retrieves`,
    `Re-index`, `(Re)calculates`, `Bulk-add`, `Enable/disable`.
    """
    word = re.sub(r"^\((?:de|re|un)\)", "", word.lower().strip(".,:;'\"`")).partition("/")[0]
    return base_verb(word.rpartition("-")[2]) in VERBS


def same_verb(verb: str) -> str:
    """Return the common verb of synonyms: `retrieve` → `get`; a verb without any is returned
    unchanged.
    """
    return _SAME.get(verb, verb)


def base_verb(word: str) -> str:
    """Return a lower-case verb without the ending of the third person (`lists` → `list`); other
    words are returned unchanged.
    """
    if word in VERBS:
        return word
    for ending, base in (("s", ""), ("es", ""), ("ies", "y")):
        verb = word.removesuffix(ending) + base
        if word.endswith(ending) and verb in VERBS:
            return verb
    return word
