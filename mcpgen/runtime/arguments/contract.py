"""Argument checking for the tools that are yours: against the exact schema, as its author wrote it.

The schema a client lists is the portable form of a contract; `contracts.json` has what that form
had to leave out. A call is accepted when the exact schema accepts it. What is forgiven besides is
what `check` forgives (an object sent as a JSON string, null for "not given"), and only where the
arguments are not valid as they came. One thing is stricter: an argument that the schema does not
name is refused unless the schema says that it takes more.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jsonschema_rs

from .checker import BadArguments, Checker, compiled
from .explain import explain, suggest


class ContractChecker(Checker):
    """The contract of one tool: an entry of `contracts.json`.

    `input` is the exact schema (the listed one where there is none), `names` maps pointers of
    listed properties to their keys in it, `arguments` its arguments to the names of the function's
    parameters, and `more` says that further arguments are taken. Callers do not give the arguments
    in `fixed`, and need not give those in `defaults`.
    """

    def __init__(self, tool: str, listed: dict[str, Any], contract: Mapping[str, Any]) -> None:
        names = contract.get("names", {})
        self._listed = Checker(tool, listed, names=names) if names else None
        self._arguments: dict[str, str] = contract["arguments"]
        self._more = bool(contract.get("more"))
        self._fixed: dict[str, Any] = contract.get("fixed", {})
        self._defaults: dict[str, Any] = contract.get("defaults", {})
        super().__init__(tool, contract.get("input", listed))

    def check(self, arguments: Mapping[str, Any] | None) -> dict[str, Any]:
        """The arguments by the names of the function's parameters. Raises BadArguments."""
        given = dict(arguments or {})
        self._bounded(given)
        if self._listed is not None:
            given = self._listed.on_the_wire(given)
        self._known(given)
        given = {**self._defaults, **given, **self._fixed}
        tidied = self._whole(given) if self._validator.is_valid(given) else self._tidied(given)
        errors = [
            error for error, _ in zip(self._validator.iter_errors(tidied), range(50), strict=False)
        ]
        if errors:
            raise BadArguments(
                explain(f"Invalid arguments for `{self._tool}`", self._schema, errors)
            )
        return {self._arguments.get(name, name): value for name, value in tidied.items()}

    def _tidied(self, given: dict[str, Any]) -> dict[str, Any]:
        """The arguments after forgiving what can be forgiven."""
        self._parsed = False
        try:
            tidied: dict[str, Any] = self._visit(self._schema, "", given, wire=False)
        except RecursionError:  # a schema that refers to itself without end
            return given
        if self._parsed:
            self._bounded(tidied)
        return tidied

    def _whole(self, given: dict[str, Any]) -> dict[str, Any]:
        """`2.0` as the whole number it is, where a whole number is wanted."""
        properties = self._schema.get("properties", {})
        return {
            name: (
                self._forgive(properties.get(name, {}), value)
                if isinstance(value, float)
                else value
            )
            for name, value in given.items()
        }

    def _known(self, given: Mapping[str, Any]) -> None:
        """Refuse arguments the contract does not name, unless it takes more."""
        offered = [name for name in self._arguments if name not in self._fixed]
        unknown = [
            name
            for name in given
            if name in self._fixed or not (self._more or name in self._arguments)
        ]
        if not unknown:
            return
        lines = [
            f"`{name[:100]}` is not an argument{suggest(name, offered)}" for name in unknown[:5]
        ]
        known = ", ".join(f"`{name}`" for name in offered[:40]) or "none"
        raise BadArguments(
            "\n- ".join([f"Invalid arguments for `{self._tool}`:", *lines])
            + f"\nIts arguments are: {known}"
        )

    def _compile(self) -> jsonschema_rs.Draft202012Validator:
        """The validator of the exact schema; a pattern the linear engine cannot run costs the
        others their engine.
        """
        self._root = self._checkable(self._schema, "")
        try:
            return compiled(self._root)
        except jsonschema_rs.ValidationError:
            return compiled(self._root, backtracking=True)
