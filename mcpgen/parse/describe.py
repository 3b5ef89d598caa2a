"""Texts for the model: title, description, docstring.

The first sentence starts with a verb and has at most 120 characters; the whole stays under 1,900,
because clients cut longer ones silently. Text is cleaned, never invented: where the document says
nothing, the name's words do.
"""

from __future__ import annotations

import re
from typing import Any

from ..runtime.results.pages import fold
from ..text import first_sentence, humanise, plain, shorten, visible, words
from .vocabulary import (
    ARTICLES,
    ASIDES,
    BEFORE_NOUN,
    ENDING_VERBS,
    FINITE,
    GO_ON,
    NOUNS,
    STOP_WORDS,
    VERBS,
    base_verb,
    is_verb,
    same_verb,
    singular,
)

FIRST_SENTENCE = 120
DESCRIPTION = 1900
SHORT = 6
"""Words of a heading."""

NUMBERED = re.compile(r"^(?:- )?\d{1,3}[.)]\s*(?=[^\W\d])")
_ROUTE = re.compile(
    r"^`?(?:GET|HEAD|OPTIONS|QUERY|POST|PUT|PATCH|DELETE) +/[^\s`]*`?"
    r"(?:\s+[-\u2013\u2014]+|:)?(?:\s+|$)"
)
"""The route that a text begins with, as comments of code do: `GET /books - List books`."""
_POSSESSIVE = re.compile(r"^([A-Za-z]+)['\u2019]s (?=(?:the|an?|all) )")
"""A verb that is spelt like a noun's owner: `Return's the book`."""
_THING = (
    r"(?:api|endpoint|operation|method|call|request|resource|service|function|route|action"
    r"|command)s?"
)
_PREFACE = re.compile(
    rf"""(?: (?:this|the)\s+(?:\w+\s+)?{_THING}\s+(?:(?:is\s+used|can\s+be\s+used|is|allows?|lets?
             |enables?|helps?|will|can)\s+)?
           | (?:use|call)\s+(?:this|the)\s+{_THING}\s+
           | it\s+(?:is\s+used|can\s+be\s+used|allows?|lets?|enables?)\s+
           | (?:can\s+be|is)\s+used\s+
           | (?:{_THING}|you\s+can|will|used|allows?|lets?|enables?)\s+ )
         (?:(?:you|users?|clients?|one|us|the\s+user|a\s+user)\s+)? (?:(?:to|for)\s+)? (?=\w)""",
    re.I | re.X,
)
_MARK = re.compile(
    r"[\[(](?P<bracketed>[^\])]{2,30})[\])]:?\s+(?=\w)"
    r"|(?P<word>alpha|beta|deprecated|experimental|legacy|preview)\s*[-:–—]\s+(?=\w)",
    re.I,
)
"""What a sentence is marked with before it begins: `[Beta] List books`, `BETA: List books`."""
_VERSION = re.compile(r"v\d{1,2}", re.I)
_ENDPOINT = re.compile(
    r"(?:(?:an?|the|simple|generic|custom|base|api|rest|list|detail)\s+)*"
    r"(?:endpoint|view|viewset)\s+(?:for|of|to|that|which)\b",
    re.I,
)
"""What a class of a web framework is called: `List API endpoint for books`."""
_CLAUSE_END = re.compile(
    r"(?:[;:]|,? [-\u2013\u2014]|,?(?= \()|, (?:if|when|while|where|which|so|but|designed"
    r"|as well as|including|such as|by|use)\b)(?= )"
)
"""Where a sentence has said what it is about."""
SHORTEST = 15
"""Characters of a sentence that says something."""
_ANY_VERB = "|".join(sorted(VERBS - NOUNS))
_VERB_WITHIN = re.compile(rf"^(?!multi )(\S.*?) ((?:{_ANY_VERB})(?: or (?:{_ANY_VERB}))?)(?!\S)")
"""A noun, and the first verb after it."""
_USED_TO = re.compile(r"^(?:can be|is) used to ")
_PARTICLE = re.compile(r"^(?:back|in|off|out|up) ")
"""A word after a verb that belongs to it: `Top up the balance`."""
METHOD_VERBS = {
    "GET": "Get",
    "HEAD": "Check",
    "OPTIONS": "Describe",
    "QUERY": "Query",
    "POST": "Submit",
    "PUT": "Replace",
    "PATCH": "Update",
    "DELETE": "Delete",
}


