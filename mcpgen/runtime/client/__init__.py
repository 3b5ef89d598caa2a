"""HTTP side of a server: requests to the API for a call of a tool. Each failure is an `ApiError`:

* `Refused`: nothing was sent, because a value cannot be written or a rule forbids it
* `MissingCredential`: nothing was sent, because a credential is not configured
* `Busy`: nothing was sent, because of a full queue, a limit, a `Retry-After` or an open circuit
* `Unreachable`: no connection (name, address, TLS)
* `TimedOut`: the API did not answer in time
* `BadAnswer`: the answer is too large, not HTTP, or cannot be decoded
* `Redirected`: a redirect that is not followed
* `BadStatus`: a status of 400 or more, or a body that reports a failure

The texts are written for the model: they name arguments and variables, never their values, and
never quote a library's message, which may hold a credential.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..results import Failed

if TYPE_CHECKING:
    from ..results.answer import Answer


class ApiError(Failed):
    """A failed request. `Api.request` sets method, path template, argument names and variables."""

    method: str = ""
    path: str = ""
    arguments: tuple[str, ...] = ()
    """Wire names of the call's arguments, those of the path first."""
    path_arguments: tuple[str, ...] = ()
    """Wire names of the arguments in the path."""
    variables: tuple[str, ...] = ()
    """Environment variables of the credentials that the operation takes."""
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
        """Word for the log: the class name, such as `TimedOut`; for `BadStatus` the HTTP status."""
        return type(self).__name__


class Refused(ApiError):
    """Nothing was sent. `name`: wire name of the argument at fault, which begins the text; or
    empty.
    """

    def __init__(self, message: str, name: str = "") -> None:
        if name:
            message = f"`{name}`: {message}"
        super().__init__(message)
        self.name = name


class MissingCredential(Refused):
    """Nothing was sent: a credential is missing. `variables`: those of all alternatives."""

    def __init__(self, message: str, variables: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.variables = variables


class Busy(Refused):
    """Nothing was sent, for now: a full queue, a limit, a `Retry-After` or an open circuit."""


class Unreachable(ApiError):
    """No connection to the API, or to the operator's proxy: name, address, port or TLS."""


class TimedOut(ApiError):
    """A limit of time is over: of the connection, of the answer, or of the whole call."""


class BadAnswer(ApiError):
    """An unusable answer: not HTTP, broken off, not to be decoded, or too large."""

    sent = True


class Redirected(ApiError):
    """A redirect that is not followed, or that led a write to no result."""

    sent = True
    advice = "The same call will be redirected again: the operator has to correct the base URL"


class BadStatus(ApiError):
    """A status of 400 or more, or a lower one with a failure or an HTML page as its body."""

    sent = True
    nothing_found: bool = False
    """Whether no call has succeeded below the same base URL."""
    base_variable: str = ""
    """Environment variable of the API's base URL."""
    follows_lost: bool = False
    """Whether an earlier attempt may have been carried out, and its answer was lost."""

    def __init__(self, answer: Answer[Any]) -> None:
        super().__init__(f"the API answered {answer.status}")
        self.answer = answer

    @property
    def status(self) -> int:
        """HTTP status of the answer."""
        return self.answer.status

    def __reduce__(self) -> Any:
        return (type(self), (self.answer,))
