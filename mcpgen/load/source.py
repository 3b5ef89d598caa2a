"""Sources of a document: a file, a URL from the user, an app, or standard input, with their copies
in the project's `document/`. All reading is bounded.

Every file read for a document is copied unchanged. The copy is read for a URL, an app or standard
input until the next fetch, and for a file if the original is missing.
"""

from __future__ import annotations

import difflib
import errno
import hashlib
import os
import re
import stat
import sys
import urllib.parse
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import IO, Literal

from ..paths import obstacle
from ..problems import McpgenError, RefusedError, UsageError
from ..text import visible
from .fetch import FILE_INSTEAD, SECRET_HEADER, Downloads, plain_url, too_large
from .text import Limits

DOCUMENT_ENDINGS = (".json", ".yaml", ".yml")
PROJECT_FILE = "mcpgen.lock"
OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Without `O_NONBLOCK` opening a FIFO would wait for a writer."""
_SECRET = re.compile(
    r"token|secret|passw|credential|signature|^(auth|key|sig)$|(api|app|access|auth)[-_]?key", re.I
)
"""A parameter of a URL's query whose value is a secret, by its name."""
_APP = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*(\(\))?")
NO_SUCH_FILE = (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.EINVAL)
NOT_A_FILE = (errno.ENXIO, errno.ENODEV, errno.EOPNOTSUPP)

FOLDER = "document"
STDIN = "-"
UNSAFE = re.compile(r"[^A-Za-z0-9._-]|^[.]|[.]$")
ENDING = re.compile(r"[.](json|ya?ml)$", re.I)
LONGEST = 80
"""Characters of a file's name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The source of a document.

    `name` is for messages. `url` is set for `kind == "url"`: without credentials, query and
    fragment, as the base of relative servers. `sha256` is of the loaded tree with sorted keys.
    """

    name: str
    kind: Literal["path", "url", "stdin", "app"]
    path: Path | None = None
    url: str | None = None
    sha256: str = ""


def is_url(name: str) -> bool:
    """Return whether a document's name is an http or https URL."""
    return name[:8].lower().startswith(("http://", "https://"))


def is_app(name: str) -> bool:
    """Return whether a document's name is that of an app, as in `shop.main:app`, and of no file."""
    return _APP.fullmatch(name) is not None and not os.path.exists(name)


def by_key(sources: Iterable[str]) -> dict[str, list[str]]:
    """Return the sources by their key in `[source]` of `mcpgen.toml`: `path`, `url`, `app`.
    Standard input is left out.
    """
    found: dict[str, list[str]] = {"path": [], "url": [], "app": []}
    for source in sources:
        if is_url(source):
            found["url"].append(source)
        elif is_app(source):
            found["app"].append(source)
        elif source != STDIN:
            found["path"].append(source)
    return found


def on_path(value: str, change: Callable[[str], str]) -> str:
    """Return a value with its path changed: all of it, or of `URL=FOLDER` the folder; a URL is
    unchanged.
    """
    if not is_url(value):
        return change(value)
    url, _, folder = value.rpartition("=")
    return f"{url}={change(folder)}" if url else value


def mapped_folders(items: Iterable[str]) -> dict[str, Path]:
    """Return URL → folder of `URL=FOLDER` items. Raises `UsageError` (E0209) for anything else."""
    folders = {}
    for item in items:
        url, _, folder = item.rpartition("=")
        if not is_url(url) or not os.path.isdir(folder):
            message = f"`{visible(item)[:120]}` names no URL, or no folder"
            raise UsageError.of("E0209", message, "write `URL=FOLDER`, with a folder that exists")
        folders[url] = Path(folder)
    return folders


