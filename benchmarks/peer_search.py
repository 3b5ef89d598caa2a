"""How others find tools: FastMCP's own search over its own list, and rank_bm25 over ours.

`peer_search.py` reads {"document", "base", "tools": {operation: text}, "queries": [text]} and
prints {"fastmcp": [[operation]], "bm25": [[operation]]}, the best ten of each query. It runs in an
environment of its own, with fastmcp, rank_bm25 and snowballstemmer.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from pathlib import Path
from typing import Any

import snowballstemmer
from rank_bm25 import BM25Okapi

BEST = 10


def by_bm25(tools: dict[str, str], queries: list[str]) -> list[list[str]]:
    """BM25 over stemmed words, as a library has it."""
    stemmer = snowballstemmer.stemmer("english")

    def words(text: str) -> list[str]:
        spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text)
        return stemmer.stemWords(re.findall(r"[a-z0-9]+", spaced.lower()))

    operations = list(tools)
    index = BM25Okapi([words(text) for text in tools.values()])
    ranked = []
    for query in queries:
        scores = index.get_scores(words(query))
        order = sorted(range(len(operations)), key=lambda number: -scores[number])
        ranked.append([operations[number] for number in order[:BEST]])
    return ranked


async def by_fastmcp(document: Any, base: str, queries: list[str]) -> list[list[str]]:
    """FastMCP's BM25 search over the tools it makes of the document."""
    import httpx2
    from fastmcp import FastMCP
    from fastmcp.server.transforms.search.base import _extract_searchable_text
    from fastmcp.server.transforms.search.bm25 import _BM25Index

    server = FastMCP.from_openapi(document, client=httpx2.AsyncClient(base_url=base), name="peer")
    tools = list(await server.list_tools())
    routes = [f"{tool._route.method} {tool._route.path}" for tool in tools]
    index = _BM25Index()
    index.build([_extract_searchable_text(tool) for tool in tools])
    return [[routes[number] for number in index.query(query, BEST)] for query in queries]


def main() -> None:
    job = json.load(sys.stdin)
    answer: dict[str, Any] = {"bm25": by_bm25(job["tools"], job["queries"])}
    try:
        document = json.loads(Path(job["document"]).read_bytes())
        answer["fastmcp"] = asyncio.run(by_fastmcp(document, job["base"], job["queries"]))
    except Exception as error:
        print(f"FastMCP: {type(error).__name__}: {error}"[:300], file=sys.stderr)
    json.dump(answer, sys.stdout)


main()
