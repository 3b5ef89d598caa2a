"""Problems of the document with the repairs that mend them, and the overlays with chosen
repairs.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import reduce
from pathlib import Path
from typing import Any

from ..lint.repairs import Repair, action_text, json_path, overlay, repairs
from ..load import Document
from ..pipeline import open_document
from ..problems import Problems, UsageError
from ..report.codes import Explanation, explanation
from ..report.findings import Finding, findings
from ..write.commit import write_file
from .bench import Bench

OVERLAY = "repairs.overlay.yaml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mend:
    """A repair by its number. `update` is its value as JSON, `asks` the key whose text only the
    author knows, or empty; `added`: it is chosen.
    """

    number: int
    repair: Repair
    update: str
    asks: str
    added: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """A problem and its repairs."""

    finding: Finding
    mends: tuple[Mend, ...]


@dataclass(slots=True, kw_only=True)
class Group:
    """The problems with one code and its explanation by `mcpgen explain`, or the repairs with one
    key.
    """

    heading: str
    about: Explanation | None = None
    troubles: list[Trouble] = field(default_factory=list)
    mends: list[Mend] = field(default_factory=list)

    @property
    def ready(self) -> list[int]:
        """The numbers of the repairs that can be added at once."""
        known = {mend.number: mend for mend in self.mends if mend.repair.known}
        return [number for number, mend in known.items() if not mend.added]


class Mending:
    """The repairs of a bench's documents, and the chosen ones."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self.chosen: dict[int, Repair] = {}
        document = open_document(bench.config, Problems())
        self.read_of = bench.document
        self.documents: dict[str, Document] = {"": document, **document.apis}
        """The documents of all APIs, as their authors wrote them."""
        self.repairs = [
            (api, repair) for api, each in self.documents.items() for repair in repairs(each)
        ]

    def kinds(self) -> tuple[list[Group], list[Group]]:
        """Return the problems with their repairs, by code, and the repairs without a problem, by
        key.
        """
        mends = [self._mend(number, repair) for number, (_, repair) in enumerate(self.repairs)]
        apis = {each.source.name: api for api, each in self.read_of.apis.items()}
        apis[self.read_of.source.name] = ""
        used: set[int] = set()
        kinds: dict[str, Group] = {}
        for finding in findings(self._bench.problems, self._bench.document):
            code = finding.problem.code
            paths: set[tuple[str, str]] = set()
            for place in (finding.place, *finding.again):
                if place.file in apis:
                    api = apis[place.file]
                    paths.add((api, json_path(self.documents[api], place.pointer)))
            mine = [mend for mend in mends if mend.repair.code in (None, code)]
            fitting = tuple(mend for mend in mine if self._concerns(mend, paths))
            used.update(mend.number for mend in fitting)
            about = explanation(code)
            heading = about.title if about else code
            kind = kinds.setdefault(code, Group(heading=heading, about=about))
            kind.troubles.append(Trouble(finding=finding, mends=fitting))
            kind.mends += fitting
        others: dict[str, Group] = {}
        for mend in mends:
            if mend.number not in used:
                heading = ", ".join(f"`{key}`" for key in mend.repair.update or ("remove",))
                others.setdefault(heading, Group(heading=heading)).mends.append(mend)
        return list(kinds.values()), list(others.values())

    def _concerns(self, mend: Mend, paths: Iterable[tuple[str, str]]) -> bool:
        """Return whether a repair is about one of these places (API, JSONPath): the same, above or
        below.
        """
        own, target = self.repairs[mend.number][0], mend.repair.place or mend.repair.target
        return any(_touch(path, target) for api, path in paths if api == own)

    def _mend(self, number: int, repair: Repair) -> Mend:
        change = repair.update
        update = "remove it" if change is None else json.dumps(change, ensure_ascii=False)
        asks, added = _asks(repair), number in self.chosen
        return Mend(number=number, repair=repair, update=update, asks=asks, added=added)

    def add(self, numbers: Iterable[int], text: str) -> None:
        """Choose repairs, with the author's text if they need it; `save` writes them. Raises
        LookupError for an unknown repair, and UsageError (E0880) for a missing text.
        """
        chosen, changes = dict(self.chosen), {}
        source = tomllib.loads(self._bench.text)
        for number in numbers:
            if number < 0:
                raise LookupError(number)
            api, repair = self.repairs[number]
            if not repair.known:
                key = _asks(repair)
                if not key or not text.strip():
                    message = "this repair needs a text that only you know"
                    raise UsageError.of("E0880", message, "write it beside the repair")
                repair = replace(repair, update={key: text.strip()}, known=True)
            chosen[number] = repair
            path = ("apis", api) if api else ("source",)
            table: dict[str, Any] = reduce(lambda node, key: node.get(key, {}), path, source)
            overlays = table.get("overlays", [])
            if _overlay_of(api) not in overlays:
                changes[*path, "overlays"] = [*overlays, _overlay_of(api)]
        if changes:
            self._bench.change(changes)
        self.chosen = chosen

    def save(self) -> None:
        """Write the chosen repairs into the overlays of the project, and let the bench read it
        again.
        """
        for name, text in self.texts().items():
            write_file(self._bench.folder / name, text)
        if self.chosen:
            self._bench.read_again()

    def texts(self) -> dict[str, str]:
        """Return file name → text of the overlay for each API with chosen repairs: its present
        text with the repairs at the end, or a new overlay. Writes nothing.
        """
        found = {}
        for api, document in self.documents.items():
            numbers = [number for number in self.chosen if self.repairs[number][0] == api]
            if numbers:
                path = self._bench.folder / _overlay_of(api)
                found[path.name] = self._text(path, document, [self.chosen[n] for n in numbers])
        return found

    def _text(self, path: Path, document: Document, chosen: list[Repair]) -> str:
        """Return the text of the overlay at a path, or of a new one, with these repairs at its
        end.
        """
        if path.is_file():
            return path.read_text("utf-8").rstrip("\n") + "\n" + action_text(chosen)
        return overlay(document, chosen)


def _overlay_of(api: str) -> str:
    """Return the name of the overlay for an API's repairs: `repairs.overlay.yaml` for the first."""
    return f"{api}.{OVERLAY}".lstrip(".")


def _asks(repair: Repair) -> str:
    """Return the key of a repair whose text the author has to say (`...`); empty for other
    repairs.
    """
    update: dict[str, Any] = repair.update or {}
    asked = [key for key, value in update.items() if value == "..." and key != "..."]
    if repair.known or len(update) != 1:
        return ""
    return next(iter(asked), "")


def _touch(path: str, other: str) -> bool:
    """Return whether a JSONPath equals or contains another, either way. The root and its sections
    (`paths`) contain nothing here.
    """
    shorter, longer = sorted((path, other), key=len)
    if shorter.count("[") < 2:
        return path == other
    return f"{longer}[".startswith(f"{shorter}[")
