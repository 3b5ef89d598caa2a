"""The copy of its document that a project keeps, in `document/`.

A document that was fetched, piped in, or lies outside the project is not there for whoever has the
project alone. So every file that was read for it is kept as it was, and read from there: one from
a URL or from standard input until it is fetched anew, a file where the original is missing.
"""

from __future__ import annotations

import hashlib
import os
import re
import urllib.parse
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..paths import obstacle
from .source import is_url, read_file
from .text import Limits

FOLDER = "document"
STDIN = "-"
UNSAFE = re.compile(r"[^A-Za-z0-9._-]|^[.]|[.]$")
ENDING = re.compile(r"[.](json|ya?ml)$", re.I)
LONGEST = 80
"""Characters of a file's name."""


@dataclass(slots=True)
class Copies:
    """The files of one run by their origin: a URL, an absolute path, or `-`.

    `project` is the folder whose copies are read, None where there is none yet; with `anew` those
    of URLs and standard input are not. `home` is the folder of the document (`home_of`).
    `originals` collects what was read, `missing` the files of which the copy was.
    """

    project: Path | None = None
    home: Path | None = None
    anew: bool = False
    limits: Limits = field(default_factory=Limits)
    originals: dict[str, bytes] = field(default_factory=dict)
    missing: list[Path] = field(default_factory=list)

    def read(self, origin: str, read_original: Callable[[], bytes]) -> bytes:
        """The bytes of a file: those of its copy, or of the original."""
        if origin in self.originals:
            return self.originals[origin]
        path = self._copy(origin)
        if path is None:
            content = read_original()
        else:
            content = read_file(path, os.path.relpath(path), self.limits)
            if not is_fetched(origin):
                self.missing.append(Path(origin))
        self.originals[origin] = content
        return content

    def _copy(self, origin: str) -> Path | None:
        """The copy to read in the place of an original; None where the original is to be read."""
        if self.project is None or (self.anew and is_fetched(origin)):
            return None
        path = copy_path(origin, self.project, self.home)
        if path is None or Path(origin).exists():
            return None
        if obstacle(self.project, path) is not None or not (self.project / path).is_file():
            return None
        return self.project / path


def is_fetched(origin: str) -> bool:
    """Return whether a file came from a URL or standard input."""
    return origin == STDIN or is_url(origin)


def home_of(sources: Sequence[str]) -> Path | None:
    """The folder of the first document that is a file; None where none is."""
    for name in sources:
        if is_fetched(name):
            continue
        path = Path(os.path.realpath(name))
        return path if path.is_dir() else path.parent
    return None


def copy_path(origin: str, project: Path, home: Path | None = None) -> str | None:
    """Return the path of a file's copy in a project; None for a file of the project itself.

    The path is that from `home`, the folder of the document, to the file. A folder above it
    is `up`, so the copies lie to each other as the files do.
    """
    if origin == STDIN:
        return f"{FOLDER}/stdin.yaml"
    if is_url(origin):
        url = urllib.parse.urlsplit(origin)
        parts = [url.netloc, *url.path.split("/")]
        if url.query:
            parts[-1] += "?" + url.query
    else:
        folder = Path(os.path.realpath(project))
        if Path(origin).is_relative_to(folder):
            return None
        try:
            path = os.path.relpath(origin, home or folder)
        except ValueError:  # another drive on Windows
            return None
        parts = list(Path(path).parts)
        depth = parts.count("..")
        parts = ["up"] * depth + parts[depth:]
    return "/".join([FOLDER, *map(_safe, filter(None, parts))])


def _safe(part: str) -> str:
    """A part of a path that every system can have; with a hash where it had to be changed."""
    if UNSAFE.search(part) is None and len(part) <= LONGEST:
        return part
    digest = hashlib.sha256(part.encode("utf-8", "surrogatepass")).hexdigest()[:6]
    name = part.partition("?")[0]  # what is behind it may be a secret
    ending = ENDING.search(name)
    stem = name
    suffix = ""
    if ending is not None:
        stem, suffix = name[: ending.start()], ending.group()
    return f"{UNSAFE.sub('_', stem)[:LONGEST]}_{digest}{suffix}"


def copies_of(
    originals: Mapping[str, bytes], project: Path, home: Path | None
) -> Iterator[tuple[str, bytes]]:
    """The copies a project keeps of its document: path and content."""
    for origin, content in originals.items():
        path = copy_path(origin, project, home)
        if path is not None:
            yield path, content


def has_stdin(project: Path) -> bool:
    """Return whether the document of a project was read from standard input, and is kept."""
    path = copy_path(STDIN, project)
    return path is not None and (project / path).is_file()