def headline(operation: dict[str, Any], name: str, method: str) -> tuple[str, str]:
    """The first sentence of a tool's description (verb first, at most 120 characters) and the
    remaining text.
    """
    summary, text = _summary(operation), _description(operation)
    if summary:
        sentence, rest = _merged(summary, text, method)
    else:
        sentence, rest = first_sentence(text)
    sentence = _marked_last(sentence)
    if _is_aside(sentence, method):
        return with_verb(_verb_first(name, method), method), _joined(summary, text)
    if not sentence:
        return fitted(with_verb(_verb_first(name, method), method), rest, is_written=False)
    sentence = _unquoted(sentence)
    if _is_identifier(sentence):
        sentence = humanise(sentence)
    if method != "GET" and not _has_verb(sentence):  # the method's verb is a guess
        told, after = first_told(operation, method)
        if told:
            return told, after
    return fitted(with_verb(sentence, method), rest)


def spoken_verb(operation: dict[str, Any]) -> str:
    """The verb that an operation's summary, or else its description, begins with: `Creates a book`
    is `create`. Empty where it begins with none, or with more than one (`Create or replace`).
    """
    sentence = without_preface(_marked_last(written_sentence(operation)))
    first, _, more = sentence.lower().partition(" ")
    verb = base_verb(first)
    if verb not in VERBS or _is_noun(first, more) or more.startswith(("or ", "and ", "/")):
        return ""
    return verb


def written_sentence(operation: dict[str, Any]) -> str:
    """The first sentence of an operation's summary, or else of its description."""
    return first_sentence(_summary(operation) or _description(operation))[0]


ROUTER_VERBS = {
    "GET": {"list": "list", "retrieve": "get"},
    "POST": {"create": "create"},
    "PUT": {"update": "replace"},
    "PATCH": {"update": "update"},
    "DELETE": {"destroy": "delete"},
}
"""Method → the words that Django REST framework ends its operationIds in, and what they mean."""


def _verb_first(name: str, method: str) -> str:
    """A tool's name as words, its verb first: `order_partial_update` is `update order`, and
    `users_update_role` is `update users role`.
    """
    *before, last = words(name) or [name]
    verb = ROUTER_VERBS.get(method, {}).get(last)
    if verb and _ends_in_verb(before, verb):
        before = [word for word in before if word != "partial"]
        return " ".join([verb, *before])
    text = humanise(name)
    if is_verb(text.partition(" ")[0]):
        return text
    return _VERB_WITHIN.sub(r"\2 \1", text)


def _ends_in_verb(before: list[str], verb: str) -> bool:
    """Whether the last word of a name, which comes after others, is its verb."""
    if not before or before[-1] == "or":
        return False
    return verb != "list" or before[0] not in VERBS - NOUNS


def _summary(operation: dict[str, Any]) -> str:
    """An operation's summary, its verb first, without its number in a list: `1. Create a
    transaction`.
    """
    return _verb_to_front(_begun(NUMBERED.sub("", plain(operation.get("summary")))))


def _description(operation: dict[str, Any]) -> str:
    return _begun(plain(operation.get("description")))


def _begun(text: str) -> str:
    """A text from where it begins to say something: without the route before it, and with the verb
    of `Return's the book` spelt as one.
    """
    return _POSSESSIVE.sub(r"\1s ", _ROUTE.sub("", text))


