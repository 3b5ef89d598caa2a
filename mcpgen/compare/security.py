"""Changes that require consent: a reviewed server must not make them unseen.

Such are: another host or credential, a reading tool that deletes, texts that give orders to the
model, the loss of many tools. The lock remembers what was reviewed; `generate` refuses the changes
until they are accepted, and `diff` shows them.

The effect of a call counts: the same credential under the root's `security` or the operation's own
is the same. Different wording alone is no danger.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from ..load.values import as_object, as_text
from ..lock.model import MatchedTools, match, shape
from ..problems import Problem, RefusedError

if TYPE_CHECKING:
    from ..lock import Lock, ToolLock

LOSS_DIVISOR = 4
"""More than one tool in this many may not go unaccepted."""
MOST_NAMES = 30
"""Names a message lists: about a screen full of them."""

PARTS = {
    "kind": "kind",
    "place": "place",
    "wire_name": "name on the wire",
    "scheme": "scheme",
    "token_url": "token URL",
    "scopes": "scopes",
    "authorization_url": "authorization URL",
    "device_url": "device authorization URL",
    "login_token_url": "token URL of the login",
    "metadata_url": "metadata URL",
    "login_scopes": "scopes of the login",
}
"""The parts of a credential that may change under the same name, in words: its own, and those of
the address that issues its tokens, for the server and for a person who logs in.
"""
Credential = Mapping[str, Any]
"""The name of a credential, and its `PARTS`."""


@dataclass(frozen=True, slots=True)
class Consent:
    """A change that must be accepted. `tool` is empty for the whole server."""

    tool: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CallTarget:
    """The destination and the credentials of a call of one tool.

    `origin` and `prefix` are empty while the address is not known. `alternatives` are sets of names
    of credentials in the order in which the server tries them (OpenAPI 3.1 §4.8.30), empty if no
    credential is ever sent; `optional`: calls without any are allowed, too.
    """

    origin: str
    prefix: str
    alternatives: tuple[frozenset[str], ...]
    optional: bool
    credentials: Mapping[str, Credential]
    is_undeclared: bool
    """Whether its credentials are none of the document's."""

    def __str__(self) -> str:
        """Return the credentials in words: `a` and `b` or nothing; `no credential` without any."""
        ways = [" and ".join(f"`{name}`" for name in sorted(names)) for names in self.alternatives]
        if not ways:
            return "no credential"
        if self.optional:
            ways.append("nothing")
        return " or ".join(ways)


def is_read_anew(old: Lock, new: Lock) -> bool:
    """Return whether the document is the same, and another version of mcpgen read it: the API has
    not changed.
    """
    return old.generator != new.generator and old.document == new.document


def is_judged_anew(old: Lock, new: Lock) -> bool:
    """Return whether mcpgen alone can have changed a hint: the document is the same, and either
    mcpgen is another version or the configuration is the same too.
    """
    return is_read_anew(old, new) or _inputs(old) == _inputs(new) != ("", "")


def _inputs(lock: Lock) -> tuple[str, str]:
    """Return the hashes of document and configuration; two empty texts if either is unknown."""
    if "" in (lock.document, lock.config):
        return "", ""
    return lock.document, lock.config


def consents(old: Lock, new: Lock) -> list[Consent]:
    """Return the changes from one lock to the next that must be accepted, those of the server
    first.
    """
    address = old.base_url or new.base_url  # an address that was not known is not changed
    agreed = _Agreed(old, address)
    matched = match(old, new)
    changes = [*_loss(old, matched), *_allowed(agreed, new)]
    for was, now in matched.kept:
        before, after = _call(was, old, address), _call(now, new, new.base_url)
        if is_judged_anew(old, new):
            was = replace(was, hints=now.hints)  # another judgement of what is the same call
        changes += _same_tool(was, now, before, after)
        agreed.add(after)  # said of this tool, and not again of every new one
    for tool in matched.added:
        changes += _new_tool(tool, _call(tool, new, new.base_url), agreed)
    return changes