def source_of(name: str) -> Source:
    """Return the source that a command-line argument names; a file may be missing. Raises
    `UsageError`: E0101 for an empty name, E0122 for a malformed URL, a scheme other than http and
    https, and a URL with a secret or a user name.
    """
    if name == "-":
        return Source(name="<stdin>", kind="stdin")
    if not name:
        hint = "give a file or a URL; a variable of the shell may have no value"
        raise UsageError.of("E0101", "the name of the document is empty", hint)
    if is_app(name):
        return Source(name=name, kind="app")
    if is_url(name):
        url = plain_url(name)
        _check_query(name, url)
        return Source(name=url, kind="url", url=url)
    if "://" in name:
        scheme = name.partition("://")[0][:20]
        raise UsageError.of(
            "E0122", f"cannot read from `{scheme}:` URLs", file=name, hint=_hint_for(scheme, name)
        )
    return Source(name=name, kind="path", path=Path(name))


def _check_query(name: str, url: str) -> None:
    """Raise `UsageError` for a URL with a secret in its query: it would be written down."""
    for parameter, value in urllib.parse.parse_qsl(urllib.parse.urlsplit(name).query):
        if value and _SECRET.search(parameter):
            raise UsageError.of(
                "E0122",
                f"a URL with a secret in it, as `{visible(parameter)[:60]}`: a project's files are"
                " shared, and its URL stands in them",
                file=url,
                hint=f"{SECRET_HEADER}; {FILE_INSTEAD}",
            )


def read(name: str, source: Source, downloads: Downloads, copies: Copies) -> bytes:
    """Return the bytes of a source, within the limits. `name` is the text of the user: a URL has
    its query only there. `copies` know the project and the Python of an app. Raises McpgenError.
    """
    if source.kind == "app":
        from .app import read_app  # late: most documents are no apps

        return read_app(name, copies.python, copies.project, downloads.limits)
    if source.kind == "stdin":
        return _bounded(sys.stdin.buffer, source.name, downloads.limits)
    if source.kind == "url":
        return downloads.fetch(name)
    assert source.path is not None
    return read_file(source.path, source.name, downloads.limits, is_argument=True)


def origin_of(name: str, source: Source) -> str:
    """Return the name of a source that is the same in every folder: its URL, absolute path, app, or
    `-`.
    """
    if source.path is not None:
        return os.path.realpath(source.path)
    return name


def read_file(path: Path, name: str, limits: Limits, *, is_argument: bool = False) -> bytes:
    """Return the bytes of a regular file; anything else (folder, pipe, device, socket) is refused
    unread. `is_argument`: the user named the file, so a missing one has a hint on what else to
    give. Raises UsageError or RefusedError.
    """
    try:
        descriptor = os.open(path, OPEN_FLAGS)
    except OSError as error:
        raise _cannot_open(path, name, error, is_argument) from None
    except ValueError:  # a NUL character in the path
        raise UsageError.of("E0101", "no such file", "give a file or a URL", file=name) from None
    try:
        state = os.fstat(descriptor)
        if stat.S_ISDIR(state.st_mode):
            raise _is_directory(path, name)
        if not stat.S_ISREG(state.st_mode):
            raise _not_regular(name, "use `-` to read standard input, or copy it to a file")
        with os.fdopen(descriptor, "rb", closefd=False) as stream:
            return _bounded(stream, name, limits)
    finally:
        os.close(descriptor)


def _bounded(stream: IO[bytes], name: str, limits: Limits) -> bytes:
    raw = stream.read(limits.bytes + 1)
    if len(raw) > limits.bytes:
        raise too_large(name, limits)
    return raw


def _with_slashes(name: str) -> str:
    """Return a name with slashes for its backslashes if such a file exists; else an empty text."""
    slashed = name.replace("\\", "/")
    return slashed if os.path.isfile(slashed) else ""


