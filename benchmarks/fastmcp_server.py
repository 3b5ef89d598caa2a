"""`FastMCP.from_openapi` over stdio, as its documentation shows it: `fastmcp_server.py DOCUMENT
BASE_URL`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import httpx2
from fastmcp import FastMCP

document = json.loads(Path(sys.argv[1]).read_text())
client = httpx2.AsyncClient(base_url=sys.argv[2], timeout=20)
FastMCP.from_openapi(document, client=client, name="bench").run(
    transport="stdio", show_banner=False
)
