"""The settings of a server: names of environment variables, without the server's prefix.

Nothing is imported here, so that the generator and the command line read the names at no cost.
"""

from __future__ import annotations

VARIABLES = (
    "BASE_URL",
    "TIMEOUT",
    "CONNECT_TIMEOUT",
    "TOTAL_TIMEOUT",
    "RETRIES",
    "MAX_CONCURRENCY",
    "MAX_WAITING",
    "RATE_LIMIT",
    "MAX_CALLS",
    "CALL_RATE",
    "MAX_RESULT_CHARS",
    "MAX_REQUEST_BYTES",
    "MAX_RESPONSE_BYTES",
    "MAX_BINARY_BYTES",
    "ALLOW_ORIGINS",
    "ALLOW_PRIVATE",
    "FILE_ROOTS",
    "SAVE_DIR",
    "CA_FILE",
    "CLIENT_CERT",
    "CLIENT_KEY",
    "TOKEN_URL",
    "TOOLSETS",
    "READ_ONLY",
    "HTTP_TOKEN",
    "HTTP_HEAD_TIMEOUT",
    "HTTP_BODY_TIMEOUT",
    "HTTP_IDLE_TIMEOUT",
    "HTTP_MAX_CONNECTIONS",
    "HTTP_MAX_PER_ADDRESS",
)
"""What `settings` reads."""

HTTP_VARIABLES = (
    "HTTP_ISSUER",
    "HTTP_AUDIENCE",
    "HTTP_JWKS_URL",
    "HTTP_SCOPES",
    "HTTP_WRITE_SCOPES",
    "HTTP_TOOL_SCOPES",
    "HTTP_ALLOWED_ORIGINS",
)
"""What `transports.http` reads."""