def refuse_unaccepted(old: Lock, new: Lock) -> None:
    """Raise RefusedError (E1301, exit code 3) with a problem for each change that must be
    accepted.
    """
    problems = [_problem(text, names) for text, names in by_text(consents(old, new)).items()]
    if problems:
        raise RefusedError(*problems)


def by_text(changes: Iterable[Consent]) -> dict[str, list[str]]:
    """Return text of a change → names of the tools that have it; none for the whole server."""
    tools: dict[str, list[str]] = {}
    for change in changes:
        names = tools.setdefault(change.text, [])
        if change.tool:
            names.append(change.tool)
    return tools


def listed(names: list[str], most: int = MOST_NAMES) -> str:
    """Return at most `most` names in backticks, and the number of further names."""
    text = ", ".join(f"`{name}`" for name in names[:most])
    if len(names) <= most:
        return text
    return f"{text} and {len(names) - most:,} more"


def _problem(text: str, names: list[str]) -> Problem:
    message = f"this changes what was agreed to: {text}"
    if names:
        message = f"this changes what was agreed to for {listed(names)}: {text}"
    return Problem(
        code="E1301",
        severity="error",
        message=message,
        hint="see `mcpgen diff`; if it is meant, run again with `--accept-changes`",
    )


# -- the whole server


class _Agreed:
    """The origins, and the credentials sent to them, that the operator agreed to."""

    def __init__(self, old: Lock, address: str | None) -> None:
        self.origins = {_origin(address), *map(_origin, old.allowed_origins)}
        self.sent: list[tuple[str, Credential]] = []
        for tool in old.tools:
            self.add(_call(tool, old, address))

    def add(self, call: CallTarget) -> None:
        """Record the origin and the credentials of a call as agreed to."""
        self.origins.add(call.origin)
        new = [(call.origin, credential) for credential in call.credentials.values()]
        self.sent += [pair for pair in new if pair not in self.sent]

    def sends(self, credential: Credential, origin: str | None = None) -> bool:
        """Return whether a credential is sent to an origin; without one, to any."""
        return any(known == credential for where, known in self.sent if origin in (None, where))


def _loss(old: Lock, matched: MatchedTools) -> Iterator[Consent]:
    """Yield one consent if two or more tools, and over a quarter, are gone; renamed and moved ones
    are not.
    """
    gone = [tool.name for tool in matched.gone]
    if len(gone) > 1 and len(gone) * LOSS_DIVISOR > len(old.tools):
        yield Consent("", f"{len(gone)} of {len(old.tools)} tools are gone: {listed(gone)}")


def _allowed(agreed: _Agreed, new: Lock) -> Iterator[Consent]:
    for origin in sorted(set(map(_origin, new.allowed_origins)) - agreed.origins):
        yield Consent("", f"requests may go to `{origin}` as well")


# -- one tool


def _same_tool(
    was: ToolLock, now: ToolLock, before: CallTarget, after: CallTarget
) -> Iterator[Consent]:
    for text in (
        *_address_changes(before, after),
        *_credential_changes(before, after),
        *_behaviour_changes(was, now),
    ):
        yield Consent(now.name, text)
    yield from _text(was.odd, now)


def _address_changes(before: CallTarget, after: CallTarget) -> Iterator[str]:
    if before.origin not in ("", after.origin):
        place = f"`{after.origin}`" if after.origin else "nowhere until it is configured"
        yield f"requests go to {place} instead of `{before.origin}`"
    elif before.prefix != after.prefix:
        yield f"requests go below `{after.prefix or '/'}` instead of `{before.prefix or '/'}`"


def _credential_changes(before: CallTarget, after: CallTarget) -> Iterator[str]:
    if not before.alternatives and after.is_undeclared:
        return  # the configuration asked for it, or it is sent only where the operator sets it
    if (before.alternatives, before.optional) != (after.alternatives, after.optional):
        yield f"requests carry {after} instead of {before}"
    for name in sorted(before.credentials.keys() & after.credentials.keys()):
        yield from _part_changes(before.credentials[name], after.credentials[name])