def _cannot_open(path: Path, name: str, error: OSError, is_argument: bool) -> McpgenError:
    if error.errno in NO_SUCH_FILE:
        neighbour = _with_slashes(name) or _similar_neighbour(path) or _meant_url(name)
        hint = f"did you mean `{neighbour}`?" if neighbour else ""
        if is_argument:
            hint = hint or _hint_for_missing(path, name)
        return UsageError.of("E0101", f"no such file: {name}", file=name, hint=hint)
    if isinstance(error, PermissionError):
        hint = f"`chmod u+r {name}`, or run as its owner"
        return UsageError.of("E0103", f"no permission to read {name}", file=name, hint=hint)
    if isinstance(error, IsADirectoryError):
        return _is_directory(path, name)
    if error.errno in NOT_A_FILE:
        return _not_regular(name)
    if error.errno == errno.ELOOP:
        message = "a symbolic link that leads to itself"
        return RefusedError.of("E0104", message, "give the file itself", file=name)
    message = f"cannot be opened: {error.strerror}"
    return UsageError.of("E0103", message, "give a file that can be read", file=name)


def _hint_for_missing(path: Path, name: str) -> str:
    """Return the hint if no similar file exists: on `~` and patterns, or on documents nearby."""
    if name.startswith("~"):
        return f"quotes keep a shell from reading `~`: give `{Path(name).expanduser()}`"
    if re.search("[*?]", name):
        return f"quotes, or no match, keep a shell from reading `{name}`: name the file"
    try:
        names = sorted(os.listdir(path.parent))  # noqa: PTH208
    except OSError:
        return f"there is no folder `{path.parent}` either; give a file or a URL"
    if not path.suffix:
        return f"give a file or a URL; `--output {name}` of `generate` names a folder to write"
    found = [f"`{path.parent / each}`" for each in names if each.endswith(DOCUMENT_ENDINGS)]
    return "; there are ".join(["give a file or a URL", *filter(None, [", ".join(found[:3])])])


def _hint_for(scheme: str, name: str) -> str:
    if scheme.lower() == "file":
        return f"give the file itself: `{name[7:]}`"
    near = difflib.get_close_matches(scheme.lower(), ("https", "http"), n=1)
    if near:
        return f"did you mean `{near[0]}{name[len(scheme):]}`?"
    return "give a file or an http(s) URL"


def _meant_url(name: str) -> str:
    """Return the URL that was probably meant by the name of a missing file; empty if it looks like
    none.
    """
    from ..config.credentials import corrected  # late: its package reads documents' copies

    host, slash, _ = name.partition("/")
    if not slash:
        return ""
    if os.path.exists(host):
        return ""
    return corrected(name)


def _not_regular(name: str, hint: str = "") -> RefusedError:
    return RefusedError.of("E0104", "not a regular file", file=name, hint=hint)


def _similar_neighbour(path: Path) -> str:
    """Return the neighbour of a missing file with the closest name; empty if none is close."""
    try:
        names = [entry.name for entry in os.scandir(path.parent) if entry.is_file()][:10_000]
    except OSError:
        return ""
    stems: dict[str, str] = {}
    for name in sorted(names, key=lambda name: Path(name).suffix == path.suffix):
        stems[Path(name).stem.lower()] = name
    close = difflib.get_close_matches(path.stem.lower(), stems, n=1, cutoff=0.7)
    return "".join(stems[stem] for stem in close)


def is_project(folder: Path) -> bool:
    """Return whether a folder is a project that mcpgen wrote."""
    return (folder / PROJECT_FILE).is_file()


def _is_directory(path: Path, name: str) -> UsageError:
    try:
        entries = [entry.name for entry in os.scandir(path)]
    except OSError:
        entries = []
    documents = sorted(entry for entry in entries if entry.endswith(DOCUMENT_ENDINGS))
    hint = "give a file, or a folder with JSON or YAML documents in it"
    if is_project(path):
        hint = "it is a project: run the command in it, without naming a document"
    elif documents:
        hint = "give a file in it: " + ", ".join(f"`{item}`" for item in documents[:5])
    return UsageError.of("E0102", f"{name} is a directory", file=name, hint=hint)


def with_hash(source: Source, digest: str) -> Source:
    """Return a copy of the source with this digest as its `sha256`."""
    return replace(source, sha256=digest)


