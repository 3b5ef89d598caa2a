"""Argument checking for the user's own tools, against the exact schema as its author wrote it.

A client lists the portable form of a contract; `contracts.json` has the rules missing there. A call
is accepted when the exact schema accepts it; formats count, because their author wrote them for
this tool. Invalid arguments are repaired as by `Checker` (an object sent as a JSON string, null for
"not given"). One rule is stricter: an unknown argument is refused unless the schema says that it
takes more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any

import jsonschema_rs

from . import explain
from .checker import BadArguments, Checker, compiled


class ContractChecker(Checker):
    """Contract of one tool: an entry of `contracts.json`.

    `input` is the exact schema (without it the listed one), `names` maps pointers of listed
    properties to their keys in it, `arguments` its arguments to the function's parameters; with
    `more` further arguments are taken. Callers do not give those in `fixed`, and need not give
    those in `defaults`. `accepts`, of a typed function, may take what the schema refuses.
    """

    _checks_dates = False

    def __init__(self, tool: str, listed: dict[str, Any], contract: Mapping[str, Any]) -> None:
        names = contract.get("names", {})
        self._listed = Checker(tool, listed, names=names) if names else None
        self._arguments: dict[str, str] = contract["arguments"]
        self._more = bool(contract.get("more"))
        self._fixed: dict[str, Any] = contract.get("fixed", {})
        self._defaults: dict[str, Any] = contract.get("defaults", {})
        self._accepts: Callable[[dict[str, Any]], bool] = contract.get("accepts", lambda _: False)
        super().__init__(tool, contract.get("input", listed))

    def checked(self, arguments: Mapping[str, Any] | None) -> tuple[dict[str, Any], list[str]]:
        """Return the arguments by the names of the function's parameters, and an empty list. Raises
        BadArguments.
        """
        received = dict(arguments or {})
        self._bounded(received)
        if self._listed is not None:
            received = self._listed.on_the_wire(received)
        self._known(received)
        received = {**self._defaults, **received, **self._fixed}
        if self._validator.is_valid(received):
            checked = self._with_integers(received)
        else:
            checked = self._repaired(received)
        errors = list(islice(self._validator.iter_errors(checked), 50))
        if errors and not self._accepts(checked):
            heading = f"Invalid arguments for `{self._tool}`"
            raise BadArguments(explain(heading, self._schema, errors))
        return {self._arguments.get(name, name): value for name, value in checked.items()}, []

    def _repaired(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments with frequent slips of models repaired."""
        self._parsed, self._careful = False, True
        try:
            repaired: dict[str, Any] = self._visit(self._schema, "", arguments, wire=False)
        except RecursionError:  # a schema that refers to itself without end
            return arguments
        finally:
            self._visited.clear()
        if self._parsed:
            self._bounded(repaired)
        return repaired

    def _with_integers(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments with `2.0` as 2 where the schema allows integers only."""
        properties = self._schema.get("properties", {})
        result = dict(arguments)
        for name, value in arguments.items():
            if isinstance(value, float):
                result[name] = self._forgive(properties.get(name, {}), value)
        return result

    def _known(self, arguments: Mapping[str, Any]) -> None:
        """Raise BadArguments for arguments the contract does not name, unless it takes more."""
        unknown = [name for name in arguments if not self._takes(name)]
        if unknown:
            offered = [name for name in self._arguments if name not in self._fixed]
            required = self._schema.get("required", ())
            absent = set(offered) - arguments.keys() - self._defaults.keys()
            missing = [name for name in required if name in absent]
            raise self._unknown(unknown, offered, arguments, missing)

    def _takes(self, name: str) -> bool:
        if name in self._fixed:
            return False
        return self._more or name in self._arguments

    def _compile(self) -> jsonschema_rs.Draft202012Validator:
        """Return the validator of the exact schema; if a pattern needs it, with a backtracking
        engine for all patterns.
        """
        self._root = self._checkable(self._schema, "")
        try:
            return compiled(self._root, formats=True)
        except jsonschema_rs.ValidationError:
            return compiled(self._root, backtracking=True, formats=True)