def _marked_last(sentence: str) -> str:
    """A sentence with the mark or the version it begins with at its end: `List books [Beta]`."""
    mark = _MARK.match(sentence)
    if mark:
        return f"{sentence[mark.end() :]} [{mark['bracketed'] or mark['word'].lower()}]"
    first, _, more = sentence.partition(" ")
    if _VERSION.fullmatch(first) and is_verb(more.partition(" ")[0]):
        return f"{more} [{first}]"
    return sentence


def fitted(
    sentence: str,
    rest: str,
    limit: int = FIRST_SENTENCE,
    *,
    is_written: bool = True,
    summary: str = "",
) -> tuple[str, str]:
    """A first sentence of less than `limit` characters: the document's own, else the summary, else
    what is left when it is cut. The document's own stands whole in the rest then.
    """
    if len(sentence) < limit:  # a full stop follows
        return sentence, rest
    if is_written and not sentence.endswith("\u2026"):
        rest = _joined(f"{sentence}.", rest)
    if 0 < len(summary) < limit:
        return summary, rest
    return _main_clause(sentence, limit - 1), rest


def _main_clause(sentence: str, limit: int) -> str:
    """A long sentence up to where it goes on about what it said, else what is left when it is
    cut.
    """
    ends = [match.start() for match in _CLAUSE_END.finditer(sentence, SHORTEST, limit)]
    ends = [end for end in ends if _is_closed(sentence[:end])]
    if ends:
        return sentence[: ends[-1]]
    return shorten(sentence, limit)


def _is_closed(text: str) -> bool:
    return text.count("(") == text.count(")") and text.count("`") % 2 == 0


def summary_of(operation: dict[str, Any], method: str) -> str:
    """The first sentence of an operation's summary, verb first; empty where it has none."""
    sentence, _ = first_sentence(_summary(operation))
    return with_verb(_unquoted(sentence), method) if sentence else ""


def first_told(operation: dict[str, Any], method: str) -> tuple[str, str]:
    """The first sentence of an operation's description, verb first, and what follows; empty where
    it starts with no verb or is too long.
    """
    sentence, rest = first_sentence(_description(operation))
    sentence = without_preface(_marked_last(sentence))
    if not _begins_with_verb(sentence) or len(sentence) >= FIRST_SENTENCE:
        return "", ""
    return with_verb(sentence, method), rest


def _merged(summary: str, text: str, method: str) -> tuple[str, str]:
    """The first sentence of summary and description, and the rest: what both say is said once, by
    the one that says more.
    """
    if text.partition(" ")[0] in GO_ON:
        whole = (
            f"{summary.rstrip('.')} {text}"  # a docstring whose first sentence stood on two lines
        )
        sentence, rest = first_sentence(whole)
        if len(sentence) < FIRST_SENTENCE:
            return sentence, rest
    sentence, after = first_sentence(summary)
    other, more = first_sentence(text)
    if fold(sentence) == fold(other):
        return sentence, _joined(after, more)
    own_words, other_words = _meaning(with_verb(sentence, method)), _meaning(without_preface(other))
    if set(other_words) <= set(own_words):
        return sentence, _joined(after, more)
    says_more = other_words[0] == own_words[0] and set(own_words) <= set(other_words)
    if says_more and len(other) < FIRST_SENTENCE:
        return other, _joined(after, more)
    return sentence, _joined(after, text)


def _capitalised(text: str) -> str:
    """A text that begins as a sentence does, unless it begins with a name in code."""
    first, *_ = [*text.split(maxsplit=1), ""]
    first = first.rstrip(",.:;")
    if first.isalpha() and first.islower():
        return text[0].upper() + text[1:]
    return text


def _meaning(sentence: str) -> list[str]:
    """The words of a sentence that say something, each in one form: `Deletes a Book of the shop` as
    `delete book shop`.
    """
    first, *others = [*words(sentence), ""]
    telling = [singular(word) for word in others if word not in ARTICLES | STOP_WORDS]
    return [same_verb(base_verb(first)), *telling[:-1]]


