"""Check a document against its OpenAPI version: by the official schema in each run (`structure`),
and, if files are made of it or errors are looked for, by the rules beyond the schema (`rules`),
unless the lock says that it passed them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.metadata import version
from typing import TYPE_CHECKING

from ..lock import Lock, data_hash
from .structure import check

if TYPE_CHECKING:
    from ..load import Document
    from ..problems import Problems, Severity


@dataclass(slots=True)
class Validation:
    """Reports what the OpenAPI version of a document does not allow: by its official schema, and,
    if files are made of it or errors are looked for, by `rules`. `made`: `document N` → hash of
    each document, empty if `rules` found anything; a document whose hash is in the lock passed them
    before.
    """

    lock: Lock | None
    severity: Severity
    files: bool
    made: dict[str, str] = field(default_factory=dict)

    def __call__(self, document: Document, problems: Problems) -> None:
        check(document, problems, severity=self.severity)
        if not any((self.files, self.severity == "error")):
            return
        name = f"document {len(self.made) + 1}"
        valid = data_hash([document.source.sha256, version("openapi-spec-validator")])
        self.made[name] = valid
        if getattr(self.lock, "made", {}).get(name) != valid:
            from .rules import check_rules  # its imports take a third of a second

            if check_rules(document, problems, severity=self.severity):
                self.made[name] = ""
