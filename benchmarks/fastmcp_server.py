"""`FastMCP.from_openapi` as its documentation shows it, over stdio or over HTTP on a port:
`fastmcp_server.py DOCUMENT BASE_URL [PORT]`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import httpx2
from fastmcp import FastMCP

document = json.loads(Path(sys.argv[1]).read_text())
client = httpx2.AsyncClient(base_url=sys.argv[2], timeout=20)
server = FastMCP.from_openapi(document, client=client, name="bench")
if len(sys.argv) > 3:
    server.run(
        transport="http",
        host="127.0.0.1",
        port=int(sys.argv[3]),
        stateless_http=True,
        json_response=True,
        log_level="error",
        show_banner=False,
    )
else:
    server.run(transport="stdio", show_banner=False)