def _is_aside(sentence: str, method: str) -> bool:
    """Whether a sentence says something about an operation, but not what it does: `When you …`, `A
    session can be canceled …`, `API endpoint for books`.
    """
    sentence = without_preface(sentence)
    first, second, third, *others = (*words(sentence), "", "", "")
    if first in ASIDES or _ENDPOINT.match(sentence):
        return True
    if _begins_with_verb(sentence):
        return False
    if second.endswith("ly") and _is_third_person(third):  # `Stripe automatically closes …`
        return True
    if method != "GET" and first in ("a", "an", "the"):
        return True
    return not FINITE.isdisjoint([second, third, *others])


def _joined(*texts: str) -> str:
    """Texts below each other; a line that two of them say stands once."""
    lines = [line for text in texts for line in dict.fromkeys(text.split("\n")) if line]
    return "\n".join(dict.fromkeys(lines)).strip()


def _verb_to_front(sentence: str) -> str:
    """A heading that ends in its verb, with the verb first: `SSH Key Update`."""
    *thing, last = sentence.split(" ")
    if not 0 < len(thing) < SHORT:
        return sentence
    if not last.istitle() or last.lower() not in ENDING_VERBS:
        return sentence
    if _has_verb(sentence) or not STOP_WORDS.isdisjoint(words(sentence)):
        return sentence
    return f"{last.capitalize()} {' '.join(thing)}"


def _unquoted(sentence: str) -> str:
    """A sentence without the quotes it begins with."""
    if not sentence.startswith(('"', "'", "“", "‘")):
        return sentence
    return re.sub('["“”]', "", sentence).strip("'‘’ ")


def without_preface(sentence: str) -> str:
    """A sentence from its verb on: `This endpoint lists books` and `ListBooks lists books` are
    `lists books`.
    """
    first, _, more = sentence.partition(" ")
    if _is_camel_case(first):
        more = _USED_TO.sub("", more)
        if is_verb(more.partition(" ")[0]):
            return more
    if _is_subject(first, more):
        return more
    preface = _PREFACE.match(sentence)
    if preface and is_verb(sentence[preface.end() :].partition(" ")[0]):
        return sentence[preface.end() :]
    return sentence


def _is_subject(word: str, more: str) -> bool:
    """Whether a sentence's first word is what does it, as the comments of Go say: `Delete deletes a
    book`, `BookTree returns books`, `Rollback syncs an application`.
    """
    verb, _, thing = more.partition(" ")
    verb = verb.lower()
    if not word.isalpha() or not _is_third_person(verb):
        return False
    if base_verb(word.lower()) == base_verb(verb):
        return True
    if len(words(word)) > 1 and same_verb(base_verb(verb)) == "get":
        return True
    return _names_a_thing(thing)


def _is_third_person(word: str) -> bool:
    return base_verb(word) != word


def _begins_with_verb(sentence: str) -> bool:
    """Whether a sentence begins with a verb, or with an adverb and one: `Permanently deletes`."""
    first, *others = [*sentence.lower().split(), ""]
    if is_verb(first):
        return True
    if not first.endswith("ly"):
        return False
    others = [word for word in others if word not in ("and", "or") and not word.endswith("ly")]
    return is_verb(others[0]) and base_verb(others[0]) not in NOUNS


def _has_verb(sentence: str) -> bool:
    """Whether a sentence needs no verb in front."""
    sentence = without_preface(sentence)
    first, _, more = sentence.partition(" ")
    if _is_noun(first.lower(), more):
        return False
    return _begins_with_verb(sentence) or _is_imperative(first, more)


def with_verb(sentence: str, method: str) -> str:
    """`sentence`, with the method's verb in front where it starts with none."""
    sentence = without_preface(sentence)
    first, _, more = sentence.partition(" ")
    if not first:
        return METHOD_VERBS.get(method, "Call")
    if _has_verb(sentence):
        return sentence[0].upper() + sentence[1:].rstrip(" ")
    if not more and _is_camel_case(first):
        return humanise(first).capitalize()
    if not _is_name(first, more):
        sentence = first.lower() + sentence[len(first) :]
    return f"{METHOD_VERBS.get(method, 'Call')} {sentence}"


