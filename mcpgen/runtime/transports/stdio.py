"""Serve stdio: one JSON-RPC message a line, stdin to the server, stdout to the client.

Where stdin and stdout are pipes, as every client makes them, the event loop waits for them itself.
The SDK's transport reads lines of any length and sends each through a worker thread, three times
for one call, which then costs 1.3 to 2.1 ms of CPU time; here 0.5 to 0.8 ms. Anything but pipes (a
terminal, a file, Windows) is left to the SDK.

A line that is not a message is logged, and answered if it expects an answer. Blank lines: skipped.
"""

from __future__ import annotations

import asyncio
import os
import stat
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any

import anyio
from mcp.shared.message import SessionMessage
from mcp.types.jsonrpc import PARSE_ERROR
from pydantic import ValidationError

from . import BadMessage, bad_message, parse

MAX_LINE = 64 * 1024 * 1024
"""Most bytes of a message. A call may have 8 million characters of arguments, each six bytes at
most as JSON.
"""


@asynccontextmanager
async def streams() -> AsyncIterator[tuple[Any, Any]]:
    """Yield an iterator over the client's messages, and the stream whose `send` writes a message.

    Meanwhile descriptor 0 leads nowhere and descriptor 1 to stderr: text printed by other code does
    not reach the client.
    """
    if not _pipes():
        from mcp.server.stdio import stdio_server

        async with stdio_server() as (messages, answers):
            yield AnsweredErrors(messages, answers), answers
        return
    loop = asyncio.get_running_loop()
    with _claimed(0, os.open(os.devnull, os.O_RDONLY)) as source, _claimed(1, os.dup(2)) as sink:
        reader = asyncio.StreamReader(MAX_LINE)
        reading, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader),
            open(source, "rb", buffering=0, closefd=False),  # noqa: SIM115
        )
        # This protocol is also what knows how to wait until a pipe has room again
        writing, protocol = await loop.connect_write_pipe(
            lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader()),
            open(sink, "wb", buffering=0, closefd=False),  # noqa: SIM115
        )
        writer = asyncio.StreamWriter(writing, protocol, None, loop)
        try:
            answers = OutgoingMessages(writer)
            yield AnsweredErrors(Messages(reader), answers), answers
        finally:
            reading.close()
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()


def _pipes() -> bool:
    """Return whether stdin and stdout are pipes or sockets, and they and stderr three different
    files. False on Windows.
    """
    if sys.platform == "win32":
        return False
    found = [os.fstat(descriptor) for descriptor in (0, 1, 2)]
    suited = all(stat.S_ISFIFO(one.st_mode) or stat.S_ISSOCK(one.st_mode) for one in found[:2])
    return suited and len({(one.st_dev, one.st_ino) for one in found}) == len(found)


@contextmanager
def _claimed(descriptor: int, elsewhere: int) -> Iterator[int]:
    """Yield a copy of a standard descriptor, which leads to `elsewhere` meanwhile."""
    claimed = os.dup(descriptor)
    os.dup2(elsewhere, descriptor)
    os.close(elsewhere)
    try:
        yield claimed
    finally:
        os.dup2(claimed, descriptor)
        os.close(claimed)
        # Whoever else holds the pipe does not expect what the event loop made of it
        os.set_blocking(descriptor, True)


class _Stream:
    """Base of the streams: what the SDK's stream interface has besides messages."""

    async def __aenter__(self) -> Any:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Do nothing: `streams` closes the pipes when everything has been said."""


class Messages(_Stream):
    """Iterator over the client's messages; a line that is no message gives a BadMessage."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self._reader = reader

    def __aiter__(self) -> Messages:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            line = await self._line()
            while line.isspace():
                line = await self._line()
            if line:
                return SessionMessage(parse(line.decode(errors="replace")))
        except BadMessage as error:
            return error
        except OSError:
            pass  # the client broke off, which is an end like any other
        raise StopAsyncIteration

    async def _line(self) -> bytes:
        """Return the next line with its end, which the last line may lack; empty after the last
        line. Raises BadMessage for a line of more than `MAX_LINE` bytes, after skipping all of it.
        """
        try:
            return await self._reader.readuntil(b"\n")
        except asyncio.IncompleteReadError as end:
            return end.partial
        except asyncio.LimitOverrunError as overrun:
            await self._reader.readexactly(overrun.consumed)
        with suppress(BadMessage):
            await self._line()
        raise BadMessage(PARSE_ERROR, f"a line is longer than {MAX_LINE} bytes")


class AnsweredErrors(_Stream):
    """Iterator over a stream's messages; a BadMessage is logged, answered and left out."""

    def __init__(self, messages: Any, answers: Any) -> None:
        self._messages = messages
        self._answers = answers

    def __aiter__(self) -> AnsweredErrors:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        while True:
            item: SessionMessage | Exception = await self._messages.__anext__()
            if isinstance(item, ValidationError):
                item = bad_message(item)
            if not isinstance(item, BadMessage):
                return item
            item.log("stdio")
            if not item.expects_answer:
                continue
            try:
                await self._answers.send(SessionMessage(item.answer()))
            except anyio.BrokenResourceError:
                raise StopAsyncIteration from None

    async def receive(self) -> SessionMessage | Exception:
        """Return the next message. Raises anyio.EndOfStream after the last one."""
        try:
            return await self.__anext__()
        except StopAsyncIteration:
            raise anyio.EndOfStream from None

    async def aclose(self) -> None:
        """Close the stream of messages."""
        await self._messages.aclose()


class OutgoingMessages(_Stream):
    """Stream of the server's messages, written as one line of JSON each."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer

    async def send(self, item: SessionMessage) -> None:
        """Write a message, and wait while the client has too much to read. Raises
        anyio.BrokenResourceError if the client has left.
        """
        if self._writer.is_closing():
            raise anyio.BrokenResourceError
        self._writer.write(
            item.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
        )
        try:
            await self._writer.drain()
        except OSError:
            raise anyio.BrokenResourceError from None
