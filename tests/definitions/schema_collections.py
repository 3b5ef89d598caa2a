"""Collections of JSON Schemas that others maintain, as packages on PyPI carry them: `make schemas`.

* the official JSON-Schema-Test-Suite, in the source distribution of `jsonschema`
* schemas of SchemaStore, in `check-jsonschema`
"""

import json
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from acceptance import Tally, checker, in_body, in_tool, server_of

from mcpgen.problems import McpgenError
from mcpgen.render import render

PACKAGES = {
    "jsonschema": "--no-binary=jsonschema",
    "check-jsonschema": "--only-binary=check-jsonschema",
}
DRAFTS = {
    "draft4": "4", "draft6": "6", "draft7": "7", "draft2019-09": "2019-09",
    "draft2020-12": "2020-12",
}  # fmt: skip
WAYS: dict[str, Callable[[Any], Any] | None] = {
    "as a file": None,
    "in a list of tools": in_tool,
    "in a body of OpenAPI": in_body,
}
KNOWN_GAPS = (
    "skips over intermediate resources - direct reference",
    "body of OpenAPI: draft2019-09/recursiveRef.json", "does not look in applicators",
    "with boolean schemas, all false", "nested anyOf, to check validation semantics",
    "nul characters in strings", "with escaped characters",
    "validate definition against metaschema", "unevaluatedItems with oneOf",
)  # fmt: skip
"""What differs from the validator and is known: a dynamic reference in a schema that is referred to
from outside the schema around it. In a body: dynamic references of 2019-09, rules for the rest of an
object in one part of an `allOf`, a union that nothing fits, names that no argument can have, and a
union of which one branch has rules for the items that no other names.
"""


def fetched(package: str, folder: Path) -> Path:
    """The archive of a package, by pip."""
    found = sorted(folder.glob(f"{package.replace('-', '?')}-*"))
    if not found:
        folder.mkdir(parents=True, exist_ok=True)
        command = [
            sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", PACKAGES[package],
            package,
        ]  # fmt: skip
        subprocess.run([*command, "--dest", str(folder)], check=True, timeout=300)
        found = sorted(folder.glob(f"{package.replace('-', '?')}-*"))
    return found[-1]


def suite(archive: Path) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """(draft, label, case) of every case of the suite, the optional ones left out."""
    with tarfile.open(archive) as members:
        for member in members:
            parts = Path(member.name).parts
            if len(parts) == 5 and parts[1:3] == ("json", "tests") and parts[3] in DRAFTS:
                file = members.extractfile(member)
                for case in json.load(file) if file else ():
                    yield DRAFTS[parts[3]], f"{parts[3]}/{parts[4]}: {case['description']}", case


def judge_suite(archive: Path, within: Callable[[Any], Any] | None) -> Tally:
    """Every schema of the suite as a document, within a list or within a body, and every instance
    as a call.
    """
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        for draft, label, case in suite(archive):
            instances = [test["data"] for test in case["tests"]]
            schema = case["schema"]
            tally.schema(schema, instances, Path(folder), label, draft, within)
    return tally


def judge_store(archive: Path) -> Iterator[str]:
    """One line for every schema: what became of it. Whatever is raised but a reason is a fault."""
    with zipfile.ZipFile(archive) as members, tempfile.TemporaryDirectory() as folder:
        for name in members.namelist():
            if "/vendor/" not in name or not name.endswith(".json"):
                continue
            path = Path(folder) / Path(name).name
            path.write_bytes(members.read(name))
            started = time.monotonic()
            try:
                server, _ = server_of(path)
            except McpgenError as error:
                yield f"{path.name}: {error.problems[0].code} {error.problems[0].message}"
                continue
            render(server)
            for tool in server.tools:
                checker(tool)
            yield f"{path.name}: {len(server.tools)} tools in {time.monotonic() - started:.1f} s"


def main(cache: Path) -> int:
    """Judge both collections; 1 where something differs."""
    archive = fetched("jsonschema", cache)
    differing: list[str] = []
    for way, within in WAYS.items():
        tally = judge_suite(archive, within)
        reasons = dict(tally.reasons)
        print(f"test suite, {way}: {dict(tally.counts)}; not tools, with a reason: {reasons}")
        lines = [f"{way}: {line}" for line in tally.differences]
        known = [line for line in lines if any(gap in line for gap in KNOWN_GAPS)]
        print(f"  {len(known)} known to differ")
        differing += [line for line in lines if line not in known]
    for line in differing:
        print(f"differs: {line}")
    for line in judge_store(fetched("check-jsonschema", cache)):
        print(line)
    return 1 if differing else 0


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    sys.exit(
        main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path.home() / ".cache" / "mcpgen-schemas")
    )