def _is_name(word: str, more: str) -> bool:
    """Whether the first word of a sentence is a name or an abbreviation, which keeps its case."""
    if more[:2].istitle():
        return True
    return word.isupper() or any(map(str.isupper, word[1:]))


def _is_imperative(word: str, more: str) -> bool:
    """Whether a word that is not known as a verb is used as one: `Rotoscope a film`."""
    if word.lower() in STOP_WORDS | ARTICLES | ASIDES | {"both", "not", "whether"}:
        return False
    return word.replace("-", "").isalpha() and _names_a_thing(_PARTICLE.sub("", more))


def _names_a_thing(text: str) -> bool:
    return text.partition(" ")[0].lower() in ("a", "an", "the")


def _is_noun(word: str, more: str) -> bool:
    """Whether a verb is meant as a noun, by the word that follows: `Order details`."""
    if word not in NOUNS:
        return False
    following = more.partition(" ")[0].lower()
    if word == "list" and following.startswith("detail"):
        return False
    if word == "search":
        return False
    return not following or following in BEFORE_NOUN


def _is_identifier(text: str) -> bool:
    """Whether a text is one name in code: `multiAckAlarms`, `any_prop`."""
    return bool(re.fullmatch(r"[a-z][A-Za-z0-9_-]*", text)) and len(words(text)) > 1


def _is_camel_case(word: str) -> bool:
    """Whether a word is several that begin with a verb: `listBooks`."""
    parts = words(word)
    return len(parts) > 1 and "-" not in word and is_verb(parts[0])


def title_of(operation: dict[str, Any], name: str, method: str) -> str:
    """The display name of a tool: its summary where that is short and more than one word, else its
    name's words.
    """
    summary = _summary(operation).split("\n")[0].strip(" .")
    if " " not in summary or len(summary) > 80:
        identifier = summary if _is_identifier(summary) else name
        return _verb_first(identifier, method).capitalize()
    return _capitalised(summary)


_TYPOGRAPHY = str.maketrans(
    {
        "\u2018": "'",
        "\u2019": "'",
        "\u201c": '"',
        "\u201d": '"',
        "\u2013": "-",
        "\u2014": "-",
        "\u2026": "...",
    }
)


def docstring_of(sentence: str) -> str:
    """One sentence for the Python function: printable ASCII, a full stop (or the dots of a cut) at
    the end.
    """
    spelled = visible(sentence).translate(_TYPOGRAPHY).encode("ascii", "replace").decode()
    text = " ".join(spelled.split())
    return text if text.endswith("...") else text.rstrip(" .?!:") + "."


def _goes_no_further(text: str, sentence: str) -> bool:
    """Whether a cut text ends where the first sentence, which was cut too, does."""
    return sentence.startswith(text.rstrip("…"))


def _ended(sentence: str) -> str:
    """A first sentence with its full stop; one that is cut has its dots, and a list follows a
    colon.
    """
    if sentence.endswith(("…", ":")):
        return sentence
    return f"{sentence}."


def describe(sentence: str, rest: str, extras: list[str], limit: int) -> str:
    """Headline, text of the document cut to `limit`, and the lines mcpgen adds, at most 1,900
    characters in all.
    """
    said = {line.rstrip(".") for line in rest.split("\n")}
    added = "\n".join(line for line in extras if line and line.rstrip(".") not in said)
    room = max(0, min(limit, DESCRIPTION - len(sentence) - len(added) - 3))
    text = shorten(rest, room)
    if _goes_no_further(text, sentence):
        text = ""
    if sentence.endswith(":") and not text.startswith(("- ", "1. ")):
        sentence = sentence.rstrip(" :")
    lines = [_ended(sentence), _capitalised(text), added]
    return "\n".join(line for line in lines if line)[:DESCRIPTION]