def _part_changes(before: Credential, after: Credential) -> Iterator[str]:
    for part, word in PARTS.items():
        old, new = before[part], after[part]
        if old != new:
            yield f"credential `{after['name']}` changes its {word}: {_difference(old, new)}"


def _behaviour_changes(was: ToolLock, now: ToolLock) -> Iterator[str]:
    if was.method != now.method:
        yield f"requests are sent with {now.method} instead of {was.method}"
    writes = not (was.hints.get("read_only") and now.hints.get("read_only"))
    if writes and shape(was.path) != shape(now.path):
        yield f"calls write to `{now.operation}` instead of `{was.operation}`"
    if now.hints.get("destructive") and not was.hints.get("destructive"):
        yield "calls become destructive"
    elif was.hints.get("read_only") and not now.hints.get("read_only"):
        yield "calls no longer only read"


def _new_tool(now: ToolLock, call: CallTarget, agreed: _Agreed) -> Iterator[Consent]:
    known_origin = not call.origin or call.origin in agreed.origins
    if not known_origin:
        text = f"requests of a new tool go to `{call.origin}`, where none went before"
        yield Consent(now.name, text)
    for name, credential in sorted(call.credentials.items()):
        if credential["kind"] == "unsupported":
            continue
        if not agreed.sends(credential):
            text = f"a new tool sends the credential `{name}`, which no tool sent before"
            yield Consent(now.name, text)
        elif known_origin and not agreed.sends(credential, call.origin):
            text = f"a new tool sends the credential `{name}` to `{call.origin}` as well"
            yield Consent(now.name, text)
    yield from _text((), now)


def _text(known: tuple[str, ...], now: ToolLock) -> Iterator[Consent]:
    for what in now.odd:
        if what not in known:
            yield Consent(now.name, f"the text now {what}")


# -- what a call does


def _call(tool: ToolLock, lock: Lock, address: str | None) -> CallTarget:
    url = address
    if tool.base_url is not None:
        url = urljoin(str(address), tool.base_url) if tool.base_url else ""
    security = lock.security if tool.security is None else tool.security
    alternatives = tuple(map(frozenset, filter(None, security)))
    used = frozenset[str]().union(*alternatives)
    return CallTarget(
        origin=_origin(url),
        prefix=urlsplit(url or "").path.rstrip("/"),
        alternatives=alternatives,
        optional=bool(alternatives) and () in security,
        credentials={name: _credential(name, lock.auth.get(name, {})) for name in used},
        is_undeclared=any(lock.auth.get(name, {}).get("declared") is False for name in used),
    )


def _credential(name: str, facts: Mapping[str, Any]) -> Credential:
    login = as_object(facts.get("login"))
    return {
        "name": name,
        **{part: str(facts.get(part)) for part in ("kind", "place", "wire_name", "scheme")},
        "token_url": as_text(facts.get("token_url")),
        "scopes": _sorted(facts.get("scopes", ())),
        "authorization_url": login.get("authorization_url", ""),
        "device_url": login.get("device_url", ""),
        "login_token_url": login.get("token_url", ""),
        "metadata_url": login.get("metadata_url", ""),
        "login_scopes": _sorted(login.get("scopes", ())),
    }


def _sorted(scopes: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(scopes))


def _origin(url: str | None) -> str:
    """Return scheme, host and port of a URL in lower case; empty for None and an empty URL."""
    if not url:
        return ""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}".lower()


def _difference(old: str | tuple[str, ...], new: str | tuple[str, ...]) -> str:
    """Return both values of a part of a credential; of scopes the added and removed ones: `+a
    -b`.
    """
    if isinstance(old, str) or isinstance(new, str):
        return f"{_word(old)} is now {_word(new)}"
    signs = [*(f"`+{one}`" for one in new if one not in old)]
    signs += [f"`-{one}`" for one in old if one not in new]
    return " ".join(signs)


def _word(value: str | tuple[str, ...]) -> str:
    """Return a value in backquotes, `none` if it is empty."""
    return f"`{value}`" if value else "none"
