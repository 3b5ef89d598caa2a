"""Texts for the model: title, description, docstring.

The first sentence starts with a verb and has at most 120 characters; the whole stays under 1,900,
because clients cut longer ones silently. Text is cleaned, never invented: where the document says
nothing, the name's words do.
"""

from __future__ import annotations

import re
from typing import Any

from ..text import first_sentence, humanise, plain, shorten, visible, words

FIRST_SENTENCE = 120
DESCRIPTION = 1900

VERBS = frozenset("""
    abort accept access acknowledge activate add adjust advance aggregate allocate allow analyse
    analyze announce answer append apply approve archive ask assign associate attach authenticate
    authorize autocomplete backup ban batch begin bind block book browse build bulk buy calculate
    call cancel capture cast change charge check claim clean clear click clone close collect combine
    commit compare complete compose compute configure confirm connect consume contact continue
    convert copy count create deactivate decline decode decrease decrypt define delete deliver
    demote deny deploy deprecate derive describe destroy detach detect determine disable
    disassociate discard disconnect discover dismiss dispatch display dispute download draft drop
    duplicate edit email emit empty enable encode encrypt end enqueue enroll ensure enter enumerate
    erase escalate establish estimate evaluate examine exchange exclude execute expand expire
    explain explore export extend extract fail favorite fetch filter finalize find finish fire flag
    flush follow force forget fork format forward freeze fulfill generate geocode get give grant
    group handle head hide hold identify ignore import include increase increment index infer inform
    initialize initiate insert inspect install introspect invalidate invite invoke issue join keep
    kick kill label launch leave like link list load locate lock log login logout look lookup make
    manage map mark match measure merge migrate modify monitor move mute name notify obtain offer
    open order override pair parse patch pause pay perform permit pick pin ping place play poll
    populate post predict prepare preview print process produce promote propose provide provision
    publish pull purchase purge push put query queue quote rate reactivate read reassign rebuild
    receive recommend reconcile record recover redeem redirect redo reduce refresh refund regenerate
    register reindex reject release reload remove rename render renew reopen reorder reorganize
    replace replay reply report repost request require rerun reschedule resend reserve reset resize
    resolve respond restart restore restrict resume retrieve retry return reveal reverse revert
    review revise revoke rewrite roll rotate route run sample save scan schedule score scroll search
    select sell send set settle share ship show shut sign simulate skip snooze sort specify split
    star start stop store stream submit subscribe suggest summarize suspend swap switch sync
    synchronize tag take terminate test toggle trace track train transcribe transfer transform
    transition translate trigger truncate turn unarchive unassign unban unblock undelete undo
    unfollow unhide uninstall unlink unlock unmark unmute unpin unpublish unregister unset unshare
    unstar unsubscribe unsuspend update upgrade upload upsert use validate verify view void vote
    wait watch whitelist withdraw wrap write
    """.split())
# Verbs that APIs more often mean as nouns: a noun where nothing, or one of these words, follows.
NOUNS = frozenset("""
    book contact email flag group index issue label link list lock map match order page permit place
    process query queue rate record report review sample schedule score search share show stream tag
    test track transfer view vote
    """.split())
_AFTER_NOUN = frozenset(
    "by for of from in with details detail info information list status and".split()
)
_THING = (
    r"(?:api|endpoint|operation|method|call|request|resource|service|function|route|action"
    r"|command)s?"
)
_PREFACE = re.compile(
    rf"""(?: (?:this|the)\s+(?:\w+\s+)?{_THING}\s+(?:(?:is\s+used|can\s+be\s+used|is|allows?|lets?
             |enables?|helps?|will|can)\s+)?
           | (?:use|call)\s+(?:this|the)\s+{_THING}\s+
           | (?:{_THING}|you\s+can|used|allows?|lets?|enables?)\s+ )
         (?:(?:you|users?|clients?|one|us|the\s+user|a\s+user)\s+)? (?:(?:to|for)\s+)? (?=\w)""",
    re.I | re.X,
)
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


def is_verb(word: str) -> bool:
    """Whether a word is a verb as texts of APIs start with: `List`, `Lists`, `Retrieves`,
    `Fetching`.
    """
    word = word.lower().strip(".,:;'\"`").removeprefix("re-")
    stems = [word]
    if word.endswith("s"):
        stems += [word[:-1], word[:-2], word[:-3] + "y"]
    return any(stem in VERBS for stem in stems)


def headline(operation: dict[str, Any], name: str, method: str) -> tuple[str, str]:
    """The first sentence of a tool's description (verb first, at most 120 characters) and the
    remaining text.
    """
    summary = plain(operation.get("summary"))
    text = plain(operation.get("description"))
    written = summary or text
    sentence, rest = first_sentence(written)
    if summary:
        rest = f"{rest}\n{text}".removeprefix("\n")
    sentence = with_verb(_unquoted(sentence) or humanise(name), method)
    if len(sentence) >= FIRST_SENTENCE:  # a full stop follows
        if written:
            rest = f"{sentence}.\n{rest}"
        sentence = shorten(sentence, FIRST_SENTENCE - 1)
    if rest.lower().startswith(sentence.lower()):
        rest = rest[len(sentence) :].lstrip(" .\n")
    return sentence, rest.strip()


def _unquoted(sentence: str) -> str:
    """A sentence without the quotes it begins with."""
    if not sentence.startswith(('"', "'", "“", "‘")):
        return sentence
    return re.sub('["“”]', "", sentence).strip("'‘’ ")


def with_verb(sentence: str, method: str) -> str:
    """`sentence`, with the method's verb in front where it starts with none."""
    preface = _PREFACE.match(sentence)
    if preface and is_verb(sentence[preface.end() :].partition(" ")[0]):
        sentence = sentence[preface.end() :]
    first, _, more = sentence.partition(" ")
    if not first:
        return METHOD_VERBS.get(method, "Call")
    if is_verb(first) and not _is_noun(first.lower(), more):
        return sentence[0].upper() + sentence[1:].rstrip(" ")
    if not more and _is_camel_case(first):
        return humanise(first).capitalize()
    is_name = first.isupper() or any(map(str.isupper, first[1:]))
    if not is_name:
        sentence = first.lower() + sentence[len(first) :]
    return f"{METHOD_VERBS.get(method, 'Call')} {sentence}"


def _is_noun(word: str, more: str) -> bool:
    """Whether a verb is meant as a noun, by the word that follows: `Order details`."""
    following = more.partition(" ")[0].lower()
    if not following:
        return word in NOUNS
    return word in NOUNS and word != "search" and following in _AFTER_NOUN


def _is_camel_case(word: str) -> bool:
    """Whether a word is several that begin with a verb: `listBooks`."""
    parts = words(word)
    return len(parts) > 1 and is_verb(parts[0])


def title_of(operation: dict[str, Any], name: str) -> str:
    """The display name of a tool: its summary where that is short, else its name's words."""
    summary = plain(operation.get("summary")).split("\n")[0].strip(" .")
    return summary if 0 < len(summary) <= 80 else humanise(name).capitalize()


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


def describe(sentence: str, rest: str, extras: list[str], limit: int) -> str:
    """Headline, text of the document cut to `limit`, and the lines mcpgen adds, at most 1,900
    characters in all.
    """
    added = "\n".join(line for line in extras if line)
    room = max(0, min(limit, DESCRIPTION - len(sentence) - len(added) - 3))
    lines = [f"{sentence}.", shorten(rest, room), added]
    return "\n".join(line for line in lines if line)[:DESCRIPTION]
