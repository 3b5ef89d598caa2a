"""Part `confirm`: a person is asked before a call is sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...secrets import Secret
from ...settings import Settings, variable
from .. import Part

if TYPE_CHECKING:
    from .ask import Consent


@dataclass(frozen=True, slots=True)
class ConfirmSettings:
    """Variables of consent."""

    confirm_optional: bool = variable(False, "flag", "calls")
    confirm_key: Secret | None = variable(None, "secret", "calls")
    """A secret for replicas that have no other secret in common."""


def _consent(settings: Callable[[], Settings], facts: Mapping[str, Any]) -> Consent:
    from .ask import Consent

    return Consent(
        settings, lambda known: known.part(ConfirmSettings).confirm_optional, facts["confirm"]
    )


PART = Part(settings=ConfirmSettings, consent=_consent)
