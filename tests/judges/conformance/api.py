"""The API behind the conformance fixtures: `python api.py PORT`."""

from __future__ import annotations

import base64
import struct
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
)
WAVE = struct.pack("<IHHIIHH", 16, 1, 1, 8000, 8000, 1, 8)
WAV = b"".join([b"RIFF", struct.pack("<I", 36), b"WAVEfmt ", WAVE, b"data\0\0\0\0"])
PDF = b"%PDF-1.4\n%%EOF\n"
BUSY = 3
"""How often `/progress` is busy before it answers; each time is a report of progress."""
ANSWERS = {
    "/simple-text": (200, "text/plain", b"This is a simple text response for testing."),
    "/image": (200, "image/png", PNG),
    "/audio": (200, "audio/wav", WAV),
    "/resource": (200, "application/pdf", PDF),
    "/several": (200, "text/plain", b"Multiple content types test:"),
    "/error": (422, "application/json",
        b'{"message": "This tool intentionally returns an error for testing"}'),
    "/progress": (200, "text/plain", b"Done."),
}  # fmt: skip


class Handler(BaseHTTPRequestHandler):
    """One answer for each path."""

    protocol_version = "HTTP/1.1"
    asked = 0
    lock = threading.Lock()

    def do_GET(self) -> None:
        """Answer."""
        status, media_type, content = ANSWERS.get(self.path, (404, "text/plain", b"no such path"))
        if self.path == "/progress":
            with Handler.lock:
                Handler.asked += 1
                if Handler.asked % (BUSY + 1):
                    status, media_type, content = 503, "text/plain", b"busy"
        self.send_response(status)
        if status == 503:
            self.send_header("Retry-After", "0")
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
