"""Problems of the document beside the repairs that mend them, and the overlay they are added to."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass, replace
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
ROOT = "$"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mend:
    """A repair by its number. `asks` is the key whose text only the author knows, or empty."""

    number: int
    repair: Repair
    update: str
    asks: str
    added: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """A problem with what `mcpgen explain` says of it, and the repairs that mend it."""

    finding: Finding
    about: Explanation | None
    mends: tuple[Mend, ...]


class Mending:
    """The repairs of a bench's document, and those that were chosen."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self.chosen: dict[int, Repair] = {}
        self._read()

    def _read(self) -> None:
        """Read the document as its author wrote it, and what can be repaired in it."""
        self.document: Document = open_document(self._bench.config, Problems())
        self.read_of = self._bench.document
        self.repairs = repairs(self.document)

    def troubles(self) -> tuple[list[Trouble], list[Mend]]:
        """Every problem with its repairs, and the repairs of what is no problem yet."""
        mends = [self._mend(number, repair) for number, repair in enumerate(self.repairs)]
        used: set[int] = set()
        troubles = []
        for finding in findings(self._bench.problems, self._bench.document):
            pointer = self._bench.document.written(finding.problem.pointer)
            path = json_path(self.document, pointer)
            fitting = tuple(mend for mend in mends if path and _concerns(mend.repair, path))
            used.update(mend.number for mend in fitting)
            about = explanation(finding.problem.code)
            troubles.append(Trouble(finding=finding, about=about, mends=fitting))
        return troubles, [mend for mend in mends if mend.number not in used]

    def _mend(self, number: int, repair: Repair) -> Mend:
        update = "remove it"
        if repair.update is not None:
            update = json.dumps(repair.update, ensure_ascii=False)
        return Mend(
            number=number,
            repair=repair,
            update=update,
            asks=_asks(repair),
            added=number in self.chosen,
        )

    def add(self, number: int, text: str) -> None:
        """Choose a repair, with the author's text where it asks for one. It is written by `save`.
        Raises LookupError, and UsageError (E0880) for a text that is missing.
        """
        if number < 0:
            raise LookupError(number)
        repair = self.repairs[number]
        if not repair.known:
            key = _asks(repair)
            if not key or not text.strip():
                raise UsageError.of("E0880", "this repair needs a text that only you know")
            repair = replace(repair, update={key: text.strip()}, known=True)
        self.chosen[number] = repair
        source = tomllib.loads(self._bench.text).get("source", {})
        overlays = source.get("overlays", [])
        if OVERLAY not in overlays:
            # The file must be there for the configuration to be used
            self._bench.change({("source", "overlays"): [*overlays, OVERLAY]})

    def save(self) -> None:
        """Write the chosen repairs into the project's overlay."""
        if self.chosen:
            write_file(self._bench.folder / OVERLAY, self.text())

    def text(self) -> str:
        """The overlay with the chosen repairs after those it has; empty where there is none."""
        if not self.chosen:
            return ""
        path = Path(self._bench.folder / OVERLAY)
        if path.is_file():
            return path.read_text("utf-8").rstrip("\n") + "\n" + action_text(self.chosen.values())
        return overlay(self.document, list(self.chosen.values()))


def _asks(repair: Repair) -> str:
    """The key of a repair whose value the author has to say; empty where that is not one text."""
    update: dict[str, Any] = repair.update or {}
    asked = [key for key, value in update.items() if value == "..." and key != "..."]
    if repair.known or len(update) != 1:
        return ""
    return next(iter(asked), "")


def _concerns(repair: Repair, path: str) -> bool:
    """Return whether a repair is about a place of the document: the same, above or below it."""
    target = repair.place or repair.target
    if ROOT in (target, path):
        return target == path
    return _is_at_or_below(path, target) or _is_at_or_below(target, path)


def _is_at_or_below(path: str, other: str) -> bool:
    return path == other or path.startswith(f"{other}[")
