"""A trivial API on loopback that answers every request alike, after so many seconds: `python -m
benchmarks.upstream PORT [SECONDS]`.
"""

from __future__ import annotations

import asyncio
import sys

ANSWER = b'{"name":"C","source":"*.o"}'
DELAY = float((sys.argv[2:] or ["0"])[0])
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(
    ANSWER
)


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer the requests of one connection; their bodies are read and forgotten."""
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            for line in head.split(b"\r\n"):
                if line.lower().startswith(b"content-length:"):
                    await reader.readexactly(int(line.partition(b":")[2]))
            if DELAY:
                await asyncio.sleep(DELAY)
            writer.write(HEAD + ANSWER)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def main() -> None:
    """Listen until killed."""
    server = await asyncio.start_server(serve, "127.0.0.1", int(sys.argv[1]), backlog=4096)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