@dataclass(slots=True)
class Copies:
    """The files of one run by their origin: a URL, an absolute path, an app, or `-`.

    `project` is the folder whose copies are read, None if there is none yet; with `anew`, copies of
    URLs, apps and standard input are not read. `folder` is the project also when no copies are
    read, `home` the folder of the document (`home_of`). `originals`: origin → bytes read;
    `missing`: files whose copy was read; `kept`: URL or app → copy read; `pages`: URL of an HTML
    page → URL of its document. `python`: the Python chosen for an app.
    """

    project: Path | None = None
    folder: Path | None = None
    home: Path | None = None
    python: str | None = None
    anew: bool = False
    limits: Limits = field(default_factory=Limits)
    originals: dict[str, bytes] = field(default_factory=dict)
    missing: list[Path] = field(default_factory=list)
    kept: dict[str, Path] = field(default_factory=dict)
    pages: dict[str, str] = field(default_factory=dict)

    def read(self, origin: str, read_original: Callable[[], bytes]) -> bytes:
        """Return the bytes of a file: of an earlier call, its copy, or `read_original`; kept in
        `originals`.
        """
        if origin in self.originals:
            return self.originals[origin]
        path = self._copy(origin)
        if path is None:
            content = read_original()
        else:
            content = read_file(path, os.path.relpath(path), self.limits)
            if not is_fetched(origin):
                self.missing.append(Path(origin))
            elif origin != STDIN:
                self.kept[origin] = path
        self.originals[origin] = content
        return content

    def has(self, origin: str) -> bool:
        """Return whether a file or its copy exists; without a project always true."""
        return self.project is None or os.path.exists(origin) or self._copy(origin) is not None

    def _copy(self, origin: str) -> Path | None:
        """Return the copy's path; None if there is none, or the original is to be read."""
        if self.project is None or (self.anew and is_fetched(origin)):
            return None
        path = copy_path(origin, self.project, self.home)
        if path is None or os.path.exists(origin):
            return None
        if is_app(origin):
            from .app import module_of

            if module_of(origin, self.project):
                return None
        if obstacle(self.project, path) is not None or not (self.project / path).is_file():
            return None
        return self.project / path


def is_fetched(origin: str) -> bool:
    """Return whether a file came from a URL, an app or standard input."""
    return origin == STDIN or is_url(origin) or is_app(origin)


def home_of(sources: Sequence[str], project: Path | None) -> Path | None:
    """Return the folder that paths of copies begin at: of the folders of documents outside the
    project (of all, if none is outside) the first that shares most folders above the project, whose
    names the paths then avoid. None if no document is a file.
    """
    paths = [Path(os.path.realpath(name)) for name in sources if not is_fetched(name)]
    folders = [path if path.is_dir() else path.parent for path in paths]
    here = Path(os.path.realpath(project or os.curdir))
    outside = [folder for folder in folders if not folder.is_relative_to(here)]

    return min(outside or folders, key=partial(_steps, here), default=None)


def _steps(project: Path, folder: Path) -> int:
    """Return the number of folders above a project that do not contain another folder."""
    return sum(not folder.is_relative_to(above) for above in project.parents)


def copy_path(origin: str, project: Path, home: Path | None = None) -> str | None:
    """Return the path of a file's copy in a project; None for a file of the project, or on another
    drive.

    For a file: its path from `home`, the folder of the document, with `up` for each folder above,
    so the copies lie to each other as the files do. For a URL: host, path and a hash of the query.
    For `-`: `stdin.yaml`.
    """
    if origin == STDIN:
        return f"{FOLDER}/stdin.yaml"
    if is_app(origin):
        return f"{FOLDER}/{origin.replace(':', '.').removesuffix('()')}.json"
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
    """Return a part of a path as any file system accepts it; a hash is added if it was changed."""
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
    """Yield (path, content) of the copies a project keeps of its document."""
    for origin, content in originals.items():
        path = copy_path(origin, project, home)
        if path is not None:
            yield path, content


def has_stdin(project: Path) -> bool:
    """Return whether a project has `document/stdin.yaml`, the copy of a document from standard
    input.
    """
    path = copy_path(STDIN, project)
    return path is not None and (project / path).is_file()
