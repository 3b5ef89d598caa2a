"""The HTTP side: one request to the API for one call of a tool. Each failure is an `ApiError`:

* `Refused`: nothing was sent, because a value cannot be written or a rule forbids it
* `MissingCredential`: nothing was sent, because a credential is not configured
* `Busy`: nothing was sent, because too many calls wait already
* `Unreachable`: no connection (name, address, TLS)
* `TimedOut`: the API did not answer in time
* `BadAnswer`: an answer that breaks HTTP, or one that is too large
* `Redirected`: a redirect that is not followed
* `BadStatus`: a status of 400 or more, or a page instead of JSON

The texts are written for the model: they name arguments and variables, never their values, and
never quote a library's message, which may hold a credential.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..results import Failed

if TYPE_CHECKING:
    from ..results.answer import Answer


class ApiError(Failed):
    """A failed request. `Api.request` fills in `method` and `path` (the template)."""

    method: str = ""
    path: str = ""
    arguments: tuple[str, ...] = ()
    """The wire names of the call's arguments, those of the path first."""
    path_arguments: tuple[str, ...] = ()
    """The wire names of the arguments in the path."""
    variables: tuple[str, ...] = ()
    """The environment variables of the credentials that the operation takes."""
    sent: bool = False
    """Whether the API may have seen the request."""
    transient: bool = False
    """Whether there was no answer, and another attempt may get one."""
    advice: str = (
        "Try again later; if it stays like this, the operator of this server has to look at it"
    )
    """Next step for the model, if the request changed nothing."""

    def __reduce__(self) -> Any:
        return (type(self), self.args)

    @property
    def status(self) -> int | str:
        """Its word in the log: the name of the class."""
        return type(self).__name__


class Refused(ApiError):
    """Nothing was sent. `name` is the wire name of the argument at fault, which begins the text; or
    empty.
    """

    def __init__(self, message: str, name: str = "") -> None:
        if name:
            message = f"`{name}`: {message}"
        super().__init__(message)
        self.name = name


class MissingCredential(Refused):
    """The operation needs a credential that is not configured; `variables` are the ones to set."""

    def __init__(self, message: str, variables: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.variables = variables


class Busy(Refused):
    """Too many calls are already waiting for the API."""


class Unreachable(ApiError):
    """There is no connection to the API."""


class TimedOut(ApiError):
    """The API did not answer in time."""


class BadAnswer(ApiError):
    """An unusable answer: it breaks HTTP, or it is too large."""

    sent = True


class Redirected(ApiError):
    """A redirect that is not followed."""

    sent = True
    advice = "The same call will be redirected again: the operator has to correct the base URL"


class BadStatus(ApiError):
    """An answer with a status of 400 or more, or an HTML page where JSON was announced."""

    sent = True
    nothing_found: bool = False
    """Whether no call has succeeded below the same base URL."""
    follows_lost: bool = False
    """Whether an earlier attempt may have been carried out, and its answer was lost."""

    def __init__(self, answer: Answer[Any]) -> None:
        super().__init__(f"the API answered {answer.status}")
        self.answer = answer

    @property
    def status(self) -> int:
        """The HTTP status."""
        return self.answer.status

    def __reduce__(self) -> Any:
        return (type(self), (self.answer,))
