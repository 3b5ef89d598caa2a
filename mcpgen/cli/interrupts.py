"""Ctrl-C and a closed window: a command ends in order, at any moment."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer, current_thread, main_thread
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

_seen: list[int] = []


def begin() -> None:
    """Raise KeyboardInterrupt at an interrupt, unless ignored, and remember it: an import may turn
    the exception into another.
    """
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, _interrupt)
        sys.unraisablehook = _again


def _interrupt(number: int, _: object) -> NoReturn:
    _seen.append(number)
    raise KeyboardInterrupt


def _again(lost: UnraisableHookArgs) -> None:
    """Send the interrupt once more if Python dropped it (in callbacks of garbage); print other
    exceptions.
    """
    if isinstance(lost.exc_value, KeyboardInterrupt):
        Timer(0.01, os.kill, (os.getpid(), signal.SIGINT)).start()
    else:
        sys.__unraisablehook__(lost)


def cause_of(error: BaseException) -> BaseException:
    """Return KeyboardInterrupt if there was an interrupt, else the error itself."""
    return KeyboardInterrupt() if _seen else error


def end() -> None:
    """Ignore interrupts from now on: the command is done."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def ending_in_order() -> Iterator[list[Callable[[], None]]]:
    """End the block by SystemExit at SIGTERM, or SIGHUP where it exists: what the block holds is
    removed. Yields a list of functions to call first: Python loses an exception that is raised
    while it collects garbage.
    """
    first: list[Callable[[], None]] = []

    def stop(number: int, _: object) -> NoReturn:
        for act in first:
            act()
        raise SystemExit(128 + number)

    numbers = [signal.SIGTERM, *filter(None, [getattr(signal, "SIGHUP", None)])]
    previous = {number: signal.signal(number, stop) for number in numbers}
    try:
        yield first
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


@contextmanager
def left_to_the_parent() -> Iterator[None]:
    """Ignore SIGINT in this block, and so in processes started there; afterwards this process hears
    SIGINT, and ends them.
    """
    if current_thread() is not main_thread():  # only there may a handler be set
        yield
        return
    previous = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)
